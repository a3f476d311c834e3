"""mail letters: what goes out, and what an operator may do about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.mailroom import AT, HOSTILE, MAILBOX, PEOPLE, Mailroom, a_mail, a_mailroom
from cli.terminal import Terminal, assert_harmless
from felix_async.address import token_in
from felix_events.store.rows import Letter

LIST = ("mail", "letters", "list")
SHOW = ("mail", "letters", "show")


@pytest.fixture
def room(terminal: Terminal) -> Mailroom:
    return a_mailroom(terminal)


def letter(room: Mailroom, letter_id: int) -> Letter:
    found = room.do(lambda tx: tx.letter(letter_id))
    assert found is not None
    return found


def test_the_list_tells_the_newest_letters_first(room: Mailroom) -> None:
    for number, state in enumerate(("sent", "failed", "ready")):
        room.letter(number, state)
    head, *lines = room.terminal.run(*LIST).splitlines()
    assert head.split()[:6] == ["letter", "id", "created", "at", "state", "game"]
    assert [line.split()[:3] for line in lines] == [
        ["3", AT, "ready"],
        ["2", AT, "failed"],
        ["1", AT, "sent"],
    ]
    assert lines[1].endswith("550 no such user")


def test_letters_of_one_state_and_of_one_game(room: Mailroom) -> None:
    for number, state in enumerate(("sent", "failed", "ready")):
        room.letter(number, state)
    assert [row["letter_id"] for row in room.terminal.json(*LIST, "--state", "failed")] == [2]
    assert len(room.terminal.json(*LIST, "--game", room.game_id)) == 3
    assert room.terminal.json(*LIST, "--game", "aaaaa") == []
    assert room.terminal.invoke(*LIST, "--limit", 1).stderr == "There are older ones: --before 3\n"


def test_a_letter_is_shown_without_its_hand_and_without_its_token(room: Mailroom) -> None:
    room.letter()
    token = token_in(room.address(), MAILBOX) or ""
    text = room.terminal.run(*SHOW, 1)
    assert "Reply-To: felix+…@localhost" in text.splitlines()
    assert "Your hand" not in text
    whole = room.terminal.run(*SHOW, 1, "--body") + room.terminal.run(*SHOW, 1, "--body", "--json")
    assert whole.count("Your hand: -8, 3.") == 2
    assert token not in text + whole


def test_a_letter_of_felixs_own_is_shown_without_a_token_in_any_of_its_parts(room: Mailroom) -> None:
    """Links in the HTML part carry the address in another form, and quoted-printable breaks it."""
    for sent in room.deliver():
        token = token_in(room.address(sent.seat), MAILBOX) or ""
        assert token.encode() in sent.raw
        text = room.terminal.run(*SHOW, sent.letter_id, "--body")
        assert "[text/html]" in text
        assert token not in text


def test_the_raw_letter_goes_into_a_file(room: Mailroom) -> None:
    room.letter()
    room.terminal.run(*SHOW, 1, "--raw", "letter.eml")
    assert Path("letter.eml").read_bytes() == letter(room, 1).raw


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_in_a_letter_does_anything_to_the_terminal(room: Mailroom, value: str) -> None:
    room.letter(raw=a_mail(value, subject=value))
    room.do(lambda tx: tx.mark_letter(1, "failed", next_at=AT, note=value))
    for words in (LIST, (*SHOW, 1, "--body")):
        for text in (room.terminal.run(*words), room.terminal.run(*words, "--json")):
            assert_harmless(text)
            assert len(text) < 6000


def test_a_letter_that_was_given_up_is_sent_on_request(room: Mailroom) -> None:
    room.deliver()
    room.letter(7, "failed")
    said = room.terminal.run("mail", "letters", "retry", 4)
    assert said == "Letter 4: waiting; a running server sends it within seconds.\n"
    assert (letter(room, 4).state, letter(room, 4).tries) == ("ready", 0)
    assert [sent.letter_id for sent in room.deliver()] == [4]


def test_all_letters_that_were_given_up_are_tried_at_once(room: Mailroom) -> None:
    for number, state in enumerate(("failed", "sent", "failed")):
        room.letter(number, state)
    told = room.terminal.json("mail", "letters", "retry", "--all")
    assert told == [{"letter_id": 3, "state": "ready"}, {"letter_id": 1, "state": "ready"}]
    assert letter(room, 2).state == "sent"


def test_a_letter_that_was_sent_is_not_sent_twice(room: Mailroom) -> None:
    room.letter(state="sent")
    said = room.terminal.refused("mail", "letters", "retry", 1)
    assert said == "Letter 1 was sent; a letter is never sent twice."
    said = room.terminal.refused("mail", "letters", "drop", 1)
    assert said == "Letter 1 is sent already; there is nothing to drop."


def test_a_letter_that_was_erased_with_a_player_is_not_sent(room: Mailroom) -> None:
    room.letter(0, "failed")
    room.do(lambda tx: tx.forget(tx.seats(room.game_id)[0].player_id))
    said = room.terminal.refused("mail", "letters", "retry", 1)
    assert said == "Letter 1 has no text any more: it was erased with a player, or is too old."
    assert room.terminal.json("mail", "letters", "show", 1)["bytes"] == 0


def test_a_dropped_letter_is_not_sent_and_can_be_retried(room: Mailroom) -> None:
    room.deliver()
    room.letter(7)
    room.terminal.run("mail", "letters", "drop", 4)
    assert (letter(room, 4).state, letter(room, 4).note) == ("dropped", "dropped by the operator")
    assert room.deliver() == []
    assert "dropped already" in room.terminal.refused("mail", "letters", "drop", 4)
    room.terminal.run("mail", "letters", "retry", 4)
    assert len(room.deliver()) == 1


def test_where_one_letter_cannot_be_changed_none_is(room: Mailroom) -> None:
    room.letter(0, "failed")
    room.letter(1, "sent")
    room.terminal.refused("mail", "letters", "retry", 1, 2)
    assert letter(room, 1).state == "failed"


@pytest.mark.parametrize("verb", ["show", "retry", "drop"])
def test_a_letter_that_is_not_there(room: Mailroom, verb: str) -> None:
    said = room.terminal.refused("mail", "letters", verb, 2**63)
    assert said == f"There is no letter {2**63}; `felix mail letters list` lists those there are."


def test_either_some_or_all(room: Mailroom) -> None:
    assert room.terminal.refused("mail", "letters", "retry", code=2) == "Give some IDs, or --all."


def test_who_is_written_to_is_told(room: Mailroom) -> None:
    room.letter()
    (row,) = room.terminal.json(*LIST)
    assert (row["recipient"], row["seat"], row["subject"]) == (PEOPLE[0], 0, "Re: felix")
