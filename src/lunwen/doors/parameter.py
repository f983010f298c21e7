"""What may be asked of a door by name, made from the dataclasses that define it, read with their words."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from lunwen.errors import LimitError, UnknownName, UsageError
from lunwen.retrieval.request import MAX_LIMIT, SearchRequest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

SHORT = {"q": "query"}  # the page's name of it, so that a page's URL can be asked here
_DIGITS = 18  # a number of more is none that anybody means


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One name in a URL's query or of a tool's arguments; ``in_path`` names what must be there."""

    name: str
    help: str
    type: type = str
    choices: tuple[str, ...] = ()
    many: bool = False  # whether it may be repeated
    default: Any = None
    least: int | None = None
    most: int | None = None
    in_path: bool = False

    def read(self, text: str) -> Any:
        """Turn one value into what it stands for; numbers out of range are left to the library to refuse.

        Raises:
            LimitError: it is no number, and should be one.
            UnknownName: it is none of the choices.
        """
        if self.type is int:
            digits = text.removeprefix("-")
            if digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS:
                return int(text)
            raise LimitError(
                f'{self.name} "{text[:20]}" is no number. Allowed: {self._range}. '
                f"Leave it out for {'all' if self.default is None else self.default}"
            )
        if not self.choices:
            return text.encode("utf-8", "replace").decode()  # stray bytes become ?
        if text.lower() not in self.choices:
            raise UnknownName(
                f'no {self.name} "{text[:40]}"{closest(text, self.choices)}. '
                f"Allowed: {', '.join(self.choices)}"
            )
        return self.type(text.lower())

    def check(self, number: int) -> int:
        """Return a number that is in range, where the library has no say in it.

        Raises:
            LimitError: it is not.
        """
        if (self.least is not None and number < self.least) or (self.most is not None and number > self.most):
            raise LimitError(
                f"{self.name} {number} is not possible. Allowed: {self._range}. "
                f"Leave it out for {self.default}"
            )
        return number

    @property
    def _range(self) -> str:
        return f"{self.least} to {self.most}" if self.most is not None else f"{self.least} or more"


def limit_of(what: str, default: int, most: int = MAX_LIMIT) -> Parameter:
    """Return the parameter that says how many of something are answered."""
    return Parameter(
        name="limit", help=f"{what}, 1 to {most}.", type=int, default=default, least=1, most=most
    )


def parameters_of(defined: type, *, without: Collection[str] = ()) -> tuple[Parameter, ...]:
    """Return the fields of a dataclass as parameters; its metadata says what each is for."""
    hints = get_type_hints(defined)
    return tuple(
        _parameter(one.name, hints[one.name], one.default, one.metadata)
        for one in fields(defined)
        if one.name not in without
    )


def _parameter(name: str, hint: Any, default: Any, says: Mapping[str, Any]) -> Parameter:
    kinds = [one for one in (hint, *get_args(hint)) if isinstance(one, type)]
    enum = next((one for one in kinds if issubclass(one, StrEnum)), None)
    return Parameter(
        name=name,
        help=says["help"],
        type=enum or (int if hint is int else str),
        choices=tuple(enum) if enum else tuple(says.get("choices", ())),
        many=hint == tuple[str, ...],
        default=default,
        least=says.get("least"),
        most=says.get("most"),
    )


def read_parameters(
    parameters: Iterable[Parameter],
    pairs: Iterable[tuple[str, str]],
    path: Mapping[str, str],
    *,
    word: str = "parameter",
    listed: str = "",
) -> dict[str, Any]:
    """Read what was asked; what was not, has its default.

    Args:
        parameters: what may be asked here.
        pairs: what was, by name.
        path: the parts of the path by name.
        word: what the door calls a parameter.
        listed: a sentence that says where the door lists them.

    Raises:
        UnknownName: a name that is no parameter here, or a value that is none of its choices.
        UsageError: one that may stand there once is repeated.
        LimitError: a number that is none.
    """
    known = {one.name: one for one in parameters if not one.in_path}
    found: dict[str, Any] = {}
    for name, text in pairs:
        one = known.get(name) or known.get(SHORT.get(name, ""))
        if one is None:
            raise UnknownName(
                f'no {word} "{name[:40]}"{closest(name, known)}. '
                f"Allowed: {', '.join(known) or 'none here'}{listed and f'. {listed}'}"
            )
        if one.many:
            found.setdefault(one.name, []).append(one.read(text))
        elif one.name in found:
            raise UsageError(f"{one.name} is given twice. Allowed: once. Leave one out")
        else:
            found[one.name] = one.read(text)
    return {**path} | {
        name: tuple(found[name]) if one.many and name in found else found.get(name, one.default)
        for name, one in known.items()
    }


def request_in(given: Mapping[str, Any]) -> SearchRequest:
    """Return the search among what was asked."""
    return SearchRequest(**{one.name: given[one.name] for one in fields(SearchRequest) if one.name in given})


def request_pairs(request: SearchRequest) -> list[tuple[str, str]]:
    """Return a search as names and values of a URL, defaults left out."""
    pairs: list[tuple[str, str]] = []
    for one in fields(request):
        value = getattr(request, one.name)
        if value != one.default:
            values = value if isinstance(value, tuple) else (value,)
            pairs += [(one.name, str(said)) for said in values]
    return pairs


def closest(word: str, known: Iterable[str]) -> str:
    """Return ``. Closest: …`` to end a sentence with, or nothing where no known word is near."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed after a mistake

    near = get_close_matches(word.lower(), list(known), n=2, cutoff=0.5)
    return f". Closest: {' or '.join(near)}" if near else ""


#: The one thing that an address or a tool is about.
PAPER_ID = Parameter(
    name="paper_id", help="A paper_id, DOI, arXiv, OpenReview or ACL id, or a URL with one.", in_path=True
)
AUTHOR_ID = Parameter(name="author_id", help="An author_id, ORCID, source's id or whole name.", in_path=True)
WORDS = Parameter(name="words", help="Only those whose name holds these words.", default="")
METHOD_ID = Parameter(name="method_id", help="The paper's id, or the method's name.", in_path=True)
