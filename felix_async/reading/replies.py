"""Tell the writer's own lines from quoted ones: `place_lines` is the one answer to that.

A quoted line is dropped where it stands, and what stands between quotes is the writer's. If an older mail
begins without a sign of quoting (an attribution, its headers, a row of dashes with words in it), nothing
below is. If that is only likely, the lines below are doubtful: never acted on, asked about instead. The first
line of a message of ours is known by its form (`previews`).

Two lines or more that follow each other as they do in the letter that the mail answers are that letter's,
however a mail program has wrapped, marked or unmarked them. A line that stands alone is its writer's, even if
the letter offers the same words. If such lines begin or end with an order, or skip one, nobody can tell: that
one is doubtful.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from typing import Final

from felix_async.language.grammar import MAX_LINE, Order, clean, read_line
from felix_async.language.words import QUESTIONS
from felix_async.reading import signs
from felix_async.reading.budget import go_on
from felix_async.reading.line import Line, Place
from felix_async.reading.previews import apart, our_forms

MAX_UNQUOTED: Final = 300
"""Lines without a sign of quoting that are told apart: six times as many as are ever obeyed."""
NARROWEST: Final = 40
"""Columns that any mail program writes before it breaks a quoted line."""


def place_lines(lines: Sequence[Line], known: Mapping[int, Place] | None = None) -> list[Line]:
    """The same lines, each with its place; what is told apart already stays so.

    `known` are the places of lines out of the letter that the mail answers, by their numbers.
    """
    if known:
        lines = _told_apart(lines, known)
    lines = apart(lines, our_forms())
    others = [line for line in lines if line.place != "preview"]
    places = _Sorter(others).places()
    for number in _broken_quotes(others, places):
        places[number] = "doubtful"
    placed = iter(places)
    return [line if line.place == "preview" else line.at(next(placed)) for line in lines]


def _told_apart(lines: Sequence[Line], places: Mapping[int, Place]) -> list[Line]:
    """The same lines, those of the letter with their places.

    Its marker cuts as it always does where an order stands above it; else the answer is below, or between.
    """
    marker = next((number for number in places if signs.is_marker(lines[number].bare)), 0)
    if any(signs.is_order(line) for number, line in enumerate(lines[:marker]) if number not in places):
        places = {number: place for number, place in places.items() if number < marker}
    return [line.at(places.get(number, line.place)) for number, line in enumerate(lines)]


class _Sorter:
    """One walk through the lines of a mail."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._texts = [line.bare for line in lines]
        self._places: list[Place] = [line.place for line in lines]
        self._leave_rest()
        self._attributions = self._find_attributions()
        self._below: Place | None = None
        self._something_written = False

    def _leave_rest(self) -> None:
        """Take what stands below too many unquoted lines for somebody else's: none of it is obeyed."""
        unquoted = (
            number
            for number, text in enumerate(self._texts)
            if text and self._places[number] == "written" and not signs.is_quoted(text)
        )
        rest = next(islice(unquoted, MAX_UNQUOTED, None), len(self._texts))
        for number in range(rest, len(self._texts)):
            if self._places[number] == "written":
                self._places[number] = "quoted"

    def places(self) -> list[Place]:
        """The place of each line."""
        number = 0
        while number < len(self._texts):
            go_on()
            number += self._place(number)
        return self._places

    def _place(self, number: int) -> int:
        """Place this line, and those that belong to it; how many."""
        text = self._texts[number]
        if self._places[number] != "written":
            return 1
        if self._below == "below the marker" or not text:
            self._places[number] = self._below or "written"
        elif signs.is_quoted(text):
            self._places[number] = "quoted"
        elif signs.is_marker(text) or self._is_broken_marker(number):
            self._places[number] = self._below = "below the marker"
        elif self._below not in (None, "doubtful"):
            self._places[number] = self._below or "written"
        else:
            return self._place_unquoted(number, text)
        return 1

    def _is_broken_marker(self, number: int) -> bool:
        """Return True if a mail program broke our marker behind this line."""
        text, below = self._texts[number], "".join(self._texts[number + 1 : number + 2])
        is_one = text.startswith("--") and not signs.is_marker(below)
        return is_one and signs.is_marker(f"{text} {below}")

    def _place_unquoted(self, number: int, text: str) -> int:
        end = self._attributions.get(number)
        if end is not None:
            self._places[number : end + 1] = ["attribution"] * (end + 1 - number)
            if not self._quote_follows(end):
                self._below = self._if_written("quoted")
            return end + 1 - number
        older = signs.separator(self._lines[number])
        block = None if older else signs.header_block(self._lines[number : number + 20])
        if older == "forwarded":
            self._places[number] = self._below = "forwarded"
        elif older == "quoted" or block == "sure":
            self._places[number] = "attribution"
            self._below = self._if_written("quoted")
        elif block == "likely":
            self._places[number] = self._below = "doubtful"
        elif signs.is_sign(text):
            self._places[number] = self._below = "signature"
        elif signs.is_sent_from(text):
            self._places[number] = "signature"
            self._doubt_rest()
        elif self._something_written and signs.is_farewell(text):
            self._places[number] = self._below = "doubtful"
        elif signs.is_rule(text) or signs.is_torn_attribution(text):
            self._places[number] = "doubtful"
            self._doubt_rest()
        elif signs.is_banner(text):
            self._doubt_rest()
            return self._doubt_paragraph(number)
        else:
            self._places[number] = self._below or "written"
            self._something_written |= self._below is None
        return 1

    def _if_written(self, place: Place) -> Place:
        """Nobody sends an older mail without a word of his own: he may have written below it."""
        return place if self._something_written else "doubtful"

    def _doubt_rest(self) -> None:
        if self._something_written:
            self._below = "doubtful"

    def _doubt_paragraph(self, number: int) -> int:
        end = number
        while end < len(self._texts) and self._texts[end] and self._places[end] == "written":
            if end > number and signs.is_quoted(self._texts[end]):
                break
            self._places[end] = "doubtful"
            end += 1
        return end - number

    def _is_foreign(self, number: int) -> bool:
        return self._places[number] == "quoted" or signs.is_quoted(self._texts[number])

    def _quote_follows(self, number: int) -> bool:
        """Return True if the next line that says something is quoted."""
        following = (n for n in range(number + 1, min(number + 8, len(self._texts))) if self._texts[n])
        return any(self._is_foreign(n) for n in list(following)[:1])

    def _find_attributions(self) -> dict[int, int]:
        """Return the first line of each attribution, and its last."""
        found: dict[int, int] = {}
        for end, text in enumerate(self._texts):
            go_on()
            if not text or self._is_foreign(end) or self._places[end] != "written":
                continue
            follows = self._quote_follows(end)
            if not follows and not signs.may_end_attribution(text):
                continue
            start = signs.attribution_start(self._lines, end, quote_follows=follows)
            if start is not None:
                found[start] = max(end, found.get(start, end))
        return found


def _broken_quotes(lines: Sequence[Line], places: Sequence[Place]) -> list[int]:
    """Lines between quoted ones that may be the rest of a quoted line, broken by a mail program.

    Such a rest stands directly below a line that a sign marks as quoted, and quoted lines follow. Where it
    would have fitted behind that line, it is the writer's; but between two quoted lines an order may be the
    last column of a table, whose blanks were dropped.
    """
    broken: list[int] = []
    last = max((number for number, place in enumerate(places) if place == "quoted"), default=0)
    number = 1
    while number < last:
        end = number
        while end < last and places[end] == "written" and lines[end].bare:
            end += 1
        is_marked = lines[number - 1].place == "written" and places[number - 1] == "quoted"
        if end > number and is_marked:
            run = lines[number:end]
            if _may_break(lines[number - 1].text, run[0].bare) or (places[end] == "quoted" and _orders(run)):
                broken += range(number, end)
        number = max(end, number + 1)
    return broken


def _may_break(above: str, below: str) -> bool:
    """Return True if the first word of a line did not fit behind the line above it.

    Some programs count columns and some bytes, unseen characters too: bytes are never less.
    """
    return len(f"{above} {below.split()[0]}".encode("utf-8", "replace")) > NARROWEST


def _orders(run: Sequence[Line]) -> bool:
    """Return True if one of these lines is to change something, alone or with the line below it."""
    pairs = (read_line(f"{above.bare} {below.bare}") for above, below in pairwise(run))
    return any(
        isinstance(order, Order) and order.word not in QUESTIONS
        for order in (*(read_line(line.bare) for line in run), *pairs)
    )


MAX_WORDS: Final = 8000
"""Words of a letter that are known again; the longest letters have about 2500."""
_AT_ONCE: Final = 25
"""Words that are cleaned as one line; of a longer one the end would be left out."""
_WORD: Final = re.compile(r"-?\d+|[^\W\d_]+")
_SAYS: Final = re.compile(r"[^\W_]")
_ADDED: Final = re.compile(r"[<(\[](?:mailto|https?|cid|image):[^<>()\[\]]{0,900}[>)\]]", re.IGNORECASE)
"""Mail programs write it behind words that were a link."""
_BEGINNING: Final = re.compile(r"^(?:[\s>|]{0,40})(?:[-*•·o]\s+|\d{1,2}[.)]\s+(?=\S))?")


@dataclass(frozen=True, slots=True)
class Ours:
    """The words of a letter of ours, one blank between two of them and around them."""

    words: str

    def places(self, line: Line) -> Iterator[tuple[int, int]]:
        """Yield where the words of a line begin and end in the letter."""
        text = line.clean if len(line.text) <= MAX_LINE else _cleaned(line.text)
        for form in dict.fromkeys((_words(text), _words(_BEGINNING.sub("", text)))):
            at = self.words.find(form) if form.strip() else -1
            while at >= 0:
                yield at, at + len(form) - 1
                at = self.words.find(form, at + 1)


def ours(*forms: Sequence[str]) -> Ours:
    """A letter by the lines of each of its forms: plain text, and HTML.

    Its first line is apart from the marker: an answer right above that may be the word with which it ends.
    """
    parts = chain.from_iterable(_around_marker(lines) for lines in forms)
    words = (_words(_cleaned(" ".join(lines))).split()[:MAX_WORDS] for lines in parts)
    return Ours(f" {' | '.join(map(' '.join, words))} ")


def _around_marker(lines: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    marker = next((number for number, line in enumerate(lines) if signs.is_marker(line)), 0)
    return lines[:marker], lines[marker:]


def of_letter(lines: Sequence[Line], letter: Ours) -> dict[int, Place]:
    """The places of the lines that may be the letter's, by their numbers; those marked as quotes are none."""
    said = [(number, line) for number, line in enumerate(lines) if _SAYS.search(line.text)]
    marked = [line.place != "written" or signs.is_quoted(line.text.strip()) for _, line in said]
    # Of quotes, those that touch an unmarked line count: they may be its beginning, or its end.
    near = [not all(marked[max(at - 1, 0) : at + 2]) for at in range(len(said))]
    found: list[list[tuple[int, int]]] = []
    for (_, line), is_near in zip(said, near, strict=True):
        go_on()
        found.append(list(letter.places(line)) if is_near and line.place == "written" else [])
    runs = _runs(found)
    places: dict[int, Place] = {}
    for first, last in runs:
        unmarked = [at for at in range(first, last + 1) if not marked[at]]
        if unmarked and _lists(said[unmarked[0]][1]):
            # Such an answer has more lines than one, and a letter that offers it wants all of them.
            continue
        for at in unmarked:
            is_edge = len(unmarked) == 1 or at in (first, last)
            is_doubtful = is_edge and _is_order(said[at][1])
            places[said[at][0]] = "doubtful" if is_doubtful else "quoted"
    for at in range(1, len(said) - 1):
        number, line = said[at]
        if number not in places and found[at] and _is_between(found[at - 1 : at + 2]) and _is_order(line):
            places[number] = "doubtful"
    return places


def _is_between(found: Sequence[Sequence[tuple[int, int]]]) -> bool:
    """Return True if the second of three lines is between the others in the letter, near or far."""
    above, between, below = found
    if not above or not below:
        return False
    start, end = min(end for _, end in above), max(begin for begin, _ in below)
    return any(start <= begins and ends <= end for begins, ends in between)


def _runs(found: Sequence[Sequence[tuple[int, int]]]) -> list[tuple[int, int]]:
    """The first and the last of lines that follow each other in the letter, two or more."""
    runs: list[tuple[int, int]] = []
    ends: set[int] = set()
    first = 0
    for number, places in enumerate([*found, []]):
        followed = {end for begin, end in places if begin in ends}
        if not followed:
            if number - first > 1:
                runs.append((first, number - 1))
            # The line above may stand elsewhere in the letter, too, and this one below it there.
            above = {end for _, end in found[number - 1]} if number else set()
            followed = {end for begin, end in places if begin in above}
            first = number - bool(followed)
        ends = followed or {end for _, end in places}
    return runs


def _lists(line: Line) -> bool:
    """Return True if it is an order with a list below it."""
    return isinstance(line.read, Order) and line.read.word == "NEW"


def _is_order(line: Line) -> bool:
    begun = _BEGINNING.sub("", line.text)
    return line.is_order or (begun != line.text and isinstance(read_line(begun), Order))


def _cleaned(text: str) -> str:
    """A text that is longer than any line, cleaned piece by piece."""
    words = _ADDED.sub(" ", text).split()
    return " ".join(clean(" ".join(words[at : at + _AT_ONCE])) for at in range(0, len(words), _AT_ONCE))


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(_ADDED.sub(' ', text).lower()))} "
