"""What happened since a seat's last move, and previews at every point of a game."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from each import one_in
from felix_async.address import decode_token
from felix_async.game.cards import card_text
from felix_async.game.commands import Bid, Pass, Play
from felix_async.game.rules import decide
from felix_async.game.story import Story
from felix_events.envelope import Actor, Envelope, check_envelopes, encode_envelope
from felix_events.model import Card, CardsTurned, Event, GameEnded, SeatLogsClosed, SeedRevealed
from felix_notifiers.content.history import Told, since_last_move, since_version
from felix_notifiers.mails.preview import PLACEHOLDER, preview
from games import NAMES, TABLE_NAME, a_declined_game, a_game_played
from notifiers.sheets import MAILBOX, Html
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


def test_the_end_is_not_told_twice() -> None:
    played = a_game_played(4)
    lines = [
        str(line)
        for seat in range(4)
        for line in since_last_move(Story.of(played.envelopes), played.names, seat)
    ]
    ending = (GameEnded, SeatLogsClosed, SeedRevealed)
    assert [type(event) for event in played.events[-3:]] == [*ending]
    assert not [line for line in lines if "game is over" in line or "seed" in line or "own log" in line]


def chained(log: list[Envelope], seat: int) -> list[str]:
    """The last lines of that history, from the first card of the row on."""
    lines = [str(line) for line in told(log, seat)]
    turned = next(place for place, line in enumerate(lines) if "turned over" in line or "First card" in line)
    return [line.replace("\u00a0", " ") for line in lines[turned + 1 :]]


def moves(*who: Bid | Pass) -> list[tuple[Play | Bid | Pass, Actor]]:
    """These moves, each by its player."""
    return [(move, "seat") for move in who]


def test_bids_and_passes_are_told_in_one_sentence() -> None:
    steps: list[Bid | Pass] = [Bid(seat=ANNA, amount=3), Bid(seat=BEN, amount=6), Pass(seat=CARA)]
    log = logged(a_game(start=ANNA).with_row(11, 3, 5, -5), *moves(*steps))
    assert chained(log, DAN) == [
        "Anna bid 3, Ben 6, Cara passed and took 2.",
        "The 3 was turned over.",
    ]


def test_a_reader_who_moved_meanwhile_is_told_so_in_the_same_sentence() -> None:
    steps: list[Bid | Pass] = [
        Bid(seat=ANNA, amount=3),
        Pass(seat=BEN),
        Bid(seat=CARA, amount=4),
        Pass(seat=DAN),
    ]
    story = Story.of(logged(a_game(start=ANNA).with_row(11, 3, 5, -5), *moves(*steps)))
    opened = next(step.version for step in story.steps if isinstance(step.event, CardsTurned))
    lines = since_version(story, NAMES[:4], ANNA, opened)
    assert str(lines[0]).replace("\u00a0", " ") == "You bid 3, Ben passed and took 2."


@pytest.mark.parametrize(
    ("reader", "lines"),
    [
        (
            DAN,
            [
                "Anna bid 4, Ben had too few mice and took 2.",
                "The 3 was turned over.",
                "Cara had too few mice left and passed, taking 4.",
                "The 5 was turned over.",
            ],
        ),
        (
            BEN,
            [
                "Anna bid 4, you had too few mice and took 2.",
                "The 3 was turned over.",
                "Cara had too few mice left and passed, taking 4.",
                "The 5 was turned over.",
            ],
        ),
        (
            CARA,
            [
                "Anna bid 4, Ben had too few mice and took 2.",
                "The 3 was turned over.",
                "You had too few mice to bid, so you passed and took 4 mice.",
                "The 5 was turned over.",
            ],
        ),
    ],
)
def test_passes_that_the_rules_made_are_told_with_their_reason(reader: int, lines: list[str]) -> None:
    table = a_game(start=ANNA).in_round(3).with_row(11, 3, 5, -5).with_mice({BEN: 3, CARA: 3})
    assert chained(logged(table, *moves(Bid(seat=ANNA, amount=4))), reader)[-4:] == lines


def test_what_the_host_did_has_a_sentence_of_its_own() -> None:
    by_host: tuple[Bid, Actor] = (Bid(seat=BEN, amount=6), "host")
    log = logged(a_game(start=ANNA).with_row(11, 3, 5, -5), *moves(Bid(seat=ANNA, amount=3)), by_host)
    assert chained(log, DAN) == ["Anna bid 3 mice.", "Ben bid 6 mice. (The host did this.)"]


def test_a_round_that_begins_with_all_its_cards_is_one_line() -> None:
    table = a_game(start=ANNA).in_round(8)
    placing = [Play(seat=seat, card=table.game.seats[seat].hand[0]) for seat in range(4)]
    passing: list[Bid | Pass] = [Pass(seat=ANNA), Pass(seat=BEN), Pass(seat=CARA), Bid(seat=DAN, amount=1)]
    log = logged(table, *[(move, "seat") for move in placing], *moves(*passing))
    last = table.after(*placing, *passing).game.turned
    lines = [str(line) for line in told(log, BEN)]
    assert lines[-1].startswith("Round 9: Dan starts; ")
    assert lines[-1].endswith(f"First card: {card_text(last[0])}.")
    assert not [line for line in lines if "placed a card" in line]


# ---- preview ----------------------------------------------------------------------------------------
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


def test_who_placed_a_card_before_whom_is_not_told() -> None:
    """The table says who has."""
    table = a_game(start=ANNA)
    hand = table.game.seats[BEN].hand
    log = logged(table, (Play(seat=BEN, card=hand[0]), "seat"), (Play(seat=BEN, card=hand[1]), "seat"))
    assert not [line for line in told(log, ANNA) if "card." in str(line)]


def test_a_card_that_the_host_placed_for_somebody_is_told_and_not_named() -> None:
    table = a_game(start=ANNA)
    log = logged(table, (Play(seat=BEN, card=table.game.seats[BEN].hand[0]), "host"))
    assert told(log, ANNA)[-1] == "Ben placed a card. (The host did this.)"


@pytest.mark.parametrize(("seats", "step"), one_in(2, product([3, 4, 5], [7, 1])))
def test_a_preview_exists_at_every_version_for_every_seat(seats: int, step: int) -> None:
    played = a_game_played(seats)
    for version in range(1, played.size + 1, step):
        composed = preview(played.envelopes[:version], played.names, TABLE_NAME, version % seats, MAILBOX)
        assert composed.subject.startswith(f"[{TABLE_NAME} {played.game_id}] ")
        assert "Round 0" not in composed.text
        assert "None" not in composed.text


def test_what_the_rules_do_for_a_seat_is_no_move_of_its_own() -> None:
    log = logged(a_game(start=ANNA).in_round(9), (Bid(seat=ANNA, amount=1), "seat"))
    lines = told(log, BEN)
    assert lines[0] == "A table for 4 was opened, by the 2017 rules."
    assert lines[-1] == "Anna bid 1 mouse."
