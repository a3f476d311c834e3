"""Who hears of a step, as what, and when; and when felix looks at the game again."""

from __future__ import annotations

from dataclasses import replace
from datetime import time, timedelta

import pytest

from async_.owing import a_hosted_room, due, notices
from felix_async.clock import text_of, time_of
from felix_async.follow_up.notices import next_digest
from felix_async.game import commands as c
from felix_async.schedule.tick import look_again
from felix_events.store.rows import Notify
from games import Room, a_room, joining
from table import ANNA, BEN, CARA, DAN

EVERYBODY = (ANNA, BEN, CARA, DAN)


def a_running_room() -> tuple[Room, str]:
    """Four play, in round 1; Anna starts."""
    room = a_room()
    game_id = room.open(start=ANNA)
    room.join_all(game_id)
    return room, game_id


def choose(room: Room, seat: int, notify: Notify) -> None:
    player_id = ("anna-1", "ben-1", "cara-1", "dan-1", "eve-1")[seat]
    with room.store.write() as tx:
        tx.choose(replace(tx.choice(player_id), notify=notify))


def reminders(room: Room, game_id: str) -> list[int]:
    """The seats that will be reminded."""
    return [row.seat for row in due(room, game_id) if row.kind == "reminder"]


def heard(room: Room, game_id: str, command: c.Command) -> list[tuple[int, str]]:
    """Who hears of a command, as what; those of the computer's moves after it among them."""
    before = len(notices(room, game_id))
    assert room.do(game_id, command).refusal is None
    return [(notice.seat, notice.kind) for notice in notices(room, game_id)[before:]]


def first_card(room: Room, game_id: str, seat: int) -> c.Play:
    return c.Play(seat=seat, card=room.game(game_id).seats[seat].hand[0])


def place(room: Room, game_id: str, *seats: int) -> None:
    for seat in seats:
        room.do(game_id, first_card(room, game_id, seat))


# ---- news -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "command", [c.Decline(seat=CARA), c.Uninvite(seat=ANNA, whom=CARA), c.Expire(seat=CARA)]
)
def test_who_does_not_come_hears_no_news(command: c.Command) -> None:
    room, game_id = a_hosted_room(5)
    choose(room, CARA, "all")
    room.do(game_id, command)
    assert heard(room, game_id, joining(BEN)) == []


# ---- one letter a day -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("now", "then"),
    [
        ("2026-01-01T12:00:00.000000Z", "2026-01-01T17:00:00.000000Z"),
        ("2026-01-01T17:00:00.000000Z", "2026-01-02T17:00:00.000000Z"),
        ("2026-12-31T23:59:59.999999Z", "2027-01-01T17:00:00.000000Z"),
    ],
)
def test_the_next_digest_is_today_or_tomorrow_and_never_now(now: str, then: str) -> None:
    assert next_digest(now, time(17), "UTC") == then


@pytest.mark.parametrize(
    ("now", "at", "zone", "then"),
    [
        ("2026-01-01T12:00:00", time(17), "Europe/Berlin", "2026-01-01T16:00:00"),
        ("2026-07-01T12:00:00", time(17), "Europe/Berlin", "2026-07-01T15:00:00"),
        ("2026-01-01T16:00:00", time(17), "Europe/Berlin", "2026-01-02T16:00:00"),
        # Here it is tomorrow already, and five o'clock of that day is to come.
        ("2026-01-01T23:00:00", time(17), "Pacific/Auckland", "2026-01-02T04:00:00"),
        ("2026-01-01T03:00:00", time(17), "Pacific/Pago_Pago", "2026-01-01T04:00:00"),
        ("2028-02-28T23:30:00", time(17), "+05:30", "2028-02-29T11:30:00"),
        # The time is skipped: half past three, and on the next day half past two again.
        ("2026-03-29T00:00:00", time(2, 30), "Europe/Berlin", "2026-03-29T01:30:00"),
        ("2026-03-29T01:30:00", time(2, 30), "Europe/Berlin", "2026-03-30T00:30:00"),
        # It comes twice: once is enough.
        ("2026-10-25T00:29:00", time(2, 30), "Europe/Berlin", "2026-10-25T00:30:00"),
        ("2026-10-25T00:30:00", time(2, 30), "Europe/Berlin", "2026-10-26T01:30:00"),
        ("2026-10-25T01:15:00", time(2, 30), "Europe/Berlin", "2026-10-26T01:30:00"),
    ],
)
def test_a_digest_goes_out_by_the_clock_of_its_reader(now: str, at: time, zone: str, then: str) -> None:
    assert next_digest(f"{now}.000000Z", at, zone) == f"{then}.000000Z"


def test_a_turn_waits_for_the_digest_of_who_wants_one_letter_a_day() -> None:
    room, game_id = a_running_room()
    place(room, game_id, *EVERYBODY)
    choose(room, BEN, "daily")
    room.do(game_id, c.Bid(seat=ANNA, amount=1))
    notice = notices(room, game_id)[-1]
    assert (notice.seat, notice.kind, notice.due_at) == (BEN, "turn", "2026-01-01T17:00:00.000000Z")


def test_who_wants_one_letter_a_day_is_reminded_in_the_letter_of_the_day_after() -> None:
    room, game_id = a_running_room()
    place(room, game_id, *EVERYBODY)
    choose(room, BEN, "daily")
    room.do(game_id, c.Bid(seat=ANNA, amount=1))
    (row,) = [one for one in due(room, game_id) if one.kind == "reminder"]
    assert (row.seat, row.due_at) == (BEN, "2026-01-02T16:50:00.000000Z")
    room.clock.now = time_of(row.due_at) + timedelta(minutes=1)
    with room.store.write() as tx:
        look_again(tx, room.service, row, text_of(room.clock.now))
    notice = notices(room, game_id)[-1]
    assert (notice.seat, notice.kind, notice.due_at) == (BEN, "reminder", "2026-01-02T17:00:00.000000Z")


# ---- a seat that is gone ----------------------------------------------------------------------------
def test_who_loses_the_seat_by_which_the_game_ends_hears_that_too() -> None:
    room, game_id = a_hosted_room(3)
    told = heard(room, game_id, c.Uninvite(seat=ANNA, whom=BEN))
    assert told == [(BEN, "withdrawn"), (ANNA, "cancelled"), (CARA, "cancelled")]


def test_a_new_host_hears_of_it() -> None:
    room, game_id = a_hosted_room(4, joined=(ANNA, BEN))
    assert heard(room, game_id, c.NameHost(seat=ANNA, to=BEN)) == [(BEN, "lobby")]
