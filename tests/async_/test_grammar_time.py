"""AWAY, PAUSE, RESUME and ABANDON as people write them: what is acted on, asked about, and left alone."""

from __future__ import annotations

import pytest

from felix_async.language.grammar import Misread, Order, read_line


@pytest.mark.parametrize(("line", "text"), [
    ("AWAY", ""),
    ("away?", ""),
    ("AWAY UNTIL 3 Dec", "until 3 dec"),
    ("Away: 24 Nov – 3 Dec.", "24 nov - 3 dec"),
    ("AWAY 24.11.-3.12.", "24.11.-3.12"),
    ("AWAY 2026-11-24 2026-12-03", "2026-11-24 2026-12-03"),
    ("* AWAY Monday to Friday", "monday to friday"),
    ("AWAY tomorrow to Friday, computer plays", "tomorrow to friday, computer plays"),
    ("AWAY 5 days!", "5 days"),
    ("AWAY 2 weeks from 1 Dec COMPUTER", "2 weeks from 1 dec computer"),
    ("AWAY OFF", "off"),
    ("back", "off"),
    ("BACK.", "off"),
])  # fmt: skip
def test_an_absence_alone_on_its_line_is_an_order(line: str, text: str) -> None:
    assert read_line(line) == Order("AWAY", text=text)
    assert read_line(str(read_line(line))) == Order("AWAY", text=text)


@pytest.mark.parametrize("word", ["PAUSE", "RESUME", "ABANDON"])
@pytest.mark.parametrize("spelled", [str.upper, str.lower, "* {}.".format])
def test_a_vote_stands_alone(word: str, spelled: object) -> None:
    assert callable(spelled)
    assert read_line(spelled(word)) == Order(word)
    assert isinstance(read_line(f"{word} now or never"), Misread)


@pytest.mark.parametrize(("line", "meant"), [
    ("I am away until 3 Dec", "AWAY UNTIL 3 DEC"),
    ("I'm away 24 Nov to 3 Dec", "AWAY 24 NOV TO 3 DEC"),
    ("I will be away until Monday", "AWAY UNTIL MONDAY"),
    ("out of office until 3 Dec", "AWAY UNTIL 3 DEC"),
    ("I'm back", "AWAY OFF"),
    ("Hi, I am back", "AWAY OFF"),
    ("please pause the game", "PAUSE"),
    ("I want to abandon the game", "ABANDON"),
    ("let's resume", "RESUME"),
])  # fmt: skip
def test_a_sentence_around_one_is_asked_about(line: str, meant: str) -> None:
    read = read_line(line)
    assert isinstance(read, Misread)
    assert str(read.meant) == meant


@pytest.mark.parametrize("line", [
    "I am away",
    "I'm away from my desk",
    "I am away from my desk until 3 Dec",
    "Away game tonight",
    "far away until 3 Dec",
    "Take it away!",
    "AWAY or not, I play",
    "I am back on Monday",
    "Back to work",
    "backup",
    "Pause.pdf",
    "no pause for me",
    "I abandon hope",
    "Ich bin bis 3 Dec away",
])  # fmt: skip
def test_what_only_speaks_of_it_is_nothing(line: str) -> None:
    read = read_line(line)
    assert isinstance(read, Misread)
    assert read.meant is None


def test_what_is_missing_behind_away_is_told() -> None:
    read = read_line("AWAY somewhere")
    assert isinstance(read, Misread)
    assert read.code == "order/no_days"
