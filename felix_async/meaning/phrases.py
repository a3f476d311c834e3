"""Phrases of a language's table, found in a text at a position or anywhere in it.

A phrase is words with blanks between, as the table of the language has them: `too rich for (me|my) blood`.
In it

- `(a|an|one)` is one of these words; `please?` and `(a|an)?` may be left out;
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
_PART: Final = re.compile(r"\(([^)]*)\)(\?)?|\{([a-z_]+)\}(\?)?|(\*\*|\*)|([^\s?]+)(\?)?")
_MOST_ANY: Final = 3


@dataclass(frozen=True, slots=True)
class Found:
    """A phrase in a text: the key that it stands under, its span, and the spans of its slots."""

    key: str
    start: int
    end: int
    slots: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Part:
    words: frozenset[str] = frozenset()
    slot: str = ""
    most: int = 0
    optional: bool = False


class Phrases:
    """Phrases under keys, by their first words."""

    def __init__(self, entries: Mapping[str, Sequence[str]]) -> None:
        self._by_word: dict[str, list[tuple[str, tuple[_Part, ...]]]] = {}
        self._by_slot: list[tuple[str, tuple[_Part, ...]]] = []
        for key, phrases in entries.items():
            for phrase in phrases:
                self._enter(key, _parts(phrase))

    def _enter(self, key: str, parts: tuple[_Part, ...]) -> None:
        entry = (key, parts)
        for part in parts:
            for word in part.words:
                self._by_word.setdefault(word, []).append(entry)
            if part.slot or part.most:
                self._by_slot.append(entry)
            if not part.optional:
                return

    def at(self, text: Text, at: int, slots: Mapping[str, Slot] | None = None) -> Found | None:
        """Return the longest phrase that begins at a position."""
        best: Found | None = None
        for key, parts in (*self._by_word.get(text.tokens[at].word, ()), *self._by_slot):
            found = _match(text, at, parts, slots or {}, text.sentences[text.sentence_of[at]].end)
            if found is not None and (best is None or found[0] > best.end):
                best = Found(key, at, found[0], found[1])
        return best

    def find(
        self, text: Text, slots: Mapping[str, Slot] | None = None, start: int = 0, end: int | None = None
    ) -> Iterator[Found]:
        """Yield the phrases between two positions, in order, none of them within another."""
        at, end = start, len(text.tokens) if end is None else end
        while at < end:
            found = self.at(text, at, slots)
            if found is not None and found.end <= end:
                yield found
                at = max(found.end, at + 1)
            else:
                at += 1


def _parts(phrase: str) -> tuple[_Part, ...]:
    parts: list[_Part] = []
    for choice, maybe, slot, maybe_slot, any_word, word, maybe_word in _PART.findall(phrase):
        if choice:
            parts += _choice(choice.split("|"), bool(maybe))
        elif slot:
            parts.append(_Part(slot=slot, optional=bool(maybe_slot)))
        elif any_word:
            parts.append(_Part(most=_MOST_ANY if any_word == "**" else 1, optional=any_word == "**"))
        else:
            reads = reads_as(word)
            parts += [_Part(frozenset({read}), optional=bool(maybe_word)) for read in reads]
    return tuple(parts)


def _choice(words: Sequence[str], optional: bool) -> list[_Part]:
    read = {word: reads_as(word) for word in words}
    return [_Part(frozenset(first[0] for first in read.values() if len(first) == 1), optional=optional)]


def _match(
    text: Text, at: int, parts: Sequence[_Part], slots: Mapping[str, Slot], last: int
) -> tuple[int, dict[str, tuple[int, int]]] | None:
    """Where the parts end from a position on, and the spans of their slots."""
    if not parts:
        return at, {}
    part, rest = parts[0], parts[1:]
    best: tuple[int, dict[str, tuple[int, int]]] | None = None
    for end in _ends(text, at, part, slots, last):
        matched = _match(text, end, rest, slots, last)
        if matched is not None and (best is None or matched[0] > best[0]):
            spans = {part.slot: (at, end), **matched[1]} if part.slot and end > at else matched[1]
            best = matched[0], spans
    return best


def _ends(text: Text, at: int, part: _Part, slots: Mapping[str, Slot], last: int) -> Iterator[int]:
    if at < last:
        token = text.tokens[at]
        if token.kind == "mark" and token.word in "-'" and not part.words & {"-", "'"}:
            yield from _ends(text, at + 1, part, slots, last)
            return
        if part.words:
            if token.word in part.words:
                yield at + 1
        elif part.slot:
            end = slots[part.slot](text, at) if part.slot in slots else None
            if end is not None and end <= last:
                yield end
        else:
            for taken in range(1, part.most + 1):
                if at + taken > last or text.tokens[at + taken - 1].kind in ("mark", "emoji"):
                    break
                yield at + taken
    if part.optional:
        yield at
