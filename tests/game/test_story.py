"""The story of a log: the table that each event met, last moves, who is waited for, who hosts and why."""

from __future__ import annotations

from itertools import accumulate

import pytest

from felix_async.game.commands import (
    Bid,
    Command,
    Decline,
    Dispute,
    Expire,
    Leave,
    NameHost,
    Pass,
    Play,
    Return,
    Withdraw,
)
from felix_async.game.folding import evolve
from felix_async.game.state import Game
from felix_async.game.story import Before, NewHost, Story
from felix_events import model as m
from felix_events.envelope import check_envelopes
from games import Room, a_game_played, a_room, a_started_room, joining, place_all
from table import ANNA, BEN, CARA, DAN


def story(room: Room, game_id: str) -> Story:
    """The story so far."""
    with room.store.read() as reader:
        return Story.of(check_envelopes(reader.bodies(game_id)))


def since(room: Room, game_id: str) -> dict[int, str]:
    """Since when whom, to the minute."""
    return {seat: at[11:16] for seat, at in story(room, game_id).asked_since.items()}


# ---- the table that an event met --------------------------------------------------------------------


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_step_has_the_table_that_its_event_met(seats: int) -> None:
    played = a_game_played(seats)
    games = accumulate(played.events, evolve, initial=Game())
    for step, game in zip(Story.of(played.envelopes).steps, games, strict=False):
        cards = [card for _, card in step.before.row]
        placed = frozenset(seat for seat, state in enumerate(game.seats) if state.has_placed)
        assert (step.before.round, cards, step.before.placed) == (game.round, game.turned, placed)
        assert all(card == game.seats[owner].placed for owner, card in step.before.row if owner is not None)


def test_a_story_that_went_on_is_the_one_that_is_told_anew() -> None:
    envelopes = a_game_played(4).envelopes
    grown = Story()
    for start in range(0, len(envelopes), 7):
        before, grown = grown, grown.and_then(envelopes[start : start + 7])
        assert before == Story.of(envelopes[:start])
    assert grown == Story.of(envelopes)
    assert Story().steps == ()


def denied(room: Room, game_id: str) -> list[m.Event | None]:
    """The moves that disputes were about, as each of their events may tell them."""
    steps = story(room, game_id).steps
    disputes = [step for step in steps if isinstance(step.event, m.DisputeRaised | m.DisputeSettled)]
    return [None if one.before.denied is None else one.before.denied.event for one in disputes]


def test_a_disputed_card_is_named_once_it_lies_open_and_no_sooner() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    start = room.game(game_id).start_seat
    last = (start + 3) % 4
    room.do(game_id, Dispute(seat=last, turn=1, what="card"))
    assert denied(room, game_id) == [None]
    for seat in range(start, start + 3):
        room.do(game_id, Pass(seat=seat % 4))
    room.do(game_id, Withdraw(seat=last))
    card = room.game(game_id).turned[-1]
    assert denied(room, game_id) == [None, m.CardPlaced(seat=last, card=card)]


def test_of_a_card_that_was_exchanged_since_it_was_disputed_neither_is_named() -> None:
    room, game_id = a_started_room()
    start = room.game(game_id).start_seat
    first, second = room.game(game_id).seats[start].hand[:2]
    room.do(game_id, Play(seat=start, card=first))
    room.do(game_id, Dispute(seat=start, turn=1, what="card"))
    room.do(game_id, Play(seat=start, card=second))
    place_all(room, game_id)
    room.do(game_id, Withdraw(seat=start))
    assert room.game(game_id).turned
    assert denied(room, game_id) == [None, None]


def test_a_disputed_bid_is_named_also_in_a_later_round() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    start = room.game(game_id).start_seat
    room.do(game_id, Bid(seat=start, amount=3))
    room.do(game_id, Dispute(seat=start, turn=2, what="bid"))
    for seat in range(start + 1, start + 4):
        room.do(game_id, Pass(seat=seat % 4))
    room.do(game_id, Withdraw(seat=start))
    assert room.game(game_id).round == 2
    assert denied(room, game_id) == [m.BidPlaced(seat=start, amount=3)] * 2


def test_an_event_after_a_seat_was_left_met_the_computer_there() -> None:
    room, game_id = a_started_room()
    room.do(game_id, Leave(seat=BEN, for_good=False))
    room.do(game_id, Return(seat=BEN))
    steps = {step.envelope.type: step for step in story(room, game_id).steps[-3:]}
    assert steps["card_placed"].before == Before(1, (), frozenset(), frozenset({BEN}))
    assert steps["seat_handed_over"].before.placed == {BEN}


# ---- a seat's moves ---------------------------------------------------------------------------------


def test_a_card_that_the_computer_placed_is_no_move_of_the_player() -> None:
    room, game_id = a_started_room()
    assert not story(room, game_id).has_moved(BEN)
    card = room.game(game_id).seats[BEN].hand[0]
    room.do(game_id, Play(seat=BEN, card=card))
    version = room.game(game_id).version
    room.do(game_id, Leave(seat=CARA, for_good=False))
    told = story(room, game_id)
    assert (told.last_move(BEN), told.has_moved(BEN)) == (version, True)
    assert told.last_move(CARA) == version + 1, "it is leaving that the player did"


# ---- hosts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("commands", "why"),
    [
        ([joining(BEN), NameHost(seat=ANNA, to=BEN)], NewHost(ANNA, "named")),
        ([joining(BEN), Leave(seat=ANNA, for_good=False)], NewHost(ANNA, "gave_back")),
        ([joining(BEN), Expire(seat=ANNA)], NewHost(ANNA, "silent")),
        ([joining(BEN), Decline(seat=CARA)], None),
    ],
)
def test_a_new_host_knows_why(commands: list[Command], why: NewHost | None) -> None:
    room = a_room()
    game_id = room.open(4, host=ANNA)
    if commands[1].__class__ is NameHost:
        room.do(game_id, joining(ANNA))
    for command in commands:
        assert room.do(game_id, command).refusal is None
    told = story(room, game_id)
    assert told.new_host(BEN, [len(told.steps)]) == why
    assert told.new_host(ANNA, [len(told.steps)]) is None


# ---- since when -------------------------------------------------------------------------------------


def test_an_invitation_waits_since_it_was_sent() -> None:
    room = a_room()
    game_id = room.open()
    opened = since(room, game_id)
    assert set(opened) == {ANNA, BEN, CARA, DAN}
    room.do(game_id, joining(BEN))
    assert since(room, game_id) == {seat: at for seat, at in opened.items() if seat != BEN}


def test_a_turn_waits_since_the_move_before_it() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    room.do(game_id, Bid(seat=ANNA, amount=1))
    ((seat, at),) = since(room, game_id).items()
    assert seat == BEN
    with room.store.read() as reader:
        assert at == check_envelopes(reader.bodies(game_id))[-1].at[11:16]


def test_whoever_comes_back_is_waited_for_from_then_on() -> None:
    room, game_id = a_started_room()
    before = since(room, game_id)
    room.do(game_id, Leave(seat=BEN, for_good=False))
    assert BEN not in since(room, game_id)
    place = room.game(game_id)
    assert place.seats[BEN].has_placed, "the computer has placed a card"
    room.do(game_id, Return(seat=BEN))
    assert since(room, game_id) == {seat: at for seat, at in before.items() if seat != BEN}


def test_a_game_that_is_over_waits_for_nobody() -> None:
    room, game_id = a_started_room()
    room.play(game_id)
    assert since(room, game_id) == {}
