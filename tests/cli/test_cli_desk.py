"""Plain words at the host's desk: told as the move they stand for, and made if that is what was asked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.terminal import Terminal, dump
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.language.words import REFUSALS
from felix_async.meaning.meaning import Meaning
from felix_cli import desk as voice
from felix_events.envelope import check_envelopes
from felix_events.store.sqlite import SqliteStore

NO_SEAT_7 = "No such seat: 7. Use 0 to 2, or a name."


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
    assert terminal.run("move", auction, 1, "nah im out", "--yes").startswith("Ben passed and took ")
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
    assert terminal.run("move", auction, 1, "BID 5").startswith("Ben bid 5 mice. ")


def test_what_is_said_in_advance_is_done_when_its_time_comes(terminal: Terminal, auction: str) -> None:
    before = terminal.json("show", auction)
    start = before["view"]["to_move"]
    second = (start + 1) % len(before["names"])
    assert terminal.run("move", auction, second, "UP TO 7").startswith("Kept for Cara: UP TO 7.")
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
    assert "cannot go up to 99" in terminal.refused("move", auction, 1, "UP TO 99")
    assert dump(Path("felix.db")) == before


def waits(terminal: Terminal, game_id: str) -> int:
    """The seat that bids after the one that is asked now."""
    table = terminal.json("show", game_id)
    return int((table["view"]["to_move"] + 1) % len(table["names"]))


def test_of_what_is_said_in_advance_it_tells_what_that_will_do(terminal: Terminal, auction: str) -> None:
    told = "\nCara would read: On your turn you bid one more than the others, up to 7;"
    assert told in terminal.run("move", auction, waits(terminal, auction), "UP TO 7")


def test_of_a_move_it_tells_no_more_than_that_it_is_done(terminal: Terminal, auction: str) -> None:
    told = terminal.json("move", auction, terminal.json("show", auction)["view"]["to_move"], "BID 5")
    assert told.keys() == {"game_id", "version", "events"}


def test_orders_shows_what_is_kept_for_that_seat_alone(terminal: Terminal, auction: str) -> None:
    seat = waits(terminal, auction)
    none = phrase("people.ahead.none")
    assert terminal.run("move", auction, seat, "ORDERS") == f"Cara would read: {none}\n"
    terminal.run("move", auction, seat, "UP TO 7")
    shown = terminal.json("move", auction, seat, "ORDERS")
    assert shown["said"].startswith("UP TO 7: ")
    assert shown["events"] == 0
    other = terminal.json("show", auction)["view"]["to_move"]
    assert terminal.run("move", auction, other, "ORDERS") == f"Ben would read: {none}\n"


def test_drop_forgets_it_and_the_log_is_sound(terminal: Terminal, auction: str) -> None:
    seat = waits(terminal, auction)
    terminal.run("move", auction, seat, "UP TO 7")
    dropped = phrase("people.ahead.dropped", orders=["UP TO 7"])
    assert terminal.run("move", auction, seat, "DROP") == f"Cara would read: {dropped}\n"
    assert terminal.json("move", auction, seat, "ORDERS")["said"] == phrase("people.ahead.none")
    terminal.run("audit", auction)


@pytest.mark.parametrize("order", ["ORDERS", "DROP"])
def test_of_a_seat_that_there_is_not_nothing_is_shown(terminal: Terminal, auction: str, order: str) -> None:
    assert terminal.refused("move", auction, 7, order) == NO_SEAT_7
    assert "no game zzzzz" in terminal.refused("move", "zzzzz", 0, order)


def test_plain_words_for_a_seat_that_there_is_not_are_not_read(
    terminal: Terminal, auction: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_plain_words(monkeypatch, Meaning(do=Order("PASS")))
    assert terminal.refused("move", auction, 7, "nah im out", "--yes") == NO_SEAT_7
    for game_id in ("zzzzz", "no"):
        assert f"no game {game_id}" in terminal.refused("move", game_id, 1, "nah im out", "--yes")


def test_of_two_moves_neither_is_made(terminal: Terminal, auction: str) -> None:
    told = terminal.refused("move", auction, 1, "BID 5\nPASS", "--yes")
    assert told.startswith("Which move is that? ")
    assert {"BID 5", "PASS"} <= {*told.rstrip(".").partition(": ")[2].split(", ")}


# ---- the desk's own voice -----------------------------------------------------------------------------
ME = re.compile(r"\b(?:you|your|I|me|my)\b(?! may be)", re.IGNORECASE)
FOR_PLAYERS = re.compile(r"\b(?:STATUS|GAMES|STOP|HELP|REMATCH)\b|e-?mail|message")


def assert_speaks_for_the_desk(said: str) -> None:
    assert not ME.search(said), said
    assert not FOR_PLAYERS.search(said), said


def test_every_refusal_of_the_desk_is_about_a_player_and_names_no_order_that_the_desk_lacks() -> None:
    assert set(voice._WHY) <= set(REFUSALS)
    for sentence in (*voice._WHY.values(), voice.NO_HOST, voice._NOT_UNDERSTOOD):
        assert_speaks_for_the_desk(sentence)


@pytest.mark.parametrize(
    ("seat", "order"),
    [
        ("Anna", "BID 3"), ("Ben", "BID 1"), ("Ben", "BID 99"), ("Cara", "PLAY 5"),
        ("Ben", "JOIN"), ("Anna", "CANCEL"), ("Ben", "START"), ("Anna", "DECLINE"), ("Ben", "AWAY OFF"),
        ("Ben", "RESUME"), ("Ben", "UP TO 99"), ("Ben", "AWAY 300 days"), ("Ben", "hm"), ("Ben", "HOST Zoe"),
    ],
)  # fmt: skip
def test_what_is_refused_at_the_desk_speaks_to_the_desk(
    terminal: Terminal, auction: str, seat: str, order: str
) -> None:
    assert_speaks_for_the_desk(terminal.refused("move", auction, seat, order))


def test_who_has_joined_already_is_told_with_who_is_missing(desk: Terminal) -> None:
    game_id = desk.new("Anna", "Ben", "Cara")
    desk.run("move", game_id, "Anna", "JOIN")
    said = desk.refused("move", game_id, "Anna", "JOIN")
    assert said == "Anna has joined already. Waiting for an answer to the invitation from Ben and Cara."


def test_at_a_table_without_a_host_nobody_can_start(desk: Terminal) -> None:
    new = [word for name in ("Anna", "Ben", "Cara") for word in ("--player", name)]
    game_id = desk.json("new", *new, "--no-host")["game_id"]
    said = desk.refused("move", game_id, "Anna", "START")
    assert said.startswith("Nobody hosts this game; it starts when everybody has joined. ")


def test_a_move_at_the_desk_shows_no_more_than_everybody_sees(desk: Terminal) -> None:
    game_id = desk.started()
    card = desk.hand(game_id, 0)[0]
    said = desk.run("move", game_id, "Anna", f"PLAY {card}".replace("_", " "))
    assert said == "Anna placed a card. Round 1 of 9. Waiting for a card from Ben and Cara.\n"


# ---- what is no move at all ---------------------------------------------------------------------------
@pytest.mark.parametrize("game_id", ["zzzzz", "no", "k7m2p!", "", "\x1b[2J", "../felix"])
def test_a_game_that_there_is_not_is_refused(desk: Terminal, game_id: str) -> None:
    before = dump(Path("felix.db"))
    assert desk.refused("move", game_id, 0, "PASS").startswith("There is no ")
    assert dump(Path("felix.db")) == before


@pytest.mark.parametrize("words", [[], ["k7m2p"], ["k7m2p", "0"], ["k7m2p", "-1", "PASS"]])
def test_move_used_wrongly_is_exit_2(desk: Terminal, words: list[str]) -> None:
    desk.refused("move", *words, code=2)


def test_a_computer_players_game_cannot_be_forged_at_the_desk_unseen(desk: Terminal) -> None:
    """Whatever moves at the desk moves as the host, in every log."""
    game_id = desk.started()
    store = SqliteStore.open_to_read(Path("felix.db"))
    with store.read() as reader:
        actors = {envelope.actor for envelope in check_envelopes(reader.bodies(game_id))}
    store.close()
    assert actors == {"host", "rules"}
