"""Find a wish to see a game again: `Can I watch it again?`, `show me the game`, `who bid what?`"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, Literal, get_args

from felix_async.language.data import table
from felix_async.meaning.patterns import Rule, Rules, Vocabulary, Words, phrases
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Sentence, Text
from felix_async.meaning.topics import Topic

_LONGEST: Final = 20
"""Words of a sentence that asks for it."""
_Wish = Literal["other", "again", "over"]
"""For another game; for this one, whether it is over or not; for this one, if it is over."""


def seen_again(text: Text, sentence: Sentence, situation: Situation) -> Sequence[Topic]:
    """Return `replay` if a sentence asks for this game to look at, `games` if for another one; words for
    others do not. Of a game that runs only who would watch it again is told that it is not over.
    """
    if sentence.end - sentence.start > _LONGEST:
        return ()
    names = {part.casefold() for name in situation.names for part in name.split()}
    tokens = text.tokens[sentence.start : sentence.end]
    words = tuple(_vocabulary().meant(token.word) for token in tokens if token.kind != "mark")
    if not names.isdisjoint(token.word for token in tokens):
        return ()
    found = _rules().fitting(words) if sentence.is_question or _wishes(words) else ()
    topics: Mapping[_Wish, Topic] = {"other": "games", "again": "replay"}
    known = {**topics, "over": "replay"} if situation.is_over else topics
    return [known[wish] for wish in found if wish in known][:1]


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
def _rules() -> Rules[_Wish]:
    return Rules(_written())


@cache
def _vocabulary() -> Vocabulary:
    known = {word for _, rule in _written() for word in rule.words}
    return Vocabulary((*known, *_words()["begins"], *_words()["plain"]), ())


@cache
def _written() -> Sequence[tuple[_Wish, Rule]]:
    return [(wish, Rule.of(rule, _words()["sets"])) for wish in get_args(_Wish) for rule in _words()[wish]]


def _words() -> Mapping[str, Any]:
    words: Mapping[str, Any] = table("questions.toml")["afterwards"]
    return words
