"""Denials of a move that was made: `I never bid 9`, `that was not me`. They name no move of any kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from felix_async.meaning.lexicon import phrases, words
from felix_async.meaning.mentions import slots_of
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Text

Span = tuple[int, int]
"""Where tokens of a text begin and end."""


def denials_in(text: Text, situation: Situation) -> list[Span]:
    """Return the clauses in which the writer denies a move."""
    return list(_denials(text, situation))


def without(text: Text, spans: Sequence[Span]) -> list[str]:
    """Return the lines of a text without these spans."""
    lines = [*map(list, text.lines)]
    for start, end in spans:
        for token in text.tokens[start:end]:
            lines[token.line][token.start : token.end] = " " * (token.end - token.start)
    return ["".join(line) for line in lines]


def _denials(text: Text, situation: Situation) -> Iterator[Span]:
    for cue in phrases("denials", "anywhere", "first", "last").find(text, slots_of(situation)):
        first, last = text.clauses[text.clause_of[cue.start]], text.clauses[text.clause_of[cue.end - 1]]
        is_whole = {"first": cue.start == first.start, "last": cue.end == last.end}.get(cue.key, True)
        if is_whole and words("denials", "unless").isdisjoint(text.words(last)):
            yield first.start, last.end
