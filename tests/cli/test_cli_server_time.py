"""A real server on a clock that is moved: what it does by itself, and when it says it is alive."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from freezegun import freeze_time
from pydantic import SecretStr

from cli.clockwork import WAIT, Moved, Runs
from cli.terminal import Terminal
from cli.village import MAILBOX, Village
from felix_async.clock import system_clock, text_of
from felix_async.game.commands import Join
from felix_async.language.grammar import Order
from felix_async.orders.context import ReceivedOrder
from felix_async.orders.inferred import take
from felix_async.service import Origin, Player
from felix_async.settings import Backup, Fetch, Listen, Send, Settings
from felix_cli.server import Server
from felix_events.model import Terms
from felix_events.store.base import Tx
from felix_events.store.sqlite import SqliteStore
from games import NAMES, SeededEntropy
from inbox.imap_server import PASSWORD, USER, ImapServer
from inbox.taking import context

NOON = "2026-06-01 12:00:00"
HOUR = 3600.0


@dataclass
class Life:
    """A server, and the clock that it goes by."""

    server: Server
    clock: Moved

    def after(self, seconds: float, *jobs: str) -> None:
        """So much time passes, and each of these jobs has run once more."""
        before = {name: len(self.clock.runs.of(name)) for name in jobs}
        self.clock.on(seconds)
        self.clock.runs.wait_for(lambda runs: all(len(runs.of(name)) > before[name] for name in jobs))

    def live(self, seconds: float) -> None:
        """So much time passes in which the server is at work: it looks every ten minutes at the least."""
        while seconds > 0:
            self.after(min(seconds, 600.0), "tick")
            seconds -= 600


@pytest.fixture
def village() -> Iterator[Village]:
    with Village() as opened:
        yield opened


@contextmanager
def living(village: Village, frozen: Any, **more: Any) -> Iterator[Life]:
    """A server at work, while time is frozen."""
    settings = Settings(
        database=Path("felix.db"),
        mailbox=MAILBOX,
        listen=Listen(protocol="off"),
        send=Send(port=village.port, timeout_seconds=5),
        **more,
    )
    server = Server(settings, entropy=SeededEntropy("server"))
    clock = Moved(frozen, server.scheduler, Runs(server.scheduler))
    with server:
        yield Life(server, clock)


@pytest.fixture
def frozen() -> Iterator[Any]:
    with freeze_time(NOON, real_asyncio=True, ignore=["_pytest.timing"]) as factory:
        yield factory


def last_beat() -> str | None:
    store = SqliteStore.open_to_read(Path("felix.db"))
    with store.read() as reader:
        beat = reader.last_beat()
    store.close()
    return beat


def invite(server: Server) -> None:
    people = [Player(f"p-{name.lower()}", name, f"{name.lower()}@players.test") for name in NAMES[:3]]
    server.writer.do(
        lambda tx: server.service.open_table(
            tx, people, origin=Origin("new", "host", "desk"), table_name="", ruleset="felicity-2017"
        )
    )
    server.wake_post()


# ---- what it does by itself
@pytest.mark.slow
def test_who_is_waited_for_is_reminded_by_mail_when_a_day_has_passed(
    desk: Terminal, village: Village, frozen: Any
) -> None:
    with living(village, frozen) as life:
        invite(life.server)
        first = {village.next().recipient for _ in range(3)}
        life.live(24 * HOUR - 10)
        assert len(village.delivered) == 3
        life.after(10, "tick")
        reminders = [village.next() for _ in range(3)]
    assert {mail.recipient for mail in reminders} == first
    assert len({mail.raw for mail in village.delivered}) == 6


@pytest.mark.slow
def test_after_a_sleep_of_days_reminders_come_so_much_later_and_once(
    desk: Terminal, village: Village, frozen: Any
) -> None:
    with living(village, frozen) as life:
        invite(life.server)
        for _ in range(3):
            village.next()
        life.after(3 * 24 * HOUR, "tick", "send")
        assert len(village.delivered) == 3
        life.live(24 * HOUR + 60)
        for _ in range(3):
            village.next()
        life.live(HOUR)
    assert len(village.delivered) == 6


def test_an_outage_is_dealt_with_as_a_server_starts(desk: Terminal, village: Village, frozen: Any) -> None:
    """Before the first mail, and without waiting for a job."""
    with living(village, frozen) as life:
        invite(life.server)
        for _ in range(3):
            village.next()
    frozen.tick(timedelta(days=2))
    with living(village, frozen) as life:
        assert last_beat() == "2026-06-03T12:00:00.000000Z"
        assert life.clock.runs.planned == []
        with life.server.store.read() as reader:
            rows = reader.due_of(reader.logs()[0])
    assert {row.due_at for row in rows if row.kind == "reminder"} == {"2026-06-04T12:00:00.000000Z"}


def test_a_backup_is_made_every_day(desk: Terminal, village: Village, frozen: Any) -> None:
    Path("copies").mkdir()
    with living(village, frozen, backup=Backup(folder=Path("copies"))) as life:
        life.after(600, "backup")
        life.after(24 * HOUR, "backup")
    assert sorted(path.name for path in Path("copies").iterdir()) == [
        "felix-20260601T121000Z.db",
        "felix-20260602T121000Z.db",
    ]


def test_without_a_folder_no_backup_is_made(desk: Terminal, village: Village, frozen: Any) -> None:
    with living(village, frozen) as life:
        assert "backup" not in {job.id for job in life.server.scheduler.get_jobs()}


# ---- the heartbeat
def test_a_server_notes_every_minute_that_it_is_alive(desk: Terminal, village: Village, frozen: Any) -> None:
    with living(village, frozen) as life:
        life.after(60, "heartbeat")
        assert last_beat() == "2026-06-01T12:01:00.000000Z"
        life.after(60, "heartbeat")
        assert last_beat() == "2026-06-01T12:02:00.000000Z"


def test_a_server_that_stops_notes_until_when_it_was_alive(
    desk: Terminal, village: Village, frozen: Any
) -> None:
    with living(village, frozen) as life:
        life.after(60, "heartbeat")
        frozen.tick(timedelta(seconds=42))
    assert last_beat() == "2026-06-01T12:01:42.000000Z"


def test_a_server_whose_tick_hangs_does_not_say_that_it_is_alive(
    desk: Terminal, village: Village, frozen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, hung = threading.Event(), threading.Event()

    def hang(*_: object) -> int:
        hung.set()
        assert go_on.wait(WAIT)
        return 0

    with living(village, frozen) as life:
        life.after(60, "heartbeat", "tick")
        monkeypatch.setattr("felix_cli.server.keep_time", hang)
        life.clock.on(10)
        assert hung.wait(WAIT)
        try:
            life.after(300, "heartbeat")
            before = last_beat()
            life.after(120, "heartbeat")
            assert last_beat() == before
        finally:
            go_on.set()


def test_the_doctor_says_when_a_server_was_last_alive(desk: Terminal, village: Village, frozen: Any) -> None:
    def found() -> dict[str, Any]:
        checks = desk.json("doctor", "--no-send", code=1)
        (check,) = [check for check in checks if check["what"] == "heartbeat"]
        return dict(check)

    assert found()["found"] == "felix serve has not been alive on this database yet"
    with living(village, frozen) as life:
        life.after(60, "heartbeat")
        assert found()["found"] == "felix serve was last alive at 2026-06-01T12:01:00.000000Z"
        frozen.tick(timedelta(seconds=301))
        check = found()
        assert (check["well"], check["advice"].partition(",")[0]) == (False, "it runs")
        frozen.tick(timedelta(seconds=-301))
    check = found()
    assert check["well"]
    assert check["found"] == "felix serve was last alive at 2026-06-01T12:01:00.000000Z; it does not run now"


def test_the_doctor_says_that_nothing_is_due_on_a_clock_that_went_back(
    desk: Terminal, village: Village, frozen: Any
) -> None:
    with living(village, frozen) as life:
        life.after(60, "heartbeat")
    frozen.tick(timedelta(days=-1))
    (check,) = [c for c in desk.json("doctor", "--no-send", code=1) if c["what"] == "heartbeat"]
    assert not check["well"]
    assert "nothing is due before: felix doctor --clock" in check["advice"]


# ---- the desk
def test_the_desk_tells_the_times_of_the_clock(desk: Terminal, frozen: Any) -> None:
    game_id = desk.new("Anna", "Ben", "Cara")
    (game,) = desk.json("games")
    assert game["created_at"] == "2026-06-01T12:00:00.000000Z"
    frozen.tick(timedelta(days=2, hours=3))
    desk.run("move", game_id, 0, "JOIN")
    times = [event["at"] for event in desk.json("replay", game_id)]
    assert (times[0], times[-1]) == (game["created_at"], "2026-06-03T15:00:00.000000Z")
    told = desk.run("replay", game_id)
    assert "Mon 1 Jun 2026\n   7  12:00  " in told


def test_a_table_looks_the_same_whenever_it_is_shown(desk: Terminal, frozen: Any) -> None:
    game_id = desk.started()
    before = desk.run("show", game_id), desk.json("show", game_id)
    frozen.tick(timedelta(days=400))
    assert (desk.run("show", game_id), desk.json("show", game_id)) == before


def test_a_clock_that_was_set_back_takes_no_event_back_in_time(desk: Terminal, frozen: Any) -> None:
    game_id = desk.new("Anna", "Ben", "Cara")
    frozen.move_to("2026-05-01 12:00:00")
    desk.run("move", game_id, 0, "JOIN")
    times = [event["at"] for event in desk.json("replay", game_id)]
    assert times == sorted(times)
    assert text_of(datetime.now().astimezone()) < times[-1]


# ---- mail that may wait elsewhere
def clocked(server: Server) -> str:
    """A running game of people without mail, with an hour for each move."""
    people = [Player(f"q-{name.lower()}", name) for name in NAMES[:3]]

    def start(tx: Tx) -> str:
        game_id, _ = server.service.open_table(
            tx,
            people,
            origin=Origin("clocked", "host", "desk"),
            table_name="",
            ruleset="felicity-2017",
            clock=Terms(move=int(HOUR)),
        )
        for seat in range(3):
            join = Join(seat=seat, contribution="0" * 64)
            server.service.handle(tx, game_id, join, Origin(f"join/{seat}", "seat", "desk"))
        return game_id

    return server.writer.do(start)


def timed_out(server: Server, game_id: str) -> bool:
    with server.store.read() as reader:
        return any(b'"turn_timed_out"' in body for body in reader.bodies(game_id))


def test_nobodys_time_is_up_within_half_an_hour_after_a_stop(
    desk: Terminal, village: Village, frozen: Any
) -> None:
    """A mail that came in these minutes waits in its sender's queue."""
    with living(village, frozen) as life:
        game_id = clocked(life.server)
        life.live(HOUR - 300)
    frozen.tick(timedelta(seconds=400))
    with living(village, frozen) as life:
        life.live(1700)
        assert not timed_out(life.server, game_id)
        life.live(300)
        assert timed_out(life.server, game_id)


# ---- orders out of plain words
def take_card(server: Server, game_id: str, seat: int) -> str:
    """Take a mail of this seat for the first card of its hand; when it is placed."""

    def work(tx: Tx) -> str:
        order = Order("PLAY", card=server.service.load(tx, game_id).seats[seat].hand[0])
        ctx = context(tx, server.service, game_id, seat, str(order), f"{seat}@players.test")
        return take(ctx, ReceivedOrder(order, "that one", f"mail/{seat}", ctx.turn)).lines[0].due_at

    return server.writer.do(work)


def placed(server: Server, game_id: str) -> list[int]:
    """The seats whose card is down."""
    with server.store.read() as reader:
        seats = server.service.load(reader, game_id).seats
    return [number for number, seat in enumerate(seats) if seat.has_placed]


def test_a_server_does_what_it_took_within_seconds_after_the_pause(
    desk: Terminal, village: Village, frozen: Any
) -> None:
    with living(village, frozen) as life:
        game_id = clocked(life.server)
        assert take_card(life.server, game_id, 1) == "2026-06-01T12:02:00.000000Z"
        for _ in range(11):
            life.after(10, "tick")
        assert placed(life.server, game_id) == []
        life.after(10, "tick")
        assert placed(life.server, game_id) == [1]


def test_after_a_stop_only_what_was_taken_before_it_waits_for_mail_from_elsewhere(
    desk: Terminal, village: Village, frozen: Any
) -> None:
    with living(village, frozen) as life:
        game_id = clocked(life.server)
        take_card(life.server, game_id, 1)
    frozen.tick(timedelta(seconds=400))
    with living(village, frozen) as life:
        take_card(life.server, game_id, 2)
        life.after(180, "tick")
        assert placed(life.server, game_id) == [2]
        life.live(1800)
        assert placed(life.server, game_id) == [1, 2]


def test_the_mailbox_is_looked_into_before_what_was_taken_is_done(
    desk: Terminal, village: Village, frozen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    with ImapServer() as imap:
        fetch = Fetch(
            host="127.0.0.1", port=imap.port, security="none", user=USER, password=SecretStr(PASSWORD)
        )
        with living(village, frozen, fetch=fetch) as life:
            fetcher = life.server._fetcher
            imap.wait_until(lambda: fetcher.heard_until() != "")
            monkeypatch.setattr(fetcher, "look", lambda: looks.append(text_of(system_clock())))
            game_id = clocked(life.server)
            take_card(life.server, game_id, 1)
            life.after(110, "tick")
            assert looks == []
            life.after(20, "tick")
            assert (looks, placed(life.server, game_id)) == (["2026-06-01T12:02:10.000000Z"], [])
            monkeypatch.setattr(fetcher, "heard_until", lambda: text_of(system_clock()))
            life.after(10, "tick")
            assert (len(looks), placed(life.server, game_id)) == (1, [1])
