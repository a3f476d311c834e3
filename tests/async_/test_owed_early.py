"""Everybody who is still in an auction is asked when a card turns, and not only whoever is in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from async_.owing import DAY, due, notices
from felix_async.clock import text_of
from felix_async.follow_up.kinds import load
from felix_async.follow_up.notice import Notice
from felix_async.game import commands as c
from felix_async.game.moment import Row, coming
from felix_async.orders.rekeying import rekey
from felix_async.service import Origin, Outcome
from felix_events.model import Pace, Terms
from felix_events.store.rows import Due, Notify
from games import Room, a_room, place_all
from table import ANNA, BEN, CARA, DAN

PLAYER_IDS = ("anna-1", "ben-1", "cara-1", "dan-1")
AUTUMN = Terms(move=DAY)


def placing(pace: Pace = "together", clock: Terms | None = None) -> tuple[Room, str]:
    """Four play, Anna begins; nobody has placed a card."""
    room = a_room()
    game_id = room.open(start=ANNA, host=ANNA, pace=pace, clock=clock)
    room.join_all(game_id)
    return room, game_id


def an_auction(pace: Pace = "together", clock: Terms | None = None) -> tuple[Room, str]:
    """The first card lies open, and Anna is in turn."""
    room, game_id = placing(pace, clock)
    place_all(room, game_id)
    return room, game_id


def choose(room: Room, seat: int, notify: Notify = "turns", quiet: str = "") -> None:
    with room.store.write() as tx:
        tx.choose(replace(tx.choice(PLAYER_IDS[seat]), notify=notify, quiet=quiet))


def say(room: Room, game_id: str, *gives: c.Give, move: c.Move | None = None) -> Outcome:
    """A seat says something in advance."""
    room.commands += 1
    origin = Origin(f"said-{room.commands}", "seat", "mail", order="said")
    with room.store.write() as tx:
        outcome = room.service.instruct(tx, game_id, gives, origin, move)
    assert outcome.refusal is None
    return outcome


def up_to(seat: int, limit: int) -> c.Give:
    return c.Give(seat=seat, kind="bid", limit=limit)


def heard(room: Room, game_id: str, *commands: c.Command) -> list[tuple[str, int]]:
    """What these commands make felix owe, and to whom."""
    before = len(notices(room, game_id))
    for command in commands:
        assert room.do(game_id, command).refusal is None
    return sorted((one.kind, one.seat) for one in notices(room, game_id)[before:])


def early_ones(room: Room, game_id: str) -> list[Notice]:
    return [load(one) for one in notices(room, game_id) if one.kind == "early"]


def seats(found: Sequence[tuple[str, int]], kind: str = "early") -> list[int]:
    return [seat for one, seat in found if one == kind]


# ---- who is asked, and when --------------------------------------------------------------------------
def test_when_the_first_card_turns_all_but_the_one_in_turn_are_asked_early() -> None:
    room, game_id = placing()
    game = room.game(game_id)
    cards = [c.Play(seat=seat, card=game.seats[seat].hand[0]) for seat in range(4)]
    assert heard(room, game_id, *cards) == [("early", BEN), ("early", CARA), ("early", DAN), ("turn", ANNA)]


def test_a_bid_turns_no_card_and_asks_nobody_early() -> None:
    room, game_id = an_auction()
    assert heard(room, game_id, c.Bid(seat=ANNA, amount=1)) == [("turn", BEN)]


def test_when_a_card_turns_those_still_in_are_asked_and_nobody_else() -> None:
    room, game_id = an_auction()
    found = heard(room, game_id, c.Bid(seat=ANNA, amount=1), c.Pass(seat=BEN))
    assert found == [("early", ANNA), ("early", DAN), ("turn", BEN), ("turn", CARA)]


def test_at_a_table_where_all_are_asked_in_turn_nobody_is_asked_early() -> None:
    room, game_id = an_auction("in turn")
    assert seats(heard(room, game_id, c.Bid(seat=ANNA, amount=1), c.Pass(seat=BEN))) == []


def test_an_early_ask_names_the_decision_to_come_and_the_row() -> None:
    room, game_id = an_auction()
    game = room.game(game_id)
    assert [(one.seat, one.turn, getattr(one, "row", None)) for one in early_ones(room, game_id)] == [
        (seat, coming(game, seat), Row(1, 1)) for seat in (BEN, CARA, DAN)
    ]


def test_who_wants_to_hear_of_their_turn_alone_is_not_asked_early() -> None:
    room, game_id = an_auction()
    choose(room, DAN, "mine")
    assert seats(heard(room, game_id, c.Pass(seat=ANNA))) == [CARA]


def test_who_has_answered_for_the_round_is_not_asked_again_at_the_next_card() -> None:
    room, game_id = an_auction()
    say(room, game_id, c.Give(seat=DAN, kind="pass"))
    assert seats(heard(room, game_id, c.Pass(seat=ANNA))) == [CARA]


def test_what_was_said_of_the_card_before_is_no_answer_to_this_one() -> None:
    room, game_id = an_auction()
    say(room, game_id, up_to(DAN, 9))
    assert seats(heard(room, game_id, c.Pass(seat=ANNA))) == [CARA, DAN]


def test_a_card_for_the_next_round_is_no_answer_in_this_one() -> None:
    room, game_id = an_auction()
    card = room.game(game_id).seats[DAN].hand[0]
    say(room, game_id, c.Give(seat=DAN, kind="next", card=card))
    assert seats(heard(room, game_id, c.Pass(seat=ANNA))) == [CARA, DAN]


def test_whoever_the_computer_plays_for_is_not_asked_early() -> None:
    room, game_id = an_auction()
    room.do(game_id, c.Leave(seat=DAN, for_good=False))
    assert seats(heard(room, game_id, c.Pass(seat=ANNA))) == [CARA]


def test_the_last_who_may_buy_is_in_turn_and_so_nobody_is_asked_early() -> None:
    room, game_id = an_auction()
    passes = [c.Pass(seat=seat) for seat in (ANNA, BEN, CARA)]
    assert seats(heard(room, game_id, *passes[:2])) == [CARA, DAN, DAN]
    assert heard(room, game_id, passes[2]) == [("turn", DAN)]


# ---- one rest, one mail ------------------------------------------------------------------------------
def test_a_chain_asks_each_seat_once_where_it_rests() -> None:
    """Ben's order answers Anna's bid, Cara's and Dan's take them out, and Anna is asked again."""
    room, game_id = an_auction()
    for seat in (CARA, DAN):
        say(room, game_id, c.Give(seat=seat, kind="pass"))
    say(room, game_id, up_to(BEN, 9))
    before = len(notices(room, game_id))
    room.do(game_id, c.Bid(seat=ANNA, amount=4))
    found = notices(room, game_id)[before:]
    game = room.game(game_id)
    assert (game.to_move, game.high_bid, len(game.turned)) == (ANNA, 5, 3)
    assert [(one.kind, one.seat, one.version) for one in found] == [
        ("early", BEN, game.version),
        ("turn", ANNA, game.version),
    ]


def test_whoever_was_asked_early_is_asked_in_turn_for_the_price_of_now() -> None:
    room, game_id = an_auction()
    assert seats(heard(room, game_id, c.Bid(seat=ANNA, amount=3)), "turn") == [BEN]


def test_whoever_has_answered_is_not_waited_for_and_gets_nothing() -> None:
    room, game_id = an_auction()
    say(room, game_id, up_to(BEN, 9))
    assert heard(room, game_id, c.Bid(seat=ANNA, amount=3)) == [("turn", CARA)]


def test_where_an_answer_ends_its_seat_is_asked() -> None:
    room, game_id = an_auction()
    say(room, game_id, c.Give(seat=BEN, kind="bid", limit=5, then="ask"))
    assert seats(heard(room, game_id, c.Bid(seat=ANNA, amount=5)), "turn") == [BEN]


def test_the_curious_hear_of_a_chain_once() -> None:
    room, game_id = an_auction()
    choose(room, DAN, "all")
    say(room, game_id, up_to(BEN, 9))
    say(room, game_id, up_to(CARA, 7))
    assert seats(heard(room, game_id, c.Bid(seat=ANNA, amount=3)), "news") == []
    assert room.game(game_id).to_move == DAN
    assert seats(heard(room, game_id, c.Bid(seat=DAN, amount=8)), "news") == []
    assert seats(heard(room, game_id, c.Pass(seat=ANNA)), "news") == [DAN]


def test_when_a_card_is_placed_is_news_to_nobody() -> None:
    room, game_id = placing()
    choose(room, DAN, "all")
    card = room.game(game_id).seats[BEN].hand[0]
    assert heard(room, game_id, c.Play(seat=BEN, card=card)) == []


# ---- quiet hours and digests -------------------------------------------------------------------------
def at(room: Room, hour: int) -> datetime:
    room.clock.now = room.clock.now.replace(hour=hour, minute=0)
    return room.clock.now


def due_for(room: Room, game_id: str, seat: int) -> str:
    """From when on the seat is told of its newest early ask."""
    return [one.due_at for one in early_ones(room, game_id) if one.seat == seat][-1]


def test_by_day_an_early_ask_goes_at_once() -> None:
    room, game_id = an_auction()
    choose(room, DAN, quiet="22:00-08:00")
    at(room, 12)
    room.do(game_id, c.Pass(seat=ANNA))
    assert due_for(room, game_id, DAN) <= text_of(room.clock.now)


def test_an_early_ask_waits_for_the_end_of_quiet_hours() -> None:
    room, game_id = an_auction()
    choose(room, DAN, quiet="22:00-08:00")
    morning = at(room, 23).replace(hour=8) + timedelta(days=1)
    room.do(game_id, c.Pass(seat=ANNA))
    assert due_for(room, game_id, DAN) == text_of(morning)


def test_quiet_hours_by_default_hold_an_early_ask_too() -> None:
    room, game_id = an_auction()
    morning = at(room, 23).replace(hour=8) + timedelta(days=1)
    room.do(game_id, c.Pass(seat=ANNA))
    assert due_for(room, game_id, DAN) == text_of(morning)


def test_a_turn_mail_does_not_wait_for_the_morning() -> None:
    room, game_id = an_auction()
    night = text_of(at(room, 23))
    room.do(game_id, c.Pass(seat=ANNA))
    asked = [one for one in notices(room, game_id) if (one.kind, one.seat) == ("turn", BEN)][-1]
    assert asked.due_at[:13] == night[:13]


def test_an_early_ask_waits_for_the_digest() -> None:
    room, game_id = an_auction()
    choose(room, DAN, "daily")
    digest = at(room, 18).replace(hour=17) + timedelta(days=1)
    room.do(game_id, c.Pass(seat=ANNA))
    assert due_for(room, game_id, DAN) == text_of(digest)


# ---- who comes to the table --------------------------------------------------------------------------
@pytest.mark.parametrize("seat", [CARA, DAN])
def test_who_comes_back_during_an_auction_is_asked_early(seat: int) -> None:
    room, game_id = an_auction()
    room.do(game_id, c.Leave(seat=seat, for_good=False))
    assert seats(heard(room, game_id, c.Return(seat=seat))) == [seat]


def test_a_substitute_is_asked_early() -> None:
    room, game_id = an_auction()
    room.do(game_id, c.Leave(seat=DAN, for_good=False))
    assert seats(heard(room, game_id, c.Substitute(seat=DAN, player_id="eve-1"))) == [DAN]


def test_in_a_pause_nobody_is_asked_early_and_after_it_all_who_have_not_answered() -> None:
    room, game_id = an_auction(clock=AUTUMN)
    say(room, game_id, up_to(BEN, 9))
    votes = [c.Vote(seat=seat, on="pause") for seat in (ANNA, BEN, CARA)]
    assert seats(heard(room, game_id, *votes)) == []
    assert room.game(game_id).paused_until
    assert seats(heard(room, game_id, c.Pass(seat=ANNA))) == []
    back = heard(room, game_id, c.Resume(seat=ANNA))
    assert not room.game(game_id).paused_until
    assert seats(back) == [CARA, DAN]


def test_who_gets_new_addresses_is_asked_early_once_more_with_those() -> None:
    """What the seat had said is forgotten with the old ones: it may be somebody else who said it."""
    room, game_id = an_auction()
    say(room, game_id, up_to(DAN, 9))
    with room.store.write() as tx:
        assert rekey(tx, room.service, tx.seats(game_id)[DAN], "Here are new addresses.")
    again = [one for one in early_ones(room, game_id) if one.again]
    assert [(one.seat, getattr(one, "row", None), one.is_stale(room.game(game_id))) for one in again] == [
        (DAN, Row(1, 1), False)
    ]


# ---- when it is needless -----------------------------------------------------------------------------
def dans(room: Room, game_id: str) -> Notice:
    return next(one for one in early_ones(room, game_id) if one.seat == DAN)


@pytest.mark.parametrize(
    "commands",
    [
        (c.Pass(seat=ANNA),),
        (c.Bid(seat=ANNA, amount=1), c.Bid(seat=BEN, amount=2), c.Bid(seat=CARA, amount=3)),
        (c.Leave(seat=DAN, for_good=False),),
        (c.Cancel(seat=ANNA),),
    ],
    ids=["a card has turned", "it is their turn", "the computer plays", "refused"],
)
def test_an_early_ask_is_needless_once_things_have_changed(commands: Sequence[c.Command]) -> None:
    room, game_id = an_auction()
    notice = dans(room, game_id)
    assert not notice.is_stale(room.game(game_id))
    refusals = [room.do(game_id, command).refusal for command in commands]
    assert notice.is_stale(room.game(game_id)) == (refusals == [None] * len(commands))


def test_an_early_ask_is_needless_once_its_decision_was_made_at_the_same_card() -> None:
    room, game_id = an_auction()
    notice = dans(room, game_id)
    for seat in range(4):
        room.do(game_id, c.Bid(seat=seat, amount=seat + 1))
    game = room.game(game_id)
    assert (game.to_move, len(game.turned)) == (ANNA, 1)
    assert notice.is_stale(game)


# ---- nobody's time -----------------------------------------------------------------------------------
def about(rows: Sequence[Due], seat: int) -> list[Due]:
    return [row for row in rows if row.seat == seat]


@pytest.mark.parametrize("clock", [None, AUTUMN])
def test_no_time_runs_for_whoever_is_asked_early(clock: Terms | None) -> None:
    room, game_id = an_auction(clock=clock)
    assert [about(due(room, game_id), seat) for seat in (BEN, CARA, DAN)] == [[], [], []]
    assert room.game(game_id).seats[BEN].time.deadline is None


# ---- what was said in advance is nobody's business ---------------------------------------------------
def told(room: Room, game_id: str, seat: int) -> list[tuple[object, ...]]:
    """All that is owed to a seat, but for the numbers of the rows."""
    rows = [one for one in notices(room, game_id) if one.seat == seat]
    return [(one.kind, one.about, one.version, one.turn, one.due_at, one.payload) for one in rows]


@pytest.mark.parametrize("gives", [[up_to(DAN, 9)], [up_to(DAN, 9), up_to(DAN, 12)]])
def test_that_somebody_has_answered_changes_nothing_that_is_owed_to_others(gives: list[c.Give]) -> None:
    rooms = [an_auction(clock=AUTUMN), an_auction(clock=AUTUMN)]
    for room, game_id in rooms[1:]:
        for one in gives:
            say(room, game_id, one)
    for room, game_id in rooms:
        room.clock.now = room.clock.now.replace(hour=15, minute=0, second=0, microsecond=0)
        room.do(game_id, c.Bid(seat=ANNA, amount=1))
    first, second = ([told(*one, seat) for seat in (ANNA, BEN, CARA)] for one in rooms)
    assert first == second
    assert due(*rooms[0]) == due(*rooms[1])
