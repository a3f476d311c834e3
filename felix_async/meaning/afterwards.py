"""Find a wish to see a game again that is over: `Can I watch it again?`, `show me the game`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from felix_async.language.data import table
from felix_async.meaning.patterns import Rule, Rules, Vocabulary, Words, phrases
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Sentence, Text

_LONGEST: Final = 20
"""Words of a sentence that asks for it."""


def is_to_see_again(text: Text, sentence: Sentence, situation: Situation) -> bool:
    """Return True if a sentence asks for the game to look at, and that is over: words for others, or about
    another game, do not.
    """
    if not situation.is_over or sentence.end - sentence.start > _LONGEST:
        return False
    names = {part.casefold() for name in situation.names for part in name.split()}
    tokens = text.tokens[sentence.start : sentence.end]
    words = tuple(_vocabulary().meant(token.word) for token in tokens if token.kind != "mark")
    if not names.isdisjoint(token.word for token in tokens):
        return False
    return (sentence.is_question or _wishes(words)) and bool(_rules().fitting(words))


def _wishes(words: Words) -> bool:
    courtesies = table("questions.toml")["courtesies"]["words"]
    bare = [word for word in words if word not in courtesies]
    return bool(bare and bare[0] in _words()["begins"]) or any(
        words[at : at + len(some)] == some
        for at, word in enumerate(words)
        for some in _within().get(word, ())
    )


@cache
def _within() -> Mapping[str, Sequence[Words]]:
    return phrases(_words()["within"])


@cache
def _rules() -> Rules[str]:
    return Rules(("replay", rule) for rule in _written())


@cache
def _vocabulary() -> Vocabulary:
    known = {word for rule in _written() for word in rule.words}
    return Vocabulary((*known, *_words()["begins"], *_words()["plain"]), ())


@cache
def _written() -> Sequence[Rule]:
    return [Rule.of(rule, _words()["sets"]) for rule in _words()["rules"]]


def _words() -> Mapping[str, Any]:
    words: Mapping[str, Any] = table("questions.toml")["afterwards"]
    return words
