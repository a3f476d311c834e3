"""serve: a real process that takes real mail, plays, answers, and stops when it is told to."""

from __future__ import annotations

import re
import signal
import smtplib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cli.terminal import Terminal, assert_harmless
from cli.village import (
    HOST,
    MAILBOX,
    PRINTED,
    Delivered,
    Players,
    Served,
    Village,
    is_result,
    serving,
    settle_in,
    some_offer,
)
from felix_async.address import token_in
from felix_async.clock import system_clock, text_of
from felix_events.store.rows import Mail
from felix_events.store.sqlite import SqliteStore

PEOPLE = ("anna@players.test", "ben@players.test", "cara@players.test")
MALLORY = "mallory@evil.test"
_LOG_LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [A-Z]+ felix_\S+: ")


@dataclass
class Story:
    """A whole game by mail, with all that went wrong in it."""

    terminal: Terminal
    game_id: str = ""
    delivered: list[Delivered] = field(default_factory=list)
    statuses: dict[str, int] = field(default_factory=dict)
    second: str = ""
    mails: list[Mail] = field(default_factory=list)
    exit_codes: list[int] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def to(self, seat: int) -> list[str]:
        """The texts that this seat got."""
        return [mail.text for mail in self.delivered if mail.recipient == PEOPLE[seat]]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    folder = tmp_path_factory.mktemp("served")
    with pytest.MonkeyPatch.context() as patch, Village() as village:
        patch.chdir(folder)
        told = Story(Terminal(folder))
        settle_in(told.terminal, village)
        _play(told, village)
        told.delivered = village.delivered
        store = SqliteStore.open_to_read(Path("felix.db"))
        with store.read() as reader:
            told.mails = reader.mails()
        store.close()
        yield told


def _play(told: Story, village: Village) -> None:
    players = Players(some_offer)
    results = number = 0
    with serving(told.terminal, "--verbose") as felix:
        told.game_id = told.terminal.new(*[f"{who.partition('@')[0].title()} <{who}>" for who in PEOPLE])
        told.second = told.terminal.process("serve").stderr.decode()
        first = village.next()
        told.statuses = {
            "stranger": felix.send(first.reply_to, "JOIN", MALLORY, "m1@evil.test"),
            "spoof": felix.send(
                first.reply_to, "DECLINE", f"{first.recipient}<{MALLORY}>", "m2@evil.test", MALLORY
            ),
            "no token": felix.send(MAILBOX, "JOIN", first.recipient, "n1@players.test"),
            "bad token": felix.send("felix+aaaa@felix.test", "JOIN", first.recipient, "n2@players.test"),
            "foreign": felix.send("anna@players.test", "JOIN", first.recipient, "n3@players.test"),
        }
        mail: Delivered | None = first
        while results < len(PEOPLE) and number < 20:
            number += 1
            results += _react(told, players, felix, mail or village.next(), number)
            mail = None
        told.exit_codes.append(felix.stop(signal.SIGKILL))
    told.said += felix.said
    with serving(told.terminal, "--verbose") as felix:
        while results < len(PEOPLE):
            number += 1
            results += _react(told, players, felix, village.next(), number)
        told.exit_codes.append(felix.stop())
    told.said += felix.said


def _react(told: Story, players: Players, felix: Served, mail: Delivered, number: int) -> bool:
    """Answer a mail; some answers ask for too much first, and some are delivered three times."""
    order = players.answer(mail)
    if order is not None:
        count = len(players.answered)
        text = f"DECLINE\n{order}\nHAND" if count % 5 == 0 else order
        for _ in range(3 if count % 7 == 0 else 1):
            assert felix.send(mail.reply_to, text, mail.recipient, f"{number}@players.test") == 250
    return is_result(mail)


@pytest.mark.slow
def test_a_whole_game_was_played_by_mail_and_is_sound(story: Story) -> None:
    (game,) = story.terminal.json("games")
    assert (game["state"], game["kind"]) == ("ended", "played")
    assert ": sound (" in story.terminal.run("audit", "--all")
    rounds = [e for e in story.terminal.json("replay", story.game_id) if e["type"] == "round_started"]
    assert [event["data"]["round"] for event in rounds] == list(range(1, 10))


@pytest.mark.slow
def test_every_move_was_made_by_a_seat(story: Story) -> None:
    events = story.terminal.json("replay", story.game_id)
    moves = [event for event in events if event["type"] in ("bid_placed", "player_joined", "player_passed")]
    assert {event["actor"] for event in moves} == {"seat"}


@pytest.mark.slow
def test_sigterm_ends_it_well_and_a_killed_one_goes_on_where_it_was(story: Story) -> None:
    assert story.exit_codes == [-signal.SIGKILL, 0]
    assert any(line.endswith("felix stops\n") for line in story.said)


@pytest.mark.slow
def test_a_second_server_on_the_same_database_is_refused(story: Story) -> None:
    assert story.second == "Error: Another felix server works on felix.db; stop it first.\n"


@pytest.mark.slow
def test_everybody_was_invited_asked_and_told_the_result(story: Story) -> None:
    for seat in range(3):
        subjects = [str(m.message["Subject"]) for m in story.delivered if m.recipient == PEOPLE[seat]]
        assert "to play Felix" in subjects[0]
        assert sum(is_result(mail) for mail in story.delivered if mail.recipient == PEOPLE[seat]) == 1
        assert len(story.to(seat)) > 9


@pytest.mark.slow
def test_mail_to_addresses_that_are_not_ours_was_refused_at_once(story: Story) -> None:
    refused = {what: status for what, status in story.statuses.items() if status != 250}
    assert refused == {"bad token": 550, "foreign": 550}


@pytest.mark.slow
def test_a_strangers_mail_was_kept_put_aside_and_not_answered(story: Story) -> None:
    states = [mail.state for mail in story.mails if b"@evil.test>" in mail.raw]
    assert states == ["quarantined", "quarantined"]
    assert {mail.recipient for mail in story.delivered} == set(PEOPLE)


@pytest.mark.slow
def test_the_player_was_asked_once_whether_the_stranger_was_them(story: Story) -> None:
    named = [mail for mail in story.delivered if MALLORY.encode() in mail.raw]
    assert [mail.recipient for mail in named] == [PEOPLE[0]]
    assert "YES" in named[0].text


@pytest.mark.slow
def test_a_mail_delivered_three_times_was_obeyed_once(story: Story) -> None:
    states = Counter(mail.state for mail in story.mails)
    assert states["duplicate"] >= 2
    assert set(states) == {"done", "duplicate", "quarantined"}
    events = story.terminal.json("replay", story.game_id)
    moves = sum(event["actor"] == "seat" for event in events)
    assert moves <= states["done"]


@pytest.mark.slow
def test_a_refused_line_was_answered_and_undid_nothing_else(story: Story) -> None:
    refused = [mail for mail in story.delivered if "DECLINE" in mail.text and "Not done" in mail.text]
    assert refused
    for mail in refused:
        assert str(mail.message["Auto-Submitted"]) == "auto-replied"
        assert mail.sender in ("", "<>"), "nobody answers an answer"


@pytest.mark.slow
def test_all_that_was_owed_was_sent(story: Story) -> None:
    store = SqliteStore.open_to_read(story.terminal.folder / "felix.db")
    with store.read() as reader:
        letters = reader.letters()
        assert reader.pending(text_of(system_clock())) == []
    store.close()
    # A letter that went stale before it was sent is dropped.
    assert {letter.state for letter in letters} <= {"sent", "dropped"}
    delivered = {mail.raw for mail in story.delivered}
    assert {letter.raw for letter in letters if letter.state == "sent"} <= delivered
    assert delivered <= {letter.raw for letter in letters}


@pytest.mark.slow
def test_nobody_was_mailed_twice_but_for_the_letters_of_the_moment_of_the_crash(story: Story) -> None:
    """A letter that was sent and not marked is sent once more, with the same Message-ID."""
    twice = [count for count in Counter(mail.raw for mail in story.delivered).values() if count > 1]
    assert len(twice) <= len(PEOPLE)
    assert set(twice) <= {2}


@pytest.mark.slow
def test_the_log_of_the_server_tells_no_addresses(story: Story) -> None:
    text = "".join(story.said)
    assert "felix+" not in text
    for address in (*PEOPLE, MALLORY):
        assert address not in text
    assert_harmless(text)


@pytest.mark.slow
def test_the_log_of_the_server_tells_no_token_and_no_card(story: Story) -> None:
    text = "".join(story.said).lower()
    tokens = {token_in(mail.reply_to, MAILBOX) or "" for mail in story.delivered}
    assert len(tokens) > 18
    assert [token for token in tokens if token in text] == []
    orders = [
        line for mail in story.mails for line in mail.raw.decode().splitlines() if line.startswith("PLAY")
    ]
    assert len(orders) > 18
    words = {"play ", "hand", "dog", "rabbit", "salt", "seed", *(order.lower() for order in orders)}
    assert [word for word in sorted(words) if word in text] == []


@pytest.mark.slow
def test_the_log_of_the_server_tells_what_came_and_what_went(story: Story) -> None:
    lines = [line for line in story.said if _LOG_LINE.match(line)]
    kept = [line for line in lines if " felix_async.inbox.receive: mail " in line]
    sent = [line for line in lines if f" of {story.game_id}: sent to players.test" in line]
    assert len(kept) == len(story.mails)
    assert 0 <= len(story.delivered) - len(sent) <= len(PEOPLE), "the crash"
    assert {line for line in story.said if not _LOG_LINE.match(line)} <= {
        line for line in story.said if line.startswith("felix ")
    }


# ---- other ways to run ------------------------------------------------------------------------------------
@pytest.mark.slow
def test_lmtp_is_spoken_where_the_settings_say_so(terminal: Terminal) -> None:
    with Village() as village:
        settle_in(terminal, village, "lmtp")
        with serving(terminal) as felix:
            with smtplib.LMTP(HOST, felix.port) as client:
                assert client.ehlo("players.test")[0] == 250
                client.mail("anna@players.test")
                assert client.rcpt("felix@felix.test")[0] == 250
                assert client.rcpt("felix+nonsense@felix.test")[0] == 550
            assert felix.stop(signal.SIGINT) == 0


@pytest.mark.slow
def test_mails_are_printed_where_the_settings_say_so(terminal: Terminal) -> None:
    with Village() as village:
        settle_in(terminal, village)
        settings = Path("felix.toml").read_text(encoding="utf-8")
        Path("felix.toml").write_text(settings + 'channel = "console"\n', encoding="utf-8")
        terminal.new(*[f"\x1b[31m{who.partition('@')[0]} <{who}>" for who in PEOPLE])
        with serving(terminal) as felix:
            assert felix.stop() == 0
        assert village.delivered == []
    text = Path(PRINTED).read_text(encoding="utf-8")
    assert_harmless(text)
    assert [line for line in text.splitlines() if line.startswith("To: ")] == [
        f'To: "[31m{who.partition("@")[0]}" <{who}>' for who in PEOPLE
    ]


@pytest.mark.slow
def test_a_port_that_is_taken_is_named(terminal: Terminal) -> None:
    with Village() as village:
        settle_in(terminal, village)
        settings = Path("felix.toml").read_text(encoding="utf-8")
        Path("felix.toml").write_text(
            settings.replace("port = 0", f"port = {village.port}"), encoding="utf-8"
        )
        done = terminal.process("serve")
    assert done.returncode == 1
    assert done.stdout == b""
    (sentence,) = done.stderr.decode().splitlines()
    assert sentence.startswith(f"Error: felix cannot listen on 127.0.0.1:{village.port}: ")
    assert sentence.endswith("; change [listen] in felix.toml.")
