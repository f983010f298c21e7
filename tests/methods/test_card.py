from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lunwen.errors import CouldNot, NotFound
from lunwen.methods import _card, find, listing
from lunwen.methods._card import read

if TYPE_CHECKING:
    from pathlib import Path

MODULE = '''"""A title.

Problem.
"""
raise SystemExit("read, never run")
CARD = Card(paper_id="1", title="A title", authors=("A",), venue="V", year=2026, url="u", area="a",
            needs=("no_such_library",), seconds=1, example="print(1)")

@claim(says="it falls", where="abstract", kind="order")
def falls(trials):
    pass

def not_a_claim():
    pass
'''


def _write(folder: Path, text: str) -> Path:
    path = folder / "area" / "method.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_a_module_is_read_without_running_it(tmp_path: Path) -> None:
    method = read(_write(tmp_path, MODULE))
    assert (method.method_id, method.name, method.module) == ("1", "method", "lunwen.methods.a.method")
    assert [(one.name, one.says, one.kind) for one in method.claims] == [("falls", "it falls", "order")]
    assert method.documentation.startswith("A title.")


def test_a_missing_library_is_said_before_importing(tmp_path: Path) -> None:
    with pytest.raises(CouldNot) as refused:
        read(_write(tmp_path, MODULE)).load()
    assert str(refused.value) == (
        "1 needs no_such_library, not installed here. "
        "Install what the methods need with: pip install 'lunwen[methods]'"
    )


@pytest.mark.parametrize("text", ["x = 1\n", "CARD = Card(paper_id=str(1))\n", "CARD = Card('1')\n"])
def test_a_card_that_is_no_literal_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"CARD|literal|malformed"):
        read(_write(tmp_path, text))


def test_hashes_follow_the_shared_files_a_method_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_card, "ROOT", tmp_path)
    shared = tmp_path / "area" / "_data.py"
    imports = "from lunwen.methods.area._data import x\nfrom lunwen.methods.area import _more\n"
    method = read(_write(tmp_path, imports + MODULE[MODULE.index("CARD") :]))
    shared.write_text("x = 1\n")
    shared.with_name("_more.py").touch()
    before = method.hashes()
    assert list(before) == ["area/_data.py", "area/_more.py", "area/method.py"]
    shared.write_text("x = 2\n")
    after = method.hashes()
    assert before["area/method.py"] == after["area/method.py"]
    assert before["area/_data.py"] != after["area/_data.py"]


def test_methods_are_found_by_id_and_by_name() -> None:
    for method in listing():
        assert find(method.method_id) is find(method.name) is method
    with pytest.raises(NotFound) as refused:
        find("nothing")
    assert str(refused.value) == 'no method "nothing". List them with: lunwen methods'
