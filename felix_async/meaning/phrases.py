"""Phrases of a language's table, found in a text at a position or anywhere in it.

A phrase is words with blanks between, as the table of the language has them: `too rich for (me|my) blood`.
In it

- `(a|an|one of)` is one of these; `please?` and `(a|an)?` may be left out;
- `*` is any one word, `**` up to three words;
- `{number}`, `{name}` and the like are slots: a function finds how far each goes from where it begins.

Words are spelled out as those of a text are (`i'm` is `i am`), so write them as people do. A phrase lies
within a sentence; commas and other marks between its words break it, unless they are in it as words of
their own.

>>> from felix_async.meaning.text import text_of
>>> phrases = Phrases({"out": ["i'm (so|really)? out"], "bid": ["bid {n} mice?"]})
>>> def number(text, at): return at + 1 if text.tokens[at].value is not None else None
>>> [(found.key, found.start, found.end, found.slots) for found in
...  phrases.find(text_of(["Bid 7 mice or I am out!"]), {"n": number})]
[('bid', 0, 3, {'n': (1, 2)}), ('out', 4, 7, {})]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from felix_async.meaning.text import Text
from felix_async.meaning.tokens import reads_as

Slot = Callable[[Text, int], int | None]
"""From a text and a position: where what begins there ends, None if nothing of this kind does."""
_PART: Final = re.compile(r"\(([^)]*)\)(\?)?|(\*\*|\*)|([^\s?]+)(\?)?")
_MOST_ANY: Final = 3
_NUMBERS: Final = (("{n}",), ("{k}",))
_NOTHING: Final = ("-", "'")
_Match = tuple[int, dict[str, tuple[int, int]]]
"""Where a match ends, and the spans of its slots."""


@dataclass(frozen=True, slots=True)
class Found:
    """A phrase in a text: the key that it stands under, its span, and the spans of its slots."""

    key: str
    start: int
    end: int
    slots: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Part:
    """One of several options, each of words and slots; or up to `most` words of any kind."""

    options: tuple[tuple[str, ...], ...] = ()
    most: int = 0
    optional: bool = False
    firsts: frozenset[str] = frozenset()
    """The words that the options begin with, "" for a slot."""
    is_plain: bool = False
    """True if it is one of several words, and has to be there."""
    is_number: bool = False
    """True if it is the slot of a number."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A phrase, its key, and its place among all: of two that are as long the first is found."""

    number: int
    key: str
    parts: tuple[_Part, ...]
    firsts: frozenset[str]
    """The words that it may begin with; "" for slots and any word."""
    needs: frozenset[str]
    """It needs one of these words, the rarest of its own; "" if it is all slots."""
    needed: tuple[frozenset[str], ...]
    """Of each of these sets it needs a word, too."""
    needs_number: bool

    @classmethod
    def of(cls, number: int, key: str, parts: tuple[_Part, ...]) -> _Entry:
        needed = [part for part in parts if part.options and not part.optional]
        words = sorted((part.firsts for part in needed if "" not in part.firsts), key=_commonness)
        needs = words[0] if words else frozenset([""])
        is_number = any(part.is_number for part in needed)
        return cls(number, key, parts, _firsts(parts), needs, tuple(words[1:]), is_number)

    def may_stand(self, text: Text) -> bool:
        """Return False if a word or a number that it needs is nowhere in a text."""
        if self.needs_number and not text.has_number:
            return False
        return not any(map(text.said_words.isdisjoint, self.needed))


class Phrases:
    """Phrases under keys, by a word that each of them needs: the others are not looked for in a text."""

    def __init__(self, entries: Mapping[str, Sequence[str]]) -> None:
        self._by_need: dict[str, list[_Entry]] = {}
        written = ((key, phrase) for key, phrases in entries.items() for phrase in phrases)
        for number, (key, phrase) in enumerate(written):
            entry = _Entry.of(number, key, _parts(phrase))
            for word in entry.needs:
                self._by_need.setdefault(word, []).append(entry)
        self._needs = frozenset(self._by_need)
        self._anywhere = tuple(self._by_need.get("", ()))

    def in_text(self, text: Text) -> Mapping[str, Sequence[_Entry]]:
        """Return the phrases whose words are all in a text, by their first words, "" for slots.

        They are looked up once for a text.
        """
        known: Mapping[str, Sequence[_Entry]] | None = text.looked_up.get(self)
        if known is None:
            known = text.looked_up[self] = self._possible(text)
        return known

    def _possible(self, text: Text) -> Mapping[str, Sequence[_Entry]]:
        needs = self._needs & text.said_words
        if not needs and not self._anywhere:
            return {}
        entries = {
            entry.number: entry
            for some in (*(self._by_need[word] for word in needs), self._anywhere)
            for entry in some
            if entry.may_stand(text)
        }
        possible: dict[str, list[_Entry]] = {}
        for number in sorted(entries):
            for first in entries[number].firsts:
                possible.setdefault(first, []).append(entries[number])
        return possible

    def at(self, text: Text, at: int, slots: Mapping[str, Slot] | None = None) -> Found | None:
        """Return the longest phrase that begins at a position."""
        return _longest(self.in_text(text), text, at, slots or {})

    def find(
        self,
        text: Text,
        slots: Mapping[str, Slot] | None = None,
        start: int = 0,
        end: int | None = None,
    ) -> Iterator[Found]:
        """Yield the phrases between two positions, in order, none of them within another."""
        possible = self.in_text(text)
        if not possible:
            return
        at, end = start, len(text.tokens) if end is None else end
        slots, is_anywhere, tokens = slots or {}, "" in possible, text.tokens
        while at < end:
            if not is_anywhere and tokens[at].word not in possible:
                at += 1
                continue
            found = _longest(possible, text, at, slots)
            if found is not None and found.end <= end:
                yield found
                at = max(found.end, at + 1)
            else:
                at += 1


def _longest(
    possible: Mapping[str, Sequence[_Entry]], text: Text, at: int, slots: Mapping[str, Slot]
) -> Found | None:
    word = text.tokens[at].word
    if word not in possible and "" not in possible:
        return None
    best: Found | None = None
    last = text.sentences[text.sentence_of[at]].end
    for entry in (*possible.get(word, ()), *possible.get("", ())):
        found = _match(text, at, entry.parts, slots, last)
        if found is not None and found[0] > (at if best is None else best.end):
            best = Found(entry.key, at, found[0], found[1])
    return best


def _commonness(words: frozenset[str]) -> float:
    """How common it is that a text has one of these: long words are rare."""
    return sum(0.5 ** len(word) for word in words)


def _firsts(parts: Sequence[_Part]) -> frozenset[str]:
    firsts: set[str] = set()
    for part in parts:
        firsts |= part.firsts or {""}
        if not part.optional:
            break
    return frozenset(firsts)


def _parts(phrase: str) -> tuple[_Part, ...]:
    parts: list[_Part] = []
    for choice, maybe, any_word, word, maybe_word in _PART.findall(phrase):
        if choice:
            parts.append(_options(choice.split("|"), bool(maybe)))
        elif any_word:
            parts.append(_Part(most=_MOST_ANY if any_word == "**" else 1, optional=any_word == "**"))
        else:
            parts.append(_options([word], bool(maybe_word)))
    return tuple(parts)


def _options(options: Sequence[str], optional: bool) -> _Part:
    read = tuple(_read(option) for option in options)
    firsts = frozenset("" if option[0].startswith("{") else option[0] for option in read)
    is_plain = not optional and "" not in firsts and all(len(option) == 1 for option in read)
    is_number = all(option in _NUMBERS for option in read)
    return _Part(read, 0, optional, firsts, is_plain, is_number)


def _read(option: str) -> tuple[str, ...]:
    return tuple(read for word in option.split() for read in reads_as(word))


def _match(
    text: Text, at: int, parts: Sequence[_Part], slots: Mapping[str, Slot], last: int, first: int = 0
) -> _Match | None:
    """Where the parts from the `first` on end, from a position on, and the spans of their slots."""
    tokens = text.tokens
    while first < len(parts) and parts[first].is_plain:
        if at >= last or (tokens[at].word not in parts[first].firsts and tokens[at].word not in _NOTHING):
            return None
        first += tokens[at].word in parts[first].firsts
        at += 1
    if first == len(parts):
        return at, {}
    best: _Match | None = None
    for end, spans in _ends(text, at, parts[first], slots, last):
        matched = _match(text, end, parts, slots, last, first + 1)
        if matched is not None and (best is None or matched[0] > best[0]):
            best = matched[0], {**spans, **matched[1]}
    return best


def _ends(text: Text, at: int, part: _Part, slots: Mapping[str, Slot], last: int) -> Iterator[_Match]:
    for option in part.options:
        spans: dict[str, tuple[int, int]] = {}
        end: int | None = at
        for word in option:
            end = _end(text, end, word, slots, last, spans) if end is not None else None
        if end is not None:
            yield end, spans
    for taken in range(1, part.most + 1):
        if at + taken > last or text.tokens[at + taken - 1].kind in ("mark", "emoji"):
            break
        yield at + taken, {}
    if part.optional:
        yield at, {}


def _end(
    text: Text, at: int, word: str, slots: Mapping[str, Slot], last: int, spans: dict[str, tuple[int, int]]
) -> int | None:
    """Where a word or a slot ends; a hyphen or an apostrophe before it is nothing."""
    while (
        at < last
        and text.tokens[at].kind == "mark"
        and text.tokens[at].word in _NOTHING
        and word != text.tokens[at].word
    ):
        at += 1
    if at >= last:
        return None
    if not word.startswith("{"):
        return at + 1 if text.tokens[at].word == word else None
    slot = slots.get(word[1:-1])
    end = slot(text, at) if slot is not None else None
    if end is None or end > last:
        return None
    spans[word[1:-1]] = (at, end)
    return end
