"""What happened since a seat's last move, and previews at every point of a game."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from each import one_in
from felix_async.address import decode_token
from felix_async.game.cards import card_text
from felix_async.game.commands import Bid, Pass, Play
from felix_async.game.narrate import dogs_work
from felix_async.game.rules import decide
from felix_async.game.story import Story
from felix_events.envelope import Actor, Envelope, check_envelopes, encode_envelope
from felix_events.model import Card, CardsTurned, Event, GameEnded, SackSold, SeatLogsClosed, SeedRevealed
from felix_notifiers.content.asked import history
from felix_notifiers.content.glance import SUBJECT_LENGTH
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
        ((11, "large_dog", 3, -5), "The large dog chased the 11 away."),
        ((11, "small_dog", 3, -5), "The small dog chased the \u22125 away."),
        ((11, "small_dog", "large_dog", -5), "With more than one dog, no cat was chased."),
        ((0, "large_dog", 0, 0), "There was no cat for the large dog to chase."),
        ((11, 3, 5, -5), ""),
    ],
)
def test_a_sale_tells_what_the_dogs_did_and_is_told_apart_from_the_story(
    row: tuple[Card, ...], start: str
) -> None:
    table = a_game(start=ANNA).with_row(*row)
    passes: list[tuple[Pass, Actor]] = [(Pass(seat=seat), "seat") for seat in (ANNA, BEN, CARA)]
    log = logged(table, *passes, (Bid(seat=DAN, amount=1), "seat"))
    sale = Story.of(log).sale
    assert sale is not None
    assert isinstance(sale.event, SackSold)
    assert dogs_work(sale.event, sale.before) == start
    assert "bought" not in " ".join(map(str, told(log, ANNA)))


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


def chained(log: list[Envelope], seat: int) -> str:
    """The last paragraph of the whole history, behind the first card of the row."""
    last = str(since_version(Story.of(log), NAMES[:4], seat, 0)[-1]).replace("\u00a0", " ")
    return last.split(" turned up first. ")[-1]


def moves(*who: Bid | Pass) -> list[tuple[Play | Bid | Pass, Actor]]:
    """These moves, each by its player."""
    return [(move, "seat") for move in who]


def test_bids_and_passes_are_told_in_one_sentence() -> None:
    steps: list[Bid | Pass] = [Bid(seat=ANNA, amount=3), Bid(seat=BEN, amount=6), Pass(seat=CARA)]
    log = logged(a_game(start=ANNA).with_row(11, 3, 5, -5), *moves(*steps))
    assert chained(log, DAN) == "Anna bid 3 · Ben 6 · Cara out, +2 · the 3 turned up."


def test_what_the_row_shows_is_not_told_beside_it() -> None:
    log = logged(a_game(start=ANNA).with_row(11, 3, 5, -5), *moves(Bid(seat=ANNA, amount=3)))
    assert [line for line in told(log, DAN) if "bid" in str(line) or "turned" in str(line)] == []


def test_what_the_row_does_not_show_is_told_beside_it() -> None:
    steps: list[Bid | Pass] = [Bid(seat=ANNA, amount=3), Bid(seat=BEN, amount=6), Pass(seat=CARA)]
    log = logged(a_game(start=ANNA).with_row(11, 3, 5, -5), *moves(*steps))
    assert str(told(log, DAN)[-1]).replace("\u00a0", " ") == "Cara out, +2 · the 3 turned up."


def test_of_an_auction_that_is_over_no_cards_are_told() -> None:
    steps: list[Bid | Pass] = [Bid(seat=ANNA, amount=3), *(Pass(seat=seat) for seat in (BEN, CARA, DAN))]
    log = logged(a_game(start=ANNA).with_row(11, 3, 5, -5), *moves(*steps))
    lines = [str(line).replace("\u00a0", " ") for line in told(log, ANNA)]
    assert lines == ["Ben out, +2 · Cara out, +4 · Dan out, +6."]


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
    assert str(lines[0]).replace("\u00a0", " ").startswith("You bid 3 · Ben out, +2 · the 3 turned up")


@pytest.mark.parametrize(
    ("reader", "passes"),
    [
        (
            DAN,
            "Ben out (too few mice), +2 · the 3 turned up · Cara out (too few mice), +4",
        ),
        (
            BEN,
            "you're out (too few mice), +2 · the 3 turned up · Cara out (too few mice), +4",
        ),
        (
            CARA,
            "Ben out (too few mice), +2 · the 3 turned up · you're out (too few mice), +4",
        ),
    ],
)
def test_passes_that_the_rules_made_are_told_with_their_reason(reader: int, passes: str) -> None:
    table = a_game(start=ANNA).in_round(3).with_row(11, 3, 5, -5).with_mice({BEN: 3, CARA: 3})
    log = logged(table, *moves(Bid(seat=ANNA, amount=4)))
    assert chained(log, reader) == f"Anna bid 4 · {passes} · the 5 turned up."


def test_what_the_host_did_has_a_sentence_of_its_own() -> None:
    by_host: tuple[Bid, Actor] = (Bid(seat=BEN, amount=6), "host")
    log = logged(a_game(start=ANNA).with_row(11, 3, 5, -5), *moves(Bid(seat=ANNA, amount=3)), by_host)
    assert chained(log, DAN) == "Anna bid 3 mice. Ben bid 6 mice. (The host did this.)"


def test_a_round_that_begins_with_all_its_cards_is_one_line() -> None:
    table = a_game(start=ANNA).in_round(8)
    placing = [Play(seat=seat, card=table.game.seats[seat].hand[0]) for seat in range(4)]
    passing: list[Bid | Pass] = [Pass(seat=ANNA), Pass(seat=BEN), Pass(seat=CARA), Bid(seat=DAN, amount=1)]
    log = logged(table, *[(move, "seat") for move in placing], *moves(*passing))
    last = table.after(*placing, *passing).game.turned
    lines = [str(line) for line in since_version(Story.of(log), NAMES[:4], BEN, 0)]
    assert lines[-1] == f"Round 9: the {card_text(last[0])} turned up first."
    assert not [line for line in lines if "placed a card" in line]


# ---- preview ----------------------------------------------------------------------------------------
def test_a_preview_of_a_declined_game_is_the_cancellation() -> None:
    declined = a_declined_game()
    composed = preview(declined.envelopes, declined.names, TABLE_NAME, ANNA, MAILBOX)
    assert composed.subject == "Thursday club is off"


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
    assert str(told(log, ANNA)[-1]).endswith("Ben placed a card. (The host did this.)")


def test_for_whom_the_host_placed_a_card_first_changes_no_letter() -> None:
    table = a_game(start=ANNA)

    def placed(seat: int, place: int, by: Actor) -> tuple[Play, Actor]:
        return Play(seat=seat, card=table.game.seats[seat].hand[place]), by

    for_ben, for_cara, again = placed(BEN, 0, "host"), placed(CARA, 0, "host"), placed(BEN, 1, "host")
    rest = [placed(DAN, 0, "seat"), placed(ANNA, 0, "seat")]
    orders = [[for_ben, for_cara, again], [for_cara, for_ben, again]]
    for more in ([], rest):
        (first, second) = (logged(table, *order, *more) for order in orders)
        assert first != second
        for reader in (ANNA, DAN):
            letters = [preview(log, NAMES[:4], TABLE_NAME, reader, MAILBOX) for log in (first, second)]
            assert letters[0] == letters[1]
            texts = [str(history(Story.of(log), [], NAMES[:4], reader)) for log in (first, second)]
            assert texts[0] == texts[1]
            assert texts[0].count("(The host did this.)") == 2


@pytest.mark.parametrize(("seats", "step"), one_in(2, product([3, 4, 5], [7, 1])))
def test_a_preview_exists_at_every_version_for_every_seat(seats: int, step: int) -> None:
    played = a_game_played(seats)
    for version in range(1, played.size + 1, step):
        composed = preview(played.envelopes[:version], played.names, TABLE_NAME, version % seats, MAILBOX)
        assert 0 < len(composed.subject) <= SUBJECT_LENGTH
        assert "Round 0" not in composed.text
        assert "None" not in composed.text


def test_what_the_rules_do_for_a_seat_is_no_move_of_its_own() -> None:
    log = logged(a_game(start=ANNA).in_round(9), (Bid(seat=ANNA, amount=1), "seat"))
    first, *_, last = map(str, since_version(Story.of(log), NAMES[:4], BEN, 0))
    assert first.startswith("A table for 4 was opened, by the 2017 rules. ")
    assert last.endswith("Anna bid 1 mouse.")
