"""mail revoke and mail addresses: who can write, and who is written to."""

from __future__ import annotations

from operator import methodcaller

import pytest

from cli.mailroom import AT, MAILBOX, PEOPLE, Mailroom, a_mail, a_mailroom, reply_address
from cli.terminal import Terminal
from felix_async.reading.sender import seat_of
from felix_events.store.rows import AddressRow, Belief, Mail


@pytest.fixture
def room(terminal: Terminal) -> Mailroom:
    """A game whose invitations went out."""
    made = a_mailroom(terminal)
    made.deliver()
    return made


def write(room: Mailroom, recipient: str, text: str, seat: int = 0) -> Mail:
    """A seat writes to this address, and it is dealt with."""
    raw = a_mail(
        text, sender=PEOPLE[seat], message_id=f"{text}-{recipient[-40:-20]}-{seat}@x".replace(" ", "")
    )
    mail_id = room.do(lambda tx: tx.keep_mail(AT, recipient, PEOPLE[seat], raw))
    room.process()
    return room.mail(mail_id)


def stop(room: Mailroom, address: str, score: float = 6.0) -> None:
    """Mail to this address bounced for too long."""
    player_id = room.do(lambda tx: tx.player_at(address))
    assert player_id is not None
    room.do(lambda tx: tx.note_address(AddressRow(address, player_id, score, AT, "bounces")))


def believed(room: Mailroom, *providers: str) -> None:
    """The first player has said that unsigned mail by these is theirs."""
    player_id = room.do(lambda tx: tx.player_at(PEOPLE[0]))
    assert player_id is not None
    for belief in [Belief(player_id, PEOPLE[0], provider, AT) for provider in providers]:
        room.do(methodcaller("believe", belief))


def is_good(room: Mailroom, address: str) -> bool:
    return room.do(lambda tx: seat_of(tx, address, MAILBOX)) is not None


# ---- revoke
def test_the_addresses_of_older_mails_are_void_and_a_fresh_mail_has_a_good_one(room: Mailroom) -> None:
    old = room.address(0)
    said = room.terminal.run("mail", "revoke", room.game_id, 0)
    assert said == (
        f"All reply addresses of Anna ({room.game_id}) are revoked.\n"
        "A message with new ones is waiting; a running server sends it within seconds.\n"
    )
    assert not is_good(room, old)
    (letter,) = room.deliver()
    assert letter.recipient == PEOPLE[0]
    assert is_good(room, reply_address(letter))
    helped = write(room, old, "JOIN")
    assert (helped.state, helped.note) == ("done", "without a token: its sender was helped")
    assert write(room, reply_address(letter), "JOIN").state == "done"


def test_the_fresh_mail_asks_what_is_asked_and_says_why_it_came(room: Mailroom) -> None:
    room.terminal.run("mail", "revoke", room.game_id, 1)
    (letter,) = room.deliver()
    assert b" play Felix\r\n" in letter.raw
    assert b"Older messages of this game no longer work; please reply to this one." in letter.raw


def test_a_seat_that_is_not_asked_gets_a_mail_that_it_can_answer_too(room: Mailroom) -> None:
    write(room, room.address(0), "JOIN")
    room.deliver()
    room.terminal.run("mail", "revoke", room.game_id, 0)
    (letter,) = room.deliver()
    assert b"please reply to this one" in letter.raw.replace(b"=\r\n", b"")
    assert is_good(room, reply_address(letter))


def test_the_other_seats_keep_their_addresses(room: Mailroom) -> None:
    before = room.address(1)
    room.terminal.run("mail", "revoke", room.game_id, 0)
    assert is_good(room, before)


def test_it_can_be_done_again_and_each_time_there_is_a_mail(room: Mailroom) -> None:
    for _ in range(3):
        assert room.terminal.json("mail", "revoke", room.game_id, 0)["mail"] is True
        assert len(room.deliver()) == 1


def test_a_turn_mail_comes_again_with_the_turn_as_it_is(room: Mailroom) -> None:
    for seat in range(3):
        write(room, room.address(seat), "JOIN", seat)
    room.deliver()
    room.terminal.run("mail", "revoke", room.game_id, 2)
    (letter,) = room.deliver()
    assert b"\r\nHere we go: pick your first card.\r\n" in letter.raw


def test_a_seat_with_no_address_to_write_to_is_told_about(room: Mailroom) -> None:
    stop(room, PEOPLE[0])
    text = room.terminal.run("mail", "revoke", room.game_id, 0)
    assert text.splitlines()[1].startswith("There is no address to write to")


@pytest.mark.parametrize(("game", "seat"), [("aaaaa", 0), ("\x1b[31m", 0)])
def test_a_game_that_is_not_there(room: Mailroom, game: str, seat: int) -> None:
    assert "`felix games` lists those there are" in room.terminal.refused("mail", "revoke", game, seat)


@pytest.mark.parametrize("seat", [3, 99])
def test_a_seat_that_is_not_there(room: Mailroom, seat: int) -> None:
    said = room.terminal.refused("mail", "revoke", "--", room.game_id, seat)
    assert said == f"No such seat: {seat}. Use 0 to 2, or a name."


def test_a_game_that_is_over_has_nothing_to_revoke(room: Mailroom) -> None:
    write(room, room.address(0), "CANCEL")
    assert "is over" in room.terminal.refused("mail", "revoke", room.game_id, 1)


def test_a_simulated_game_has_no_mail(room: Mailroom) -> None:
    room.terminal.run("simulate", "--games", 1, "--db", "felix.db")
    (game,) = [game for game in room.terminal.json("games") if game["kind"] == "simulated"]
    assert "is simulated" in room.terminal.refused("mail", "revoke", game["game_id"], 0)


# ---- addresses
def test_addresses_are_listed_with_their_players(room: Mailroom) -> None:
    stop(room, PEOPLE[1], 5.5)
    lines = room.terminal.run("mail", "addresses", "list").splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["address", "player", "bounces", "stopped"],
        [PEOPLE[0], "Anna", "0"],
        [PEOPLE[1], "Ben", "5.5", "it", "bounces"],
    ]
    (row,) = room.terminal.json("mail", "addresses", "list", "--stopped")
    assert (row["address"], row["score"], row["stopped"]) == (PEOPLE[1], 5.5, "bounces")
    assert row["games"] == [room.game_id]
    assert len(room.terminal.json("mail", "addresses", "list", "--game", room.game_id)) == 3
    assert "There is no game" in room.terminal.refused("mail", "addresses", "list", "--game", "aaaaa")


def test_mail_to_an_address_starts_again_with_what_is_asked_now(room: Mailroom) -> None:
    stop(room, PEOPLE[1])
    text = room.terminal.run("mail", "addresses", "start", PEOPLE[1].upper())
    assert text == (
        f"Mail goes to {PEOPLE[1]} again.\n"
        f"Its player is asked in {room.game_id}; a message about it is waiting.\n"
    )
    (row,) = room.do(lambda tx: [row for row in tx.addresses() if row.address == PEOPLE[1]])
    assert (row.score, row.stopped) == (0.0, "")
    assert [letter.recipient for letter in room.deliver()] == [PEOPLE[1]]


def test_a_player_who_is_not_asked_gets_no_mail_when_it_starts(room: Mailroom) -> None:
    write(room, room.address(0), "JOIN")
    room.deliver()
    stop(room, PEOPLE[0])
    assert room.terminal.json("mail", "addresses", "start", PEOPLE[0])["mails_about"] == []
    assert room.deliver() == []


def test_mail_that_goes_already_need_not_be_started(room: Mailroom) -> None:
    said = room.terminal.refused("mail", "addresses", "start", PEOPLE[0])
    assert said == f"Mail goes to {PEOPLE[0]} already."


def test_no_mail_goes_to_an_address_that_was_stopped(room: Mailroom) -> None:
    room.terminal.run("mail", "addresses", "stop", PEOPLE[0])
    room.terminal.run("mail", "revoke", room.game_id, 0)
    assert room.deliver() == []
    said = room.terminal.refused("mail", "addresses", "stop", PEOPLE[0])
    assert said == f"Mail to {PEOPLE[0]} is stopped already."


@pytest.mark.parametrize("verb", ["start", "stop"])
def test_an_address_that_nobody_has(room: Mailroom, verb: str) -> None:
    said = room.terminal.refused("mail", "addresses", verb, "\x1b[31mx@y")
    assert said == "No player has the address [31mx@y; `felix mail addresses list` lists them."


# ---- unsigned mail
def test_from_where_unsigned_mail_is_believed_is_listed_with_whose_it_is(room: Mailroom) -> None:
    believed(room, "dkim isp.test", "net 192.0.2.0/24")
    head, *lines = room.terminal.run("mail", "addresses", "unsigned").splitlines()
    assert head.split() == ["address", "player", "provider", "since"]
    assert lines[0].split() == [PEOPLE[0], "Anna", "isp.test", AT]
    assert "the network 192.0.2.0/24" in lines[1]
    assert [row["provider"] for row in room.terminal.json("mail", "addresses", "unsigned")] == [
        "isp.test",
        "the network 192.0.2.0/24",
    ]


def test_an_operator_may_have_it_asked_about_again(room: Mailroom) -> None:
    believed(room, "dkim isp.test", "net 192.0.2.0/24")
    told = room.terminal.json("mail", "addresses", "doubt", PEOPLE[0].upper())
    assert told == {"address": PEOPLE[0], "ended": 2}
    assert room.terminal.json("mail", "addresses", "unsigned") == []


def test_where_nothing_is_believed_that_is_said(room: Mailroom) -> None:
    result = room.terminal.invoke("mail", "addresses", "unsigned")
    assert (result.stdout, result.stderr) == ("", "No unsigned mail is taken for a player's.\n")
    result = room.terminal.invoke("mail", "addresses", "doubt", "nobody@x.test")
    assert result.exit_code == 1
    assert "`felix mail addresses unsigned` lists what is." in result.stderr
