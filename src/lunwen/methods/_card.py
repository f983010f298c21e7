"""What a method's module says of itself, read without running it."""

from __future__ import annotations

import ast
import hashlib
import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lunwen.errors import CouldNot, NotFound
from lunwen.methods._claim import ClaimText

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import ModuleType

ROOT = Path(__file__).parent
PARTS = ("Problem", "Idea", "Differs from the paper", "Not covered")  # of the documentation, in this order
FRAME = {"_card", "_claim", "_evidence", "_record", "_check", "_plot", "_given"}  # they measure nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The facts of one paper's method, all literals.

    Attributes:
        paper_id: the paper in the catalogue, and the method's own id.
        area: the folder the module stands in.
        extends: ids of methods whose paper this one extends; only those may be imported.
        needs: libraries that must be installed, by the name one imports.
        seconds: how long all claims take at full size on two cores.
        example: a few lines that run as they stand, and print.
        unchecked: what the paper says that cannot be measured here, and why.
    """

    paper_id: str
    title: str
    authors: tuple[str, ...]
    venue: str
    year: int
    url: str
    area: str
    needs: tuple[str, ...]
    seconds: int
    example: str
    extends: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Method:
    """One method: its card, its claims and its documentation, as its file has them."""

    name: str  # the file's name without .py
    path: Path
    card: Card
    claims: tuple[ClaimText, ...]
    documentation: str

    @property
    def method_id(self) -> str:
        """The id of its paper in the catalogue."""
        return self.card.paper_id

    @property
    def module(self) -> str:
        """The name to import."""
        return f"lunwen.methods.{self.card.area}.{self.name}"

    def has(self, words: Iterable[str], *, also: str = "") -> bool:
        """Return whether its card, its claims or what is ``also`` said of it has all the words."""
        card = self.card
        known = (self.method_id, self.name, card.area, card.title, *card.authors, card.venue, str(card.year))
        text = " ".join([*known, *(claim.says for claim in self.claims), also]).lower()
        return all(word.lower() in text for word in words)

    def part(self, heading: str) -> str:
        """Return what the documentation says under one of its headings."""
        after = self.documentation.partition(f"\n{heading}.")[2]
        return re.split(rf"\n(?:{'|'.join(PARTS)})\.", after)[0].strip()

    def load(self) -> ModuleType:
        """Import the module.

        Raises:
            CouldNot: a library that it needs is not installed.
        """
        missing = [name for name in self.card.needs if find_spec(name) is None]
        if missing:
            raise CouldNot(
                f"{self.method_id} needs {', '.join(missing)}, not installed here. "
                "Install what the methods need with: pip install 'lunwen[methods]'"
            )
        return import_module(self.module)

    def hashes(self) -> dict[str, str]:
        """Return the SHA-256 of the module and of the shared files it uses, by their place below methods/."""
        return {
            path.relative_to(ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(_files_used(self.path))
        }


@cache
def listing() -> tuple[Method, ...]:
    """Return all methods in the order of their ids."""
    files = (path for path in ROOT.glob("*/*.py") if not path.name.startswith("_"))
    return tuple(sorted(map(read, files), key=lambda method: method.method_id))


def find(name: str) -> Method:
    """Return the method with this name, or of the paper with this id: the catalogue's, arXiv's or a URL.

    Raises:
        NotFound: there is none.
    """
    wanted = name.strip()
    for method in listing():
        own = {method.method_id, method.name, _last(method.card.url)}
        if wanted.lower() in {one.lower() for one in own} or _last(wanted) == _last(method.card.url):
            return method
    near = get_close_matches(wanted.lower(), [one.name for one in listing()], n=1)
    closest = f'. Closest: "{near[0]}"' if near else ""
    raise NotFound(f'no method "{name}"{closest}. List them with: lunwen methods')


def _last(address: str) -> str:
    """Return the id at the end of an address, without a version: 2412.00653 of arXiv:2412.00653v2."""
    return re.sub(r"(?<=\d)v\d+$", "", re.split(r"[/:=]", address)[-1])


def read(path: Path) -> Method:
    """Read a method's file.

    Raises:
        ValueError: it has no card, or something in a card or claim is not a literal.
    """
    tree = ast.parse(path.read_bytes())
    card: Card | None = None
    claims: list[ClaimText] = []
    for node in tree.body:
        if isinstance(node, ast.Assign) and _names(node) == ["CARD"]:
            card = Card(**_keywords(node.value, "Card"))
        elif isinstance(node, ast.FunctionDef):
            claims += [
                ClaimText(name=node.name, **_keywords(mark, "claim"))
                for mark in node.decorator_list
                if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "claim"
            ]
    if card is None:
        raise ValueError(f"{path}: no CARD = Card(...) at the top level")
    return Method(path.stem, path, card, tuple(claims), ast.get_docstring(tree) or "")


def _names(node: ast.Assign) -> list[str]:
    return [target.id for target in node.targets if isinstance(target, ast.Name)]


def _keywords(node: ast.expr, called: str) -> dict[str, Any]:
    if not isinstance(node, ast.Call) or node.args:
        raise ValueError(f"line {node.lineno}: {called}(...) takes literals by keyword")
    return {one.arg: ast.literal_eval(one.value) for one in node.keywords if one.arg}


def _files_used(path: Path) -> set[Path]:
    """Return a file and, step by step, all files below methods/ it imports, but for the frame."""
    found: set[Path] = set()
    waiting = [path]
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            waiting += _imported(here)
    return found


def _imported(path: Path) -> Iterator[Path]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("lunwen.methods."):
            continue
        place = ROOT.joinpath(*(node.module or "").split(".")[2:])
        files = [
            place.with_suffix(".py"),
            place / "__init__.py",
            *(place / f"{one.name}.py" for one in node.names),
        ]
        yield from (file for file in files if file.is_file() and file.stem not in FRAME)
