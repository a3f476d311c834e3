"""Which lines of a mail list the players of a NEW, where a blank line or a slip leaves that open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from felix_async.language.grammar import Order, clean
from felix_async.language.words import MISUNDERSTOOD, UNDERSTOOD, WORD_OF
from felix_async.orders.acquaintances import Acquaintances
from felix_async.orders.context import OrderContext
from felix_async.orders.listed import friends_of, is_entry, names_only, says_option
from felix_async.reading.line import Line
from felix_async.reading.signs import is_greeting
from felix_async.reading.understand import is_nearly_new
from felix_async.reading.verdicts import Understood

_NEW: Final = "NEW"


def gathered(ctx: OrderContext, lines: Sequence[Understood]) -> list[tuple[int, Understood]]:
    """The verdicts, each with its number, and those of a list taken up by the NEW above it.

    What stands behind a blank line, or below a line that is nearly a NEW, belongs to the list where it names
    somebody whom the writer knows, an address or an option. Else it is what it was.
    """
    kept: list[tuple[int, Understood]] = []
    number = apart = 0
    while number < len(lines):
        line, count = lines[number], 0
        if line.after or is_nearly_new(line):
            apart = number + 1 + len(line.after)
            line, count = _with_list(ctx, line, lines[number + 1 : apart])
        kept.append((number, _apart(line) if number < apart else line))
        number += 1 + count
    return kept


def _with_list(
    ctx: OrderContext, line: Understood, following: Sequence[Understood]
) -> tuple[Understood, int]:
    """A line with those of the following ones that its list takes up, and how many these are."""
    friends = friends_of(ctx)
    texts = [one.text for one in following]
    count = _taken(friends, line, texts)
    line = _meant(friends, line, has_list=count > 0)
    if line.order is None:
        return line, 0
    return replace(line, below=(*line.below, *map(Line, texts[:count]))), count


def _meant(friends: Acquaintances, line: Understood, *, has_list: bool) -> Understood:
    """What is no clear NEW as that order, where nothing else can be meant: `NEW Ben, Cara`.

    With a list below it, it is one that is asked about.
    """
    if not is_nearly_new(line) or line.verdict == "asked":
        return line
    words = clean(line.text)[len(WORD_OF[_NEW]) :].strip()
    if names_only(friends, words) or (has_list and says_option(words)):
        return replace(line, verdict="order", why=UNDERSTOOD["order"], order=Order(_NEW, text=words))
    return replace(line, verdict="asked", order=Order(_NEW)) if has_list else line


def _taken(friends: Acquaintances, line: Understood, texts: Sequence[str]) -> int:
    """How many of the lines behind its own the list takes up."""
    paragraphs = [[text for text, _ in pairs] for _, pairs in _by_paragraph(texts, line.after)]
    if not line.below and all(len(lines) == 1 for lines in paragraphs):
        # Each line is a paragraph, as some mail programs write them: the list has no end but the mail's.
        return len(texts) if any(is_entry(friends, text) for text in texts) else 0
    has_guests = any(not says_option(one.text) for one in line.below)
    count = seen = 0
    for lines in paragraphs:
        seen += len(lines)
        said = [text for text in lines if not is_greeting(text)]
        begins = not has_guests and bool(said) and is_entry(friends, said[0])
        if not begins and not all(says_option(text) or names_only(friends, text) for text in said):
            break
        has_guests |= any(not says_option(text) for text in said)
        count = seen if said else count
    return count


def _by_paragraph(
    texts: Sequence[str], paragraphs: Sequence[int]
) -> Iterator[tuple[int, Iterator[tuple[str, int]]]]:
    return groupby(zip(texts, paragraphs, strict=True), key=lambda pair: pair[1])


def _apart(line: Understood) -> Understood:
    """A line behind the list of a NEW: an address in it is not passed over in silence."""
    if "@" not in line.text or line.verdict != "not understood":
        return line
    return replace(line, why=MISUNDERSTOOD["order/not_listed"])
