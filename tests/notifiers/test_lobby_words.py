"""Words around a game act on nothing, where they come back without a sign that they are a quote."""

from __future__ import annotations

import re
from collections.abc import Iterator

from each import each
from felix_async.language.grammar import Order, read_line
from felix_async.meaning.meaning import meaning_of
from felix_async.meaning.situation import situation_of
from gallery.shown import mails, occasions

AROUND = ("inviting", "abandoned", "ended")


def sentences(name: str) -> Iterator[str]:
    """The paragraphs of a text part, but for answers on offer, and their sentences one by one."""
    for piece in mails()[name].text.split("\n\n"):
        if isinstance(read_line(piece.splitlines()[0].strip()), Order):
            continue
        told = " ".join(piece.split())
        yield from {told, *re.split(r"(?<=[.?:]) ", told), *map(str.strip, piece.splitlines())}


@each("name", [name for name, one in occasions().items() if one.game.table.phase in AROUND])
def test_no_sentence_around_a_game_is_read_as_an_order_or_a_move(name: str) -> None:
    situation = situation_of(occasions()[name].game.table)
    for told in sentences(name):
        assert not isinstance(read_line(told), Order), told
        assert meaning_of([told], situation).do is None, told
