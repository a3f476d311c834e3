"""Which lines of a mail came out of the letter that it answers, in whatever form they come back.

Two lines or more that follow each other as they do in the letter are its lines, however a mail program has
wrapped, marked or unmarked them. A line that stands alone is its writer's, even where the letter offers the
same words. Where such lines begin or end with an order, or skip one, nobody can tell: that one is doubtful.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from felix_async.language.grammar import Order, clean, read_line
from felix_async.reading import signs
from felix_async.reading.budget import go_on
from felix_async.reading.line import Line, Place

MAX_WORDS: Final = 8000
"""Words of a letter that are known again; the longest letters have about 2500."""
_AT_ONCE: Final = 25
"""Words that are cleaned as one line; of a longer one the end would be left out."""
_WORD: Final = re.compile(r"-?\d+|[^\W\d_]+")
_SAYS: Final = re.compile(r"[^\W_]")
_ADDED: Final = re.compile(r"[<(\[](?:mailto|https?|cid|image):[^<>()\[\]]{0,900}[>)\]]", re.IGNORECASE)
"""What a mail program writes behind words that were a link."""
_BEGINNING: Final = re.compile(r"^(?:[\s>|]{0,40})(?:[-*•·o]\s+|\d{1,2}[.)]\s+(?=\S))?")


@dataclass(frozen=True, slots=True)
class Ours:
    """The words of a letter of ours, one blank between two of them and around them."""

    words: str

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Where in the letter the words of a line begin and end."""
        for form in dict.fromkeys((_words(text), _words(_BEGINNING.sub("", text)))):
            at = self.words.find(form) if form.strip() else -1
            while at >= 0:
                yield at, at + len(form) - 1
                at = self.words.find(form, at + 1)


def ours(*forms: Sequence[str]) -> Ours:
    """A letter by the lines of each of its forms: plain text, and HTML."""
    return Ours(f" {' | '.join(' '.join(_words(' '.join(lines)).split()[:MAX_WORDS]) for lines in forms)} ")


def of_letter(lines: Sequence[Line], letter: Ours) -> dict[int, Place]:
    """The places of the lines that may be the letter's, by their numbers; those marked as quotes are none."""
    said = [(number, line) for number, line in enumerate(lines) if _SAYS.search(line.text)]
    marked = [line.place != "written" or signs.is_quoted(line.text.strip()) for _, line in said]
    # Of quotes, those that touch an unmarked line count: they may be its beginning, or its end.
    near = [not all(marked[max(at - 1, 0) : at + 2]) for at in range(len(said))]
    found: list[list[tuple[int, int]]] = []
    for (_, line), is_near in zip(said, near, strict=True):
        go_on()
        found.append(list(letter.places(line.text)) if is_near and line.place == "written" else [])
    runs = _runs(found)
    places: dict[int, Place] = {}
    for first, last in runs:
        unmarked = [at for at in range(first, last + 1) if not marked[at]]
        if unmarked and _lists(said[unmarked[0]][1].text):
            # Such an answer has more lines than one, and a letter that offers it wants all of them.
            continue
        for at in unmarked:
            is_edge = len(unmarked) == 1 or at in (first, last)
            is_doubtful = is_edge and _is_order(said[at][1].text)
            places[said[at][0]] = "doubtful" if is_doubtful else "quoted"
    for at in range(1, len(said) - 1):
        number, line = said[at]
        if (
            number not in places
            and found[at]
            and _is_between(found[at - 1 : at + 2])
            and _is_order(line.text)
        ):
            places[number] = "doubtful"
    return places


def _is_between(found: Sequence[Sequence[tuple[int, int]]]) -> bool:
    """Whether the second of three lines stands between the others in the letter, if not right there."""
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


def _lists(text: str) -> bool:
    """Whether it is an order with a list below it."""
    order = read_line(text)
    return isinstance(order, Order) and order.word == "NEW"


def _is_order(text: str) -> bool:
    return isinstance(read_line(text), Order) or isinstance(read_line(_BEGINNING.sub("", text)), Order)


def _words(text: str) -> str:
    words = _ADDED.sub(" ", text).split()
    lines = (clean(" ".join(words[at : at + _AT_ONCE])) for at in range(0, len(words), _AT_ONCE))
    return f" {' '.join(word for line in lines for word in _WORD.findall(line.lower()))} "
