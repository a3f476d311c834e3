"""TIMEZONE and QUIET: what players say of their clocks, and what their mails tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from felix_async.follow_up.answer import Answer
from felix_async.follow_up.notices import Hours
from felix_async.language.words import REFUSALS
from felix_events.store.rows import Choice
from inbox.postbag import Postbag, a_mail, an_auction

ANNA, BEN, CARA, DAN = range(4)
BERLIN: Final = "Thu, 01 Jan 2026 13:00:00 +0100"
NEW_YORK: Final = "Thu, 01 Jan 2026 07:00:00 -0500"
EVERYWHERE: Final = "Thu, 01 Jan 2026 12:00:00 +0000"


def choice(bag: Postbag, seat: int) -> Choice:
    return bag.look(lambda reader: reader.choice(bag.seat(seat).player_id))


def choices(bag: Postbag) -> list[Choice]:
    return [choice(bag, seat) for seat in (ANNA, BEN, CARA, DAN)]


def post(bag: Postbag, seat: int, text: str, date: str, *, sender: str = "", header: str = "") -> None:
    """This mail comes in and is dealt with."""
    bag.mails += 1
    sender = sender or f"{('anna', 'ben', 'cara', 'dan')[seat]}@players.test"
    headers = [header] if header else []
    raw = a_mail(text, sender=sender, message_id=f"<clock{bag.mails}@players.test>", headers=headers)
    bag.take(raw.replace(EVERYWHERE.encode(), date.encode()), bag.address(seat), sender)


def write(bag: Postbag, seat: int, text: str, date: str = EVERYWHERE) -> Answer:
    """The answer to this mail, written by a clock that says so."""
    post(bag, seat, text, date)
    return Answer.model_validate_json(bag.owed(seat, "answer")[-1].payload)


def told(bag: Postbag, seat: int, text: str, date: str = EVERYWHERE) -> tuple[str, str]:
    """The verdict on the only line of this mail, and why."""
    (line,) = write(bag, seat, text, date).lines
    return line.verdict, line.why


# ---- what a player says
@pytest.mark.parametrize(("line", "zone"), [
    ("TIMEZONE Europe/Berlin", "Europe/Berlin"), ("timezone new york", "America/New_York"),
    ("Timezone: Tokyo.", "Asia/Tokyo"), ("TIMEZONE UTC+5:30", "+05:30"), ("TIMEZONE −3", "-03:00"),
    ("TIMEZONE UTC", "+00:00"),
])  # fmt: skip
def test_a_zone_that_a_player_names_is_kept(line: str, zone: str) -> None:
    bag = an_auction()
    assert write(bag, BEN, line).changed
    assert choice(bag, BEN) == Choice(bag.seat(BEN).player_id, zone=zone)


@pytest.mark.parametrize(("line", "code"), [
    ("TIMEZONE Berln", "zone/nearest"), ("TIMEZONE CET", "zone/nearest"),
    ("TIMEZONE the moon", "zone/unknown"), ("TIMEZONE ../../etc/passwd", "zone/unknown"),
    ("TIMEZONE +25", "zone/unknown"), ("QUIET 25:00", "quiet/unclear"), ("QUIET 25:00-8:00", "quiet/no_time"),
    ("QUIET 8-8", "quiet/all_day"), ("QUIET 0:00-24:00", "quiet/all_day"),
])  # fmt: skip
def test_what_is_no_zone_and_no_time_is_refused_and_changes_nothing(line: str, code: str) -> None:
    bag = an_auction()
    write(bag, BEN, "TIMEZONE Europe/Rome\nQUIET 21-7")
    before = choice(bag, BEN)
    answer = write(bag, BEN, line)
    assert [one.code for one in answer.lines] == [code]
    assert (answer.changed, choice(bag, BEN)) == (False, before)
    assert "{" not in answer.lines[0].why


def test_what_a_player_wrote_is_repeated_without_marks_and_not_at_length() -> None:
    _, why = told(an_auction(), BEN, f"TIMEZONE x\u202e{'y' * 200}")
    assert "\u202e" not in why
    assert len(why) < len(REFUSALS["zone/unknown"]) + 70


@pytest.mark.parametrize(
    ("line", "quiet"), [("QUIET 23-7", "23:00-07:00"), ("quiet 10pm-8am", "22:00-08:00"), ("QUIET off", "")]
)
def test_quiet_hours_that_a_player_names_are_kept(line: str, quiet: str) -> None:
    bag = an_auction()
    write(bag, BEN, "QUIET 20-21")
    assert write(bag, BEN, line).changed
    assert choice(bag, BEN).quiet == quiet


def test_alone_both_say_how_it_is() -> None:
    bag = an_auction()
    bag.room.service.hours = Hours(zone="Europe/Berlin")
    assert "I use Europe/Berlin time" in told(bag, BEN, "TIMEZONE")[1]
    assert "From 22:00 to 08:00" in told(bag, BEN, "QUIET")[1]
    assert "Your messages suggest UTC-5" in told(bag, BEN, "TIMEZONE", NEW_YORK)[1]
    write(bag, BEN, "TIMEZONE +05:45\nQUIET OFF")
    assert "I use UTC+5:45 for you, as you told me" in told(bag, BEN, "TIMEZONE")[1]
    assert told(bag, BEN, "QUIET")[1].startswith("You have no quiet hours:")
    write(bag, BEN, "TIMEZONE Tokyo")
    assert "I use Asia/Tokyo time for you" in told(bag, BEN, "TIMEZONE")[1]


def test_a_zone_is_the_players_and_nobody_elses() -> None:
    bag = an_auction()
    others = [one for seat, one in enumerate(choices(bag)) if seat != BEN]
    write(bag, BEN, "TIMEZONE Tokyo\nQUIET OFF", BERLIN)
    assert [one for seat, one in enumerate(choices(bag)) if seat != BEN] == others


def test_who_wants_one_mail_a_day_is_told_when_by_their_own_clock() -> None:
    bag = an_auction()
    write(bag, BEN, "TIMEZONE New York")
    assert "at 17:00 EST (UTC-5)" in told(bag, BEN, "NOTIFY DAILY")[1]


# ---- what a player's mail tells
@pytest.mark.parametrize("date", ["Thu, 01 Jan 2026 13:00:00 +9900", "Thu, 01 Jan 2026 13:00:00 -0000", "x"])
def test_a_senseless_date_tells_nothing(date: str) -> None:
    bag = an_auction()
    write(bag, BEN, "STATUS", date)
    assert choice(bag, BEN).offset == ""


def test_a_machines_mail_tells_nothing() -> None:
    bag = an_auction()
    post(bag, BEN, "STATUS", BERLIN, header="Auto-Submitted: auto-replied")
    assert choice(bag, BEN).offset == ""


def test_the_question_stands_in_one_answer_only() -> None:
    bag = an_auction()
    asked = [
        "zone" in write(bag, BEN, "STATUS", date).show for date in (EVERYWHERE, BERLIN, NEW_YORK, BERLIN)
    ]
    assert asked == [False, True, False, False]
    assert "zone" in write(bag, CARA, "STATUS", BERLIN).show


def test_a_mail_server_that_vouches_for_nobody_keeps_a_clock_unknown() -> None:
    bag = an_auction()
    bag.processor = replace(bag.processor, authserv_id="mx.test")
    post(bag, BEN, "STATUS", BERLIN)
    assert choice(bag, BEN).offset == ""
