"""mail receive: a mail server's pipe ends in the inbox, and its exit code never costs anybody a move."""

from __future__ import annotations

import fcntl
import os
import resource
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

import pytest
from click.testing import CliRunner, Result

from cli.terminal import ENV_OFF, FELIX, Terminal, assert_harmless, environment
from cli.village import MAILBOX, PATIENCE, Village, serving, settle_in
from felix_async.address import Token, address_of, encode_token
from felix_cli import receive
from felix_cli.main import cli
from felix_cli.output import Problem
from felix_events.store.rows import Mail
from felix_events.store.sqlite import SqliteStore

ANNA: Final = "anna@players.test"
MAX_BYTES: Final = 262_144
FROM_NOBODY: Final[dict[str, str | None]] = {"ORIGINAL_RECIPIENT": None, "RECIPIENT": None, "SENDER": None}


@pytest.fixture
def table(terminal: Terminal) -> str:
    """A game to which Anna is invited, on a server that takes mail by a pipe alone; its id."""
    settings = f'mailbox = "{MAILBOX}"\n[listen]\nprotocol = "off"\n[send]\nchannel = "console"\n'
    Path("felix.toml").write_text(settings, encoding="utf-8")
    terminal.run("init")
    return terminal.new(f"Anna <{ANNA}>", "Ben <ben@players.test>", "Cara <cara@players.test>")


def address(game_id: str, seat: int = 0) -> str:
    """Where a seat's JOIN goes."""
    store = SqliteStore.open_to_read(Path("felix.db"))
    with store.read() as reader:
        secret = reader.seats(game_id)[seat].secret
    store.close()
    return address_of(MAILBOX, encode_token(Token(game_id, seat, "move", 0), secret))


def a_mail(text: str = "JOIN", *headers: str) -> bytes:
    head = [f"From: Anna <{ANNA}>", "Message-ID: <1@players.test>", *headers]
    return "\r\n".join([*head, "", text, ""]).encode()


def pipe(raw: bytes, *words: str, **variables: str) -> Result:
    """A mail server hands over a mail."""
    env = {**ENV_OFF, **FROM_NOBODY, **variables}
    return CliRunner(env=env).invoke(cli, ["mail", "receive", *words], input=raw, prog_name="felix")


def code(result: Result) -> int:
    """The exit code of a command that says nothing, or one sentence on standard error."""
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.count("\n") == (1 if result.exit_code else 0)
    assert_harmless(result.stderr)
    return result.exit_code


def kept() -> list[Mail]:
    store = SqliteStore.open_to_read(Path("felix.db"))
    with store.read() as reader:
        mails = reader.mails()
    store.close()
    return mails


# ---- kept -----------------------------------------------------------------------------------------------
def test_a_mail_is_kept_as_it_came_with_its_envelope(table: str) -> None:
    raw = a_mail()
    assert code(pipe(raw, "--recipient", address(table), "--sender", ANNA)) == 0
    (mail,) = kept()
    assert (mail.raw, mail.recipient, mail.sender, mail.state) == (raw, address(table), ANNA, "new")


def test_the_envelope_is_in_the_variables_that_a_mail_server_sets(table: str) -> None:
    assert code(pipe(a_mail(), RECIPIENT=address(table, 1), SENDER="ben@players.test")) == 0
    both = {"ORIGINAL_RECIPIENT": address(table, 2), "RECIPIENT": MAILBOX, "SENDER": ""}
    assert code(pipe(a_mail(), **both)) == 0
    envelopes = [(mail.recipient, mail.sender) for mail in kept()]
    assert envelopes == [(address(table, 1), "ben@players.test"), (address(table, 2), "")]


def test_an_option_has_the_last_word_over_a_variable(table: str) -> None:
    pipe(a_mail(), "--recipient", address(table), "--sender", "", RECIPIENT="x@y.test", SENDER="z@y.test")
    assert [(mail.recipient, mail.sender) for mail in kept()] == [(address(table), "")]


@pytest.mark.parametrize("name", ["", "<>", "MAILER-DAEMON", "mailer-daemon"])
def test_a_bounces_sender_is_known_however_a_mail_server_writes_it(table: str, name: str) -> None:
    pipe(a_mail(), "--recipient", address(table), "--sender", name)
    assert kept()[0].sender == ""


def test_without_an_envelope_the_headers_tell(table: str) -> None:
    raw = a_mail("JOIN", f"Return-Path: <{ANNA}>", f"To: x@y.test, felix <{address(table, 1)}>")
    assert code(pipe(raw)) == 0
    assert [(mail.recipient, mail.sender) for mail in kept()] == [(address(table, 1), ANNA)]


def test_a_mail_to_two_of_our_addresses_is_kept_for_both(table: str) -> None:
    addresses = [address(table, 0), address(table, 1)]
    assert code(pipe(a_mail("JOIN", f"To: {addresses[0]}", f"Cc: {addresses[1]}"))) == 0
    assert [mail.recipient for mail in kept()] == addresses


def test_the_mailbox_itself_is_an_address_of_ours(table: str) -> None:
    assert code(pipe(a_mail(), "--recipient", MAILBOX)) == 0
    assert code(pipe(a_mail())) == 0
    assert [mail.recipient for mail in kept()] == [MAILBOX, MAILBOX]


@pytest.mark.parametrize(
    "raw",
    [b"", b"\n", bytes(range(256)) * 40, Random(7).randbytes(100_000), b"\r\n\r\n" * 999, b":" * 99_999],
    ids=["nothing", "a line end", "all bytes", "noise", "blank lines", "colons"],
)
def test_any_bytes_are_kept_before_anybody_looks_at_them(table: str, raw: bytes) -> None:
    assert code(pipe(raw)) == 0
    assert [mail.raw for mail in kept()] == [raw]


# ---- refused for good -------------------------------------------------------------------------------
@pytest.mark.parametrize("recipient", ["anna@players.test", "felix+abc@felix.test", "", "\x1b[31m"])
def test_an_address_that_is_not_ours_is_67(table: str, recipient: str) -> None:
    assert code(pipe(a_mail(), "--recipient", recipient)) == receive.EX_NOUSER
    assert kept() == []


def test_a_token_that_was_made_up_is_67(table: str) -> None:
    good = address(table)
    forged = good.replace("@", "a@" if good.partition("@")[0][-1] != "a" else "b@")
    assert code(pipe(a_mail(), RECIPIENT=forged)) == receive.EX_NOUSER


def test_a_mail_that_is_too_large_is_65_and_its_last_byte_decides(table: str) -> None:
    full = a_mail("x" * MAX_BYTES)[:MAX_BYTES]
    assert code(pipe(full + b"x")) == receive.EX_DATAERR
    assert kept() == []
    assert code(pipe(full)) == 0


@pytest.mark.slow
def test_a_mail_of_20_megabytes_is_read_to_its_end(table: str) -> None:
    """A mail server that cannot write all of it may take that for trouble, and try again."""
    chunk = b"x" * 999 + b"\n"
    with a_process(stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        for _ in range(20_000):
            process.stdin.write(chunk)
        process.stdin.close()
        assert process.wait(30) == receive.EX_DATAERR


# ---- our own trouble ------------------------------------------------------------------------------------
def a_process(*words: str, **settings: object) -> subprocess.Popen[bytes]:
    env = {name: value for name, value in environment().items() if name not in FROM_NOBODY}
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        [*FELIX, "mail", "receive", *words], env=env, stderr=subprocess.DEVNULL, **settings
    )


def no_database() -> None:
    Path("felix.db").unlink()


def another_database() -> None:
    Path("felix.db").write_bytes(b"something else" * 999)


def wrong_settings() -> None:
    Path("felix.toml").write_text("mailbox = 7", encoding="utf-8")


def settings_that_are_no_text() -> None:
    Path("felix.toml").write_bytes(b"\xff\xfe")


@pytest.mark.parametrize(
    "trouble", [no_database, another_database, wrong_settings, settings_that_are_no_text]
)
def test_trouble_with_the_set_up_is_75(table: str, trouble: Callable[[], None]) -> None:
    trouble()
    assert code(pipe(a_mail(), "--recipient", MAILBOX)) == receive.EX_TEMPFAIL


@pytest.mark.parametrize("words", [["--recipent", "x"], ["--recipient"], ["felix@felix.test"]])
def test_wrong_words_in_the_mail_servers_configuration_are_75(table: str, words: list[str]) -> None:
    assert code(pipe(a_mail(), *words)) == receive.EX_TEMPFAIL


@pytest.mark.slow
def test_a_full_disk_is_75(table: str) -> None:
    size = Path("felix.db").stat().st_size // 2

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    # What repeats itself takes no room.
    raw = a_mail(os.urandom(100_000).hex())
    with a_process(stdin=subprocess.PIPE, preexec_fn=fill) as process:
        process.communicate(raw, timeout=30)
    assert process.returncode == receive.EX_TEMPFAIL
    assert kept() == []
    assert code(pipe(raw)) == 0


def test_a_database_that_somebody_holds_is_75_in_time(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with open("felix.db.lock", "rb") as lock, monkeypatch.context() as patch:
        patch.setattr(receive, "PATIENCE_SECONDS", 0.2)
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert code(pipe(a_mail())) == receive.EX_TEMPFAIL
    assert code(pipe(a_mail())) == 0


def test_a_mail_server_that_stops_writing_is_not_waited_for_for_ever(
    table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receive, "PATIENCE_SECONDS", 0.2)
    reading, writing = os.pipe()
    try:
        with os.fdopen(reading, "rb") as stdin:
            monkeypatch.setattr("sys.stdin", _Piped(stdin))
            with pytest.raises(Problem) as raised:
                receive.receive.main([], standalone_mode=False)
    finally:
        os.close(writing)
    assert raised.value.exit_code == receive.EX_TEMPFAIL


class _Piped:
    def __init__(self, buffer: object) -> None:
        self.buffer = buffer


def test_what_nobody_thought_of_is_75(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receive, "recipients_in", lambda raw, mailbox: 1 // 0)
    result = pipe(a_mail())
    assert code(result) == receive.EX_TEMPFAIL
    assert result.stderr == "Error: It could not be kept: ZeroDivisionError.\n"


# ---- beside a server --------------------------------------------------------------------------------
def test_a_mail_waits_for_the_next_start(table: str) -> None:
    assert code(pipe(a_mail(), "--recipient", address(table), "--sender", ANNA)) == 0
    assert [mail.state for mail in kept()] == ["new"]


@pytest.mark.slow
def test_a_running_server_deals_within_seconds_with_what_came_by_several_pipes_at_once(
    terminal: Terminal,
) -> None:
    with Village() as village:
        settle_in(terminal, village)
        game_id = terminal.new(f"Anna <{ANNA}>", "Ben <ben@players.test>", "Cara <cara@players.test>")
        with serving(terminal):
            for _ in range(3):
                village.next()
            processes = [a_process("--recipient", address(game_id), stdin=subprocess.PIPE) for _ in range(8)]
            for number, process in enumerate(processes):
                assert process.stdin is not None
                process.stdin.write(a_mail("HAND", f"X-Number: {number}").replace(b"<1@", b"<%d@" % number))
                process.stdin.close()
            assert [process.wait(60) for process in processes] == [0] * len(processes)
            answer = village.next()
            deadline = time.monotonic() + PATIENCE
            while {mail.state for mail in kept()} != {"done"}:
                assert time.monotonic() < deadline
                time.sleep(0.1)
    assert answer.recipient == ANNA
    assert [mail.state for mail in kept()] == ["done"] * len(processes)
