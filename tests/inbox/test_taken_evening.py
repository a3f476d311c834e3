"""A whole game of people who write as they like and change their minds: what they said last is done."""

from __future__ import annotations

from datetime import timedelta

import orjson
import pytest

from felix_async.audit.audit import audit
from felix_async.draw import Stream
from felix_async.game.commands import order_text
from felix_async.game.players import random_player
from felix_async.game.views import view
from inbox.clocked import a_clocked_table
from inbox.postbag import Postbag
from inbox.taking import PAUSE, taken, undone, wait


def decides(bag: Postbag, seat: int, numbers: Stream) -> str:
    """A seat decides, in one way or another; its order."""
    last = order_text(random_player(view(bag.game, seat), seat, numbers).move)
    first = order_text(random_player(view(bag.game, seat), seat, numbers).move)
    way = numbers.below(4)
    if way == 0:
        bag.send(seat, last)
        return last
    if way > 1:
        taken(bag, seat, first)
        wait(bag, numbers.below(PAUSE))
    if way > 2:
        undone(bag, seat)
    taken(bag, seat, last)
    wait(bag)
    return last


def moves(bag: Postbag) -> list[str]:
    """All that was done by mail, in order."""
    records = bag.look(lambda reader: [row.private_record for row in reader.log(bag.game_id)])
    kept = [orjson.loads(one) for one in records if one]
    return [record["order"] for record in kept if record["channel"] == "mail"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [b"first", b"second"])
def test_each_decision_is_the_last_one_and_the_game_is_sound(seed: bytes) -> None:
    bag, numbers = a_clocked_table(seats=3, joined=3), Stream(seed, "evening")
    bag.room.clock.step = timedelta()
    done = moves(bag)
    while not bag.game.is_over:
        done.append(decides(bag, bag.game.asked[0], numbers))
        assert moves(bag) == done
    assert {one.state for seat in range(3) for one in bag.asked(seat, "order")} == {"yes", "no", "dropped"}
    assert len(done) > 50
    assert audit(bag.room.evidence(bag.game_id)).sound
