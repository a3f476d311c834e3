"""YES, NO and UNDO in plain language: answers to what felix asked, or took from an earlier mail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, Literal, get_args

from felix_async.language.data import table
from felix_async.meaning.patterns import Words, phrases
from felix_async.meaning.questions import topics_in
from felix_async.meaning.situation import Situation
from felix_async.meaning.talk import Said, is_within
from felix_async.meaning.text import Sentence, Text
from felix_async.meaning.tokens import Token

Reply = Literal["", "YES", "NO", "UNDO"]
"""The answer to what felix has asked, or to what it took and has not done yet; UNDO is also `wait`."""
_KINDS: Final[Sequence[Reply]] = tuple(kind for kind in get_args(Reply) if kind)
_FEW: Final = 8
"""Words behind a yes or no that only say it again."""


def reply_in(text: Text, situation: Situation, said: Sequence[Said] = ()) -> Reply:
    """Return the reply in a text: YES, NO or UNDO, '' if there is none, or nothing waits for one.

    Words that are `said` to others are no part of it.

    A text is a reply if one of its sentences is, and none is another one, but that UNDO outweighs YES and NO:
    to wait does no harm. A sentence that goes on with another move or with a condition is none.
    """
    if situation.waiting is None or text.is_cut:
        return ""
    spans = [_tokens(text, sentence, said) for sentence in text.sentences if not sentence.is_question]
    found = {_reply(tokens, situation) for tokens in spans} - {""}
    names_another = any(_is_other(token, situation) for tokens in spans for token in tokens)
    if "UNDO" in found or "undo" in topics_in(text, situation):
        return "" if names_another else "UNDO"
    if len(found) != 1:
        return ""
    (reply,) = found
    return "" if reply == "NO" and names_another else reply


def _tokens(text: Text, sentence: Sentence, said: Sequence[Said]) -> Sequence[Token]:
    """The words, numbers and pictures of a sentence, without words to pass on."""
    return [
        text.tokens[at]
        for at in range(sentence.start, sentence.end)
        if text.tokens[at].kind != "mark" and not is_within(said, at)
    ]


def _reply(tokens: Sequence[Token], situation: Situation) -> Reply:
    """The reply that a sentence is."""
    words = tuple(token.word for token in tokens)
    found: dict[Reply, None] = {}
    first, rest, at = True, 0, 0
    while at < len(words):
        kind, length = _longest(words, at)
        if kind:
            found[kind] = None
        elif not length:
            if first and not found:
                return ""
            if words[at] in _words("goes_on") or _is_other(tokens[at], situation):
                return "UNDO" if "UNDO" in found else ""
            rest += 1
        first = first and bool(length)
        at += max(length, 1)
    if "UNDO" in found:
        return "UNDO"
    return next(iter(found)) if len(found) == 1 and rest <= _FEW else ""


def _longest(words: Words, at: int) -> tuple[Reply, int]:
    """The longest reply that begins at a word, and its length; a filler is '' and 1."""
    best: tuple[Reply, int] = "", int(words[at] in _words("fillers"))
    for kind in _KINDS:
        for one in _phrases(kind).get(words[at], ()):
            if len(one) > best[1] or (len(one) == best[1] and not best[0]):
                best = (kind, len(one)) if words[at : at + len(one)] == one else best
    return best


def _is_other(token: Token, situation: Situation) -> bool:
    """Return True if a word is a number, or of a move, that is not in what waits."""
    waits = situation.waiting
    assert waits is not None
    if token.word in _words("fillers"):
        return False
    if token.word in _words("moves"):
        return token.word not in str(waits).casefold().split()
    return token.value not in (None, waits.amount, waits.card)


@cache
def _phrases(kind: str) -> Mapping[str, Sequence[Words]]:
    return phrases(table("questions.toml")["replies"][kind])


@cache
def _words(key: str) -> frozenset[str]:
    return frozenset(table("questions.toml")["replies"][key])
