"""Due rows are a projection: what the store holds is what follows from the log."""

from __future__ import annotations

from datetime import timedelta
from random import Random

import pytest

from async_.owing import due
from async_.ticking import DAY, EVERYBODY, HOUR, THREE_DAYS, WITH_RESERVE, a_clocked_room, look
from each import one_in
from felix_async.clock import later, text_of
from felix_async.follow_up.due import due_rows
from felix_async.game.commands import Absent, Command, Leave, Pass, Play, Recall, Resume, Return, Vote
from felix_async.game.folding import fold
from felix_async.game.state import Game, initial_state
from felix_async.game.views import choices
from felix_events.envelope import check_envelopes
from felix_events.model import Terms
from felix_events.store.rows import Due
from games import Room

NO_WEEKENDS = Terms(move=12 * HOUR, reserve=2 * DAY, weekends=False, zone="Europe/Berlin", away=21 * DAY)
ALL_TERMS = (THREE_DAYS, WITH_RESERVE, NO_WEEKENDS)


def built_anew(room: Room, game_id: str) -> list[Due]:
    """The rows from the log, and nothing that the store holds beside it but what its players chose."""
    with room.store.read() as reader:
        game = fold(envelope.data for envelope in check_envelopes(reader.bodies(game_id)))
        chosen = reader.choices_at(game_id)
    return due_rows(game_id, initial_state(), game, [], chosen, text_of(room.clock.now), room.service.hours)


def anything(game: Game, seat: int, now: str, chance: Random) -> Command:
    """What this seat is asked for, or now and then something about its time."""
    asked = choices(game, seat)
    if chance.random() < 0.8:
        return Play(seat=seat, card=asked.plays[0]) if asked.plays else Pass(seat=seat)
    away = Absent(
        seat=seat,
        start=later(now, chance.randrange(2) * DAY // 2),
        back=later(now, chance.randint(1, 3) * DAY),
        computer=chance.random() < 0.5,
    )
    wishes: list[Command] = [
        away,
        Recall(seat=seat),
        Vote(seat=seat, on="pause"),
        Resume(seat=seat),
        Leave(seat=seat, for_good=False),
        Return(seat=seat),
    ]
    return chance.choice(wishes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("terms", "seed"), one_in(12, [(terms, seed) for terms in ALL_TERMS for seed in range(4)])
)
def test_the_rows_in_the_store_follow_from_the_log(terms: Terms, seed: int) -> None:
    chance = Random(seed)
    room, game_id = a_clocked_room(terms)
    kinds: set[str] = set()
    for _ in range(150):
        room.clock.now += timedelta(seconds=chance.random() ** 3 * terms.move)
        look(room)
        game = room.game(game_id)
        if game.is_over:
            break
        room.do(game_id, anything(game, chance.choice(EVERYBODY), text_of(room.clock.now), chance))
        kept = due(room, game_id)
        kinds |= {row.kind for row in kept}
        assert in_order(kept) == in_order(built_anew(room, game_id))
    assert {"deadline", "reminder", "back"} <= kinds


def in_order(rows: list[Due]) -> list[Due]:
    return sorted(rows, key=lambda row: (row.kind, row.seat, row.turn))
