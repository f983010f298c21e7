"""Which room may import which (docs/design.md), read from the code itself."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "lunwen"
FILES = sorted(ROOT.rglob("*.py"))

EVERYONE = {"errors", "settings"}
MAY_IMPORT = {
    "errors": set(),
    "settings": set(),
    "corpus": set(),
    "retrieval": {"corpus"},
    "export": {"corpus"},
    "library": {"filed", "intake", "shelved", "retrieval", "corpus"},
    "filed": {"corpus"},
    "intake": {"retrieval", "corpus"},
    "shelved": {"retrieval", "corpus"},
    "methods": set(),
    "doors": {"library", "export", "retrieval", "corpus", "methods"},
    "__init__": {"library", "retrieval", "corpus"},  # the public door; only what it hands on
    "__main__": {"doors"},
}
ONLY_IN = {
    # the store, and the rooms that work inside its transactions
    "sqlite3": tuple(
        f"corpus/{name}"
        for name in (
            *("database.py", "store.py", "schema.py", "ledger.py", "settlement.py", "checkup.py", "shelf.py"),
            "sync/state.py",
        )
    ),
    "httpx": ("corpus/fetch/",),
    "tenacity": ("corpus/fetch/",),
    "protego": ("corpus/fetch/",),
    "keyring": ("settings.py",),
    "tantivy": ("retrieval/embedded/",),
    "torch": ("methods/",),
    "click": ("doors/cli/",),
    "rich": ("doors/cli/",),
    "starlette": ("doors/web/", "doors/api/"),
    "uvicorn": ("doors/web/", "doors/mcp/", "doors/connection.py"),
    "mcp": ("doors/mcp/",),
    "mcp_types": ("doors/mcp/",),
    "pypdfium2": ("corpus/pdf/",),
}
#: The rooms within ``corpus`` that fill a library, and which of them they build on; no other file there does.
FILLING = {"fetch": set(), "pdf": set(), "sync": {"fetch"}, "enrich": {"fetch", "sync"}}
LONGEST = 400  # lines; longer files say why in their first comment


def _place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _room(path: Path) -> str:
    first = path.relative_to(ROOT).parts[0]
    return first.removesuffix(".py")


def _imports(path: Path) -> set[str]:
    """Every module that ``path`` names in an import, wherever it stands; those of types too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{_place(path)}: a relative import"
            assert node.module is not None
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def _rooms_used(path: Path) -> set[str]:
    names = (name.split(".") for name in _imports(path))
    return {parts[1] for parts in names if parts[0] == "lunwen" and len(parts) > 1}


def test_there_is_something_to_read() -> None:
    assert len(FILES) > 20
    assert {_room(path) for path in FILES} <= set(MAY_IMPORT)


@pytest.mark.parametrize("path", FILES, ids=_place)
def test_a_room_imports_only_the_rooms_below_it(path: Path) -> None:
    room = _room(path)
    assert _rooms_used(path) - {room} - EVERYONE - MAY_IMPORT[room] == set()


@pytest.mark.parametrize("path", FILES, ids=_place)
def test_some_libraries_stay_in_their_place(path: Path) -> None:
    used = {name.split(".")[0] for name in _imports(path)}
    strays = {name for name in used & set(ONLY_IN) if not _place(path).startswith(ONLY_IN[name])}
    assert strays == set()


@pytest.mark.parametrize("path", [path for path in FILES if _room(path) == "corpus"], ids=_place)
def test_what_fills_a_library_is_built_on_what_it_is(path: Path) -> None:
    mine = path.relative_to(ROOT).parts[1]
    used = {name.split(".")[2] for name in _imports(path) if name.startswith("lunwen.corpus.")}
    assert used & FILLING.keys() - {mine} - FILLING.get(mine, set()) == set()


@pytest.mark.parametrize("path", sorted((ROOT / "corpus" / "sync" / "site").glob("*.py")), ids=_place)
def test_no_site_imports_a_source(path: Path) -> None:
    """What has not changed is asked for in less time than parsers take to load."""
    assert {name for name in _imports(path) if name.startswith("lunwen.corpus.sources")} == set()


@pytest.mark.parametrize("path", sorted((ROOT / "corpus" / "sources").glob("[a-z]*.py")), ids=_place)
def test_no_source_imports_a_source(path: Path) -> None:
    """What sources share is in files whose names begin with an underscore."""
    sources = {name.split(".")[3] for name in _imports(path) if name.startswith("lunwen.corpus.sources.")}
    assert {name for name in sources if not name.startswith("_")} == set()


@pytest.mark.parametrize("path", sorted((ROOT / "methods").glob("*/[a-z]*.py")), ids=_place)
def test_a_method_imports_only_what_methods_share_and_what_it_extends(path: Path) -> None:
    from lunwen.methods import find, listing  # noqa: PLC0415

    extended = {find(one).name for method in listing() if method.path == path for one in method.card.extends}
    used = {tuple(name.split(".")[2:4]) for name in _imports(path) if name.startswith("lunwen.methods.")}
    strays = {parts for parts in used if not any(part.startswith("_") for part in parts)}
    strays = {parts for parts in strays if parts[-1] not in extended}
    assert strays == set()


@pytest.mark.parametrize("path", [path for path in FILES if _room(path) == "doors"], ids=_place)
def test_no_door_imports_another(path: Path) -> None:
    mine = path.relative_to(ROOT).parts[1]
    others = {name.split(".")[2] for name in _imports(path) if name.startswith("lunwen.doors.")}
    starts = {"doors/cli/serve.py": {"web"}, "doors/cli/mcp.py": {"mcp"}}
    shares = {"web": {"api"}}  # the page is served with the API
    # what doors have in common
    ours = {"shape", "translate", "words", "selection", "parameter", "connection", "feed", "xml", "claim"}
    allowed = {mine} | ours | starts.get(_place(path), set()) | shares.get(mine, set())
    assert others - allowed == set()


@pytest.mark.parametrize("path", FILES, ids=_place)
def test_nothing_prints_but_the_command_line(path: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    prints = [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"]
    assert prints == []


@pytest.mark.parametrize("path", FILES, ids=_place)
def test_no_file_grows_too_long_without_a_reason(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    first = next((line for line in lines if line.startswith("#")), "")
    assert len(lines) <= LONGEST or re.match(r"# (Over|Longer than) .*: \w", first)


def test_the_rules_can_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stray = tmp_path / "corpus" / "stray.py"
    stray.parent.mkdir()
    stray.write_text(
        "import sqlite3\nfrom lunwen import retrieval\nfrom lunwen.doors.cli import main\nprint(1)\n"
        "from lunwen.corpus.fetch.client import open_fetcher\n"
    )
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    for check in (
        test_a_room_imports_only_the_rooms_below_it,
        test_some_libraries_stay_in_their_place,
        test_what_fills_a_library_is_built_on_what_it_is,
        test_nothing_prints_but_the_command_line,
    ):
        with pytest.raises(AssertionError):
            check(stray)
