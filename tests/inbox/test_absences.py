"""AWAY by mail: noted at every table that allows it, told in full, ended early, and never guessed."""

from __future__ import annotations

from typing import Final

import pytest

from felix_async.audit.audit import audit
from felix_async.follow_up.answer import AnsweredLine
from felix_async.language.phrases import phrase
from felix_async.language.words import MISUNDERSTOOD
from felix_async.reading.line import Line
from felix_async.reading.understand import understand
from felix_events.model import Terms
from inbox.clocked import DAY, NOW, a_clocked_table, in_berlin
from inbox.postbag import Postbag, a_mail, verdicts

ANNA = 0
THIRD: Final = "2026-12-02T23:00:00.000000Z"
"""3 Dec, 00:00 in Berlin."""


def last(bag: Postbag, seat: int, text: str) -> AnsweredLine:
    """What the answer to this mail says of its last line."""
    return bag.send(seat, text).lines[-1]


@pytest.fixture
def bag() -> Postbag:
    """Four at a table with a clock, Anna in Berlin."""
    return in_berlin(a_clocked_table(), ANNA)


# ---- what is noted, and what is said ----------------------------------------------------------------
@pytest.mark.parametrize("text", [
    "AWAY 24.11.-3.12.", "AWAY 2026-11-24 2026-12-03", "AWAY: 24 Nov – 3 Dec", "away 24 Nov\nuntil 3 Dec",
    "AWAY 9 days from 24 Nov", "Hi felix,\n\nAWAY Tue 24 Nov to Thu 3 Dec\n\nThanks\nAnna",
])  # fmt: skip
def test_the_days_come_through_a_mail_as_they_were_written(bag: Postbag, text: str) -> None:
    bag.send(ANNA, text)
    absence = bag.game.seats[ANNA].time.absence
    assert absence is not None
    assert (absence.start, absence.back) == ("2026-11-23T23:00:00.000000Z", THIRD)


def test_the_log_with_an_absence_is_sound(bag: Postbag) -> None:
    for text in ("AWAY 24 Nov to 3 Dec", "AWAY UNTIL 26 Nov COMPUTER", "AWAY OFF"):
        assert last(bag, ANNA, text).verdict == "done"
    assert audit(bag.room.evidence(bag.game_id)).sound


# ---- how things stand, and back early ---------------------------------------------------------------
def test_away_alone_tells_the_absence_that_is_noted(bag: Postbag) -> None:
    last(bag, ANNA, "AWAY 24 Nov to 3 Dec COMPUTER")
    size = bag.size
    assert last(bag, ANNA, "away?").why.startswith(
        "You are away from Tue 24 Nov until the end of Wed 2 Dec: back on 3 Dec. "
        "The computer plays for you meanwhile."
    )
    assert bag.size == size


# ---- several tables ---------------------------------------------------------------------------------
def test_where_an_absence_is_too_long_the_answer_says_so_and_why(bag: Postbag) -> None:
    short = a_clocked_table(bag, terms=Terms(move=DAY, away=5 * DAY), name="Quick one")
    line, below = bag.send(ANNA, "AWAY UNTIL 3 Dec").lines
    assert (line.verdict, below.verdict) == ("done", "ignored")
    assert phrase("people.away.games", count=1) in line.why
    assert below.why.startswith(
        f"Not in Quick one {short.game_id}: That is too long: you have 5 more days away in this game."
    )
    assert bag.game.seats[ANNA].time.absence is not None
    assert short.game.seats[ANNA].time.absence is None


def test_where_games_differ_each_is_told(bag: Postbag) -> None:
    short = a_clocked_table(bag, terms=Terms(move=DAY, away=5 * DAY), name="Quick one")
    line, *below = bag.send(ANNA, "AWAY").lines
    assert line.why == phrase("people.away.how")
    assert any(
        one.why == f"In Quick one {short.game_id}: You are here. You may be away for 5 more days in all."
        for one in below
    )
    assert len(below) == 2


def test_the_games_that_are_told_of_are_few(bag: Postbag) -> None:
    for number in range(6):
        a_clocked_table(bag, terms=Terms(move=DAY, away=number * DAY), name=f"Table {number}")
    _, *below = bag.send(ANNA, "AWAY UNTIL 3 Dec").lines
    assert [one.why for one in below[4:]] == [phrase("people.away.and_more", count=2)]


# ---- what is not noted ------------------------------------------------------------------------------
@pytest.mark.parametrize(("text", "code"), [
    ("AWAY UNTIL 19 Nov", "away/past"),
    ("AWAY UNTIL 31 Feb", "away/no_day"),
    ("AWAY UNTIL 3 Dec 2036", "away/too_long"),
    ("AWAY UNTIL 3 Dec 9999", "away/too_far"),
    ("AWAY 3 Dec to 24 Nov", "away/backwards"),
    ("AWAY UNTIL 3/4", "away/two_days"),
    ("AWAY UNTIL Wed 3 Dec", "away/other_weekday"),
    ("AWAY 3 Dec", "away/one_day"),
    ("AWAY UNTIL further notice", "away/unclear"),
    ("AWAY FROM 3 Dec; PASS", "order"),
    ("AWAY UNTIL <script>alert(1)</script>", "away/unclear"),
    ("AWAY UNTIL \u202e3 Dec", "away/unclear"),
    ("AWAY UNTIL " + "9" * 300, "away/unclear"),
    ("AWAY somewhere nice", "order"),
    ("AWAY COMPUTER", "order"),
])  # fmt: skip
def test_bad_input_gets_a_sentence_and_changes_nothing(bag: Postbag, text: str, code: str) -> None:
    size, seat = bag.size, bag.game.seats[ANNA]
    line = last(bag, ANNA, text)
    if code == "order":
        assert (line.verdict, line.why) == ("not understood", MISUNDERSTOOD["order/no_days"])
    else:
        assert (line.verdict, line.code) == ("refused", code)
    assert (bag.size, bag.game.seats[ANNA]) == (size, seat)


@pytest.mark.parametrize("text", [
    "I am away",
    "I am away from my desk until 3 Dec",
    "We were away until 3 Dec and it rained",
    "Away game tonight, sorry",
    "Ich bin bis 3 Dec abwesend",
    "Away with the fairies",
])  # fmt: skip
def test_prose_about_being_away_is_no_order(bag: Postbag, text: str) -> None:
    size = bag.size
    assert last(bag, ANNA, text).verdict == "not understood"
    assert bag.size == size


def test_a_yes_that_comes_later_means_the_days_that_were_asked_about(bag: Postbag) -> None:
    answer = bag.send(ANNA, "I am away until Monday")
    assert answer.asks_text == "Did you mean AWAY UNTIL 2026-11-23?"
    bag.room.clock.now = NOW.replace(day=22)
    bag.take(a_mail("YES", message_id="<yes@players.test>"), bag.question_address(ANNA, answer.asks))
    absence = bag.game.seats[ANNA].time.absence
    assert absence is not None
    assert absence.back == "2026-11-22T23:00:00.000000Z"


@pytest.mark.parametrize(("subject", "headers"), [
    ("AWAY until 3 Dec", ["Auto-Submitted: auto-replied"]),
    ("AWAY until 3 Dec", ["Precedence: bulk"]),
    ("Abwesenheitsnotiz: bis 3 Dec", []),
    ("Automatische Antwort: Your turn", []),
    ("Out of office: AWAY until 3 Dec", []),
    ("=?utf-8?q?R=C3=A9ponse_automatique?=: AWAY until 3 Dec", []),
])  # fmt: skip
@pytest.mark.parametrize("text", ["AWAY until 3 Dec", ""])
def test_an_automatic_answer_declares_no_absence(
    bag: Postbag, subject: str, headers: list[str], text: str
) -> None:
    size = bag.size
    mail = bag.take(
        a_mail(text, subject=subject, headers=headers, message_id="<auto@players.test>"), bag.address(ANNA)
    )
    assert bag.mail(mail).state == "ignored"
    assert bag.size == size


def test_an_absence_in_a_quote_is_nobodys() -> None:
    (line,) = understand([Line("AWAY until 3 Dec", "quoted")])
    assert line.verdict == "ignored"


# ---- who is back, and by what -----------------------------------------------------------------------
@pytest.mark.parametrize("text", [
    "STATUS", "HAND", "HISTORY", "GAMES", "AWAY", "SAY hello from the beach", "NOTIFY DAILY", "QUIET OFF",
    "TIMEZONE Europe/Rome",
])  # fmt: skip
def test_who_is_away_may_ask_and_stays_away(bag: Postbag, text: str) -> None:
    last(bag, ANNA, "AWAY UNTIL 3 Dec COMPUTER")
    assert verdicts(bag.send(ANNA, text)) == ["done"]
    assert bag.game.seats[ANNA].computer
    assert bag.game.seats[ANNA].time.absence is not None


def test_back_is_an_order_of_who_said_stop_too(bag: Postbag) -> None:
    last(bag, ANNA, "STOP")
    assert verdicts(bag.send(ANNA, "BACK")) == ["done", "done"]


def test_without_a_table_there_is_nothing_to_be_away_from(bag: Postbag) -> None:
    bag.room.play(bag.game_id)
    line = last(bag, ANNA, "AWAY UNTIL 3 Dec")
    assert (line.verdict, line.code) == ("refused", "away/no_game")
