"""A database put back from an older copy: what mails sent since can do, before and after revoking."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from cli.mailroom import MAILBOX, PEOPLE, Mailroom, Post, a_mail, a_mailroom, reply_address
from cli.terminal import Terminal
from felix_async.clock import system_clock, text_of
from felix_async.reading.sender import seat_of
from felix_cli.wiring import SERVER_SECRET
from felix_events.store.base import Tx
from felix_events.store.rows import Letter, Mail
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.deliver import send_due
from felix_notifiers.outbox.marks import Outbox

pytestmark = pytest.mark.slow

COPY = Path("backup.db")


@dataclass
class Restored:
    """A game that was copied in its first auction, played on, and put back.

    `lost` are the letters that were sent after the copy was made.
    """

    room: Mailroom
    lost: Sequence[Letter]

    def lost_to(self, seat: int) -> Letter:
        """The last letter that this seat got and felix knows nothing of."""
        return [letter for letter in self.lost if letter.recipient == PEOPLE[seat]][-1]


def secret_of(tx: Tx) -> bytes:
    """The server's own, made where there is none, as a starting server does."""
    tx.keep_secret(SERVER_SECRET, b"the first of them")
    return tx.secret(SERVER_SECRET) or b""


def deliver(room: Mailroom) -> list[Letter]:
    """What a server that was just started does with what is owed."""
    post = Post([])
    send_due(room.do, Outbox(system_clock, Letters(MAILBOX, room.do(secret_of))), post)
    return post.letters


def write(room: Mailroom, recipient: str, text: str, seat: int, number: int) -> Mail:
    """A seat writes a line, and it is dealt with."""
    raw = a_mail(text, sender=PEOPLE[seat], message_id=f"{number}@players.test")
    mail_id = room.do(lambda tx: tx.keep_mail(text_of(system_clock()), recipient, PEOPLE[seat], raw))
    room.process()
    return room.mail(mail_id)


def newest(letters: Sequence[Letter], seat: int) -> str:
    """The address for answers in the last of these letters to a seat."""
    return reply_address([letter for letter in letters if letter.recipient == PEOPLE[seat]][-1])


def said_in(letter: Letter) -> str:
    """The text of a letter, its line breaks undone."""
    part = message_from_bytes(letter.raw, policy=policy.default).get_body(("plain",))
    return "" if part is None else " ".join(str(part.get_content()).split())


def bids(room: Mailroom) -> list[tuple[int, int]]:
    """Who bid how much, in order."""
    events = room.terminal.json("replay", room.game_id)
    return [(e["data"]["seat"], e["data"]["amount"]) for e in events if e["type"] == "bid_placed"]


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, Sequence[Letter]]:
    """A copy of a game, its id, and the letters that were sent after the copy was made."""
    folder = tmp_path_factory.mktemp("copied")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        game_id, lost = played_on(Terminal(folder))
    return folder / COPY, game_id, lost


def played_on(terminal: Terminal) -> tuple[str, Sequence[Letter]]:
    """Anna bid 1 and Ben 2 after the copy; in it Anna is asked for the first bid of the game."""
    room = a_mailroom(terminal)
    letters = deliver(room)
    for seat in range(3):
        write(room, newest(letters, seat), "JOIN", seat, seat)
    letters = deliver(room)
    for seat in range(3):
        write(room, newest(letters, seat), f"PLAY {terminal.hand(room.game_id, seat)[0]}", seat, 10 + seat)
    letters = deliver(room)
    terminal.run("backup", COPY)
    write(room, newest(letters, 0), "BID 1", 0, 20)
    lost = deliver(room)
    write(room, newest(lost, 1), "BID 2", 1, 21)
    lost += deliver(room)
    write(room, newest(lost, 2), "PASS", 2, 22)
    lost += deliver(room)
    assert bids(room) == [(0, 1), (1, 2)]
    return room.game_id, lost


@pytest.fixture
def restored(terminal: Terminal, copied: tuple[Path, str, Sequence[Letter]]) -> Restored:
    """The copy put back, where Anna is asked for the first bid of the game."""
    copy, game_id, lost = copied
    shutil.copy(copy, COPY)
    shutil.copy(copy, "felix.db")
    room = Mailroom(terminal, game_id)
    assert bids(room) == []
    return Restored(room, lost)


# ---- what happens where nothing more is done
def test_an_answer_to_a_mail_that_felix_does_not_know_is_about_another_turn(restored: Restored) -> None:
    room = restored.room
    mail = write(room, reply_address(restored.lost_to(0)), "BID 9", 0, 30)
    assert (mail.state, bids(room)) == ("done", [])


def test_an_answer_may_be_taken_for_one_to_a_later_mail(restored: Restored) -> None:
    """Turns and open cards are counted, and the count began again: this is why addresses are revoked then."""
    room = restored.room
    old_question = reply_address(next(one for one in restored.lost if one.recipient == PEOPLE[1]))
    write(room, room.address(0, turn=2), "BID 5", 0, 31)
    deliver(room)
    write(room, old_question, "BID 6", 1, 32)
    assert bids(room) == [(0, 5), (1, 6)]


def test_an_answer_about_a_card_that_has_not_turned_is_about_no_later_mail(restored: Restored) -> None:
    room = restored.room
    write(room, room.address(0, turn=2), "BID 5", 0, 31)
    write(room, newest(restored.lost, 1), "BID 6", 1, 32)
    assert bids(room) == [(0, 5)]


def test_new_letters_may_have_the_ids_of_lost_ones(restored: Restored) -> None:
    room = restored.room
    write(room, room.address(0, turn=2), "BID 5", 0, 31)
    again = {letter.message_id: letter.raw for letter in deliver(room)}
    lost = {letter.message_id: letter.raw for letter in restored.lost}
    assert any(lost[key] != raw for key, raw in again.items() if key in lost)


# ---- what `felix mail revoke --all` does about it
def test_no_mail_that_was_sent_before_can_be_answered(restored: Restored) -> None:
    room = restored.room
    said = room.terminal.run("mail", "revoke", "--all")
    assert said == (
        "All reply addresses of 1 open game are revoked.\n"
        "Its log says that the server was set back to a backup.\n"
        "Messages with new ones are waiting for 3 seats; they go out when the server starts.\n"
    )
    addresses = [reply_address(letter) for letter in restored.lost]
    assert {letter.recipient for letter in restored.lost} == {*PEOPLE}
    assert not any(room.do(lambda tx: [seat_of(tx, address, MAILBOX) for address in addresses]))


def test_everybody_is_told_and_the_one_who_is_asked_can_go_on(restored: Restored) -> None:
    room = restored.room
    room.terminal.run("mail", "revoke", "--all")
    letters = deliver(room)
    assert sorted(letter.recipient for letter in letters) == sorted(PEOPLE)
    for letter in letters:
        assert "The server had to go back to an earlier copy of this game" in said_in(letter)
        assert "set back to a backup" not in said_in(letter), "it is said once"
    write(room, newest(letters, 0), "BID 3", 0, 40)
    assert bids(room) == [(0, 3)]


def test_no_new_letter_has_the_id_of_a_lost_one(restored: Restored) -> None:
    room = restored.room
    room.terminal.run("mail", "revoke", "--all")
    letters = deliver(room)
    write(room, newest(letters, 0), "BID 3", 0, 40)
    letters += deliver(room)
    assert not {letter.message_id for letter in letters} & {letter.message_id for letter in restored.lost}


def test_a_script_gets_each_seat(restored: Restored) -> None:
    told = restored.room.terminal.json("mail", "revoke", "--all")
    game_id = restored.room.game_id
    assert told == [{"game_id": game_id, "seat": seat, "mail": True} for seat in range(3)]


def restores(room: Mailroom, game_id: str) -> list[int]:
    """The versions of a game at which its log says that the server was set back."""
    events = room.terminal.json("replay", game_id)
    return [event["version"] for event in events if event["type"] == "server_restored"]


def test_the_log_of_each_open_game_and_of_no_other_says_so(restored: Restored) -> None:
    room = restored.room
    invited, off = (room.terminal.new("Anna", "Ben", "Cara") for _ in range(2))
    room.terminal.run("move", off, 0, "CANCEL")
    games = (room.game_id, invited, off)
    before = room.do(lambda tx: {game_id: tx.head(game_id)[0] for game_id in games})
    said = room.terminal.run("mail", "revoke", "--all")
    assert "Their logs say that the server was set back to a backup.\n" in said
    told = {game_id: restores(room, game_id) for game_id in before}
    assert told == {room.game_id: [before[room.game_id] + 1], invited: [before[invited] + 1], off: []}
    room.terminal.run("mail", "revoke", "--all")
    assert len(restores(room, room.game_id)) == 2


def test_of_a_game_that_was_set_back_the_audit_says_so_and_finds_nothing(restored: Restored) -> None:
    room = restored.room
    write(room, newest(restored.lost, 1), "UP TO 6", 1, 30)
    room.terminal.run("mail", "revoke", "--all")
    write(room, newest(deliver(room), 0), "BID 3", 0, 40)
    (version,) = restores(room, room.game_id)
    note = (
        f"version {version}: the server was set back to a backup; what was sent before may tell of moves that"
        " are no longer there"
    )
    assert f"\n  note: {note}\n" in room.terminal.run("audit", room.game_id)
    room.terminal.run("export", room.game_id, "-o", "k.jsonl")
    (report,) = room.terminal.json("audit", "k.jsonl")
    assert (report["sound"], report["notes"]) == (True, [note])
    assert "The server was set back to a backup" in room.terminal.run("replay", room.game_id)


def test_one_seat_whose_addresses_are_revoked_is_no_restore(restored: Restored) -> None:
    restored.room.terminal.run("mail", "revoke", restored.room.game_id, 0)
    assert restores(restored.room, restored.room.game_id) == []


def test_who_was_forgotten_gets_no_addresses_again(restored: Restored) -> None:
    room = restored.room
    room.do(lambda tx: tx.rotate_secret(room.game_id, 1, b""))
    assert [row["seat"] for row in room.terminal.json("mail", "revoke", "--all")] == [0, 2]
    assert room.do(lambda tx: tx.seats(room.game_id)[1].secret) == b""


def test_games_that_are_over_or_have_no_mail_are_left_alone(terminal: Terminal) -> None:
    terminal.run("simulate", "--games", 1, "--db", "felix.db")
    assert terminal.json("mail", "revoke", "--all") == []


def test_a_server_has_to_be_stopped_first(restored: Restored) -> None:
    """It would go on with the ids that it knows."""
    with Path("felix.db.serve.lock").open("w") as claim:
        fcntl.flock(claim, fcntl.LOCK_EX)
        said = restored.room.terminal.refused("mail", "revoke", "--all")
    assert said == "A server works on this database; stop it, and start it again afterwards."


@pytest.mark.parametrize("words", [[], ["k7m2p"], ["k7m2p", "2", "--all"], ["k7m2p", "--all"]])
def test_it_wants_a_seat_or_all_of_them(restored: Restored, words: Sequence[str]) -> None:
    said = restored.room.terminal.refused("mail", "revoke", *words, code=2)
    assert said == "Give a game and a player, or --all and neither."
