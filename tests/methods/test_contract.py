"""What holds of every method: its card, its claims run fast, its controls fail, its evidence is not stale."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from operator import itemgetter
from typing import TYPE_CHECKING

import pytest

from lunwen.corpus import catalogue
from lunwen.corpus.running import RUNNING
from lunwen.methods import Verdict, check, listing, load, measured_summary, picture, place, summary
from lunwen.methods._check import one_thread
from lunwen.methods._claim import Kind, Trials

if TYPE_CHECKING:
    from lunwen.methods import Method

METHODS = listing()
PARTS = ("Problem.", "Idea.", "Differs from the paper.", "Not covered.")
each_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)


def test_the_library_knows_which_papers_run() -> None:
    assert tuple(method.method_id for method in METHODS) == RUNNING


def test_no_two_methods_share_an_id_or_a_name() -> None:
    assert len({method.method_id for method in METHODS}) == len({one.name for one in METHODS}) == len(METHODS)


@each_method
def test_the_card_agrees_with_the_catalogue(method: Method) -> None:
    paper, card = catalogue.find(method.method_id), method.card
    assert paper is not None
    assert (card.title, card.venue, card.year) == (paper.title, paper.venue, paper.year)
    assert card.authors == tuple(author.name for author in paper.authors)
    assert card.url in paper.urls.values()
    assert card.area == method.path.parent.name
    assert card.seconds > 0


@each_method
def test_the_documentation_has_its_parts_in_order(method: Method) -> None:
    lines = method.documentation.split("\n")
    assert lines[0].rstrip(".") == method.card.title
    places = [next(at for at, line in enumerate(lines) if line.startswith(part)) for part in PARTS]
    assert places == sorted(places)


@each_method
def test_its_claims_are_written_down(method: Method) -> None:
    assert method.claims
    for one in method.claims:
        assert one.says
        assert one.where
        assert Kind(one.kind)


@each_method
def test_it_keeps_no_global_state(method: Method) -> None:
    tree = ast.parse(method.path.read_bytes())
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    seeds = {"torch.manual_seed", "np.random.seed", "random.seed", "torch.set_num_threads"}
    assert called & {*seeds, "print", "open"} == set()
    module = method.load()
    assert set(module.__all__) <= set(dir(module))


@each_method
def test_its_example_runs_as_it_stands_and_prints(method: Method) -> None:
    done = subprocess.run(
        [sys.executable, "-c", method.card.example], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@each_method
def test_its_claims_run_and_their_controls_fail(method: Method) -> None:
    checked = check(method)
    loose = {
        one.claim.name: one.evidence.control for one in checked.claims if not one.evidence.control_failed
    }
    assert loose == {}
    json.dumps(measured_summary(checked), allow_nan=False)


@each_method
def test_the_same_seeds_measure_the_same(method: Method) -> None:
    record = load(method)
    assert record is not None
    quickest = min(method.claims, key=lambda one: record.claims[one.name][1])
    measure = getattr(method.load(), quickest.name)
    with one_thread():
        first, second = (measure(Trials(range(2), full=False)) for _ in range(2))
    for one, other in zip(first.findings, second.findings, strict=True):
        assert one == other or "seconds" in one.what  # time is the one thing that no seed fixes
    assert first.control == second.control or "seconds" in first.control.what


@each_method
def test_its_evidence_is_full_and_not_stale(method: Method) -> None:
    record = load(method)
    advice = f"measure with: lunwen check {method.method_id} --full --write"
    assert record is not None, advice
    assert not record.stale, advice
    assert record.made["scale"] == "full", advice
    assert set(record.claims) == {one.name for one in method.claims}
    assert picture(method), "draw with: python docs/methods.py"


@each_method
def test_what_was_measured_reads_by_itself(method: Method) -> None:
    record = load(method)
    assert record is not None
    for evidence, _ in record.claims.values():
        names = [one.what for one in evidence.findings]
        assert len(set(names)) == len(names)
        assert not [one for one in (*names, evidence.control.what) if one.startswith("the same")]


@each_method
def test_what_is_no_better_than_its_baseline_is_not_called_weaker(method: Method) -> None:
    record = load(method)
    assert record is not None
    for evidence, _ in record.claims.values():
        assert not [one for one in evidence.findings if one.baseline and one.limit == 1 and one.margin]


@each_method
def test_the_verdicts_on_record_follow_from_the_values_on_record(method: Method) -> None:
    stored = {one["name"]: one for one in json.loads(place(method).read_text("utf-8"))["claims"]}
    for one in summary(method, load(method))["claims"]:
        assert one["verdict"] == stored[one["name"]]["verdict"] != Verdict.NOT_RUN
        assert one["control_failed"] is stored[one["name"]]["control_failed"] is True
        measured = (sorted(found["measured"], key=itemgetter("what")) for found in (one, stored[one["name"]]))
        for now, then in zip(*measured, strict=True):
            # another release of the library of distributions may differ in the last digit
            for name in ("estimate", "interval"):
                assert now.pop(name) == pytest.approx(then.pop(name), rel=1e-9)
            assert now == then
        assert one["says"] == stored[one["name"]]["says"]
