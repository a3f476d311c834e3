"""Words for the others at the table: what the writer asks to pass on, and what may be meant for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Final

from felix_async.language.data import TABLES, table
from felix_async.meaning.patterns import Words, phrases
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Sentence, Text, text_of
from felix_async.meaning.tokens import Token

MAX_TALK: Final = 300
"""Characters that may be said at once."""
MOST_SAID: Final = 3
_LEAST: Final = 2
"""Words of a sentence that says something."""
_OF_COMMON: Final = 5
"""Of so many words of a language one is common."""
_CUT: Final = "…"
_I: Final = "I"
_WORD: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Said:
    """Words to pass on: the span of the command with them, and how they are said."""

    start: int
    end: int
    words: str


def said_in(text: Text, situation: Situation) -> tuple[Said, ...]:
    """Return the words that the writer asks to pass on."""
    return tuple(islice(_said(text, situation), MOST_SAID))


def is_within(said: Iterable[Said], at: int) -> bool:
    """Return True if a position is in words to pass on: a move that is named there is not the writer's."""
    return any(one.start <= at < one.end for one in said)


def talk_in(
    text: Text, situation: Situation, said: Sequence[Said], aside: Set[int], *, is_alone: bool
) -> str:
    """Return what may be meant for the others, in one line, without what is `said` to them anyway.

    `aside` are the numbers of the sentences that carry a move, a card or a reason for it, and of questions to
    felix: they are left out. Beside such, where it is not alone, only what speaks to others is talk.
    """
    sentences = list(_sentences(text))
    unnamed = replace(situation, names=())
    is_alone = is_alone and not any(_is_of_decision(text, one, situation) for _, one in sentences)
    if _is_of_machine(text) or (is_alone and not any(_is_english(text, one) for _, one in sentences)):
        return ""
    kept: list[str] = []
    was_for_others = False
    for number, one in sentences:
        is_for_others = _is_for_others(text, one, situation) or (was_for_others and _says_you(text, one))
        is_for_others = is_for_others or _said_to(text, one, unnamed) is not None
        was_for_others = is_for_others
        is_said = any(one.start <= part.start < one.end or is_within([part], one.start) for part in said)
        if number in aside or is_said or _is_empty(text, one, situation):
            continue
        if is_alone or is_for_others:
            kept.append(text.said(one))
    return _in_one_line(kept)


def open_talk(talk: str) -> str:
    """Return talk without the sentences that may tell a hand or a bid: they are not offered to anybody.

    >>> open_talk("Anna, my hand is awful. See you at 8!")
    'See you at 8!'
    """
    text = text_of([talk])
    return _in_one_line([text.said(one) for one in text.sentences if not _is_secret(text, one)])


def is_of_hand(talk: str) -> bool:
    """Return True if talk tells of a card, or of a number or a bid of the writer's own.

    >>> is_of_hand("I have both of mine"), is_of_hand("I'm out tonight until 8"), is_of_hand("Tom has 7 left")
    (True, False, False)
    """
    text = text_of([talk])
    return any(_is_secret(text, one) and _is_of_hand(text, one) for one in text.sentences)


def _is_of_hand(text: Text, sentence: Sentence) -> bool:
    tokens = text.tokens[sentence.start : sentence.end]
    is_own = any(token.word in _words("talk", "own") for token in tokens)
    return _has(tokens, "talk", "cards") or (is_own and not _has(tokens, "talk", "later"))


def _is_secret(text: Text, sentence: Sentence) -> bool:
    """Return True if a sentence names a card or a hand, or the writer's own number or bid."""
    tokens = text.tokens[sentence.start : sentence.end]
    numbers = [at for at, token in enumerate(tokens) if token.value is not None]
    is_card = any(tokens[at].sign or (at and tokens[at - 1].word in _words("talk", "the")) for at in numbers)
    if is_card or _has(tokens, "talk", "cards"):
        return True
    is_own = any(token.word in _words("talk", "own") | _words("talk", "holds") for token in tokens)
    return is_own and (_has(tokens, "talk", "bids") or bool(numbers))


def _in_one_line(sentences: Sequence[str]) -> str:
    line = ""
    for sentence in sentences:
        longer = f"{line} {sentence}".strip()
        if len(longer) > MAX_TALK:
            break
        line = longer
    if not line and sentences:
        return f"{sentences[0][: MAX_TALK - 1].rstrip()}{_CUT}"
    return line


# ---- what the writer asks to pass on -----------------------------------------------------------------


def _said(text: Text, situation: Situation) -> Iterator[Said]:
    line = -1
    for sentence in text.sentences:
        if text.tokens[sentence.start].line <= line:
            continue
        found = _said_to(text, sentence, situation)
        if found is not None:
            line = text.tokens[found.end - 1].line if found.end > sentence.end else -1
            yield found


def _said_to(text: Text, sentence: Sentence, situation: Situation) -> Said | None:
    """The words that a sentence asks to pass on; behind `to all:` the rest of the line is said."""
    for at in _beginnings(text, sentence):
        for key in ("say_to", "tell", "let", "say", "to"):
            start = _after(text, at, sentence.end, "said", key)
            whom = None if start is None else _whom(text, start, sentence.end, situation)
            if start is not None and key == "say":
                whom = "", start
            if whom is None:
                continue
            who, start = whom
            if key == "to" and not _is(text, start, sentence.end, ":"):
                continue
            if key == "let" and _after(text, start, sentence.end, "said", "know") is None:
                continue
            end = _end_of_line(text, sentence) if key == "to" else _end_of_words(text, sentence)
            start = _behind_joins(text, start, end)
            if start < end and not _is_no_saying(text, start, end, is_bare=key == "say"):
                words = text.between(start, end).strip()
                return Said(at, end, f"{who}: {words}" if who else words)
    return None


def _beginnings(text: Text, sentence: Sentence) -> Iterator[int]:
    """The positions at which a request may begin: the sentence and its clauses, behind what leads to it."""
    for number in sentence.clauses:
        at = text.clauses[number].start
        yield at
        while (behind := _after(text, at, sentence.end, "said", "before")) is not None:
            at = behind
            yield at


def _whom(text: Text, at: int, end: int, situation: Situation) -> tuple[str, int] | None:
    """Who is told, '' for everybody, and where that ends; None if it is nobody at the table."""
    behind = _after(text, at, end, "said", "all")
    if behind is not None:
        return "", behind
    names: list[str] = []
    while at < end and _is_name(text.tokens[at], situation):
        names.append(text.tokens[at].raw)
        at += 1
        is_and = at + 1 < end and text.tokens[at].word in _words("said", "and")
        if is_and and _is_name(text.tokens[at + 1], situation):
            names.append(text.tokens[at].raw)
            at += 1
    return (" ".join(names), at) if names else None


def _behind_joins(text: Text, at: int, end: int) -> int:
    while at < end:
        behind = _after(text, at, end, "said", "joins")
        if behind is None and text.tokens[at].word in ":,":
            behind = at + 1
        if behind is None:
            return at
        at = behind
    return at


def _is_no_saying(text: Text, start: int, end: int, *, is_bare: bool) -> bool:
    """Return True if these are no words to pass on: a number, a word of a move, `something`."""
    words = [token for token in text.tokens[start:end] if token.kind in ("word", "number", "figure")]
    if not words or not is_bare:
        return not words
    return words[0].value is not None or _after(text, start, end, "said", "never") is not None


def _end_of_words(text: Text, sentence: Sentence) -> int:
    """Where a sentence ends; without a number alone behind its last mark: `tell Tom I love him: 5`."""
    last = text.clauses[sentence.clauses[-1]] if sentence.clauses else None
    if last is None or len(sentence.clauses) == 1 or len(text.words(last)) != 1:
        return sentence.end
    return last.start if text.tokens[last.start].value is not None else sentence.end


def _end_of_line(text: Text, sentence: Sentence) -> int:
    line = text.tokens[sentence.end - 1].line
    return next(
        (at for at in range(sentence.end, len(text.tokens)) if text.tokens[at].line != line), len(text.tokens)
    )


# ---- what may be meant for the others ----------------------------------------------------------------


def _sentences(text: Text) -> Iterator[tuple[int, Sentence]]:
    """The sentences with their numbers, up to a line of farewell that stands below others."""
    for number, sentence in enumerate(text.sentences):
        words = text.words(sentence)
        if number and words in _whole("talk", "farewells"):
            return
        yield number, sentence


def _says_you(text: Text, sentence: Sentence) -> bool:
    words = text.words(sentence)
    return not _words("talk", "you").isdisjoint(words) and _words("talk", "felix").isdisjoint(words)


def _is_empty(text: Text, sentence: Sentence, situation: Situation) -> bool:
    """Return True for a greeting, thanks, a name alone, or no words at all."""
    tokens = text.tokens[sentence.start : sentence.end]
    words = [token for token in tokens if token.kind == "word"]
    if len(words) < _LEAST:
        return True
    empty, names = _words("talk", "empty"), _names(situation)
    return all(
        token.word in empty or token.word in names or (token.capital and _is_unknown(token))
        for token in words
    )


def _is_for_others(text: Text, sentence: Sentence, situation: Situation) -> bool:
    """Return True if a sentence speaks to somebody at the table, or to all."""
    tokens = text.tokens[sentence.start : sentence.end]
    names = _names(situation)
    if any(token.word in names for token in tokens) or _has(tokens, "talk", "group"):
        return True
    for at, token in enumerate(tokens):
        if token.word == "@" and at + 1 < len(tokens) and not _is_felix(tokens[at + 1]):
            return True
        if not (token.kind == "word" and token.capital and _is_unknown(token)) or _is_felix(token):
            continue
        before = text.words(Sentence(sentence.start, sentence.start + at, 0, range(0), False))
        is_called = at + 1 < len(tokens) and tokens[at + 1].word in ",:!?"
        if (not before or before in _whole("talk", "before_name")) and (is_called or before):
            return True
    return False


def _is_of_decision(text: Text, sentence: Sentence, situation: Situation) -> bool:
    """Return True if a sentence is about what to do now, in words that name no move."""
    tokens = text.tokens[sentence.start : sentence.end]
    if not _has(tokens, "talk", "decides") or _has(tokens, "talk", "later"):
        return False
    return not _is_for_others(text, sentence, situation)


def tells_own(text: Text, number: int) -> bool:
    """Return True if the sentence of this number speaks of the writer."""
    return any(word in _words("talk", "own") for word in text.words(text.sentences[number]))


def _is_english(text: Text, sentence: Sentence) -> bool:
    words, common = text.words(sentence), _words("talk", "common")
    return sum(word in common for word in words) * _OF_COMMON >= len(words) > 0


def _is_of_machine(text: Text) -> bool:
    return _has(text.tokens, "talk", "machines")


# ---- words -------------------------------------------------------------------------------------------


def _is_name(token: Token, situation: Situation) -> bool:
    if token.kind != "word" or _is_felix(token):
        return False
    if situation.names:
        return token.word in _names(situation)
    return token.capital and token.raw != _I


def _is_felix(token: Token) -> bool:
    return token.word in _words("talk", "felix")


def _is_unknown(token: Token) -> bool:
    return token.word not in _known()


def _names(situation: Situation) -> Set[str]:
    return {part.casefold() for name in situation.names for part in name.split()}


def _is(text: Text, at: int, end: int, word: str) -> bool:
    return at < end and text.tokens[at].word == word


def _after(text: Text, at: int, end: int, where: str, key: str) -> int | None:
    """Where the longest phrase of a list ends that begins at a position."""
    some = _phrases(where, key).get(text.tokens[at].word, ()) if at < end else ()
    tokens = text.tokens
    fits = [
        len(one)
        for one in some
        if at + len(one) <= end and all(tokens[at + n].word == word for n, word in enumerate(one))
    ]
    return at + max(fits) if fits else None


def _has(tokens: Sequence[Token], where: str, key: str) -> bool:
    words = tuple(token.word for token in tokens)
    wanted = _phrases(where, key)
    return any(
        words[at : at + len(one)] == one for at, word in enumerate(words) for one in wanted.get(word, ())
    )


@cache
def _phrases(where: str, key: str) -> dict[str, list[Words]]:
    return phrases(table("questions.toml")[where][key])


@cache
def _whole(where: str, key: str) -> frozenset[Words]:
    return frozenset(one for some in _phrases(where, key).values() for one in some)


@cache
def _words(where: str, key: str) -> frozenset[str]:
    return frozenset(table("questions.toml")[where][key])


@cache
def _known() -> frozenset[str]:
    """The words that are no names: those of the tables of plain language, and of felix's own sentences."""
    written = [text for file in TABLES for text in _texts(table(file))]
    return frozenset(_WORD.findall(" ".join(written).casefold()))


def _texts(words: object) -> Iterator[str]:
    if isinstance(words, str):
        yield words
    elif isinstance(words, Mapping):
        yield from words
        for part in words.values():
            yield from _texts(part)
    elif isinstance(words, Sequence):
        for part in words:
            yield from _texts(part)
