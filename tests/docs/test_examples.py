"""The examples run as they stand there, and show what they say."""

from __future__ import annotations

import io
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from email import message_from_bytes, policy
from email.message import EmailMessage
from mailbox import Maildir
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from felix_async.inbox.receive import Listener
from felix_notifiers.content.moves import mailto
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.marks import Outbox
from games import a_game_played, a_room
from notifiers.office import claim_in

EXAMPLES = Path(__file__).parents[2] / "examples"
REPLY_TO = "felix+token@felix.test"


def run(name: str, *arguments: str, stdin: bytes = b"") -> str:
    """What an example prints, without the half second of a process of its own."""
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as printed:
        patch.setattr(sys, "argv", [name, *arguments])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return printed.getvalue()


def run_apart(name: str, *arguments: str, stdin: bytes = b"") -> str:
    """What an example prints in a process of its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FELIX")}
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


# ---- the staircase ----------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def one_round() -> str:
    return run_apart("1_one_round.py")


@pytest.fixture(scope="module")
def whole_game() -> str:
    return run("2_whole_game.py")


def test_one_round_shows_the_dog_at_work(one_round: str) -> None:
    told = "The dog chased the −5 away. Ben bought the sack for 4 mice and got 11 and the rabbit."
    assert told in one_round


def test_one_round_shows_a_refusal(one_round: str) -> None:
    assert "refused (bid/too_low): A bid of 3 is too low." in one_round


def test_a_whole_game_ends_after_nine_rounds_and_is_sound(whole_game: str) -> None:
    assert [int(number) for number in re.findall(r"Round (\d): ", whole_game)] == list(range(1, 10))
    assert "state 'ended'" in whole_game
    assert whole_game.endswith("Audit: sound.\n")


def test_a_whole_game_prints_every_event_of_the_log(whole_game: str) -> None:
    size = int(re.findall(r"Folded: (\d+) events", whole_game)[0])
    assert len(re.findall(r"^ +\d+  ", whole_game, re.MULTILINE)) == size


def test_replay_stops_at_the_version_that_was_asked_for(tmp_path: Path) -> None:
    played = a_game_played(3)
    file = tmp_path / "game.jsonl"
    file.write_bytes(played.export())
    told = run("3_replay_to_version.py", str(file), "--until", "25")
    assert f"The table at version 25 of {played.size}," in told
    assert re.findall(r"^ +(\d+)  ", told, re.MULTILINE)[-1] == "25"


def test_replay_shows_no_card_that_lay_face_down(tmp_path: Path) -> None:
    played = a_game_played(3)
    file = tmp_path / "game.jsonl"
    file.write_bytes(played.export())
    first_placed = played.versions("card_placed")[0]
    told = run("3_replay_to_version.py", str(file), "--until", str(first_placed))
    assert re.search(r"^ +\d+  \w+ placed a card\.$", told, re.MULTILINE)
    assert told.count("face down") == 2  # the dummy's, and the first one placed


def test_replay_without_a_file_plays_a_game_for_itself() -> None:
    told = run("3_replay_to_version.py")
    assert "The table at version 40 of" in told
    assert re.search(r"Root of the log here: [0-9a-f]{64}", told)


@pytest.mark.slow
def test_the_turn_mail_is_the_same_every_time_and_asks_for_a_bid() -> None:
    told = run_apart("5_turn_mail.py")
    assert told == run("5_turn_mail.py")
    assert "\n  BID 7, " in told


# ---- the player's program ---------------------------------------------------------------------------
def a_turn_mail(*orders: str, loop: bool = True, reply_to: str = REPLY_TO) -> bytes:
    """A mail to Ben as felix writes them, offering these orders."""
    mail = EmailMessage()
    mail["From"] = "felix <felix@felix.test>"
    mail["To"] = "Ben <ben@players.test>"
    mail["Reply-To"] = reply_to
    mail["Subject"] = "[Thursday club k7m2p] Your turn: round 1"
    mail["Message-ID"] = "<letter-1@felix.test>"
    if loop:
        mail["X-Felix-Loop"] = "felix@felix.test"
    mail.set_content("Answer with one of these lines.")
    links = "".join(f'<a href="{mailto(reply_to, "Re: x", order)}">{order}</a>' for order in orders)
    mail.add_alternative(f"<p>{links}</p>", subtype="html")
    return mail.as_bytes(policy=policy.SMTP)


class MailServer:
    """Takes mail on loopback and keeps it."""

    def __init__(self) -> None:
        self.recipients: list[list[str]] = []
        self.mails: list[EmailMessage] = []

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        assert isinstance(envelope.content, bytes)
        self.recipients.append(envelope.rcpt_tos)
        self.mails.append(message_from_bytes(envelope.content, _class=EmailMessage, policy=policy.default))
        return "250 OK"


@pytest.fixture
def smtp() -> Iterator[tuple[MailServer, str]]:
    """A mail server, and its HOST:PORT."""
    mail_server = MailServer()
    listener = Listener(mail_server, host="127.0.0.1", port=0, max_bytes=100_000)
    listener.start()
    yield mail_server, f"127.0.0.1:{listener.port}"
    listener.stop()


def test_the_player_answers_to_the_reply_address(smtp: tuple[MailServer, str], tmp_path: Path) -> None:
    mail_server, where = smtp
    file = tmp_path / "turn.eml"
    file.write_bytes(a_turn_mail("BID 1", "BID 2", "PASS"))
    run("4_answer_turn_mails.py", "--smtp", where, str(file))
    assert mail_server.recipients == [[REPLY_TO]]


def test_the_player_writes_one_offered_order_and_nothing_else(smtp: tuple[MailServer, str]) -> None:
    mail_server, where = smtp
    run("4_answer_turn_mails.py", "--smtp", where, stdin=a_turn_mail("BID 1", "BID 2", "PASS"))
    assert [mail.get_content().strip() for mail in mail_server.mails] == ["BID 1"]


def test_the_player_answers_as_the_one_to_whom_the_mail_went(smtp: tuple[MailServer, str]) -> None:
    mail_server, where = smtp
    run("4_answer_turn_mails.py", "--smtp", where, stdin=a_turn_mail("JOIN", "DECLINE"))
    [reply] = mail_server.mails
    assert (reply["From"], reply["In-Reply-To"]) == ("Ben <ben@players.test>", "<letter-1@felix.test>")


def test_the_player_passes_where_every_bid_is_above_its_limit() -> None:
    told = run("4_answer_turn_mails.py", "--limit", "6", stdin=a_turn_mail("BID 7", "BID 9", "PASS"))
    assert told.endswith("\nPASS\n\n")


def test_the_player_places_a_card() -> None:
    assert run("4_answer_turn_mails.py", stdin=a_turn_mail("PLAY -8", "PLAY 11")).endswith("\nPLAY -8\n\n")


def test_the_player_leaves_a_mail_alone_that_is_not_from_felix() -> None:
    assert run("4_answer_turn_mails.py", stdin=a_turn_mail("BID 1", loop=False)) == ""


def test_the_player_leaves_a_mail_alone_that_asks_for_nothing() -> None:
    assert run("4_answer_turn_mails.py", stdin=a_turn_mail()) == ""


def test_the_player_answers_a_reminder_and_its_turn_mail_once(tmp_path: Path) -> None:
    files = [tmp_path / "turn.eml", tmp_path / "reminder.eml"]
    for file in files:
        file.write_bytes(a_turn_mail("BID 1", "PASS"))
    assert run("4_answer_turn_mails.py", *map(str, files)).count("BID 1") == 1


def test_the_player_answers_a_mail_in_a_maildir_once(tmp_path: Path) -> None:
    folder = Maildir(tmp_path / "Maildir")
    folder.add(a_turn_mail("BID 1", "PASS"))
    first, second = (run("4_answer_turn_mails.py", str(tmp_path / "Maildir")) for _ in range(2))
    assert (first.count("BID 1"), second) == (1, "")


def test_the_player_understands_a_mail_as_felix_sends_it() -> None:
    room = a_room()
    room.open()
    with room.store.write() as tx:
        claim_in(tx, Outbox(room.clock, Letters("felix@felix.test", b"secret")))
        invitation = tx.letters()[1]
    told = run("4_answer_turn_mails.py", stdin=invitation.raw)
    assert "From: Ben <ben@players.test>\n" in told
    assert told.endswith("\nJOIN\n\n")
