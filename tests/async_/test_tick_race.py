"""Several processes look at what is due in the same moment: whatever is due happens once."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest

from felix_async.audit.audit import audit
from felix_async.clock import later, text_of
from felix_async.follow_up.notices import Hours
from felix_async.language.grammar import Order
from felix_async.orders.context import ReceivedOrder
from felix_async.orders.inferred import take
from felix_events.store.sqlite import SqliteStore
from games import EPOCH, Room, a_room
from inbox.taking import PAUSE, context

TICKER: Final = Path(__file__).with_name("ticker.py")
GAMES: Final = 100
SEATS: Final = 4
PROCESSES: Final = 3
DAY: Final = 24 * 3600.0


class Ticker:
    """A process at the other end of two pipes."""

    def __init__(self, path: Path, now: str) -> None:
        command = [sys.executable, str(TICKER), str(path), now]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def hear(self) -> list[str]:
        assert self.process.stdout is not None
        return self.process.stdout.readline().split()


@contextmanager
def tickers(path: Path, now: str) -> Iterator[list[Ticker]]:
    """All of them, ready to look."""
    all_of_them = [Ticker(path, now) for _ in range(PROCESSES)]
    try:
        assert [one.hear() for one in all_of_them] == [["ready"]] * PROCESSES
        yield all_of_them
        for one in all_of_them:
            one.process.communicate(timeout=60)
        assert [one.process.returncode for one in all_of_them] == [0] * PROCESSES
    finally:
        for one in all_of_them:
            one.process.kill()
            one.process.communicate()


def race(path: Path, now: str) -> list[int]:
    """All look at once; how many due rows each of them dealt with."""
    with tickers(path, now) as all_of_them:
        for one in all_of_them:
            one.go()
        return [int(one.hear()[0]) for one in all_of_them]


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A hundred tables where everybody is invited and nobody has answered."""
    with closing(SqliteStore.create(tmp_path / "felix.db")) as store:
        room = a_room("race", store)
        room.service.hours = Hours(remind_after=DAY, expire_after=7 * DAY)
        room.clock.step = timedelta()
        for number in range(GAMES):
            room.open(SEATS, command_id=f"create-{number}")
        yield room


@pytest.mark.slow
def test_every_reminder_is_owed_exactly_once(room: Room, tmp_path: Path) -> None:
    looked = race(tmp_path / "felix.db", later(text_of(EPOCH), DAY))
    with room.store.read() as reader:
        reminders = [
            (notice.game_id, notice.seat)
            for game in reader.games()
            for notice in reader.notices(game.game_id)
            if notice.kind == "reminder"
        ]
        left = [row.kind for game in reader.games() for row in reader.due_of(game.game_id)]
    assert Counter(Counter(reminders).values()) == {1: GAMES * SEATS}
    assert "reminder" not in left
    assert sum(looked) >= GAMES * SEATS


@pytest.mark.slow
def test_every_game_is_closed_exactly_once(room: Room, tmp_path: Path) -> None:
    """What happens because of time is an event; two of a kind would not be sound."""
    race(tmp_path / "felix.db", later(text_of(EPOCH), 30 * DAY))
    with room.store.read() as reader:
        games = [game.game_id for game in reader.games()]
        assert {game.state for game in reader.games()} == {"abandoned"}
        assert all(reader.due_of(game_id) == [] for game_id in games)
    for game_id in games:
        assert audit(room.evidence(game_id)).sound


@pytest.mark.slow
def test_whoever_looks_once_more_finds_nothing(room: Room, tmp_path: Path) -> None:
    now = later(text_of(EPOCH), DAY)
    race(tmp_path / "felix.db", now)
    assert race(tmp_path / "felix.db", now) == [0] * PROCESSES


@pytest.mark.slow
def test_what_was_taken_from_plain_words_is_done_exactly_once(room: Room, tmp_path: Path) -> None:
    with room.store.write() as tx:
        for game in tx.games():
            ctx = context(tx, room.service, game.game_id, 0, "JOIN", f"{game.game_id}@players.test")
            take(ctx, ReceivedOrder(Order("JOIN"), "count me in", game.game_id, ctx.turn))
    race(tmp_path / "felix.db", later(text_of(EPOCH), PAUSE))
    with room.store.read() as reader:
        games = [game.game_id for game in reader.games()]
        joined = [b"".join(reader.bodies(game_id)).count(b'"player_joined"') for game_id in games]
        asked = [one.state for game_id in games for one in reader.questions(game_id, 0)]
    assert (joined, asked) == ([1] * GAMES, ["yes"] * GAMES)
