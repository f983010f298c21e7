"""What a query is: frozen values, no reading and no writing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    Node: TypeAlias = "Words | Phrase | Sense | Years | AnyOf | AllOf"

Occur = Literal["should", "must", "not"]


@dataclass(frozen=True, slots=True)
class Words:
    """One typed word, or one run of Chinese; ``analysis.terms`` says which terms it holds."""

    text: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words in this order; in ``author`` the parts of one name."""

    text: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Sense:
    """A Chinese term and the English that it may stand for, each with its weight: any of them matches."""

    text: str  # simplified
    alternatives: tuple[tuple[str, float], ...]
    is_general: bool = False  # said in so many papers that it ranks and never has to match
    is_corrected: bool = False  # the user said what it means
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Years:
    """Years from low to high, both included; None: open."""

    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of the nodes."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every one of the nodes."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """A node and what it does: part of the bag of words, required, or excluded."""

    node: Node
    occur: Occur = "should"


@dataclass(frozen=True, slots=True)
class Query:
    """A text as lunwen reads it."""

    text: str  # as typed
    clauses: tuple[Clause, ...]
    reading: str  # one English sentence: how it was read
    notes: tuple[str, ...] = ()  # what was not read as it was written
    candidate_id: str | None = None  # the text, where it could be an identifier or a paper's address


def is_required(node: Node) -> bool:
    """Return whether a node must match without being asked to: a field or a phrase, not a bare word."""
    if isinstance(node, Words | Sense):
        return node.field is not None
    if isinstance(node, AnyOf):
        return all(map(is_required, node.nodes))
    if isinstance(node, AllOf):
        return any(map(is_required, node.nodes))
    return True


def meaning(query: Query) -> str:
    """Return what of a query a text can mean: its words and phrases, without fields and exclusions."""
    return " ".join(text for clause in query.clauses if clause.occur != "not" for text in _texts(clause.node))


def _texts(node: Node) -> Iterator[str]:
    if isinstance(node, AnyOf | AllOf):
        for inner in node.nodes:
            yield from _texts(inner)
    elif isinstance(node, Sense):
        yield node.alternatives[0][0] if node.alternatives else node.text
    elif isinstance(node, Words | Phrase) and node.field in (None, "title", "abstract", "keyword"):
        yield node.text
