"""Plain words at the host's desk: told as the move they stand for, and made if that is what was asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.terminal import Terminal, dump
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.meaning.meaning import Meaning


def in_plain_words(monkeypatch: pytest.MonkeyPatch, meaning: Meaning) -> None:
    """Whatever is written means this."""
    monkeypatch.setattr("felix_async.inbox.decide.meaning_of", lambda _lines, _situation: meaning)


def test_what_plain_words_stand_for_is_told_and_not_done(
    terminal: Terminal, auction: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_plain_words(monkeypatch, Meaning(do=Order("PASS"), words=("im out",)))
    before = dump(Path("felix.db"))
    told = terminal.refused("move", auction, 1, "nah im out")
    assert told == "I would take this as PASS. Write it that way, or add --yes."
    assert dump(Path("felix.db")) == before


def test_with_a_yes_it_is_done(terminal: Terminal, auction: str, monkeypatch: pytest.MonkeyPatch) -> None:
    in_plain_words(monkeypatch, Meaning(do=Order("PASS"), words=("im out",)))
    assert terminal.run("move", auction, 1, "nah im out", "--yes").startswith("Done: PASS.")
    assert any(step["text"].startswith("Ben passed") for step in terminal.json("replay", auction))


def test_where_felix_would_ask_the_answers_are_told_and_a_yes_is_none(
    terminal: Terminal, auction: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = (Order("BID", amount=4), Order("PASS"))
    in_plain_words(monkeypatch, Meaning(ask=ask, doubt="several"))
    told = terminal.refused("move", auction, 1, "4 or pass?", "--yes")
    assert told == "Which move is that? Write one of these: BID 4, PASS."


def test_an_exact_order_wants_no_yes(
    terminal: Terminal, auction: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_plain_words(monkeypatch, Meaning(do=Order("PASS")))
    assert terminal.run("move", auction, 1, "BID 5").startswith("Done: BID 5.")


def test_what_is_said_in_advance_is_done_when_its_time_comes(terminal: Terminal, auction: str) -> None:
    before = terminal.json("show", auction)
    start = before["view"]["to_move"]
    second = (start + 1) % len(before["names"])
    assert terminal.run("move", auction, second, "UP TO 7").startswith("Done: UP TO 7.")
    assert terminal.json("show", auction) == before
    least = before["view"]["high_bid"] + 1
    terminal.run("move", auction, start, f"BID {least}")
    assert terminal.json("show", auction)["view"]["high_bid"] == least + 1


def test_what_is_done_at_once_is_told_with_its_events(terminal: Terminal, auction: str) -> None:
    before = terminal.json("show", auction)
    told = terminal.json("move", auction, before["view"]["to_move"], "UP TO 9")
    after = terminal.json("show", auction)
    assert after["view"]["high_bid"] == before["view"]["high_bid"] + 1
    assert (told["version"], told["events"]) == (after["version"], after["version"] - before["version"])


def test_what_cannot_be_said_is_refused_and_leaves_no_trace(terminal: Terminal, auction: str) -> None:
    before = dump(Path("felix.db"))
    assert "UP TO" in terminal.refused("move", auction, 1, "UP TO 99")
    assert dump(Path("felix.db")) == before


def waits(terminal: Terminal, game_id: str) -> int:
    """The seat that bids after the one that is asked now."""
    table = terminal.json("show", game_id)
    return int((table["view"]["to_move"] + 1) % len(table["names"]))


def test_of_what_is_said_in_advance_it_tells_what_that_will_do(terminal: Terminal, auction: str) -> None:
    told = "\nThe player would read: When it is your turn, you bid one more than the highest bid, up to 7;"
    assert told in terminal.run("move", auction, waits(terminal, auction), "UP TO 7")


def test_of_a_move_it_tells_no_more_than_that_it_is_done(terminal: Terminal, auction: str) -> None:
    told = terminal.json("move", auction, terminal.json("show", auction)["view"]["to_move"], "BID 5")
    assert told.keys() == {"game_id", "version", "events"}


def test_orders_shows_what_is_kept_for_that_seat_alone(terminal: Terminal, auction: str) -> None:
    seat = waits(terminal, auction)
    none = phrase("people.ahead.none")
    assert terminal.run("move", auction, seat, "ORDERS").strip() == none
    terminal.run("move", auction, seat, "UP TO 7")
    shown = terminal.json("move", auction, seat, "ORDERS")
    assert shown["said"].startswith("UP TO 7: ")
    assert shown["events"] == 0
    other = terminal.json("show", auction)["view"]["to_move"]
    assert terminal.run("move", auction, other, "ORDERS").strip() == none


def test_drop_forgets_it_and_the_log_is_sound(terminal: Terminal, auction: str) -> None:
    seat = waits(terminal, auction)
    terminal.run("move", auction, seat, "UP TO 7")
    assert terminal.run("move", auction, seat, "DROP").strip() == phrase(
        "people.ahead.dropped", orders=["UP TO 7"]
    )
    assert terminal.json("move", auction, seat, "ORDERS")["said"] == phrase("people.ahead.none")
    terminal.run("audit", auction)


@pytest.mark.parametrize("order", ["ORDERS", "DROP"])
def test_of_a_seat_that_there_is_not_nothing_is_shown(terminal: Terminal, auction: str, order: str) -> None:
    assert "no such seat" in terminal.refused("move", auction, 7, order)
    assert "no such game" in terminal.refused("move", "zzzzz", 0, order)


def test_plain_words_for_a_seat_that_there_is_not_are_not_understood(
    terminal: Terminal, auction: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_plain_words(monkeypatch, Meaning(do=Order("PASS")))
    for game_id, seat in ((auction, 7), ("zzzzz", 1), ("no", 1)):
        assert "understand" in terminal.refused("move", game_id, seat, "nah im out", "--yes")


def test_of_two_moves_neither_is_made(terminal: Terminal, auction: str) -> None:
    told = terminal.refused("move", auction, 1, "BID 5\nPASS", "--yes")
    assert told.startswith("Which move is that? ")
    assert {"BID 5", "PASS"} <= {*told.rstrip(".").partition(": ")[2].split(", ")}
