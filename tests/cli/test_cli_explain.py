"""mail explain: how a mail would be read, shown, and nothing done."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.terminal import Terminal
from felix_async.language.words import MARKER
from felix_cli.main import cli
from felix_events.store.rows import Letter
from felix_events.store.sqlite import SqliteStore
from games import a_room

MAIL = b"From: anna@players.test\nSubject: Re: your turn\nIn-Reply-To: <a@b>\n\n"


def written(folder: Path, content: bytes) -> Path:
    file = folder / "answer.eml"
    file.write_bytes(content)
    return file


def explained(terminal: Terminal, folder: Path, content: bytes) -> dict[str, list[object]]:
    result: dict[str, list[object]] = terminal.json("mail", "explain", written(folder, content))
    return result


def test_the_orders_of_a_mail_are_shown_and_every_line_with_its_reason(
    terminal: Terminal, tmp_path: Path
) -> None:
    found = explained(terminal, tmp_path, MAIL + b"BID 5\n\nsee you\n> PLAY 15\n")
    assert found["orders"] == ["BID 5"]
    assert found["lines"] == [
        {"text": "BID 5", "verdict": "order", "why": "This is an order."},
        {
            "text": "see you",
            "verdict": "not understood",
            "why": "I didn't understand this line. Write one order on a line of its own, or HELP.",
        },
        {"text": "> PLAY 15", "verdict": "ignored", "why": "This is quoted from another message."},
    ]


@pytest.mark.parametrize(
    "body",
    [
        b"BID 5\n",
        b"BID 5",
        b"\nBID 5\n",
        b"BID 5\r\n\r\nFrom: a@b.test\r\nSent: Friday, 1 May 2026\r\nTo: c@d.test\r\n\r\nPLAY 15\r\n",
        "BID 5\r\n".encode("utf-16"),
    ],
)
def test_a_file_may_hold_the_text_alone(terminal: Terminal, tmp_path: Path, body: bytes) -> None:
    assert explained(terminal, tmp_path, body)["orders"] == ["BID 5"]


def test_a_text_that_begins_with_an_older_mails_headers_is_no_mail(
    terminal: Terminal, tmp_path: Path
) -> None:
    found = explained(terminal, tmp_path, b"From: a@b.test\nSent: Friday\nSubject: PASS\n\nBID 5\n")
    assert (found["orders"], found["asked"]) == ([], ["BID 5"])


def test_a_mail_out_of_a_mailbox_file_is_a_mail(terminal: Terminal, tmp_path: Path) -> None:
    found = explained(terminal, tmp_path, b"From anna Fri May  1 12:00:00 2026\n" + MAIL + b"BID 5\n")
    assert [line["verdict"] for line in found["lines"]] == ["order"]  # type: ignore[index]


def test_the_mail_may_come_in_by_a_pipe() -> None:
    result = CliRunner().invoke(cli, ["mail", "explain", "-"], input="BID 5\n")
    assert "Orders: BID 5" in result.stdout


def test_what_is_in_doubt_is_shown_as_a_question(terminal: Terminal, tmp_path: Path) -> None:
    text = terminal.run("mail", "explain", written(tmp_path, b"hello felix\nI bid 5 this time\n"))
    assert "To be asked about: BID 5" in text


def test_an_order_in_the_subject_of_a_new_mail_is_shown(terminal: Terminal, tmp_path: Path) -> None:
    found = explained(terminal, tmp_path, b"From: a@b.test\nSubject: PASS\n\n")
    assert found["orders"] == ["PASS"]


def test_an_empty_file_holds_no_order(terminal: Terminal, tmp_path: Path) -> None:
    assert explained(terminal, tmp_path, b"") == {"orders": [], "asked": [], "lines": []}
    assert terminal.run("mail", "explain", written(tmp_path, b"")) == (
        "Orders: none\nI found no text in your message. Please send your order as text.\n"
    )


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_what_it_shows_steers_no_terminal(
    terminal: Terminal, tmp_path: Path, options: tuple[str, ...]
) -> None:
    evil = "\x1b[2Jx\x9b31m\u202ey\r\x07JOIN \x1b]0;t\x07"
    file = written(tmp_path, f"{evil}\nJOIN \x1b[31m\u202e\x9bred\n".encode())
    shown = terminal.run("mail", "explain", file, *options)
    assert all(char.isprintable() or char == "\n" for char in shown)


def test_what_stands_below_the_marker_is_told_so(terminal: Terminal, tmp_path: Path) -> None:
    text = terminal.run("mail", "explain", written(tmp_path, f"PASS\n{MARKER}\nBID 9\n".encode()))
    assert "This is below the line where replies end." in text


def test_a_file_that_is_longer_than_any_mail_is_a_problem(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("felix_cli.explain.MAX_BYTES", 1_048_576)
    file = written(tmp_path, b"x" * 1_048_577)
    assert "1 MB at most" in terminal.refused("mail", "explain", file)


def test_the_lines_of_the_letter_that_a_mail_answers_are_quotes(terminal: Terminal, tmp_path: Path) -> None:
    offer = b"Your turn\n\n  BID 11\n  PASS\n\nGood luck\n"
    letter = tmp_path / "letter.eml"
    letter.write_bytes(b"Content-Type: text/plain\n\n" + offer)
    answer = written(tmp_path, MAIL + offer + b"\nBID 11\n")
    assert terminal.json("mail", "explain", answer)["orders"] == []
    assert terminal.json("mail", "explain", answer, "--letter", letter)["orders"] == ["BID 11"]


def test_the_letter_is_looked_up_as_a_server_does(terminal: Terminal, tmp_path: Path) -> None:
    db = tmp_path / "felix.db"
    offer = b"Your turn\n\n  BID 11\n  PASS\n\nGood luck\n"
    now = "2026-01-01T12:00:00.000000Z"
    room = a_room(store=SqliteStore.create(db))
    raw = b"Content-Type: text/plain\n\n" + offer
    game_id = room.open()
    with room.store.write() as tx:
        tx.freeze(Letter(game_id, 0, "a@b.test", "<a@b>", raw, now, now))
    room.store.close()
    answer = written(tmp_path, MAIL + offer + b"\nBID 11\n")
    assert terminal.json("mail", "explain", answer, "--db", db)["orders"] == ["BID 11"]
