"""Papers as BibTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lunwen.corpus.paper import Author, Paper, Status
from lunwen.export.cite_key import cite_key, distinct
from lunwen.export.person import read_person
from lunwen.export.tex import balanced, escape, latex, latex_braced, latex_title, verbatim

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

# What a venue is called on the title page of its proceedings; others are called by their own name.
_PROCEEDINGS = {
    "AAAI": "Proceedings of the AAAI Conference on Artificial Intelligence",
    "AACL": "Conference of the Asia-Pacific Chapter of the Association for Computational Linguistics",
    "ACL": "Proceedings of the Annual Meeting of the Association for Computational Linguistics",
    "ACL Findings": "Findings of the Association for Computational Linguistics: ACL",
    "ACM MM": "ACM International Conference on Multimedia",
    "ACML": "Asian Conference on Machine Learning",
    "AISTATS": "International Conference on Artificial Intelligence and Statistics",
    "COLING": "International Conference on Computational Linguistics",
    "COLM": "Conference on Language Modeling",
    "COLT": "Conference on Learning Theory",
    "CoNLL": "Conference on Computational Natural Language Learning",
    "CoRL": "Conference on Robot Learning",
    "CVPR": "IEEE/CVF Conference on Computer Vision and Pattern Recognition",
    "EACL": "Conference of the European Chapter of the Association for Computational Linguistics",
    "ECCV": "European Conference on Computer Vision",
    "EACL Findings": "Findings of the Association for Computational Linguistics: EACL",
    "EMNLP": "Conference on Empirical Methods in Natural Language Processing",
    "EMNLP Findings": "Findings of the Association for Computational Linguistics: EMNLP",
    "ICCV": "IEEE/CVF International Conference on Computer Vision",
    "ICLR": "International Conference on Learning Representations",
    "ICML": "International Conference on Machine Learning",
    "ICRA": "IEEE International Conference on Robotics and Automation",
    "IJCAI": "International Joint Conference on Artificial Intelligence",
    "IROS": "IEEE/RSJ International Conference on Intelligent Robots and Systems",
    "KDD": "ACM SIGKDD Conference on Knowledge Discovery and Data Mining",
    "MLSys": "Conference on Machine Learning and Systems",
    "NAACL": "Conference of the North American Chapter of the Association for Computational Linguistics",
    "NAACL Findings": "Findings of the Association for Computational Linguistics: NAACL",
    "NeurIPS": "Advances in Neural Information Processing Systems",
    "RSS": "Robotics: Science and Systems",
    "SIGIR": "International ACM SIGIR Conference on Research and Development in Information Retrieval",
    "UAI": "Conference on Uncertainty in Artificial Intelligence",
    "WACV": "IEEE/CVF Winter Conference on Applications of Computer Vision",
    "WWW": "The Web Conference",
}
_JOURNALS = {
    "Computational Linguistics": "Computational Linguistics",
    "JMLR": "Journal of Machine Learning Research",
    "TACL": "Transactions of the Association for Computational Linguistics",
    "TMLR": "Transactions on Machine Learning Research",
    "TPAMI": "IEEE Transactions on Pattern Analysis and Machine Intelligence",
}
_SENT_BACK = {Status.REJECTED: "Submitted to", Status.WITHDRAWN: "Withdrawn from"}


def entry(paper: Paper, key: str | None = None) -> str:
    """Write one paper as a BibTeX entry."""
    kind, place = _kind(paper)
    fields = {
        "title": _title(paper),
        "author": " and ".join(_author(author) for author in paper.authors),
        **place,
        "year": str(paper.year or ""),
        "volume": escape(paper.volume or ""),
        "pages": escape(paper.pages or "").replace("--", "-").replace("-", "--"),
        "publisher": escape(paper.publisher or ""),
        "doi": verbatim(paper.identifiers.get("doi", "")),
        "url": verbatim(paper.urls.get("paper") or paper.urls.get("pdf") or ""),
        "abstract": latex(" ".join((paper.abstract or "").split())),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    month = _month(paper.date)
    lines += [f"  month = {month},"] if month else []
    return "\n".join([f"@{kind}{{{key or cite_key(paper)},", *lines, "}"])


def entries(
    papers: Iterable[Paper], style: str = "scholar", *, keys: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Write many papers, one entry at a time, every key once.

    Papers that would share a key get a, b, c as they come, or what ``keys`` (from ``cite_keys``, which does
    not depend on the order) has for their ``paper_id``.
    """
    known = keys or {}
    used = set(known.values())
    for paper in papers:
        yield entry(paper, known.get(paper.paper_id) or distinct(cite_key(paper, style), used))


def _kind(paper: Paper) -> tuple[str, dict[str, str]]:
    """Say which sort of entry a paper is and where it appeared: proceedings, a journal, or an archive."""
    arxiv = paper.identifiers.get("arxiv")
    eprint = {"eprint": verbatim(arxiv), "archiveprefix": "arXiv"} if arxiv else {}
    venue = paper.venue or ""
    if paper.status in _SENT_BACK and venue:
        said = f"{_SENT_BACK[paper.status]} {_PROCEEDINGS.get(venue, venue)}"
        return "misc", {"howpublished": escape(said), **eprint}
    if paper.status is Status.PREPRINT or not (venue or paper.booktitle) or venue.lower() == "arxiv":
        return "misc", eprint
    if venue in _JOURNALS:
        return "article", {"journal": escape(_JOURNALS[venue]), **eprint}
    return "inproceedings", {"booktitle": escape(paper.booktitle or _PROCEEDINGS.get(venue, venue)), **eprint}


def _title(paper: Paper) -> str:
    if paper.title_bibtex and balanced(paper.title_bibtex):
        return latex_braced(paper.title_bibtex)
    return latex_title(paper.title)


def _author(author: Author) -> str:
    person = read_person(author)
    family = escape(person.family)
    if person.group or (not person.given and " " in family):
        return f"{{{family}}}"
    if not person.given:
        return family
    # Several words without particles are one family name only inside a comma form, which this is.
    parts = [family, escape(person.suffix), escape(person.given)]
    return ", ".join(part for part in parts if part)


def _month(date: str | None) -> str | None:
    parts = (date or "").split("-")
    if len(parts) < 2 or not parts[1].isdigit() or not 1 <= int(parts[1]) <= 12:
        return None
    return _MONTHS[int(parts[1]) - 1]
