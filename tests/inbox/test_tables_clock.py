"""The clock of a table opened by mail: what the host writes, what everybody is told, and a rematch."""

from __future__ import annotations

from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import given

from felix_async.language.clock_terms import terms_text
from felix_async.language.phrases import phrase
from felix_async.language.words import REFUSALS
from felix_events.model import Terms
from felix_notifiers.outbox.deliver import claim_owed
from inbox.hosting import FRIENDS, answers, game_at, names_at, opened, why_not, write_new
from inbox.postbag import Postbag, a_mail, a_table
from inbox.test_tables_hostile import NASTY, check
from notifiers.correspondence import corresponding
from notifiers.sheets import part, read

DAY = 24 * 3600
THREE_DAYS = Terms(move=3 * DAY)
WEEKDAYS = "3 days a move, weekends do not count"


@pytest.fixture
def bag() -> Postbag:
    return a_table()


def clock_of(bag: Postbag, text: str) -> Terms | None:
    """The clock of the table that a NEW opens."""
    write_new(bag, text)
    return game_at(bag, opened(bag)[-1]).clock


def mailed(bag: Postbag, name: str) -> str:
    """What this one's letter from the new table says, in one line."""
    claim_owed(bag.do, corresponding(bag).sender)
    with bag.room.store.read() as reader:
        (raw,) = [
            letter.raw
            for letter in reader.letters()
            if letter.game_id == opened(bag)[-1] and letter.recipient.startswith(name)
        ]
    return " ".join(part(read(raw), "plain").split())


def told(bag: Postbag) -> str:
    """What the host is answered."""
    return answers(bag, opened(bag)[-1])[0].lines[0].why


# ---- what the host may write ------------------------------------------------------------------------
@pytest.mark.parametrize(
    "text",
    [
        f"NEW\n{FRIENDS}\nclock: 3 days a move",
        f"NEW\n{FRIENDS}\n3 days a move",
        f"NEW\n72h\n{FRIENDS}",
        f"NEW: 3 days a move\n{FRIENDS}",
        "NEW\nDora <dora@friends.test>, Emil <emil@friends.test>, 3 days a move",
        "NEW: dora@friends.test, emil@friends.test, clock: 3 days",
    ],
)
def test_the_clock_stands_on_a_line_or_between_commas(bag: Postbag, text: str) -> None:
    assert clock_of(bag, text) == THREE_DAYS
    assert [name.lower() for name in names_at(bag, opened(bag)[-1])] == ["anna", "dora", "emil"]


def test_a_clock_behind_new_is_no_name_of_the_table(bag: Postbag) -> None:
    write_new(bag, f"NEW 3 days a move\n{FRIENDS}\ntable Friday cats")
    with bag.room.store.read() as reader:
        assert [game.table_name for game in reader.games()][-1] == "Friday cats"


def test_a_clock_with_a_comma_in_it_is_one_clock(bag: Postbag) -> None:
    clock = clock_of(bag, f"NEW\n{FRIENDS}\n12 hours a move, a week's bank, weekends count")
    assert clock == Terms(move=DAY // 2, reserve=7 * DAY)


def test_a_clock_may_stand_on_several_lines(bag: Postbag) -> None:
    clock = clock_of(bag, f"NEW\n12 hours a move\n{FRIENDS}\na week in reserve\nno weekends in Asia/Tokyo")
    assert clock == Terms(move=DAY // 2, reserve=7 * DAY, weekends=False, zone="Asia/Tokyo")


def test_a_list_may_have_dashes(bag: Postbag) -> None:
    clock = clock_of(bag, "NEW\n- Dora <dora@friends.test>\n-Emil <emil@friends.test>\n- 3 days a move")
    assert clock == THREE_DAYS
    assert names_at(bag, opened(bag)[-1]) == ["Anna", "Dora", "Emil"]


def test_a_name_behind_a_dash_signs_the_mail(bag: Postbag) -> None:
    write_new(bag, f"NEW\n{FRIENDS}\n-Grandma")
    assert names_at(bag, opened(bag)[-1]) == ["Anna", "Dora", "Emil"]


def test_there_may_be_no_clock(bag: Postbag) -> None:
    bag.room.service.terms = THREE_DAYS
    assert clock_of(bag, f"NEW\n{FRIENDS}\nno clock") is None
    assert told(bag).endswith(phrase("answers.tables.no_clock"))


# ---- what the host does not say ---------------------------------------------------------------------
def test_a_host_who_says_nothing_gets_the_servers_clock(bag: Postbag) -> None:
    bag.room.service.terms = THREE_DAYS
    assert clock_of(bag, f"NEW\n{FRIENDS}") == THREE_DAYS


def test_how_long_a_player_may_be_away_is_the_servers(bag: Postbag) -> None:
    bag.room.service.hours = replace(bag.room.service.hours, away=5 * DAY)
    assert clock_of(bag, f"NEW\n{FRIENDS}\n3 days a move") == THREE_DAYS.model_copy(update={"away": 5 * DAY})


def test_weekends_are_where_the_host_said_to_be(bag: Postbag) -> None:
    with bag.room.store.write() as tx:
        tx.choose(replace(tx.choice(bag.seat(0).player_id), zone="Europe/Athens"))
    clock = clock_of(bag, f"NEW\n{FRIENDS}\n3 days a move, no weekends")
    assert clock == Terms(move=3 * DAY, weekends=False, zone="Europe/Athens")


def test_weekends_go_by_the_date_of_a_host_who_said_nothing(bag: Postbag) -> None:
    raw = a_mail(f"NEW\n{FRIENDS}\n3 days a move, no weekends").replace(b"+0000", b"+0530")
    bag.post(raw, bag.address(0))
    bag.work()
    assert game_at(bag, opened(bag)[0]).clock == Terms(move=3 * DAY, weekends=False, zone="+05:30")
    assert told(bag).endswith(phrase("answers.tables.clock", terms=f"{WEEKDAYS} (UTC+5:30)"))


def test_where_nobody_knows_the_host_weekends_are_the_servers(bag: Postbag) -> None:
    bag.room.service.hours = replace(bag.room.service.hours, zone="Europe/Rome")
    clock = clock_of(bag, f"NEW\n{FRIENDS}\n3 days a move, no weekends")
    assert clock is not None
    assert (clock.weekends, clock.zone) == (False, "Europe/Rome")


# ---- what is refused, and leaves no trace -----------------------------------------------------------
@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ("clock: 0 days", "short"),
        ("3 days a move\n2 days a move", "twice"),
        ("3 days a move, 2 days a move", "twice"),
        ("a week's bank", "no_move"),
        ("no clock\n3 days a move", "both"),
        ("no weekends", "no_clock"),
        ("90 days a move", "long"),
    ],
)
def test_a_clock_that_cannot_be_opens_no_table(bag: Postbag, lines: str, name: str) -> None:
    why = phrase(f"people.clock.faults.{name}", text="", zone="", names="", first="")
    assert why_not(bag, f"NEW\n{FRIENDS}\n{lines}") == REFUSALS["new/clock"].format(why=why)


@pytest.mark.parametrize("line", ["clock: soon", "3 days a mov", "2-3 days a move", "no clock please Ben"])
def test_a_line_that_is_nearly_a_clock_is_told_what_a_clock_looks_like(bag: Postbag, line: str) -> None:
    why = phrase("people.clock.faults.unclear", text=line)
    assert why_not(bag, f"NEW\n{FRIENDS}\n{line}") == REFUSALS["new/clock"].format(why=why)


@pytest.mark.parametrize("line", ["soon", "faster please", "Move"])
def test_a_line_that_is_neither_clock_nor_guest_is_refused_as_such(bag: Postbag, line: str) -> None:
    assert why_not(bag, f"NEW\n{FRIENDS}\n{line}") == REFUSALS["new/unknown_line"].format(line=line)


@given(st.text(max_size=60) | st.sampled_from(NASTY))
def test_any_text_for_a_clock_is_harmless(text: str) -> None:
    check(f"NEW\n{FRIENDS}\nclock: {text}", [])


# ---- what everybody is told -------------------------------------------------------------------------
def test_the_host_is_told_the_clock_and_gets_it_in_the_text_for_friends(bag: Postbag) -> None:
    write_new(bag, f"NEW\n{FRIENDS}\n12 hours a move and a week in reserve")
    terms = terms_text(Terms(move=DAY // 2, reserve=7 * DAY))
    assert told(bag).endswith(phrase("answers.tables.clock", terms=terms))
    assert phrase("mails.forward.clock", terms=terms) in mailed(bag, "anna")


def test_a_guest_reads_the_clock_before_joining(bag: Postbag) -> None:
    write_new(bag, f"NEW\n{FRIENDS}\n12 hours a move and a week in reserve, no weekends in Asia/Tokyo")
    text = mailed(bag, "dora")
    terms = "12 hours a move and a week in reserve, weekends do not count (Asia/Tokyo)"
    assert phrase("mails.invitation.clock", terms=phrase("mails.time.terms", terms=terms)) in text
    assert phrase("mails.invitation.reserve") in text
    assert "no hurry" not in text


def test_without_a_clock_a_guest_reads_that_there_is_no_hurry(bag: Postbag) -> None:
    write_new(bag, f"NEW\n{FRIENDS}")
    assert phrase("mails.invitation.mail") in mailed(bag, "dora")


# ---- another game -----------------------------------------------------------------------------------
def test_a_rematch_keeps_the_clock_of_the_game_before(bag: Postbag) -> None:
    write_new(bag, "NEW\nBen\nCara\n2 days a move")
    game_id = opened(bag)[0]
    table = Postbag(bag.room, game_id, bag.processor)
    table.send(0, "CANCEL")
    table.write(0, "REMATCH")
    table.work()
    assert len(opened(bag)) == 2
    assert game_at(bag, opened(bag)[-1]).clock == Terms(move=2 * DAY)
    assert phrase("answers.tables.clock", terms="2 days a move") in told(bag)
