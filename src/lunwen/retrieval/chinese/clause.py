"""The Chinese words of a query → senses: Chinese terms with their English alternatives."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from lunwen.retrieval.analysis import trim
from lunwen.retrieval.chinese.reading import read
from lunwen.retrieval.chinese.script import has_han
from lunwen.retrieval.lexer import OPERATORS
from lunwen.retrieval.node import AllOf, AnyOf, Clause, Sense, Words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lunwen.retrieval.chinese.reading import Corrections
    from lunwen.retrieval.node import Node

__all__ = ["translate"]


def translate(clauses: Iterable[Clause], corrections: Corrections = ()) -> tuple[Clause, ...]:
    """Return the clauses with bare Chinese words as senses.

    Neighbours of the bag are read together, so that "k 均值" is one term. Words of the request are left out
    where others remain. Phrases in quotes and the values of fields stay as typed: names are never translated.
    """
    found: list[Clause] = []
    for is_bag, group in groupby(clauses, _is_bag):
        if is_bag:
            found += _translate_bag(list(group), corrections)
        else:
            for clause in group:
                node = _translate(clause.node, corrections)
                every = node.nodes if clause.occur == "must" and isinstance(node, AllOf) else (node,)
                found += [Clause(inner, clause.occur) for inner in every]
    return tuple(dict.fromkeys(found))


def _is_bag(clause: Clause) -> bool:
    return clause.occur == "should" and isinstance(clause.node, Words) and clause.node.field is None


def _translate_bag(clauses: list[Clause], corrections: Corrections) -> list[Clause]:
    text = " ".join(clause.node.text for clause in clauses if isinstance(clause.node, Words))
    if not has_han(text):
        return clauses
    return [Clause(node) for node in _read_nodes(text, corrections)] or clauses


def _translate(node: Node, corrections: Corrections) -> Node:
    """Return a node that has to match, or must not: all that its Chinese says, what is general left out."""
    if isinstance(node, AnyOf | AllOf):
        inner = tuple(dict.fromkeys(_translate(inner, corrections) for inner in node.nodes))
        return type(node)(inner) if len(inner) > 1 else inner[0]
    if not isinstance(node, Words) or node.field is not None or not has_han(node.text):
        return node
    nodes = _read_nodes(node.text, corrections)
    special = [node for node in nodes if not (isinstance(node, Sense) and node.is_general)]
    nodes = special or nodes
    return AllOf(tuple(nodes)) if len(nodes) > 1 else nodes[0] if nodes else node


def _read_nodes(text: str, corrections: Corrections) -> list[Words | Sense]:
    nodes: list[Words | Sense] = []
    for piece in read(text, corrections).pieces:
        if piece.source == "text":
            nodes += map(Words, _split(piece.zh))
        elif not piece.is_dropped:
            is_corrected = piece.source == "correction"
            nodes.append(Sense(piece.zh, piece.alternatives, piece.is_general, is_corrected))
    return list(dict.fromkeys(nodes))


def _split(text: str) -> list[str]:
    """Return the words between Chinese, which are neither operators, fields nor ranges there."""
    words = (trim(word) for word in text.replace(":", " ").replace("..", " ").split())
    return [word.lower() if word in OPERATORS else word for word in words if word]
