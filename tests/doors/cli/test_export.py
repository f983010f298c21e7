from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import bibtexparser
import pytest

from lunwen.export.format import FORMATS

if TYPE_CHECKING:
    from pathlib import Path


def test_all_that_a_search_finds(run: Any, library: Any) -> None:
    out = run("export", "owls", "--venue", "ICML", "--sort", "newest").out
    assert [json.loads(line)["paper_id"] for line in out.splitlines()] == ["lw1", "lw2"]
    assert (library.asked[0].query, library.asked[0].venue) == ("owls", ("ICML",))


def test_bibtex(run: Any, library: object) -> None:
    del library
    keys = [entry.key for entry in bibtexparser.parse_string(run("export", "--format", "bibtex").out).entries]
    assert keys == ["number12026bilevel", "li2025suma1"]
    acl = run("export", "--format", "bibtex", "--key", "acl").out
    assert "@misc{li-2025-suma1,\n" in acl


def test_csv(run: Any, library: object) -> None:
    del library
    assert (
        run("export", "--format", "csv")
        .out.splitlines()[2]
        .startswith("lw2,'=SUM(A1) & Other Titles,Lei Li,")
    )


def test_chosen_papers(run: Any, library: object) -> None:
    del library
    assert [json.loads(line)["paper_id"] for line in run("export", "--ids", "lw2, lw1").out.splitlines()] == [
        "lw2",
        "lw1",
    ]
    assert run("export", "--ids", "lw2", "--ids", "lw1").out == run("export", "--ids", "lw2,lw1").out
    assert run("export", "--ids", "lw9").code == 1


def test_chosen_papers_and_a_search_do_not_go_together(run: Any, library: object) -> None:
    del library
    for given, says in (
        (("--ids", "lw2", "lw1"), "ids and a search"),
        (("--ids", "lw2", "--venue", "ICML"), "ids and a search"),
        (("--collection", "to read", "owls"), "a collection and a search"),
    ):
        wrong = run("export", *given)
        refusal = f"lunwen: {says} do not go together. Leave out its words and filters\n"
        assert (wrong.code, wrong.out, wrong.err) == (2, "", refusal)


def test_a_stretch_of_what_a_search_finds(run: Any, library: object) -> None:
    del library
    assert [json.loads(line)["paper_id"] for line in run("export", "-n", "1").out.splitlines()] == ["lw1"]
    assert [json.loads(line)["paper_id"] for line in run("export", "--offset", "1").out.splitlines()] == [
        "lw2"
    ]
    for option, says in (
        ("--limit", "limit 0: 1 or more papers can be asked for. Leave it out for all"),
        ("--offset", "offset -1: 0 or more papers can be left out. Leave it out for none"),
    ):
        wrong = run("export", option, "0" if option == "--limit" else "-1")
        assert (wrong.code, wrong.out, wrong.err) == (2, "", f"lunwen: {says}\n")


def test_no_id_is_no_paper_and_not_all(run: Any, library: object) -> None:
    del library
    assert run("export", "--ids", "").out == ""
    many = run("export", "--ids", ",".join(f"lw{number}" for number in range(1_001)))
    assert many.err == "lunwen: 1,001 ids: at most 1,000 papers can be named. Name fewer, or search\n"


def test_every_format_is_offered_with_what_it_is_for(run: Any, library: object) -> None:
    del library
    said = run("export", "--help").out
    for one in FORMATS.values():
        assert f"  {one.name:11}{one.help}\n" in said
        assert run("export", "--format", one.name).code == 0
    assert run("export", "--format", "reference", "--style", "ieee").out.startswith("[1] ")


def test_one_json_document(run: Any, library: object) -> None:
    del library
    assert [one["paper_id"] for one in run("export", "--json").json] == ["lw1", "lw2"]
    wrong = run("export", "--json", "--format", "csv")
    assert wrong.code == 2
    assert json.loads(wrong.err)["message"] == (
        "--json and --format csv both want standard output. Leave one out, or add -o FILE"
    )


def test_a_file_is_replaced_only_when_all_is_written(
    run: Any, library: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "owls.bib"
    target.write_text("old")

    def stop(_request: object) -> Any:
        yield next(iter(()))

    monkeypatch.setattr(library, "select", stop)
    with pytest.raises(RuntimeError):
        run("export", "-o", str(target))
    assert target.read_text() == "old"
    monkeypatch.undo()


def test_a_file(run: Any, library: object, tmp_path: Path) -> None:
    del library
    target = tmp_path / "owls.jsonl"
    written = run("export", "-o", str(target), "--json")
    assert written.json == {"file": str(target), "format": "jsonl", "bytes": target.stat().st_size}
    assert [path.name for path in tmp_path.iterdir()] == ["owls.jsonl"]
    assert len(target.read_text("utf-8").splitlines()) == 2
    assert target.stat().st_mode & 0o077 != 0o000


def test_a_place_that_cannot_be_written(run: Any, library: object, tmp_path: Path) -> None:
    del library
    target = tmp_path / "nowhere" / "owls.bib"
    wrong = run("export", "-o", str(target))
    assert (wrong.code, wrong.err) == (
        1,
        f'lunwen: cannot write "{target}": No such file or directory. Give another place\n',
    )
