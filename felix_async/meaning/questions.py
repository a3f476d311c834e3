"""Questions in plain language: the topics that a text asks about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, cast

from felix_async.language.data import table
from felix_async.meaning.afterwards import seen_again
from felix_async.meaning.patterns import Rule, Rules, Vocabulary, Words, phrases
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Clause, Sentence, Text
from felix_async.meaning.topics import Topic

MOST: Final = 3
"""Topics that one text asks about."""
_NEVER: Final = "never"
_SENTENCES: Final = 60
"""Sentences in which a question is looked for."""
_STRENGTHS: Final = {"strong": 4, "fair": 2, "weak": 1}
_ENOUGH: Final = 4
"""Weight that it takes for a topic."""
_LONGEST: Final = 40
"""Words of a sentence that asks something."""


@dataclass(frozen=True, slots=True)
class Questions:
    """The topics that a text asks about, and the numbers of its sentences and clauses that do."""

    topics: tuple[Topic, ...] = ()
    sentences: frozenset[int] = frozenset()
    clauses: frozenset[int] = frozenset()


def questions_in(text: Text, situation: Situation) -> Questions:
    """Return what the text asks about, each topic once, in the order in which they are asked."""
    topics: dict[Topic, None] = {}
    sentences: set[int] = set()
    clauses: set[int] = set()
    read = _read(text, situation)
    for number, sentence in enumerate(text.sentences[:_SENTENCES]):
        apart = {one: _asked_in(read, text.clauses[one]) for one in sentence.clauses}
        found = seen_again(text, sentence, situation) or _topics(read, sentence, apart)
        if found:
            topics.update(dict.fromkeys(found))
            sentences.add(number)
            clauses.update(one for one, asked in apart.items() if asked)
    return Questions(tuple(topics)[:MOST], frozenset(sentences), frozenset(clauses))


def topics_in(text: Text, situation: Situation) -> tuple[Topic, ...]:
    """Return what the text asks about."""
    return questions_in(text, situation).topics


def _topics(read: Words, sentence: Sentence, apart: Mapping[int, Sequence[Topic]]) -> Sequence[Topic]:
    """What a sentence asks about; or its clauses, if more than one of them does."""
    topics = [topic for found in apart.values() for topic in found]
    asking = sum(map(bool, apart.values()))
    if asking > 1 and len({topic.partition("/")[0] for topic in topics}) > 1:
        return topics
    whole = _asked_in(read, sentence, is_question=sentence.is_question)
    return whole or (topics if sentence.is_question else [])


def _asked_in(read: Words, span: Sentence | Clause, *, is_question: bool = False) -> Sequence[Topic]:
    return _asked(tuple(filter(None, read[span.start : span.end])), is_question=is_question)


def _asked(words: Words, *, is_question: bool) -> Sequence[Topic]:
    bare = _without_courtesies(words)
    if topic := _table_of_bare().get(bare):
        return [topic]
    if len(words) > _LONGEST or not (is_question or _asks(words, bare)):
        return []
    found = _found("asks", words)
    if not found and not _has(words, _phrases("likely", _NEVER)):
        if bare and bare[0] in _begins("begins"):
            found = _found("likely", words)
        found = found or _weightiest(words, _ENOUGH if _asks(words, bare) else _ENOUGH + 1)
    points = [topic for topic in found if topic.startswith("rules/")]
    return points[:2] if points and found[0] == points[0] else found[:1]


def _weightiest(words: Words, enough: int) -> Sequence[Topic]:
    """The topic with most weight, the first of several; none if that is not enough."""
    by_word = _weights_by_word()
    found = {
        one
        for at, word in enumerate(words)
        for one in by_word.get(word, ())
        if words[at : at + len(one[2])] == one[2]
    }
    weights: Counter[Topic] = Counter()
    for topic, weight, _ in found:
        weights[topic] += weight
    most = max(weights.values(), default=0)
    return [topic for topic, _ in _weights() if weights[topic] == most][:1] if most >= enough else []


def _found(where: str, words: Words) -> Sequence[Topic]:
    return _rules_by_need(where).fitting(words)


def _asks(words: Words, bare: Words) -> bool:
    """Return True if these words ask something, or ask for something."""
    if (bare and bare[0] in _begins("begins")) or (words and words[0] in _begins("first")):
        return True
    return _has(words, _phrases("asking", "within"))


def _has(words: Words, wanted: Mapping[str, Sequence[Words]]) -> bool:
    return any(
        words[at : at + len(some)] == some for at, word in enumerate(words) for some in wanted.get(word, ())
    )


def _read(text: Text, situation: Situation) -> Words:
    """The tokens as they read: names of others are `{name}`, marks and emojis are ''."""
    names = {part.casefold() for name in situation.names for part in name.split()}
    return tuple(
        ""
        if token.kind not in ("word", "number", "figure")
        else "{name}"
        if token.word in names
        else _meant(token.word)
        for token in text.tokens
    )


def _without_courtesies(words: Words) -> Words:
    courtesies = _courtesies()
    return tuple(word for word in words if word not in courtesies)


@lru_cache(4096)
def _meant(word: str) -> str:
    """The word of the rules that is meant by a word."""
    return _vocabulary().meant(_spellings().get(word, word))


@cache
def _spellings() -> Mapping[str, str]:
    return {one: right for right, *others in table("questions.toml")["asking"]["spellings"] for one in others}


@cache
def _vocabulary() -> Vocabulary:
    rules = [rule for where in ("asks", "likely") for _, those in _rules(where) for rule in those]
    bare = [word for some in _table_of_bare() for word in some]
    words = [word for rule in rules for word in rule.words]
    words += [
        word
        for _, those in _weights()
        for wanted, _ in those
        for few in wanted.values()
        for one in few
        for word in one
    ]
    return Vocabulary(
        (*words, *bare, *_begins("begins"), *_courtesies()), table("questions.toml")["asking"]["endings"]
    )


@cache
def _courtesies() -> frozenset[str]:
    return frozenset(table("questions.toml")["courtesies"]["words"])


@cache
def _begins(how: str) -> frozenset[str]:
    return frozenset(table("questions.toml")["asking"][how])


@cache
def _phrases(where: str, name: str) -> Mapping[str, Sequence[Words]]:
    return phrases(table("questions.toml")[where][name])


@cache
def _weights() -> Sequence[tuple[Topic, Sequence[tuple[Mapping[str, Sequence[Words]], int]]]]:
    listed: Mapping[str, Mapping[str, list[str]]] = table("questions.toml")["weights"]
    return [
        (cast(Topic, topic), [(phrases(words[how]), weight) for how, weight in _STRENGTHS.items()])
        for topic, words in listed.items()
    ]


@cache
def _weights_by_word() -> Mapping[str, Sequence[tuple[Topic, int, Words]]]:
    found: dict[str, list[tuple[Topic, int, Words]]] = {}
    for topic, those in _weights():
        for wanted, weight in those:
            for word, some in wanted.items():
                found.setdefault(word, []).extend((topic, weight, one) for one in some)
    return found


@cache
def _rules_by_need(where: str) -> Rules[Topic]:
    return Rules((topic, rule) for topic, rules in _rules(where) for rule in rules)


@cache
def _rules(where: str) -> Sequence[tuple[Topic, Sequence[Rule]]]:
    words = table("questions.toml")
    return [
        (cast(Topic, topic), [Rule.of(rule, words["sets"]) for rule in rules])
        for topic, rules in words[where].items()
        if topic != _NEVER
    ]


@cache
def _table_of_bare() -> Mapping[Words, Topic]:
    entries: Mapping[str, list[str]] = table("questions.toml")["bare"]
    return {
        _without_courtesies(some): cast(Topic, topic)
        for topic, written in entries.items()
        for many in phrases(written).values()
        for some in many
    }
