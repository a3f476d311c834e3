"""What each viewer sees: the table "what is open and what is secret" of the rules, row by row.

And non-interference: in random games, whatever a viewer must not know is changed, and what it is shown
stays the same.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import accumulate
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felix_async.game.cards import PET_CARDS
from felix_async.game.commands import Bid, Decline, Pass, Play
from felix_async.game.folding import evolve, fold
from felix_async.game.narrate import retell
from felix_async.game.state import Game
from felix_async.game.views import Hidden, View, Viewer, may_know, redact, view
from felix_events import model as m
from felix_events.envelope import Envelope
from games import NAMES, Played, a_declined_game, a_game_played, a_room
from golden.make_golden import GOLDEN
from table import ANNA, BEN, CARA, DAN, Table, a_game

EVERYBODY: tuple[Viewer, ...] = (ANNA, BEN, CARA, DAN, "spectator")
HANDS: dict[int, list[m.Card]] = {
    ANNA: [-8, -5, 0, 3, 5, 8, 11, 15, "large_dog"],
    BEN: [-5, 0, 3, 5, 8, 11, 15, "large_dog", "small_dog"],
}


def seen(table: Table, viewer: Viewer) -> View:
    return view(table.game, viewer)


# ---- a hand, a card in the row, a boxed card --------------------------------------------------------
def test_a_seat_sees_its_hand_in_order_and_the_card_that_is_missing() -> None:
    own = seen(a_game().with_hands(HANDS), ANNA).own[ANNA]
    assert own.hand == HANDS[ANNA]
    assert own.boxed == "small_dog"


@pytest.mark.parametrize("viewer", EVERYBODY)
def test_nobody_sees_what_another_seat_owns(viewer: Viewer) -> None:
    """Hand, boxed and placed card, mice, won cards, turn and choices are in `own`, and nowhere else."""
    own = seen(a_game().with_hands(HANDS), viewer).own
    assert list(own) == ([] if viewer == "spectator" else [viewer])


def test_a_seat_sees_its_own_card_in_the_row_beside_its_hand() -> None:
    own = seen(a_game().with_hands(HANDS).after(Play(seat=ANNA, card=11)), ANNA).own[ANNA]
    assert own.placed == 11
    assert own.hand == [-8, -5, 0, 3, 5, 8, 15, "large_dog"]


@pytest.mark.parametrize("viewer", EVERYBODY)
def test_everybody_sees_that_a_card_was_placed_and_not_which(viewer: Viewer) -> None:
    table = seen(a_game(start=BEN).after(Play(seat=ANNA, card=11)), viewer)
    assert [(place.owner, place.placed, place.card) for place in table.row] == [
        (BEN, False, None),
        (CARA, False, None),
        (DAN, False, None),
        (ANNA, True, None),
    ]
    assert [seat.placed for seat in table.seats] == [True, False, False, False]


@pytest.mark.parametrize("viewer", EVERYBODY)
def test_everybody_sees_the_cards_that_were_turned_over_and_no_other(viewer: Viewer) -> None:
    table = seen(a_game().with_row(-8, 0, "large_dog", 15).after(Pass(seat=ANNA)), viewer)
    assert [place.card for place in table.row] == [-8, 0, None, None]
    assert table.open_cards == [-8, 0]


def test_the_dummy_card_lies_first_and_belongs_to_nobody() -> None:
    table = seen(a_game(seats=3, start=CARA), "spectator")
    assert [(place.owner, place.placed, place.card) for place in table.row] == [
        (None, True, None),
        (CARA, False, None),
        (ANNA, False, None),
        (BEN, False, None),
    ]


def test_the_dummy_card_is_seen_once_it_is_turned() -> None:
    table = seen(a_game(seats=3).with_row("small_dog", 3, 5, 8), "spectator")
    assert table.open_cards == ["small_dog"]


# ---- mice, bids, cards won --------------------------------------------------------------------------
@pytest.mark.parametrize("viewer", EVERYBODY)
def test_everybody_sees_bids_passes_the_bank_and_the_mouse_cards(viewer: Viewer) -> None:
    table = seen(a_game().in_auction().after(Bid(seat=ANNA, amount=4), Pass(seat=BEN)), viewer)
    assert [(seat.bid, seat.passed) for seat in table.seats] == [
        (4, False),
        (0, True),
        (0, False),
        (0, False),
    ]
    assert (table.high_bid, table.high_bidder, table.to_move, table.asked) == (4, ANNA, CARA, [CARA])
    assert [(card.number, card.mice, card.taken) for card in table.mouse_cards] == [
        (2, 2, True),
        (4, 4, False),
        (6, 6, False),
    ]
    assert table.bank == 15


def test_nobody_has_bid_yet() -> None:
    assert seen(a_game().in_auction(), "spectator").high_bidder is None


def test_mouse_cards_that_were_not_filled_are_seen_empty() -> None:
    table = seen(a_game(seats=5).with_empty_mouse_cards(), "spectator")
    assert [(card.number, card.mice) for card in table.mouse_cards] == [(2, 0), (3, 0), (4, 0), (6, 0)]


def test_a_seat_sees_its_own_mice_and_the_cards_it_won() -> None:
    table = a_game().in_round(5).with_mice({BEN: 3}).with_won({BEN: [15, -8]})
    own = seen(table, BEN).own[BEN]
    assert (own.mice, own.won) == (3, [-8, 15])


@pytest.mark.parametrize("viewer", [ANNA, CARA, DAN, "spectator"])
def test_the_table_shows_no_totals_of_others(viewer: Viewer) -> None:
    """Another seat's purse and pile are in no field."""
    game = a_game().in_round(5).in_auction().game
    rich = game.copy()
    rich.seats[BEN].mice = 60
    rich.seats[BEN].won = [15, 15, 11]
    assert view(rich, viewer) == view(game, viewer)
    assert view(rich, BEN) != view(game, BEN)


# ---- choices ----------------------------------------------------------------------------------------
def choices_of(table: Table, seat: int) -> tuple[list[m.Card], tuple[int, int] | None, bool]:
    choices = seen(table, seat).own[seat].choices
    return choices.plays, choices.bids, choices.may_pass


def test_while_cards_are_placed_a_seat_may_play_any_of_its_hand() -> None:
    assert choices_of(a_game().with_hands(HANDS), ANNA) == (HANDS[ANNA], None, False)


def test_a_seat_that_has_placed_its_card_may_exchange_it() -> None:
    plays, _, _ = choices_of(a_game().with_hands(HANDS).after(Play(seat=ANNA, card=11)), ANNA)
    assert plays == [card for card in HANDS[ANNA] if card != 11]


def test_the_seat_whose_turn_it_is_may_bid_more_than_the_highest_bid() -> None:
    assert choices_of(a_game().in_auction(top_bid=5, by=ANNA), BEN) == ([], (6, 15), True)


def test_a_seat_with_too_few_mice_may_only_pass() -> None:
    table = a_game().asking_all().with_mice({BEN: 5}).in_auction(top_bid=5, by=ANNA)
    assert choices_of(table, BEN) == ([], None, True)


def test_the_last_seat_of_an_unbid_auction_may_buy_for_exactly_one_mouse() -> None:
    table = a_game().in_auction().after(Pass(seat=ANNA), Pass(seat=BEN), Pass(seat=CARA))
    assert choices_of(table, DAN) == ([], (1, 1), True)


def test_the_last_seat_without_a_mouse_may_only_pass() -> None:
    table = a_game().asking_all().with_mice({DAN: 0}).in_auction()
    assert choices_of(table.after(Pass(seat=ANNA), Pass(seat=BEN), Pass(seat=CARA)), DAN) == ([], None, True)


def test_a_seat_that_is_not_asked_may_do_nothing() -> None:
    own = seen(a_game().in_auction(), CARA).own[CARA]
    assert not own.choices.any
    assert seen(a_game().in_auction(), ANNA).own[ANNA].choices.any


def test_a_seat_that_does_not_play_sees_nothing_of_its_own_and_may_do_nothing() -> None:
    """Ben's invitation expired, and the others placed their cards."""
    played = next(script.play() for script in GOLDEN if script.course == "life")
    table = view(played.game(played.versions("cards_turned")[0]), BEN)
    own = table.own[BEN]
    assert (own.hand, own.boxed, own.mice, own.won) == ([], None, 0, [])
    assert not own.choices.any
    assert BEN not in [place.owner for place in table.row]


def test_the_last_card_is_no_choice() -> None:
    """In round 9 the rules place it; between the two events nobody is asked."""
    played = a_game_played(4)
    ninth = played.versions("round_started")[8]
    table = view(played.game(ninth), 0)
    assert (table.round, table.phase, table.asked) == (9, "placing", [])
    assert not table.own[0].choices.any


# ---- before the start, after the end, and everything ------------------------------------------------
def test_a_table_before_its_start_shows_who_has_answered() -> None:
    room = a_room()
    game_id = room.open()
    table = view(room.game(game_id), "spectator")
    assert [seat.answer for seat in table.seats] == ["invited"] * 4
    assert (table.row, table.mouse_cards, table.is_over) == ([], [], False)


@pytest.mark.parametrize("version", [0, 1, 8, 60])
def test_nobody_may_see_all_of_a_running_game(version: int) -> None:
    with pytest.raises(ValueError, match="nobody may see all of it"):
        view(a_game_played().game(version), "all")


def test_after_the_end_everybody_may_see_everything() -> None:
    played = a_game_played(3)
    table = view(played.game(), "all")
    assert sorted(table.own) == [0, 1, 2]
    assert [own.boxed for own in table.own.values()] == [
        event.boxed for event in played.events if isinstance(event, m.HandDealt)
    ]
    assert [own.won for own in table.own.values()] != [[], [], []]
    assert table.is_over


def test_after_the_end_scores_and_winners_are_open() -> None:
    table = view(a_game_played().game(), "spectator")
    assert table.scores == a_game_played().game().scores
    assert table.winners == a_game_played().game().winners


def test_a_declined_game_is_over() -> None:
    table = view(a_declined_game().game(), "all")
    assert table.is_over
    assert [seat.answer for seat in table.seats] == ["joined", "declined", "invited", "invited"]


def test_a_game_declined_by_a_seat_asks_nobody() -> None:
    room = a_room()
    game_id = room.open()
    room.do(game_id, Decline(seat=BEN))
    assert view(room.game(game_id), BEN).asked == []


# ---- events -----------------------------------------------------------------------------------------

SECRETS: list[m.Event] = [
    m.HandDealt(seat=BEN, cards=HANDS[BEN], boxed=-8),
    m.CardPlaced(seat=BEN, card=3),
    m.DummyDealt(pile=HANDS[BEN], boxed=-8),
]


def test_these_events_are_secret_and_no_other() -> None:
    assert {event.type for event in SECRETS} == {name for name, event in m.BY_TYPE.items() if event.secret}


@pytest.mark.parametrize("event", SECRETS[:2], ids=lambda event: event.type)
def test_a_secret_event_of_a_seat_is_known_to_that_seat_alone(event: m.Event) -> None:
    assert redact(event, BEN) == event
    for viewer in (ANNA, CARA, DAN, "spectator"):
        assert redact(event, viewer) == Hidden(event.type, BEN)


def test_the_dummy_pile_is_known_to_nobody() -> None:
    for viewer in (ANNA, BEN, CARA, "spectator"):
        assert redact(SECRETS[2], viewer) == Hidden("dummy_dealt", None)


@pytest.mark.parametrize("event", SECRETS, ids=lambda event: event.type)
def test_a_secret_event_is_known_to_all_once_all_is_shown(event: m.Event) -> None:
    assert redact(event, "all") == event


@pytest.mark.parametrize("viewer", [*EVERYBODY, "all"])
def test_an_open_event_is_known_to_everybody(viewer: Viewer) -> None:
    assert may_know(m.PlayerInvited(seat=BEN), viewer)


# ---- non-interference -------------------------------------------------------------------------------
@cache
def pool() -> list[Played]:
    return [
        *[a_game_played(seats, seed=seed) for seats in (3, 4, 5) for seed in ("v", "w", "x")],
        # Seats that do not play, and seats that the computer plays for.
        *[script.play() for script in GOLDEN if script.course in ("life", "late")],
    ]


cards = st.sampled_from(PET_CARDS)


def changed(envelope: Envelope, viewer: Viewer, random: Random) -> Envelope:
    """The event with everything in it that the viewer must not know made something else."""
    event = envelope.data
    changes: dict[str, Any] = {}
    if envelope.private is not None:
        changes["private"] = random.randbytes(32).hex()
    if envelope.salt is not None:
        changes["salt"] = random.randbytes(16).hex()
    if not may_know(event, viewer):
        changes["data"] = event.model_copy(update=hidden_values(event, random))
    return envelope.model_copy(update=changes)


def hidden_values(event: m.Event, random: Random) -> dict[str, Any]:
    match event:
        case m.CardPlaced():
            return {"card": random.choice(PET_CARDS)}
        case m.HandDealt():
            *dealt, boxed = random.sample(PET_CARDS, 10)
            return {"cards": dealt, "boxed": boxed}
        case m.DummyDealt():
            *pile, boxed = random.sample(PET_CARDS, 10)
            return {"pile": pile, "boxed": boxed}
    raise TypeError(f"{event.type} hides nothing")


def shown(envelopes: list[Envelope], viewer: Viewer) -> list[Any]:
    """Everything that a viewer gets of a log: the table after each event, the event, and its sentence."""
    tables = accumulate((one.data for one in envelopes), evolve, initial=Game())
    lines = retell(envelopes, viewer, NAMES)
    return [
        (line.event, line.text, view(game, viewer)) for line, game in zip(lines, [*tables][1:], strict=True)
    ]


@given(
    played=st.deferred(lambda: st.sampled_from(pool())),
    share=st.integers(0, 1000),
    place=st.integers(0, 5),
    random=st.randoms(use_true_random=False),
)
def test_what_a_viewer_must_not_know_changes_nothing_for_it(
    played: Played, share: int, place: int, random: Random
) -> None:
    seats = len(played.names)
    viewer: Viewer = place if place < seats else "spectator"
    log = played.envelopes[: 1 + share * (played.size - 1) // 1000]
    other = [changed(envelope, viewer, random) for envelope in log]
    assert shown(other, viewer) == shown(log, viewer)
    assert view(state_of(other), viewer) == view(state_of(log), viewer)


def state_of(log: list[Envelope]) -> Game:
    return fold(envelope.data for envelope in log)


@pytest.mark.parametrize("viewer", [0, "spectator"])
def test_the_change_does_reach_what_is_hidden(viewer: Viewer) -> None:
    """Else the test above would hold for nothing."""
    log = pool()[0].envelopes[:60]
    other = [changed(envelope, viewer, Random(1)) for envelope in log]
    assert [envelope.data for envelope in other] != [envelope.data for envelope in log]
    assert state_of(other) != state_of(log)


def test_a_card_that_a_seat_may_know_does_change_its_view() -> None:
    log = pool()[0].envelopes
    placed = next(envelope for envelope in log if isinstance(envelope.data, m.CardPlaced))
    assert isinstance(placed.data, m.CardPlaced)
    seat = placed.data.seat
    state = state_of(log[: placed.version])
    assert state.seats[seat].placed == placed.data.card
    other = replace(state, seats=[replace(each, placed=None) for each in state.seats])
    assert view(other, seat) != view(state, seat)
    assert view(other, "spectator") == view(state, "spectator")
