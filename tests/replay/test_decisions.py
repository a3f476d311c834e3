"""Decisions of a game: what was possible, said in advance, caused and better, each for those who may know."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

import pytest

from async_.sameness import played as played_with_orders
from each import each
from felix_async.audit.evidence import Evidence, Flaw, evidence_in
from felix_async.game.commands import Bid, Leave, Move, Pass, Play
from felix_async.game.names import Names
from felix_async.game.narrate import reasons_text
from felix_async.game.players import ComputerPlayer, random_player
from felix_async.game.sensible import sensible_player
from felix_async.game.views import Choices, Viewer, choices
from felix_async.language.phrases import phrase
from felix_async.replay.beside import told_beside
from felix_async.replay.decisions import Decision, decisions
from felix_async.service import Origin
from felix_cli.simulate import play_game
from felix_events.envelope import Actor, Channel
from felix_events.export import read_export
from felix_events.model import BidPlaced, CardPlaced, Event, PlayerPassed, Reason
from games import NAMES, Played, Room, a_game_played, a_room, a_running_game, a_started_room, place_all
from secrets_changed import with_other_secrets, with_other_times
from table import ANNA, BEN, CARA, DAN

GOLDEN: Final = Path(__file__).parents[1] / "golden"


@cache
def golden(name: str) -> Played:
    export = read_export((GOLDEN / f"{name}.jsonl").read_bytes())
    return Played(export.header.game_id, evidence_in(export), tuple(export.header.names))


@cache
def with_orders() -> Played:
    """A game by the clock in which orders are given in advance."""
    room, game_id = played_with_orders(7, orders=True)
    return Played(game_id, room.evidence(game_id), NAMES[:4])


def decided(played: Played, viewer: Viewer = "all") -> dict[int, Decision]:
    names, is_over = Names(NAMES), played.game().is_over
    told = told_beside(played.evidence, played.envelopes, viewer, names, is_over=is_over)
    return decisions(played.evidence, played.envelopes, viewer, names, told)


def of_room(room: Room, game_id: str, viewer: Viewer) -> list[Decision]:
    evidence: Evidence = room.evidence(game_id)
    return [*decided(Played(game_id, evidence, NAMES[:4]), viewer).values()]


def moves(played: Played) -> set[int]:
    types = ("card_placed", "bid_placed", "player_passed")
    return {version for type_ in types for version in played.versions(type_)}


# ---- what it holds ----------------------------------------------------------------------------------


@each("played", lambda: [with_orders(), golden("time-hurried"), golden("life-taken"), a_game_played(5)])
def test_every_move_of_a_game_that_is_over_is_a_decision(played: Played) -> None:
    found = decided(played)
    assert set(found) == moves(played)
    assert [decision.version for decision in found.values()] == list(found)


@each("played", lambda: [with_orders(), golden("time-hurried")])
def test_a_move_was_one_of_its_choices_unless_the_rules_made_it(played: Played) -> None:
    for version, decision in decided(played).items():
        assert decision.choices == choices(played.game(version - 1), decision.seat)
        if decision.cause != "rules":
            assert is_among(played.envelopes[version - 1].data, decision.choices), version


def is_among(move: Move | Event, able: Choices) -> bool:
    match move:
        case Play() | CardPlaced():
            return move.card in able.plays
        case Bid() | BidPlaced():
            return able.bids is not None and able.bids[0] <= move.amount <= able.bids[1]
    return isinstance(move, Pass | PlayerPassed) and able.may_pass


@each("played", lambda: [with_orders(), golden("time-hurried")])
def test_the_computer_would_have_done_something_legal_where_there_was_a_choice(played: Played) -> None:
    for version, decision in decided(played).items():
        assert (decision.would is None) == (decision.cause == "rules"), version
        if decision.would is not None and decision.cause != "computer":
            assert decision.would.seat == decision.seat
            assert is_among(decision.would, decision.choices), version
            assert decision.reasons


def test_what_the_computer_would_have_done_is_the_same_each_time() -> None:
    assert decided(with_orders()) == decided(with_orders())


def test_the_computers_own_move_has_the_reasons_that_it_gave() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    room.do(game_id, Leave(seat=ANNA, for_good=False))
    room.play(game_id, [sensible_player])
    played = Played(game_id, room.evidence(game_id), NAMES[:4])
    first = next(one for one in decided(played).values() if isinstance(one.would, Bid | Pass))
    assert (first.seat, first.cause, first.caused) == (ANNA, "computer", ["The computer played here."])
    assert first.why == [f"The computer's reasons: {' '.join(first.reasons)}"]


def test_a_computer_that_drew_otherwise_is_told_what_it_would_have_done() -> None:
    """The bots of a simulation draw from a seed of their own, and keep no reasons."""
    room = a_room()
    with room.store.write() as tx:
        seated: list[tuple[str, ComputerPlayer]] = [("one", random_player), ("other", sensible_player)] * 2
        game_id, _ = play_game(tx, room.service, seated, "felicity-2017", "1")
    played = Played(game_id, room.evidence(game_id), NAMES[:4])
    found = [one for one in decided(played).values() if one.cause == "computer"]
    assert all(one.compared[-1] == phrase("replay.would.anew") and one.reasons for one in found)
    assert {len(one.compared) for one in found} == {1, 2}


# ---- who caused it ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actor", "channel", "line"),
    [
        ("seat", "mail", "By mail."),
        ("host", "desk", "At the host's desk."),
        ("seat", "desk", "In a terminal."),
        ("seat", "web", "On the page."),
    ],
)
def test_a_private_record_tells_how_a_move_came(actor: Actor, channel: Channel, line: str) -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    room.do(game_id, Bid(seat=ANNA, amount=1), Origin("bid-1", actor, channel))
    (decision,) = of_room(room, game_id, ANNA)
    assert (decision.cause, decision.caused[0]) == (channel, line)


def test_a_move_by_an_order_says_what_was_said_in_advance() -> None:
    ordered = [one for one in decided(with_orders()).values() if one.cause == "order"]
    assert len(ordered) > 20
    for decision in ordered:
        assert decision.caused[0].startswith("As said in advance: ")


def test_before_a_decision_is_made_nothing_tells_what_it_came_to() -> None:
    for decision in decided(with_orders()).values():
        assert not {phrase("replay.would.same"), phrase("replay.cause.mail")} & {*decision.ahead}


def test_reasons_say_nothing_in_words() -> None:
    told = reasons_text([Reason(what="bids_up_to", value=value) for value in (-7, 0, 1)])
    assert told == ["So it would not bid.", "So it would not bid.", "So it would go up to 1."]
    told = reasons_text([Reason(what="kept_for_risk", value=value) for value in (-2, 0)])
    assert told == ["2 more are risked.", "Nothing is kept back for what may go wrong."]


def test_reasons_name_cards_with_an_article_and_say_the_sum_that_is_compared() -> None:
    reasons = [
        Reason(what="own_card", value="small_dog"),
        Reason(what="card_wish", value=-3),
        Reason(what="chance_added", value=8),
    ]
    assert reasons_text(reasons) == [
        "Its own card, still face down, is the small dog.",
        "It rated this card −3, and chance added 8: 5 in all.",
    ]


def test_an_order_that_stood_is_told_beside_a_move_by_hand() -> None:
    found = [one for one in decided(with_orders()).values() if one.caused[1:] and one.cause == "mail"]
    assert found
    for decision in found:
        assert decision.caused[0] == "By mail."
        assert decision.caused[1].startswith(f"{NAMES[decision.seat]} said in advance: ")
        assert decision.caused[1] == decision.ahead[0]


def test_a_card_that_is_meant_for_the_next_round_is_not_told_in_this_one() -> None:
    played = with_orders()
    told = told_beside(played.evidence, played.envelopes, "all", Names(NAMES), is_over=True)
    meant = {(seat, said.order.round) for (seat, _), said in told.orders.items() if said.order.kind == "next"}
    for version, decision in decided(played).items():
        if decision.choices.plays and "said in advance" in " ".join(decision.ahead):
            assert (decision.seat, played.game(version - 1).round - 1) in meant


def test_a_move_after_a_time_out_was_caused_by_the_clock() -> None:
    played = golden("time-hurried")
    out = [version + 1 for version in played.versions("turn_timed_out")]
    late = [decided(played)[version] for version in out if version in decided(played)]
    assert {one.cause for one in late} == {"clock"}
    assert late[0].caused[0] == "The time was up."


def test_a_pass_for_want_of_mice_was_caused_by_the_rules() -> None:
    played = golden("time-hurried")
    forced = [v for v in played.versions("player_passed") if played.game(v - 1).passes_by_rule is not None]
    assert forced
    found = decided(played)
    assert {found[version].cause for version in forced} == {"rules"}
    assert found[forced[0]].caused == ["The rules left no choice."]


def test_without_private_records_only_the_actor_tells_who_caused_a_move() -> None:
    whole = with_orders()
    bare = Evidence(whole.game_id, whole.evidence.bodies, {}, seat_logs=whole.evidence.seat_logs)
    found = decided(Played(whole.game_id, bare, whole.names))
    assert {one.cause for one in found.values()} == {"rules", None}
    assert all(one.would is not None for one in found.values() if one.cause is None)


def test_a_private_record_of_another_move_is_a_flaw() -> None:
    played = with_orders()
    (one, two, *_) = sorted(played.evidence.private_records)
    records = dict(played.evidence.private_records)
    records[one] = records[two]
    evidence = Evidence(played.game_id, played.evidence.bodies, records, seat_logs=played.evidence.seat_logs)
    with pytest.raises(Flaw):
        decided(Played(played.game_id, evidence, played.names))


# ---- who may know -----------------------------------------------------------------------------------


def test_a_spectator_is_told_of_no_decision() -> None:
    assert decided(with_orders(), "spectator") == {}


def test_nobody_is_told_of_all_decisions_while_a_game_runs() -> None:
    assert decided(a_running_game(), "all") == {}


def test_a_seat_is_told_of_its_own_decisions() -> None:
    everything = decided(with_orders())
    for seat in (ANNA, BEN, CARA, DAN):
        assert decided(with_orders(), seat) == own(everything.values(), seat)


def own(found: Iterable[Decision], seat: int) -> dict[int, Decision]:
    return {one.version: one for one in found if one.seat == seat}


def test_while_a_game_runs_a_seat_is_told_of_no_card() -> None:
    assert not any(one.choices.plays for one in decided(a_running_game(), BEN).values())


@cache
def a_running_game_with_orders() -> Played:
    whole = with_orders()
    return whole.until([end for end in whole.step_ends() if end < whole.size * 3 // 4][-1])


@each("viewer", [ANNA, BEN, CARA, DAN])
def test_what_a_seat_must_not_know_changes_no_decision(viewer: int) -> None:
    played = a_running_game_with_orders()
    found = decided(with_other_secrets(played, viewer, "a"), viewer)
    assert found == decided(with_other_secrets(played, viewer, "b"), viewer)
    assert found


@each("viewer", [ANNA, BEN, CARA, DAN])
def test_when_others_moved_changes_no_decision_of_a_running_game(viewer: int) -> None:
    played = a_running_game_with_orders()
    assert decided(with_other_times(played, Random(1)), viewer) == decided(
        with_other_times(played, Random(2)), viewer
    )
