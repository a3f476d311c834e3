"""Who hears of a step, as what, and when; and when felix looks at the game again."""

from __future__ import annotations

from dataclasses import replace
from datetime import time, timedelta

import pytest

from async_.owing import DAY, a_hosted_room, by_the_clock, due, notices, pass_days
from felix_async.audit.audit import audit
from felix_async.clock import later, text_of, time_of
from felix_async.follow_up.notices import Hours, next_digest, told_at
from felix_async.game import commands as c
from felix_async.schedule.tick import look_again
from felix_events.store.rows import Choice, Notify
from games import Room, a_room, joining
from golden.courses import saying
from table import ANNA, BEN, CARA, DAN, EVE

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
def test_who_wants_all_hears_what_others_do() -> None:
    room, game_id = a_running_room()
    choose(room, DAN, "all")
    assert heard(room, game_id, first_card(room, game_id, BEN)) == [(DAN, "news")]


def test_who_wants_all_hears_nothing_of_the_own_move() -> None:
    room, game_id = a_running_room()
    choose(room, BEN, "all")
    assert heard(room, game_id, first_card(room, game_id, BEN)) == []


def test_a_turn_is_news_enough() -> None:
    room, game_id = a_running_room()
    place(room, game_id, *EVERYBODY)
    choose(room, BEN, "all")
    choose(room, DAN, "all")
    assert heard(room, game_id, c.Bid(seat=ANNA, amount=1)) == [(BEN, "turn"), (DAN, "news")]


def test_the_end_is_news_enough() -> None:
    room, game_id = a_hosted_room()
    choose(room, BEN, "all")
    assert (BEN, "news") not in heard(room, game_id, c.Cancel(seat=ANNA))


def test_words_are_news_to_who_wants_all_of_it() -> None:
    room, game_id = a_running_room()
    choose(room, DAN, "all")
    assert heard(room, game_id, saying(ANNA, "Hello.")) == [(DAN, "news")]


def test_an_invited_player_who_wants_all_hears_who_joins() -> None:
    room, game_id = a_hosted_room()
    choose(room, CARA, "all")
    assert heard(room, game_id, joining(BEN)) == [(CARA, "news")]


@pytest.mark.parametrize(
    "command", [c.Decline(seat=CARA), c.Uninvite(seat=ANNA, whom=CARA), c.Expire(seat=CARA)]
)
def test_who_does_not_come_hears_no_news(command: c.Command) -> None:
    room, game_id = a_hosted_room(5)
    choose(room, CARA, "all")
    room.do(game_id, command)
    assert heard(room, game_id, joining(BEN)) == []


@pytest.mark.parametrize("for_good", [False, True])
def test_who_has_left_hears_no_news(for_good: bool) -> None:
    room, game_id = a_running_room()
    choose(room, DAN, "all")
    room.do(game_id, c.Leave(seat=DAN, for_good=for_good))
    assert heard(room, game_id, first_card(room, game_id, BEN)) == []


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


def test_a_digest_goes_out_when_the_operator_says() -> None:
    assert next_digest("2026-01-01T12:00:00.000000Z", time(6, 30), "UTC") == "2026-01-02T06:30:00.000000Z"


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


def test_a_player_of_whom_nothing_is_known_has_the_clock_of_the_server() -> None:
    noon = "2026-01-01T12:00:00.000000Z"
    choices = {
        ANNA: Choice("anna", "daily"),
        BEN: Choice("ben", "daily", offset="-05:00"),
        CARA: Choice("cara", "daily", zone="Asia/Tokyo", offset="-05:00"),
        DAN: Choice("dan", "turns", zone="Asia/Tokyo"),
    }
    told = [told_at(seat, choices, noon, Hours(zone="Europe/Berlin")) for seat in choices]
    assert [at[8:16] for at in told] == ["01T16:00", "01T22:00", "02T08:00", "01T12:00"]


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


def test_an_invitation_does_not_wait_and_neither_does_its_reminder() -> None:
    room = a_room()
    choose_first = [Choice(f"{name}-1", "daily") for name in ("anna", "ben", "cara", "dan")]
    with room.store.write() as tx:
        for number, choice in enumerate(choose_first):
            tx.add_player(choice.player_id, f"p{number}@players.test")
            tx.choose(choice)
    game_id = room.open()
    opened = {notice.due_at for notice in notices(room, game_id)}
    assert len(opened) == 1
    assert {row.due_at for row in due(room, game_id) if row.kind == "reminder"} == {later(opened.pop(), DAY)}


def test_news_of_the_lobby_does_not_wait() -> None:
    room, game_id = a_hosted_room(5)
    choose(room, ANNA, "daily")
    choose(room, DAN, "daily")
    for command in (c.Decline(seat=BEN), c.Uninvite(seat=ANNA, whom=DAN)):
        room.do(game_id, command)
        notice = notices(room, game_id)[-1]
        assert time_of(notice.due_at) <= room.clock.now


# ---- the host hears ---------------------------------------------------------------------------------
@pytest.mark.parametrize("command", [c.Decline(seat=BEN), c.Leave(seat=BEN, for_good=False)])
def test_the_host_hears_who_does_not_come(command: c.Command) -> None:
    room, game_id = a_hosted_room(5)
    assert heard(room, game_id, command) == [(ANNA, "lobby")]


def test_the_host_hears_of_no_join_while_others_have_not_answered() -> None:
    room, game_id = a_hosted_room(5)
    assert heard(room, game_id, joining(BEN)) == []


def test_the_host_hears_when_enough_are_in_to_begin() -> None:
    room, game_id = a_hosted_room(5, joined=(ANNA, BEN))
    assert heard(room, game_id, joining(CARA)) == [(ANNA, "lobby")]
    assert heard(room, game_id, joining(DAN)) == []


def test_the_host_hears_when_all_have_answered() -> None:
    room, game_id = a_hosted_room(5, joined=(ANNA, BEN, CARA))
    room.do(game_id, c.Decline(seat=DAN))
    assert heard(room, game_id, joining(EVE)) == [(ANNA, "lobby")]


def test_the_host_need_not_be_told_what_the_host_did() -> None:
    room, game_id = a_hosted_room(5)
    assert heard(room, game_id, c.Uninvite(seat=ANNA, whom=BEN)) == [(BEN, "withdrawn")]


def test_the_host_hears_that_the_last_open_invitation_is_gone() -> None:
    room, game_id = a_hosted_room(4, joined=(ANNA, BEN, CARA))
    assert heard(room, game_id, c.Uninvite(seat=ANNA, whom=DAN)) == [(DAN, "withdrawn"), (ANNA, "lobby")]


def test_a_new_host_hears_of_it() -> None:
    room, game_id = a_hosted_room(4, joined=(ANNA, BEN))
    assert heard(room, game_id, c.NameHost(seat=ANNA, to=BEN)) == [(BEN, "lobby")]


def test_a_new_host_who_follows_one_who_left_hears_of_it() -> None:
    room, game_id = a_hosted_room(4, joined=(ANNA, BEN))
    assert heard(room, game_id, c.Leave(seat=ANNA, for_good=False)) == [(BEN, "lobby")]


def test_a_table_without_a_host_tells_nobody_about_its_lobby() -> None:
    room = a_room()
    game_id = room.open()
    assert heard(room, game_id, joining(BEN)) == []


# ---- a seat that is gone ----------------------------------------------------------------------------
def test_an_invitation_that_expires_is_withdrawn_and_the_host_hears_of_it() -> None:
    room, game_id = a_hosted_room(4)
    assert heard(room, game_id, c.Expire(seat=DAN)) == [(DAN, "withdrawn"), (ANNA, "lobby")]


def test_who_has_not_answered_at_the_start_is_too_late() -> None:
    room, game_id = a_hosted_room(5, joined=(ANNA, BEN, CARA))
    started = heard(room, game_id, c.Start(seat=ANNA))
    assert started == [(ANNA, "turn"), (BEN, "turn"), (CARA, "turn"), (DAN, "withdrawn"), (EVE, "withdrawn")]


def test_who_loses_the_seat_by_which_the_game_ends_hears_that_too() -> None:
    room, game_id = a_hosted_room(3)
    told = heard(room, game_id, c.Uninvite(seat=ANNA, whom=BEN))
    assert told == [(BEN, "withdrawn"), (ANNA, "cancelled"), (CARA, "cancelled")]


def test_a_table_that_is_closed_tells_all_who_might_have_come() -> None:
    room, game_id = a_hosted_room(5)
    room.do(game_id, c.Decline(seat=EVE))
    assert heard(room, game_id, c.Close()) == [(seat, "cancelled") for seat in EVERYBODY]


def test_seats_that_do_not_play_hear_nothing_more() -> None:
    room, game_id = a_hosted_room(5, joined=(ANNA, BEN, CARA))
    room.do(game_id, c.Start(seat=ANNA))
    size = len(notices(room, game_id))
    room.play(game_id)
    assert {notice.seat for notice in notices(room, game_id)[size:]} == {ANNA, BEN, CARA}


# ---- the computer's seats ---------------------------------------------------------------------------
@pytest.mark.parametrize("for_good", [False, True])
def test_a_seat_that_the_computer_plays_for_is_owed_no_turn_and_looked_at_by_nobody(for_good: bool) -> None:
    room, game_id = a_running_room()
    room.do(game_id, c.Leave(seat=BEN, for_good=for_good))
    size = len(notices(room, game_id))

    def unbothered(_: object = None) -> bool:
        assert BEN not in {row.seat for row in due(room, game_id)}
        return room.game(game_id).is_over

    room.play(game_id, until=unbothered)
    told = {notice.kind for notice in notices(room, game_id)[size:] if notice.seat == BEN}
    assert told == (set() if for_good else {"result"})
    assert audit(room.evidence(game_id)).sound


def test_the_turn_after_the_computers_move_is_told_in_the_same_transaction() -> None:
    room, game_id = a_running_room()
    place(room, game_id, *EVERYBODY)
    room.do(game_id, c.Leave(seat=BEN, for_good=False))
    assert heard(room, game_id, c.Bid(seat=ANNA, amount=1)) == [(CARA, "turn")]
    assert reminders(room, game_id) == [CARA]


def test_who_leaves_is_not_reminded() -> None:
    room, game_id = a_running_room()
    room.do(game_id, c.Leave(seat=BEN, for_good=False))
    assert reminders(room, game_id) == [ANNA, CARA, DAN]


def test_a_table_that_everybody_left_for_a_while_waits_for_nobody() -> None:
    room, game_id = a_running_room()
    for seat in EVERYBODY:
        room.do(game_id, c.Leave(seat=seat, for_good=False))
    assert ([row.kind for row in due(room, game_id)], room.game(game_id).asked) == (["closing"], [DAN])
    pass_days(room, 13.9)
    assert by_the_clock(room, game_id) == []


def test_a_table_to_which_nobody_comes_back_is_closed() -> None:
    room, game_id = a_running_room()
    for seat in EVERYBODY:
        room.do(game_id, c.Leave(seat=seat, for_good=False))
    pass_days(room, 14.1)
    assert by_the_clock(room, game_id) == ["game_abandoned"]


def test_who_comes_back_to_a_table_at_rest_is_asked() -> None:
    room, game_id = a_running_room()
    for seat in EVERYBODY:
        room.do(game_id, c.Leave(seat=seat, for_good=False))
    assert heard(room, game_id, c.Return(seat=DAN)) == [(DAN, "turn")]
    assert reminders(room, game_id) == [DAN]


def test_who_comes_back_while_the_others_rest_gets_the_next_turn_that_is_the_own() -> None:
    """The computer goes on for the others until then."""
    room, game_id = a_running_room()
    place(room, game_id, *EVERYBODY)
    for seat in EVERYBODY:
        room.do(game_id, c.Leave(seat=seat, for_good=False))
    assert room.game(game_id).asked == [DAN]
    told = heard(room, game_id, c.Return(seat=ANNA))
    assert told == [(ANNA, "turn")]
    assert (room.game(game_id).asked, reminders(room, game_id)) == ([ANNA], [ANNA])
    assert audit(room.evidence(game_id)).sound


def test_who_comes_back_out_of_turn_is_owed_nothing() -> None:
    room, game_id = a_running_room()
    place(room, game_id, *EVERYBODY)
    room.do(game_id, c.Leave(seat=CARA, for_good=False))
    assert heard(room, game_id, c.Return(seat=CARA)) == []
    assert reminders(room, game_id) == [ANNA]


def test_an_auction_in_which_the_computer_holds_two_seats_asks_the_two_players_in_turn() -> None:
    room, game_id = a_running_room()
    place(room, game_id, *EVERYBODY)
    for seat in (BEN, DAN):
        room.do(game_id, c.Leave(seat=seat, for_good=False))
    assert heard(room, game_id, c.Pass(seat=ANNA)) == [(CARA, "turn")]
