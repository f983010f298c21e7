"""Sites of papers with pages of their own, as they look: a list, and what is on each paper's page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

CVF, ECVA = "openaccess.thecvf.com", "www.ecva.net"
NEURIPS, PMLR = "papers.nips.cc", "proceedings.mlr.press"
BOOK = "Proceedings of the 41st International Conference on Machine Learning"
WORDS = "We count the teeth of wheel {} and compare the count with a list that the gardener keeps."


def abstract(number: int) -> str:
    return WORDS.format(number)


def ada(number: int) -> str:
    return f"Ada Lovelace{number}"


def cvf_path(number: int) -> str:
    return f"/content/CVPR2024/html/Lovelace_Odd_Wheel_{number}_CVPR_2024_paper.html"


def cvf_list(numbers: Sequence[int]) -> str:
    rows = "".join(
        f'<dt class="ptitle"><br><a href="{cvf_path(number)}">Odd Wheel {number}</a></dt>\n'
        f'<dd>\n<form class="authsearch"><input type="hidden" name="query_author" value="{ada(number)}">'
        f'<a href="#">{ada(number)}</a></form></dd>\n<dd>\n[<a href="{cvf_pdf(number)}">pdf</a>]\n</dd>\n'
        for number in numbers
    )
    return (
        "<!DOCTYPE html>\n<html><head><title>CVPR 2024 Open Access Repository</title></head><body>"
        f"<h3>Papers</h3><dl>\n{rows}</dl></body></html>\n"
    )


def cvf_pdf(number: int) -> str:
    return cvf_path(number).replace("/html/", "/papers/").replace(".html", ".pdf")


def cvf_paper(number: int) -> str:
    return (
        "<!DOCTYPE html>\n<html><head><title>CVPR 2024 Open Access Repository</title>"
        f'<meta name="citation_title" content="Odd Wheel {number}">'
        f'<meta name="citation_pdf_url" content="https://openaccess.thecvf.com{cvf_pdf(number)}"></head><body>'
        f'<div id="papertitle">Odd Wheel {number}</div>'
        f'<div id="authors"><br><b><i>{ada(number)}</i></b>; CVPR, 2024</div>'
        f'<div id="abstract">{abstract(number)}</div></body></html>\n'
    )


def ecva_path(number: int, year: int = 2024) -> str:
    return f"papers/eccv_{year}/papers_ECCV/html/{number}_ECCV_{year}_paper.php"


def ecva_list(numbers: Sequence[tuple[int, int]]) -> str:
    rows = "".join(
        f'<dt class="ptitle"><br>\n<a href={ecva_path(number, year)}>\nOdd Wheel {number}</a>\n</dt><dd>\n'
        f"{ada(number)}*</dd>\n"
        f"<dd>[<a href='papers/eccv_{year}/papers_ECCV/papers/{number:05d}.pdf'>pdf</a>]</dd>\n"
        for number, year in numbers
    )
    return f"<!DOCTYPE html>\n<html><head><title>ECVA</title></head><body><dl>\n{rows}</dl></body></html>\n"


def ecva_paper(number: int) -> str:
    return (
        f'<!DOCTYPE html>\n<html><body><div id="papertitle">\nOdd Wheel {number}</div>'
        f'<div id="authors"><br><b><i>{ada(number)}*</i></b>;</div>'
        f'<div id="abstract">"{abstract(number)}"</div>'
        f'[<a href="../papers/{number:05d}.pdf">pdf</a>]</body></html>\n'
    )


def neurips_path(number: int) -> str:
    return f"/paper_files/paper/2024/hash/{number:032x}-Abstract-Conference.html"


def neurips_list(numbers: Sequence[int]) -> str:
    rows = "".join(
        f'<li class="conference"><a title="paper title" href="{neurips_path(number)}">Odd Wheel {number}</a> '
        f"<i>{ada(number)}</i></li>\n"
        for number in numbers
    )
    return (
        "<!doctype html>\n<html><head><title>NeurIPS 2024</title></head><body>"
        "<h4>Advances in Neural Information Processing Systems 44 (NeurIPS 2024)</h4>"
        f'<ul class="paper-list">\n{rows}</ul></body></html>\n'
    )


def neurips_paper(number: int) -> str:
    pdf = neurips_path(number).replace("/hash/", "/file/").replace("-Abstract-", "-Paper-")
    return (
        f'<!doctype html>\n<html><head><meta name="citation_title" content="Odd Wheel {number}"/>'
        f'<meta name="citation_author" content="Lovelace{number}, Ada"/>'
        f'<meta name="citation_pdf_url" content="https://proceedings.neurips.cc{pdf[:-5]}.pdf"/></head>'
        f"<body><h4>Odd Wheel {number}</h4><h4>Abstract</h4><p><p>{abstract(number)}</p></p></body></html>\n"
    )


def pmlr_key(number: int) -> str:
    return f"lovelace24{chr(ord('a') + number)}"


def pmlr_list(numbers: Sequence[int]) -> str:
    rows = "".join(
        f'<div class="paper"><p class="title">Odd Wheel {number}</p><p class="details">'
        f'<span class="authors">{ada(number)}</span>; <span class="info">'
        f"<i>{BOOK}</i>, PMLR 235:1-9</span></p>"
        f'<p class="links">[<a href="https://proceedings.mlr.press/v235/{pmlr_key(number)}.html">abs</a>]</p></div>\n'
        for number in numbers
    )
    return f"<!DOCTYPE html>\n<html><body><h2>Volume 235: ICML, 1 July 2024</h2>\n{rows}</body></html>\n"


def pmlr_yaml(numbers: Sequence[int]) -> str:
    return "---\n" + "".join(
        f"- title: Odd Wheel {number}\n  abstract: '{abstract(number)}'\n  volume: 235\n"
        f"  URL: https://proceedings.mlr.press/v235/{pmlr_key(number)}.html\n"
        f"  container-title: '{BOOK}'\n"
        f"  author:\n  - given: Ada\n    family: Lovelace{number}\n  id: {pmlr_key(number)}\n"
        "  issued:\n    date-parts:\n      - 2024\n      - 7\n"
        for number in numbers
    )


def pmlr_bib(numbers: Sequence[int]) -> str:
    return "".join(
        f"@InProceedings{{pmlr-v235-{pmlr_key(number)},\n  title =\t {{Odd Wheel {number}}},\n"
        f"  author =\t {{Lovelace{number}, Ada}},\n  booktitle =\t {{{BOOK}}},\n  year =\t {{2024}},\n"
        f"  url =\t {{https://proceedings.mlr.press/v235/{pmlr_key(number)}.html}},\n"
        f"  abstract =\t {{{abstract(number)}}}\n}}\n"
        for number in numbers
    )


def pmlr_paper(number: int) -> str:
    return (
        f'<!DOCTYPE html>\n<html><head><meta name="citation_title" content="Odd Wheel {number}">'
        f'<meta name="citation_author" content="{ada(number)}">'
        '<meta name="citation_publication_date" content="2024/07/01"><meta name="citation_pdf_url" '
        f'content="https://proceedings.mlr.press/v235/{pmlr_key(number)}/{pmlr_key(number)}.pdf"></head><body>'
        f'<h1>Odd Wheel {number}</h1><div id="info"><i>{BOOK}</i>, PMLR 235:1-9, 2024.</div>'
        f'<div id="abstract" class="abstract">{abstract(number)}</div></body></html>\n'
    )
