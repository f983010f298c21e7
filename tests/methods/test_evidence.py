from __future__ import annotations

import math
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

from lunwen.methods._evidence import Evidence, Finding, Verdict, numbers, slope

VALUES = st.lists(st.floats(-100, 100), min_size=2, max_size=12).map(tuple)


def test_the_interval_of_a_mean_by_hand() -> None:
    # mean 2, standard deviation 1, t(.975, 2) = 4.302653: 2 ± 4.302653 / sqrt(3)
    low, high = Finding(what="x", values=(1, 2, 3), limit=5, side="<=").interval
    assert (low, high) == pytest.approx((2 - 4.302653 / math.sqrt(3), 2 + 4.302653 / math.sqrt(3)))


@pytest.mark.parametrize(
    ("limit", "margin", "verdict"),
    [(5, 0, "holds"), (4.4, 0.2, "weaker"), (2, 0, "undecided"), (-1, 0, "fails"), (-1, 0.5, "fails")],
)
def test_the_verdict_follows_from_the_interval(limit: float, margin: float, verdict: str) -> None:
    assert Finding(what="x", values=(1, 2, 3), limit=limit, margin=margin, side="<=").verdict == verdict
    mirrored = Finding(what="x", values=(-1, -2, -3), limit=-limit, margin=margin, side=">=")
    assert mirrored.verdict == verdict


def test_a_ratio_is_compared_in_its_logarithms() -> None:
    finding = Finding(what="width", values=(1, 4), baseline=(2, 2), limit=2, side="<=")
    assert finding.estimate == pytest.approx(1)  # the geometric mean of 1/2 and 2
    low, high = finding.interval
    assert low * high == pytest.approx(1)


def test_every_value_counts_where_that_is_meant() -> None:
    finding = Finding(what="error", values=(1e-9, 3e-7), limit=1e-6, side="<=", spread="every")
    assert (finding.interval, finding.estimate, finding.verdict) == ((1e-9, 3e-7), 3e-7, Verdict.HOLDS)
    assert Finding(what="error", values=(1e-9, 2), limit=1, side="<=", spread="every").verdict == "undecided"


def test_one_seed_alone_decides_nothing_of_a_mean() -> None:
    assert Finding(what="x", values=(0,), limit=1, side="<=").verdict is Verdict.UNDECIDED


@given(VALUES)
def test_means_agree_with_statsmodels(values: tuple[float, ...]) -> None:
    found = Finding(what="x", values=values, limit=0, side="<=").interval
    expected = DescrStatsW(values).tconfint_mean()
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


@given(st.integers(0, 50), st.integers(50, 200))
def test_rates_agree_with_statsmodels(count: int, trials: int) -> None:
    found = Finding(
        what="miss", values=(count, 0), trials=(trials, 50), limit=0.1, side="<=", spread="rate"
    ).interval
    low, high = proportion_confint(count, trials + 50, method="beta")
    assert found == pytest.approx((0 if math.isnan(low) else low, high), abs=1e-9)


@given(VALUES, st.floats(-50, 50), st.floats(0, 10))
def test_a_wider_limit_never_makes_a_verdict_worse(
    values: tuple[float, ...], limit: float, more: float
) -> None:
    order = list(Verdict)
    tight = Finding(what="x", values=values, limit=limit, side="<=").verdict
    loose = Finding(what="x", values=values, limit=limit + more, side="<=").verdict
    assert order.index(loose) >= order.index(tight)


def test_a_claim_is_as_good_as_its_worst_finding_and_needs_a_failing_control() -> None:
    good = Finding(what="a", values=(1, 1), limit=2, side="<=")
    bad = Finding(what="b", values=(3, 3), limit=2, side="<=")
    evidence = Evidence(findings=(good, bad), control=good)
    assert (evidence.verdict, evidence.control_failed) == (Verdict.FAILS, False)
    assert Evidence(findings=(good,), control=bad).control_failed


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"values": ()}, "x: give values, margin >= 0, and as many baseline values or trials"),
        ({"values": (1, math.inf)}, "x: only finite values; give a diverged run a large number"),
        ({"values": (1,), "spread": "rate"}, "x: a rate needs trials, and nothing else has them"),
        ({"values": (1,), "baseline": (0,)}, "x: a ratio needs values above 0"),
    ],
)
def test_what_no_interval_follows_from_is_refused(given_: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match="x:") as refused:
        Finding(what="x", limit=1, side="<=", **given_)  # type: ignore[arg-type]
    assert str(refused.value) == message


def test_a_power_law_has_its_exponent_as_slope() -> None:
    assert slope([1, 10, 100], [3, 30**1, 300]) == pytest.approx(1)
    assert slope([1, 2, 4], [8, 2, 0.5]) == pytest.approx(-2)
    assert numbers(iter([1, 2])) == (1.0, 2.0)


WITHOUT = """
import sys
from importlib.machinery import PathFinder
find, hidden = PathFinder.find_spec, set(sys.argv[1:])
PathFinder.find_spec = lambda name, *rest: None if name.partition(".")[0] in hidden else find(name, *rest)
from lunwen.methods import listing, load, summary
print(sum(claim["verdict"] != "not run" for one in listing() for claim in summary(one, load(one))["claims"]))
"""


def test_what_was_measured_is_shown_where_nothing_of_the_extra_is_installed() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    hidden = [re.split("[>=]", one)[0] for one in project["optional-dependencies"]["methods"]]
    shown = subprocess.run(
        [sys.executable, "-c", WITHOUT, "sklearn", *hidden], capture_output=True, text=True, check=False
    )
    assert (shown.stderr, shown.returncode) == ("", 0)
    assert int(shown.stdout) > 0


def test_what_decides_stands_first() -> None:
    ample = Finding(what="ample", values=(1, 1), limit=4, side="<=")
    tight = Finding(what="tight", values=(3, 3), limit=4, side="<=")
    least = Finding(what="least", values=(6, 6), limit=4, side=">=")
    below = Finding(what="below", values=(3, 3), limit=4, side=">=", margin=2)
    evidence = Evidence(findings=(ample, least, tight, below), control=ample)
    assert [one.what for one in evidence.decisive] == ["below", "tight", "least", "ample"]
    assert [one.room(one.estimate) for one in evidence.decisive] == [-0.25, 0.25, 0.5, 0.75]
    assert evidence.verdict == "weaker"
