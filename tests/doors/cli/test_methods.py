from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lunwen.methods import _check, find
from lunwen.methods import picture as picture_of

if TYPE_CHECKING:
    from pathlib import Path

METHOD = "001-11"  # needs no more than NumPy and SciPy
KEYS = {"name", "says", "kind", "verdict", "control_failed", "measured", "seconds", "stale"}


@pytest.fixture(autouse=True)
def few_seeds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_check, "FAST_SEEDS", 2)
    monkeypatch.setenv("LUNWEN_CLAIMS", str(tmp_path / "claims"))


def test_methods_are_listed_with_their_verdicts(run: Any) -> None:
    shapes = json.loads(run("methods", "--json").out)
    assert [shape["method_id"] for shape in shapes] == sorted(shape["method_id"] for shape in shapes)
    assert {"method_id", "title", "area", "claims"} <= shapes[0].keys()
    assert all(claim.keys() >= KEYS for shape in shapes for claim in shape["claims"])
    assert {claim["verdict"] for shape in shapes for claim in shape["claims"]} == {"not run"}
    assert METHOD in run("methods", "online").out
    assert METHOD in run("methods", "sinha", "在线").out
    assert METHOD not in run("methods", "bilevel").out


def test_a_method_is_shown_whole(run: Any) -> None:
    out = run("method", METHOD).out
    method = find(METHOD)
    assert out.startswith("Beyond Õ(√T)")
    assert "\n\n\n" not in out.partition("Differs from the paper.")[0]
    assert method.claims[0].name in out
    assert "Differs from the paper." in out
    assert json.loads(run("method", METHOD, "--json").out)["module"] == method.module
    for name in ("COCO", "arXiv:2505.06709", "https://arxiv.org/abs/2505.06709v2"):
        assert run("method", name).out == out
    assert "此处无法检验" in run("method", METHOD, "--lang", "zh").out


def test_methods_are_listed_in_chinese(run: Any) -> None:
    line = next(line for line in run("methods", "online", "--lang", "zh").out.splitlines() if METHOD in line)
    assert line.split()[2:4] == ["在线学习", str(len(find(METHOD).claims))]
    assert line.endswith(" 未测")


def test_damaged_evidence_is_shown_at_its_own_method_alone(run: Any, tmp_path: Path) -> None:
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / f"{METHOD}.json").write_text("{", "utf-8")
    problem = (
        f"evidence damaged: {METHOD}.json cannot be read. "
        f"Measure again with: lunwen check {METHOD} --full --write"
    )
    listed = [line for line in run("methods").out.splitlines() if not line.startswith(" ")]
    assert [line.split()[0] for line in listed if line.endswith("evidence damaged")] == [METHOD]
    assert " ".join(run("method", METHOD).out.split()).endswith(problem)
    shapes = json.loads(run("methods", "--json").out)
    assert {shape["method_id"]: shape["problem"] for shape in shapes if shape["problem"]} == {METHOD: problem}


def test_what_is_not_there_is_one_line(run: Any) -> None:
    assert run("method", "nope").err == 'lunwen: no method "nope". List them with: lunwen methods\n'
    assert run("method", "ffpc").err == (
        'lunwen: no method "ffpc". Closest: "ffcp". List them with: lunwen methods\n'
    )
    assert run("method", "000-01").err == (
        'lunwen: the method of 000-01, "Joint Learning in the Gaussian Single Index Model", does not run '
        "here yet. List those that do with: lunwen methods\n"
    )
    assert run("methods", "nope", "x").err == (
        'lunwen: no method has "nope x" in its title, authors, venue, area or claims. '
        "List all with: lunwen methods\n"
    )
    assert run("check", METHOD, "--plot", "x.pdf").err == (
        'lunwen: no plot can be named "x.pdf". Allowed: names that end in .svg or .png. '
        "Name it so: claims.svg\n"
    )
    assert run("check", METHOD, "001-02", "--plot", "x.svg").err == (
        "lunwen: one plot for 2 methods. Allowed: one. Give one ID with --plot\n"
    )


def test_checking_measures_writes_and_draws(run: Any, tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    done = run("check", METHOD, "--json", "--seeds", "3", "--write", "--plot", str(picture))
    (shape,) = json.loads(done.out)
    assert all(claim.keys() >= KEYS for claim in shape["claims"])
    assert all(len(one["values"]) == 3 for one in shape["claims"][0]["measured"])
    assert done.code == int(not all(claim["control_failed"] for claim in shape["claims"]))
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in (tmp_path / "claims").iterdir()) == [
        f"{METHOD}.json",
        f"{METHOD}.svg",
    ]
    kept = json.loads((tmp_path / "claims" / f"{METHOD}.json").read_text())
    assert (kept["scale"], kept["seeds"], kept["claims"][0]["name"]) == (
        "fast",
        3,
        shape["claims"][0]["name"],
    )
    listed = json.loads(run("methods", METHOD, "--json").out)
    assert listed[0]["claims"][0]["measured"] == shape["claims"][0]["measured"]
    assert picture_of(find(METHOD))


def test_a_picture_of_other_evidence_is_not_shown(run: Any, tmp_path: Path) -> None:
    run("check", METHOD, "--seeds", "3", "--write")
    path = tmp_path / "claims" / f"{METHOD}.json"
    path.write_text(path.read_text().replace('"seeds": 3', '"seeds": 4'))
    assert picture_of(find(METHOD)) is None


def test_a_fast_look_does_not_replace_evidence_of_full_size(run: Any, tmp_path: Path) -> None:
    looked = run("check", METHOD, "--seeds", "3", "--write")
    assert "fast look, 3 seeds." in looked.out
    path = tmp_path / "claims" / f"{METHOD}.json"
    path.write_text(path.read_text().replace('"scale": "fast"', '"scale": "full"'))
    refused = run("check", METHOD, "--write")
    assert (refused.code, refused.err) == (
        2,
        (
            f"lunwen: the evidence of {METHOD} is of full size, 3 seeds; a fast look does not replace it. "
            "Give --full, or leave out --write\n"
        ),
    )


def test_what_cannot_be_written_is_said_before_anything_is_measured(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_check, "one_thread", None)  # without which nothing is measured
    nowhere = tmp_path / "none" / "x.svg"
    assert run("check", METHOD, "--plot", str(nowhere)).err == (
        f'lunwen: cannot write "{nowhere}": No such file or directory. Give another place\n'
    )
    (tmp_path / "file").touch()
    monkeypatch.setenv("LUNWEN_CLAIMS", str(tmp_path / "file"))
    done = run("check", METHOD, "--write")
    assert (done.code, done.err) == (
        1,
        (
            f'lunwen: LUNWEN_CLAIMS is "{tmp_path}/file", which is no folder. '
            "Give the folder of evidence, or unset it\n"
        ),
    )


def test_evidence_of_another_file_is_stale(run: Any, tmp_path: Path) -> None:
    run("check", METHOD, "--seeds", "3", "--write")
    path = tmp_path / "claims" / f"{METHOD}.json"
    kept = json.loads(path.read_text())
    kept["files"]["online/coco.py"] = "0"
    path.write_text(json.dumps(kept))
    assert "stale" in run("methods", METHOD).out
    done = run("check", METHOD, "--seeds", "3")
    assert done.code == 1
    assert f"lunwen check {METHOD} --full --write" in done.err
