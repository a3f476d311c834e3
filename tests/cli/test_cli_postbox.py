"""mail inbox and mail quarantine: what is there, what became of it, and what an operator may do to it."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from cli.mailroom import AT, ESCAPES, HOSTILE, MAILBOX, PEOPLE, TURNED, Mailroom, a_mail, a_mailroom
from cli.terminal import Terminal, assert_harmless
from felix_async.address import token_in
from felix_events.store.rows import MailState

LIST = ("mail", "inbox", "list")
SHOW = ("mail", "inbox", "show")


@pytest.fixture
def room(terminal: Terminal) -> Mailroom:
    return a_mailroom(terminal)


def ids(rows: list[dict[str, Any]]) -> list[int]:
    return [row["mail_id"] for row in rows]


# ---- list
def test_the_list_tells_the_newest_mails_first(room: Mailroom) -> None:
    room.keep(a_mail(subject="one"), "done")
    room.keep(a_mail(subject="two", sender="mallory@evil.test"), "quarantined", note="not a player's")
    head, *lines = room.terminal.run(*LIST).splitlines()
    assert head.split() == ["mail", "id", "received", "at", "state", "game", "id", "from", "subject", "note"]
    assert lines[0].split()[:4] == ["2", AT, "quarantined", room.game_id]
    assert lines[0].endswith("mallory@evil.test  two      not a player's")
    assert lines[1].split()[2] == "done"


def test_the_list_as_json_says_which_seat_the_address_is_for(room: Mailroom) -> None:
    room.keep(a_mail(subject="one"), "done")
    (row,) = room.terminal.json(*LIST)
    assert row == {
        "mail_id": 1,
        "received_at": AT,
        "state": "done",
        "game_id": room.game_id,
        "seat": 0,
        "from": PEOPLE[0],
        "subject": "one",
        "bytes": len(room.mail(1).raw),
        "tries": 0,
        "note": "",
    }


def test_an_empty_list_says_so_and_prints_nothing(room: Mailroom) -> None:
    result = room.terminal.invoke(*LIST)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "There are no such messages.\n")
    assert room.terminal.json("mail", "quarantine", "list") == []


def test_a_list_of_one_state(room: Mailroom) -> None:
    states: tuple[MailState, ...] = ("new", "done", "quarantined", "quarantined")
    for state in states:
        room.keep(a_mail(), state)
    assert ids(room.terminal.json(*LIST, "--state", "quarantined")) == [4, 3]
    assert ids(room.terminal.json("mail", "quarantine", "list")) == [4, 3]
    assert ids(room.terminal.json(*LIST, "--state", "new")) == [1]


def test_a_list_of_one_game_is_looked_for_behind_other_mail(room: Mailroom) -> None:
    room.keep(a_mail())
    room.do(lambda tx: [tx.keep_mail(AT, MAILBOX, "x@x.test", b"") for _ in range(2500)])
    assert ids(room.terminal.json(*LIST, "--game", room.game_id, "--limit", 1)) == [1]
    assert room.terminal.json(*LIST, "--game", "aaaaa") == []


def test_a_list_is_cut_and_says_how_to_go_on(room: Mailroom) -> None:
    for _ in range(5):
        room.keep(a_mail())
    result = room.terminal.invoke(*LIST, "--limit", 2)
    assert len(result.stdout.splitlines()) == 3
    assert result.stderr == "There are older ones: --before 4\n"
    assert ids(room.terminal.json(*LIST, "--limit", 2, "--before", 4)) == [3, 2]


@pytest.mark.parametrize(
    "words", [("--limit", 0), ("--state", "lost"), ("--before", "x"), ("--limit", 10**9)]
)
def test_a_list_of_nonsense_is_wrong_usage(room: Mailroom, words: tuple[object, ...]) -> None:
    assert room.terminal.refused(*LIST, *words, code=2)


# ---- show
def test_a_mail_is_shown_with_its_headers_and_what_became_of_it(room: Mailroom) -> None:
    room.keep(a_mail(subject="=?utf-8?q?Gr=C3=BC=C3=9Fe?="), "ignored", note="written by a machine")
    text = room.terminal.run(*SHOW, 1)
    facts, _, headers = text.partition("\n\n")
    told = dict(line.split(maxsplit=1) for line in facts.splitlines() if "  " in line)
    assert told["state"] == "ignored"
    assert told["note"] == "written by a machine"
    assert "Subject: Grüße" in headers.splitlines()
    assert "JOIN" not in text, "the body is shown to who asks for it"


def test_the_body_is_shown_on_request(room: Mailroom) -> None:
    room.keep(a_mail("BID 5\r\nthanks"), "done")
    assert room.terminal.run(*SHOW, 1, "--body").endswith("\n\nBID 5\nthanks\n")
    assert room.terminal.json(*SHOW, 1, "--body")["body"] == ["BID 5", "thanks"]
    assert "body" not in room.terminal.json(*SHOW, 1)


def test_a_body_of_several_parts_tells_all_texts_and_what_else_there_is(room: Mailroom) -> None:
    parts = (
        "--x\r\nContent-Type: text/plain\r\n\r\nhello\r\n"
        "--x\r\nContent-Type: text/html\r\n\r\n<b>hello</b>\r\n"
        "--x\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--x--"
    )
    room.keep(a_mail(parts, headers=['Content-Type: multipart/mixed; boundary="x"']))
    lines = room.terminal.json(*SHOW, 1, "--body")["body"]
    assert lines == ["hello", "[text/html]", "<b>hello</b>", "[image/png, 3 bytes]"]


def test_no_token_is_shown(room: Mailroom) -> None:
    token = token_in(room.address(), MAILBOX) or ""
    quoted = f"> felix+{token}@localhost\r\nmailto:felix%2B{token}@localhost?body=x {token.upper()}"
    mail = a_mail(
        quoted, to=room.address(), headers=[f"X-Original-To: {room.address()}", f"References: {token}"]
    )
    room.keep(mail, "quarantined", note=f"about {room.address()}")
    outputs = [
        room.terminal.run(*LIST),
        room.terminal.run(*SHOW, 1, "--body"),
        room.terminal.run(*SHOW, 1, "--body", "--json"),
        room.terminal.run("mail", "quarantine", "show", 1),
    ]
    assert len(token) >= 29
    for text in outputs:
        assert token not in text.lower()
    assert "felix+…@localhost" in outputs[1]


def test_the_raw_bytes_go_into_a_new_file_that_only_its_owner_reads(room: Mailroom) -> None:
    raw = a_mail("\x1b[31mred")
    room.keep(raw)
    assert room.terminal.run(*SHOW, 1, "--raw", "mail.eml") == ""
    assert Path("mail.eml").read_bytes() == raw
    assert stat.S_IMODE(Path("mail.eml").stat().st_mode) == 0o600
    said = room.terminal.refused(*SHOW, 1, "--raw", "mail.eml")
    assert said == "mail.eml is there already; name another file."
    assert "No such file" in room.terminal.refused(*SHOW, 1, "--raw", "nowhere/mail.eml")


def test_the_raw_bytes_go_to_a_pipe(room: Mailroom) -> None:
    raw = a_mail("\x00\x1b\xff")
    room.keep(raw)
    assert room.terminal.process(*SHOW, 1, "--raw", "-").stdout == raw


@pytest.mark.parametrize("number", [7, 0, -1, 2**63, 10**30])
@pytest.mark.parametrize("verb", ["show", "retry", "drop"])
def test_a_mail_that_is_not_there(room: Mailroom, verb: str, number: int) -> None:
    said = room.terminal.refused("mail", "inbox", verb, "--", number)
    assert said == f"There is no message {number}; `felix mail inbox list` lists those there are."


def test_a_mail_that_is_not_in_quarantine(room: Mailroom) -> None:
    room.keep(a_mail(), "done")
    for verb in ("show", "retry", "drop"):
        said = room.terminal.refused("mail", "quarantine", verb, 1)
        assert said == "Message 1 is not in quarantine: it is done."


# ---- strangers
@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_no_header_does_anything_to_the_terminal(room: Mailroom, number: int) -> None:
    value = HOSTILE[number]
    mail = a_mail(subject=value, sender=value, headers=[f"{value.split()[0]}: x", f"X-Other: {value}"])
    room.keep(mail, "quarantined", note=value, sender=value)
    for words in (LIST, (*SHOW, 1), ("mail", "quarantine", "list"), ("mail", "quarantine", "show", 1)):
        for text in (room.terminal.run(*words), room.terminal.run(*words, "--json")):
            assert_harmless(text)
            assert len(text) < 5000


BODIES = {
    "escapes": f"{ESCAPES}{TURNED}".encode(),
    "a million lines": b"x\r\n" * 1_000_000,
    "one line of a megabyte": b"y" * 1_000_000,
    "nothing": b"",
    "zeros": bytes(1000),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_no_body_does_anything_to_the_terminal(room: Mailroom, body: bytes) -> None:
    room.keep(a_mail() + body)
    text = room.terminal.run(*SHOW, 1, "--body")
    assert_harmless(text)
    assert len(text) < 10_000


MAILS = {
    "empty": b"",
    "bytes": bytes(range(256)) * 20,
    "no end of headers": b"Subject: x\r\n" * 20_000,
    "10,000 parts": a_mail(
        "--x\r\n\r\nhi\r\n" * 10_000, headers=["Content-Type: multipart/mixed; boundary=x"]
    ),
    "deep": b"".join(
        b'Content-Type: multipart/mixed; boundary="%d"\r\n\r\n--%d\r\n' % (n, n) for n in range(500)
    ),
    "odd charset": a_mail(headers=["Content-Type: text/plain; charset=klingon"]),
    "zeros in a charset": a_mail(headers=["Content-Type: text/plain; charset=a\x00b"]),
    "broken base64": a_mail("!!!", headers=["Content-Transfer-Encoding: base64"]),
}


@pytest.mark.parametrize("raw", MAILS.values(), ids=MAILS)
def test_whatever_the_bytes_are_they_can_be_shown(room: Mailroom, raw: bytes) -> None:
    room.keep(raw, "quarantined")
    for words in (LIST, (*SHOW, 1, "--body"), (*SHOW, 1, "--body", "--json")):
        text = room.terminal.run(*words)
        assert_harmless(text)
        assert len(text) < 200_000


# ---- retry and drop
def test_a_mail_in_quarantine_is_tried_again_and_then_dealt_with(room: Mailroom) -> None:
    room.keep(a_mail(sender="phone@players.test"))
    room.process()
    assert room.mail(1).state == "quarantined"
    player_id = room.do(lambda tx: tx.seats(room.game_id)[0].player_id)
    room.do(lambda tx: tx.add_player(player_id, "phone@players.test"))
    said = room.terminal.run("mail", "quarantine", "retry", 1)
    assert said == "Message 1: waiting; a running server processes it within seconds.\n"
    assert (room.mail(1).state, room.mail(1).tries) == ("new", 0)
    assert room.process() == 1


def test_a_mail_that_is_done_is_not_tried_again(room: Mailroom) -> None:
    room.keep(a_mail())
    room.process()
    assert room.mail(1).state == "done"
    assert (
        room.terminal.refused("mail", "inbox", "retry", 1)
        == "Message 1 has been processed; a message is never processed twice."
    )
    assert (
        room.terminal.refused("mail", "inbox", "drop", 1)
        == "Message 1 has been processed, and what it did stays."
    )


def test_even_a_done_mail_that_is_new_again_does_nothing_twice(room: Mailroom) -> None:
    """What each line did is kept under the mail's own id."""
    room.keep(a_mail())
    room.process()
    before = room.do(lambda tx: tx.bodies(room.game_id))
    room.do(lambda tx: tx.requeue_mail(1, "by hand"))
    assert room.process() == 1
    assert room.do(lambda tx: tx.bodies(room.game_id)) == before
    assert len(before) > 1


def test_a_mail_that_waits_need_not_be_retried_and_can_be_dropped(room: Mailroom) -> None:
    room.keep(a_mail())
    said = room.terminal.refused("mail", "inbox", "retry", 1)
    assert said == "Message 1 is waiting already; a running server takes it within seconds."
    assert room.terminal.json("mail", "inbox", "drop", 1) == [{"mail_id": 1, "state": "ignored"}]
    assert room.process() == 0


def test_a_dropped_mail_is_kept_with_the_reason_it_had_and_can_be_retried(room: Mailroom) -> None:
    raw = a_mail()
    room.keep(raw, "quarantined", note="no player's")
    room.terminal.run("mail", "quarantine", "drop", 1)
    mail = room.mail(1)
    assert (mail.state, mail.raw) == ("ignored", raw)
    assert mail.note == "dropped by the operator; before: no player's"
    assert room.terminal.refused("mail", "inbox", "drop", 1) == "Message 1 is ignored already."
    room.terminal.run("mail", "inbox", "retry", 1)
    assert room.mail(1).state == "new"


def test_a_copy_is_not_retried(room: Mailroom) -> None:
    for _ in range(2):
        room.keep(a_mail())
    room.process()
    assert room.mail(2).state == "duplicate"
    assert "only one of them counts" in room.terminal.refused("mail", "inbox", "retry", 2)


def test_where_one_mail_cannot_be_changed_none_is(room: Mailroom) -> None:
    room.keep(a_mail(), "quarantined")
    room.keep(a_mail(), "done")
    room.terminal.refused("mail", "inbox", "retry", 1, 2)
    assert room.mail(1).state == "quarantined"


def test_all_mail_in_quarantine_at_once(room: Mailroom) -> None:
    states: tuple[MailState, ...] = ("quarantined", "done", "quarantined")
    for state in states:
        room.keep(a_mail(), state)
    assert ids(room.terminal.json("mail", "quarantine", "drop", "--all")) == [3, 1]
    assert [room.mail(number).state for number in (1, 2, 3)] == ["ignored", "done", "ignored"]
    result = room.terminal.invoke("mail", "quarantine", "retry", "--all")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "There are no such messages.\n")


@pytest.mark.parametrize("words", [(), ("1", "--all")])
def test_either_some_or_all(room: Mailroom, words: tuple[str, ...]) -> None:
    room.keep(a_mail(), "quarantined")
    assert room.terminal.refused("mail", "quarantine", "drop", *words, code=2) == "Give some IDs, or --all."
    assert room.mail(1).state == "quarantined"


def test_retry_and_drop_in_the_inbox_name_what_they_change(room: Mailroom) -> None:
    for verb in ("retry", "drop"):
        assert "Missing argument" in room.terminal.refused("mail", "inbox", verb, code=2)


def test_without_a_database_it_says_so(terminal: Terminal) -> None:
    assert "There is no database" in terminal.refused(*LIST)
    assert "There is no database" in terminal.refused("mail", "inbox", "drop", 1)
