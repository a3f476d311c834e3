"""mail inbox show and mail explain with the number of a step: the message that made it, and its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.mailroom import AT, PEOPLE, Mailroom, a_mail, a_mailroom
from cli.terminal import Terminal
from felix_async.language.grammar import Order, read_line
from felix_async.orders.inferred import fall_due
from felix_async.orders.questions import waiting_orders
from felix_async.origin import Origin
from felix_events.envelope import MOST_OF_ID
from table import ANNA, BEN

SHOW = ("mail", "inbox", "show", "--game")
EXPLAIN = ("mail", "explain", "--game")


@pytest.fixture
def room(terminal: Terminal) -> Mailroom:
    """Anna has joined, by message 1, and nothing else was done since the table was opened."""
    room = a_mailroom(terminal)
    room.keep(a_mail("Hello!\n\nJOIN"))
    room.keep(a_mail("JOIN", message_id="2@players.test"))
    assert room.process() == 2
    return room


def last(room: Mailroom) -> int:
    """The number of the last step."""
    return room.do(lambda tx: tx.head(room.game_id)[0])


def joined(room: Mailroom) -> int:
    """The number of the step in which Anna joined."""
    told = room.terminal.json("replay", room.game_id)
    version: int = next(one["version"] for one in told if one["type"] == "player_joined")
    return version


def test_the_message_that_made_a_step_is_shown_below_what_it_became(room: Mailroom) -> None:
    version = joined(room)
    shown = room.terminal.run(*SHOW, room.game_id, "--version", version, "--body")
    first, empty, *facts = shown.splitlines()
    assert first == (f'Step {version}, "JOIN" by Anna: made by this message; its line: "JOIN".')
    assert (empty, facts[0].split()[:2]) == ("", ["mail", "id"])
    assert "".join(facts[1:]).count(PEOPLE[0]) > 0


def test_scripts_are_told_the_same_beside_the_facts(room: Mailroom) -> None:
    version = joined(room)
    told = room.terminal.json(*SHOW, room.game_id, "--version", version, "--body")
    made = told["made"]
    assert (made["version"], made["channel"], made["seat"], made["name"]) == (version, "mail", 0, "Anna")
    assert (made["order"], made["mail_sha256"], made["missing"]) == ("JOIN", told["sha256"], "")
    assert room.mail(told["mail_id"]).sha256 == told["sha256"]


def place(room: Mailroom, card: int) -> int | None:
    """Anna places a card by mail: the number of the step, None if she does not have it."""
    to, raw = room.address(turn=1), a_mail(f"PLAY {card}", message_id=f"{card}@players.test")
    room.do(lambda tx: tx.keep_mail(AT, to, PEOPLE[0], raw))
    room.process()
    bodies = room.do(lambda tx: tx.bodies(room.game_id))
    placed = (at for at, body in enumerate(bodies, 1) if b'"type":"card_placed"' in body)
    return next(placed, None)


def test_a_card_that_lies_face_down_is_shown_with_the_text_alone(room: Mailroom) -> None:
    for name in ("Ben", "Cara"):
        room.terminal.run("move", room.game_id, name, "JOIN")
    version = place(room, 8) or place(room, 11)  # one of the two may be boxed
    command = (*SHOW, room.game_id, "--version", version)
    assert (
        f'Step {version}, "PLAY" by Anna: made by this message; --body shows its line.'
        in room.terminal.run(*command)
    )
    made = room.terminal.json(*command)["made"]
    assert (made["move"], made["order"], made["line"]) == ("", None, None)
    assert f'Step {version}, "PLAY ' in room.terminal.run(*command, "--body")
    assert room.terminal.json(*command, "--body")["made"]["move"].startswith("PLAY ")


def test_a_message_whose_text_is_gone_is_told_of_all_the_same(room: Mailroom) -> None:
    version = joined(room)
    mail_id = room.terminal.json(*SHOW, room.game_id, "--version", version)["mail_id"]
    room.do(lambda tx: tx.drop_mail_bytes(mail_id))
    assert "Its text is gone" in room.terminal.run(*SHOW, room.game_id, "--version", version)
    assert "Its text is gone" in room.terminal.refused(*EXPLAIN, room.game_id, "--version", version)


@pytest.mark.parametrize("command", [SHOW, EXPLAIN])
def test_a_step_without_a_message_says_how_it_was_made(room: Mailroom, command: tuple[str, ...]) -> None:
    said = room.terminal.refused(*command, room.game_id, "--version", 1)
    assert said == "No message made step 1: it was made at the host's desk."


@pytest.mark.parametrize("command", [SHOW, EXPLAIN])
def test_a_step_that_is_not_there_could_not_be_looked_at(room: Mailroom, command: tuple[str, ...]) -> None:
    result = room.terminal.invoke(*command, room.game_id, "--version", 999)
    assert (result.exit_code, "There is no step 999" in result.stderr) == (2, True)


def test_an_id_and_a_step_are_not_both_looked_for(room: Mailroom) -> None:
    for more in ((1, "--game", room.game_id, "--version", 2), ("--game", room.game_id), ("--version", 2), ()):
        result = room.terminal.invoke("mail", "inbox", "show", *more)
        assert (result.exit_code, "Give an ID, or --game and --version." in result.stderr) == (2, True)


def test_a_step_is_explained_by_its_own_message_and_seat(room: Mailroom) -> None:
    result = room.terminal.invoke(*EXPLAIN, room.game_id, "--version", 2, "--seat", "Anna")
    assert result.exit_code == 2
    told = room.terminal.json(*EXPLAIN, room.game_id, "--version", joined(room))
    assert told["possible"] == ["JOIN", "DECLINE"]
    assert [line["verdict"] for line in told["lines"] if line["text"] == "JOIN"] == ["order"]


def test_a_message_id_of_any_length_makes_a_contribution_that_an_audit_makes_again(room: Mailroom) -> None:
    raw = a_mail("JOIN hello", sender=PEOPLE[1], message_id=f"{'a' * 3000}@players.test")
    Path("mine.eml").write_bytes(raw)
    to = room.address(1)
    room.do(lambda tx: tx.keep_mail(AT, to, PEOPLE[1], raw))
    room.process()
    assert f'"message_id":"{"a" * MOST_OF_ID}"' in room.do(
        lambda tx: str([row.private_record for row in tx.log(room.game_id)])
    )
    told = room.terminal.invoke("audit", room.game_id, "--mail", "mine.eml").output
    assert "contribution" not in told
    assert "they confirm 1 of 2 shares of the shuffle" in told


def test_what_is_done_after_a_pause_has_the_message_id_of_its_message(room: Mailroom) -> None:
    raw = a_mail("Count me in!", sender=PEOPLE[1], message_id=f"{'a' * 300}@players.test")
    to = room.address(1)
    room.do(lambda tx: tx.keep_mail(AT, to, PEOPLE[1], raw))
    room.process()
    room.do(lambda tx: fall_due(tx, room.service, waiting_orders(tx, room.game_id)[0]))
    assert room.do(lambda tx: room.service.load(tx, room.game_id)).answered("joined") == [ANNA, BEN]
    assert "Message-ID" not in room.terminal.invoke("audit", room.game_id).output


def test_a_line_of_which_the_order_alone_is_kept_is_told_as_that(room: Mailroom) -> None:
    for name in ("Ben", "Cara"):
        room.terminal.run("move", room.game_id, name, "JOIN")
    if room.terminal.invoke("move", room.game_id, "Anna", "PLAY 8").exit_code:
        room.terminal.run("move", room.game_id, "Anna", "PLAY 11")
    room.keep(a_mail('DISPUTE "I never played that card"', message_id="3@players.test"))
    room.process()
    shown = room.terminal.run(*SHOW, room.game_id, "--version", last(room), "--body")
    told = r'"DISPUTE PLAY \d+" by Anna: made by this message; the log does not keep its line\.'
    assert re.search(told, shown)


def forged(room: Mailroom, text: str, line: str) -> int:
    """A step whose record says that Anna wrote a line in a message with this text, and its number."""
    mail = room.mail(room.keep(a_mail(text, message_id="4@players.test"), "done", turn=1))
    order = read_line(line)
    assert isinstance(order, Order)
    move = order.move(ANNA)
    assert move is not None
    origin = Origin("forged", "seat", "mail", mail.sha256, line, line=line, grammar=1)
    assert room.do(lambda tx: room.service.handle(tx, room.game_id, move, origin)).refusal is None
    bodies = room.do(lambda tx: tx.bodies(room.game_id))
    return max(at for at, body in enumerate(bodies, 1) if b'"actor":"seat"' in body)


def test_a_line_that_does_not_stand_in_the_message_is_told_as_that(room: Mailroom) -> None:
    for name in ("Ben", "Cara"):
        room.terminal.run("move", room.game_id, name, "JOIN")
    card = room.do(lambda tx: room.service.load(tx, room.game_id)).seats[ANNA].hand[-1]
    line = str(Order("PLAY", card=card))
    version = forged(room, "The 3, please.", line)
    command = (*SHOW, room.game_id, "--version", version)
    more = f"does not stand in it; `felix audit {room.game_id}` says more."
    assert room.terminal.run(*command).splitlines()[0] == (
        f'Step {version}, "PLAY" by Anna: its record names this message, but the line of that record {more}'
    )
    assert room.terminal.run(*command, "--body").splitlines()[0] == (
        f'Step {version}, "{line}" by Anna: its record names this message, but the line "{line}" {more}'
    )
    assert room.terminal.json(*command)["made"]["stands"] is False
    room.keep(a_mail("DISPUTE", message_id="5@players.test"), turn=2)
    room.process()
    (told,) = room.terminal.json("dispute", room.game_id)
    assert told["verdict"] == "odd"


@pytest.mark.parametrize(
    ("text", "stands"), [("{line}", True), ("yes", None)], ids=["the line", "a yes to another message"]
)
def test_a_line_is_looked_for_if_it_has_to_stand_there(
    room: Mailroom, text: str, stands: bool | None
) -> None:
    for name in ("Ben", "Cara"):
        room.terminal.run("move", room.game_id, name, "JOIN")
    card = room.do(lambda tx: room.service.load(tx, room.game_id)).seats[ANNA].hand[0]
    line = str(Order("PLAY", card=card))
    version = forged(room, text.format(line=line), line)
    made = room.terminal.json(*SHOW, room.game_id, "--version", version)["made"]
    assert made["stands"] is stands
