"""A table of nasty people: what their names and mails become on an operator's terminal, and in the log."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from cli.mailroom import ESCAPES, HOSTILE, PEOPLE, TURNED, Mailroom, a_mail
from cli.terminal import Terminal, assert_harmless
from cli.test_cli_names import NASTY, TABLE, strings
from each import one_in
from felix_events.store.sqlite import SqliteStore

pytestmark = pytest.mark.slow

SAID = f"{ESCAPES}{TURNED} a word that no log holds"
BODIES = (
    f"JOIN\r\n{SAID}",
    f"JOIN {SAID}\r\nSAY {SAID}",
    f"NEW {SAID}\r\n{SAID} <x@y.test>\r\nno clock {SAID}",
    f"SUBSTITUTE {SAID}: {SAID} x@y.test\r\nADDRESS {SAID}\r\nTIMEZONE {SAID}\r\nUNINVITE {SAID}",
    f"<html><body>{SAID}<script>{SAID}</script></body></html>",
)


@pytest.fixture
def room(terminal: Terminal, log: io.StringIO) -> Mailroom:
    """Nasty mails from people with nasty names, dealt with and answered."""
    SqliteStore.create(Path("felix.db")).close()
    names = [name.replace("@", " at ").replace("<", "(").replace(">", ")") for name in NASTY]
    people = [f'"{name}" <{address}>' for name, address in zip(names, PEOPLE, strict=False)]
    room = Mailroom(terminal, terminal.new(*people, table=TABLE, start=0))
    room.deliver()
    for number, (body, value) in enumerate(zip(BODIES, HOSTILE, strict=True)):
        for sender in (PEOPLE[0], "stranger@else.test"):
            kind = "html" if body.startswith("<") else "plain"
            headers = [f"Content-Type: text/{kind}; charset=utf-8", f"In-Reply-To: {value[:200]}"]
            message_id = f"{number}{sender}"
            room.keep(
                a_mail(
                    body,
                    sender=f'"{value[:200]}" <{sender}>',
                    subject=value,
                    headers=headers,
                    message_id=message_id,
                ),
                sender=sender,
            )
    room.process()
    room.deliver()
    return room


def ids(room: Mailroom, *words: str) -> list[int]:
    """The numbers of what a list shows."""
    return [
        line["mail_id"] if "mail_id" in line else line["letter_id"] for line in room.terminal.json(*words)
    ]


@pytest.mark.parametrize("box", one_in(3, ["inbox", "quarantine", "letters"]))
def test_what_a_box_holds_is_harmless(room: Mailroom, box: str) -> None:
    found = ids(room, "mail", box, "list")
    assert len(found) >= 3
    looks = [("mail", box, "list"), *(("mail", box, "show", number, "--body") for number in found)]
    for words in looks:
        assert_harmless(room.terminal.run(*words))
        for text in strings(room.terminal.json(*words)):
            for line in text.splitlines():
                assert_harmless(line)


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_what_is_explained_of_a_mail_is_harmless(terminal: Terminal, number: int) -> None:
    value = HOSTILE[number]
    mail = a_mail(f"{BODIES[number]}\r\n{value}", sender=value, subject=value, headers=[f"Reply-To: {value}"])
    Path("nasty.eml").write_bytes(mail)
    assert_harmless(terminal.run("mail", "explain", "nasty.eml"))
    for text in strings(terminal.json("mail", "explain", "nasty.eml")):
        assert_harmless(text)


def test_the_log_is_harmless_and_holds_no_word_of_theirs(room: Mailroom, log: io.StringIO) -> None:
    lines = log.getvalue().splitlines()
    assert len(lines) >= 5
    for line in lines:
        assert_harmless(line)
        assert line[:2] == "20", "each line is felix's own"
    told = log.getvalue()
    assert not [
        words for words in ("no log holds", "owned", "evil", "script", "Club", "DROP") if words in told
    ]
