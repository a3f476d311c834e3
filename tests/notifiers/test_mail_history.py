"""What happened since a seat's last move, and previews at every point of a game."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from each import one_in
from felix_async.address import decode_token
from felix_async.game.commands import Bid, Pass, Play, Say
from felix_async.game.rules import decide
from felix_async.game.story import Story
from felix_async.game.views import view
from felix_events.envelope import Actor, Envelope, check_envelopes, encode_envelope
from felix_events.model import Card, Event, GameEnded, SeedRevealed
from felix_notifiers.content.history import Ear, Speech, Told, before_last_move, since_last_move
from felix_notifiers.mails.preview import PLACEHOLDER, occasions_now, preview
from games import NAMES, TABLE_NAME, a_declined_game, a_game_played, a_started_room
from notifiers.sheets import MAILBOX, Html, offered
from table import ANNA, BEN, CARA, CONTEXT, DAN, Table, a_game


def logged(table: Table, *moves: tuple[Play | Bid | Pass, Actor]) -> list[Envelope]:
    """The table's log: all that was before counts as the rules' doing, then these moves by these actors."""
    steps: list[tuple[Event, Actor]] = [(event, "rules") for event in table.events]
    for command, actor in moves:
        answer = decide(command, table.game, CONTEXT)
        assert isinstance(answer, list)
        steps += [(event, actor if place == 0 else "rules") for place, event in enumerate(answer)]
        table = table.after(command)
    bodies = [
        encode_envelope(
            event,
            game_id="k7m2p",
            version=version,
            at="2026-11-20T21:00:00.000000Z",
            actor=actor,
            salt="0" * 32 if event.secret else None,
        )
        for version, (event, actor) in enumerate(steps, 1)
    ]
    return check_envelopes(bodies)


def told(log: list[Envelope], seat: int) -> Sequence[Told]:
    """What happened since the last move of a seat."""
    return since_last_move(Story.of(log), NAMES[:4], seat)


AUCTION = a_game(start=ANNA).with_row(11, -5, 0, "small_dog")


def test_history_begins_after_the_own_last_move() -> None:
    log = logged(
        AUCTION,
        (Bid(seat=ANNA, amount=1), "seat"),
        (Bid(seat=BEN, amount=2), "seat"),
        (Pass(seat=CARA), "seat"),
        (Bid(seat=DAN, amount=4), "computer"),
    )
    assert told(log, ANNA) == [
        "Ben bid 2 mice.",
        "Cara passed and took 2 mice.",
        "The −5 was turned over.",
        "Dan bid 4 mice.",
    ]


def test_history_tells_what_the_own_move_brought_about() -> None:
    log = logged(AUCTION, (Pass(seat=ANNA), "seat"))
    assert told(log, ANNA) == ["The −5 was turned over."]


def test_a_move_by_the_host_counts_as_the_seats_own() -> None:
    log = logged(AUCTION, (Bid(seat=ANNA, amount=1), "host"), (Bid(seat=BEN, amount=2), "seat"))
    assert told(log, ANNA) == ["Ben bid 2 mice."]


def test_a_move_by_the_host_is_told_to_the_others() -> None:
    log = logged(AUCTION, (Pass(seat=ANNA), "seat"), (Bid(seat=BEN, amount=2), "host"))
    assert told(log, ANNA)[-1] == "Ben bid 2 mice. (The host did this.)"


def test_what_the_rules_do_for_a_seat_is_no_move_of_its_own() -> None:
    log = logged(a_game(start=ANNA).in_round(9), (Bid(seat=ANNA, amount=1), "seat"))
    lines = told(log, BEN)
    assert lines[0] == "A table for 4 was opened, by the 2017 rules."
    assert lines[-1] == "Anna bid 1 mouse."


def test_many_bids_in_a_row_are_told_in_one_sentence() -> None:
    log = logged(
        AUCTION,
        (Pass(seat=ANNA), "seat"),
        *[(Bid(seat=BEN + place % 3, amount=place + 1), "seat") for place in range(4)],
    )
    assert told(log, ANNA)[-1] == "Bids: Ben\u00a01, Cara\u00a02, Dan\u00a03, Ben\u00a04."


def test_cards_of_others_are_not_named() -> None:
    table = a_game(start=ANNA)
    hand = table.game.seats[BEN].hand
    log = logged(table, (Play(seat=BEN, card=hand[0]), "seat"), (Play(seat=BEN, card=hand[1]), "seat"))
    assert told(log, ANNA)[-2:] == [
        "Ben placed a card.",
        "Ben exchanged the card.",
    ]


@pytest.mark.parametrize(
    ("row", "start"),
    [
        ((11, "large_dog", 3, -5), "The large dog chased the 11 away. Dan bought"),
        ((11, "small_dog", 3, -5), "The small dog chased the \u22125 away. Dan bought"),
        ((11, "small_dog", "large_dog", -5), "With more than one dog, no cat was chased. Dan bought"),
        ((0, "large_dog", 0, 0), "There was no cat for the large dog to chase. Dan bought"),
        ((11, 3, 5, -5), "Dan bought"),
    ],
)
def test_a_sale_tells_what_the_dogs_did(row: tuple[Card, ...], start: str) -> None:
    table = a_game(start=ANNA).with_row(*row)
    passes: list[tuple[Pass, Actor]] = [(Pass(seat=seat), "seat") for seat in (ANNA, BEN, CARA)]
    log = logged(table, *passes, (Bid(seat=DAN, amount=1), "seat"))
    sentences = [str(line) for line in told(log, ANNA)]
    assert [line for line in sentences if line.startswith(start)], sentences


def test_cards_of_several_others_are_told_in_one_sentence() -> None:
    table = a_game(start=ANNA)
    cards = [(seat, table.game.seats[seat].hand) for seat in (BEN, CARA, BEN)]
    moves: list[tuple[Play | Bid | Pass, Actor]] = [
        (Play(seat=seat, card=hand[place // 2]), "seat") for place, (seat, hand) in enumerate(cards)
    ]
    log = logged(table, *moves)
    assert told(log, ANNA)[-1] == "Ben and Cara placed a card each."


def test_the_end_is_not_told_twice() -> None:
    played = a_game_played(4)
    lines = [
        str(line)
        for seat in range(4)
        for line in since_last_move(Story.of(played.envelopes), played.names, seat)
    ]
    assert isinstance(played.events[-2], GameEnded)
    assert isinstance(played.events[-1], SeedRevealed)
    assert not [line for line in map(str, lines) if "game is over" in line or "seed" in line]


# ---- preview ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(("seats", "step"), one_in(2, product([3, 4, 5], [7, 1])))
def test_a_preview_exists_at_every_version_for_every_seat(seats: int, step: int) -> None:
    played = a_game_played(seats)
    for version in range(1, played.size + 1, step):
        composed = preview(played.envelopes[:version], played.names, TABLE_NAME, version % seats, MAILBOX)
        assert composed.subject.startswith(f"[{TABLE_NAME} {played.game_id}] ")
        assert "Round 0" not in composed.text
        assert "None" not in composed.text


def test_a_preview_offers_moves_exactly_to_those_who_are_asked() -> None:
    played = a_game_played(4)
    for version in played.step_ends()[::9]:
        asked = played.game(version).asked
        for seat in range(4):
            composed = preview(played.envelopes[:version], played.names, TABLE_NAME, seat, MAILBOX)
            assert bool(offered(composed)) == (seat in asked)


def test_a_preview_for_a_seat_that_is_not_asked_says_how_the_table_stands() -> None:
    log = logged(a_game(start=ANNA).in_auction())
    composed = preview(log, NAMES[:4], TABLE_NAME, BEN, MAILBOX)
    assert composed.subject.endswith("How the table stands")
    assert "It is not your turn just now." in composed.text
    words = " ".join(composed.text.split())
    assert "Now waiting for Anna to bid or pass, since Fri 20 Nov, 21:00 UTC." in words
    assert "Your hand: " in composed.text


def test_a_preview_of_a_declined_game_is_the_cancellation() -> None:
    declined = a_declined_game()
    composed = preview(declined.envelopes, declined.names, TABLE_NAME, ANNA, MAILBOX)
    assert composed.subject.endswith("The game will not happen")


def test_a_preview_holds_no_token() -> None:
    composed = preview(logged(a_game()), NAMES[:4], TABLE_NAME, BEN, MAILBOX)
    assert {link.address for link in Html(composed.html).links} == {f"felix%2B{PLACEHOLDER}@play.test"}
    assert decode_token(PLACEHOLDER) is None


@pytest.mark.parametrize("seat", [-1, 4])
def test_a_preview_needs_a_seat_of_the_table(seat: int) -> None:
    with pytest.raises(IndexError, match=f"this log has 4 seats, and no seat {seat}"):
        preview(logged(a_game()), NAMES[:4], TABLE_NAME, seat, MAILBOX)


def test_what_there_is_to_write_about() -> None:
    played = a_game_played(4)
    tables = [view(played.game(version), ANNA) for version in played.step_ends()]
    asked = [(occasions_now(table, ANNA), table.phase) for table in tables]
    assert ({"invitation"}, "inviting") in asked
    assert ({"turn"}, "placing") in asked
    assert ({"turn"}, "bidding") in asked
    assert (set(), "bidding") in asked
    assert asked[-1] == ({"result"}, "ended")


def test_who_moved_before_hearing_what_was_said_still_hears_it() -> None:
    room, game_id = a_started_room()
    room.do(game_id, Say(seat=1, text_hash="0" * 64))
    room.do(game_id, Play(seat=0, card=room.game(game_id).seats[0].hand[0]))
    with room.store.read() as reader:
        envelopes = check_envelopes(reader.bodies(game_id))
    missed = before_last_move(Story.of(envelopes), 0)
    assert since_last_move(Story.of(envelopes), NAMES, 0, Ear({missed[0].version: "Good luck"}), missed) == [
        Speech("Ben says:", "Good luck")
    ]


def test_a_reader_does_not_miss_what_they_said_themselves() -> None:
    room, game_id = a_started_room()
    room.do(game_id, Say(seat=0, text_hash="0" * 64))
    room.do(game_id, Play(seat=0, card=room.game(game_id).seats[0].hand[0]))
    with room.store.read() as reader:
        assert before_last_move(Story.of(check_envelopes(reader.bodies(game_id))), 0) == []


def test_of_the_deal_the_first_turn_mail_tells_nothing() -> None:
    envelopes = a_game_played(3).envelopes
    started = next(place for place, one in enumerate(envelopes) if one.type == "round_started")
    dealt = [line for line in map(str, told(envelopes[: started + 1], BEN)) if "the box" in line]
    assert dealt == [], "the hand is shown below"
