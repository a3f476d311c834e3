"""The log: a line for each record, with nothing in it by which somebody could move, or see a card."""

from __future__ import annotations

import io
import logging
import subprocess
import sys

import pytest

from cli.mailroom import ESCAPES, MAILBOX, TURNED, Mailroom, a_mail, a_mailroom
from cli.terminal import Terminal, assert_harmless, environment
from felix_async.address import token_in, without_tokens
from felix_async.inbox.process import Processor
from felix_cli.logs import OneLine, told
from felix_events.envelope import check_envelopes
from felix_events.store.base import StoreError

TOKEN = "aeaackl2nm4g26joopq4xqcbpqeg4"
HAND = "[-8, 3, 'large_dog']"


def test_a_record_is_one_line_with_its_time_in_utc() -> None:
    record = logging.makeLogRecord(
        {"name": "felix_cli.server", "levelname": "INFO", "msg": "a\nb", "created": 0}
    )
    assert OneLine().format(record) == "1970-01-01T00:00:00.000Z INFO felix_cli.server: a b"


@pytest.mark.parametrize("text", [ESCAPES, TURNED, "a\r\nb\u2028c", "x" * 100_000, "\ud800"])
def test_strangers_text_is_harmless(text: str) -> None:
    fields = {"name": "mail.log", "levelname": "WARNING", "msg": "from %s", "args": (text,)}
    line = OneLine().format(logging.makeLogRecord(fields))
    assert_harmless(line)
    assert "\n" not in line
    assert len(line) < 1200
    assert line.encode()


@pytest.mark.parametrize(
    "text",
    [
        f"felix+{TOKEN}@felix.test",
        f"FELIX+{TOKEN.upper()}@FELIX.TEST",
        f"mailto:felix%2B{TOKEN}@felix.test",
        f"mailto:felix%2b{TOKEN}%40felix.test",
        f"felix=2B{TOKEN}=40felix.test",
        f"token {TOKEN}",
        f"x{TOKEN}x",
        f"({TOKEN})",
        f"felix+aeaackl2nm4g26joopq4\r\n xqcbpqeg4 felix+{TOKEN}@felix.test",
    ],
)
def test_tokens_are_blanked_wherever_they_stand(log: io.StringIO, text: str) -> None:
    for name in ("felix_async.inbox", "mail.log", "apscheduler.executors", "imapclient", "asyncio"):
        logging.getLogger(name).error("%s", text)
    assert TOKEN not in log.getvalue().lower()
    assert TOKEN not in without_tokens(text).lower()


def test_of_an_address_its_first_letter_and_its_domain_are_told(log: io.StringIO) -> None:
    logging.getLogger("x").error("550 <anna.smith@players.test>: unknown; try 'ben@b.test'")
    assert log.getvalue().endswith("550 <a…@players.test>: unknown; try 'b…@b.test'\n")


def test_of_an_exception_its_kind_and_its_way_are_told_and_no_value(log: io.StringIO) -> None:
    hand = HAND

    def look_up() -> None:
        raise ValueError(f"no such card in {hand} for felix+{TOKEN}@felix.test")

    try:
        look_up()
    except ValueError:
        logging.getLogger("felix_async").exception("that did not work")
    line = log.getvalue()
    assert line.count("\n") == 1
    assert "that did not work | ValueError | at test_cli_logs.py:" in line
    assert "look_up" in line
    assert "dog" not in line
    assert TOKEN not in line


def test_what_an_exception_came_from_is_told_too() -> None:
    try:
        try:
            raise KeyError(HAND)
        except KeyError as error:
            raise StoreError("the disk is full") from error
    except StoreError as error:
        text = told(error)
    assert text.startswith("StoreError: the disk is full | at ")
    assert " | because of KeyError | at " in text
    assert "dog" not in text


def test_an_event_that_cannot_be_read_does_not_tell_its_cards(log: io.StringIO) -> None:
    """What pydantic says of a wrong value quotes the value."""
    body = b'{"actor":"rules","at":"x","data":{"cards":[-8,"large_dog"]},"type":"hand_dealt"}'
    try:
        check_envelopes([body])
    except ValueError:
        logging.getLogger("felix_notifiers.outbox.deliver").exception("nobody can be written to")
    assert "nobody can be written to | " in log.getvalue()
    assert "dog" not in log.getvalue()


def test_arguments_that_do_not_fit_are_not_printed() -> None:
    record = logging.makeLogRecord(
        {"name": "other", "levelname": "ERROR", "msg": "%d cards", "args": (HAND,)}
    )
    assert OneLine().format(record).endswith("ERROR other: (a message that does not fit its arguments)")


def test_a_mail_that_fails_leaves_its_number_in_the_log_and_nothing_else(
    terminal: Terminal, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    room: Mailroom = a_mailroom(terminal)
    room.keep(a_mail("PLAY LARGE DOG"))

    def fail(self: Processor, tx: object, mail: object) -> None:
        raise ValueError(f"{mail} says PLAY LARGE DOG")

    monkeypatch.setattr(Processor, "_process", fail)
    room.process()
    text = log.getvalue()
    assert text.count(" ERROR ") == 3, "it is tried three times"
    assert "mail 1 " in text
    assert "DOG" not in text
    assert (token_in(room.address(), MAILBOX) or "-") not in text


PROGRAM = """
import sys, threading, warnings, logging
from felix_cli.logs import set_up
set_up(sys.stderr, logging.DEBUG if {verbose} else logging.INFO)
def fail():
    raise ValueError("a secret card")
thread = threading.Thread(target=fail)
thread.start()
thread.join()
warnings.warn("a secret\\n card", UserWarning)
logging.getLogger("felix_cli.x").debug("detail")
logging.getLogger("imapclient").info("a whole mail")
fail()
"""


@pytest.mark.parametrize("verbose", [False, True])
def test_what_ends_a_thread_or_the_process_is_a_line_of_the_log(verbose: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(verbose=verbose)],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    lines = done.stderr.splitlines()
    assert done.returncode == 1
    errors = [line for line in lines if " CRITICAL felix_cli.logs: something went wrong" in line]
    assert len(errors) == 2
    assert all("ValueError | at " in line and "card" not in line for line in errors)
    assert sum("detail" in line for line in lines) == verbose
    assert not any("a whole mail" in line for line in lines)
    assert len(lines) == 3 + verbose, lines
