"""The clock of a table opened by mail: what the host writes, what everybody is told, and a rematch."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from felix_async.language.clock_terms import terms_text
from felix_async.language.phrases import phrase
from felix_async.language.words import REFUSALS
from felix_events.model import Terms
from inbox.hosting import FRIENDS, answers, game_at, names_at, opened, why_not, write_new
from inbox.postbag import Postbag, a_mail
from inbox.test_tables_hostile import NASTY, check
from notifiers.correspondence import corresponding
from notifiers.office import claim_owed
from notifiers.sheets import part, read

DAY = 24 * 3600
THREE_DAYS = Terms(move=3 * DAY)
WEEKDAYS = "3 days a move, weekends do not count"


def clock_of(bag: Postbag, text: str) -> Terms | None:
    """The clock of the table that a NEW opens."""
    write_new(bag, text)
    return game_at(bag, opened(bag)[-1]).clock


def mailed(bag: Postbag, name: str) -> str:
    """What this one's letter from the new table says, in one line."""
    claim_owed(bag.do, corresponding(bag).outbox)
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
@pytest.mark.parametrize("text", [
    f"NEW\n{FRIENDS}\nclock: 3 days a move", f"NEW\n{FRIENDS}\n3 days a move", f"NEW\n72h\n{FRIENDS}",
    f"NEW: 3 days a move\n{FRIENDS}",
    "NEW\nDora <dora@friends.test>, Emil <emil@friends.test>, 3 days a move",
    "NEW: dora@friends.test, emil@friends.test, clock: 3 days",
])  # fmt: skip
def test_the_clock_stands_on_a_line_or_between_commas(bag: Postbag, text: str) -> None:
    assert clock_of(bag, text) == THREE_DAYS
    assert [name.lower() for name in names_at(bag, opened(bag)[-1])] == ["anna", "dora", "emil"]


# ---- what is refused, and leaves no trace -----------------------------------------------------------
@pytest.mark.parametrize(("lines", "name"), [
    ("clock: 0 days", "short"), ("3 days a move\n2 days a move", "twice"),
    ("3 days a move, 2 days a move", "twice"), ("a week's bank", "no_move"),
    ("no clock\n3 days a move", "both"), ("no weekends", "no_clock"), ("90 days a move", "long"),
])  # fmt: skip
def test_a_clock_that_cannot_be_opens_no_table(bag: Postbag, lines: str, name: str) -> None:
    why = phrase(f"people.clock.faults.{name}", text="", zone="", names="", first="")
    assert why_not(bag, f"NEW\n{FRIENDS}\n{lines}") == REFUSALS["new/clock"].format(why=why)


@given(st.text(max_size=60) | st.sampled_from(NASTY))
def test_any_text_for_a_clock_is_harmless(text: str) -> None:
    check(f"NEW\n{FRIENDS}\nclock: {text}", [])


def test_a_name_behind_a_dash_signs_the_mail(bag: Postbag) -> None:
    write_new(bag, f"NEW\n{FRIENDS}\n-Grandma")
    assert names_at(bag, opened(bag)[-1]) == ["Anna", "Dora", "Emil"]


def test_the_host_is_told_the_clock_and_gets_it_in_the_text_for_friends(bag: Postbag) -> None:
    write_new(bag, f"NEW\n{FRIENDS}\n12 hours a move and a week in reserve")
    terms = terms_text(Terms(move=DAY // 2, reserve=7 * DAY))
    assert told(bag).endswith(phrase("answers.tables.clock", terms=terms))
    assert phrase("lobby.forward.clock", terms=terms) in mailed(bag, "anna")


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


def test_weekends_go_by_the_date_of_a_host_who_said_nothing(bag: Postbag) -> None:
    raw = a_mail(f"NEW\n{FRIENDS}\n3 days a move, no weekends").replace(b"+0000", b"+0530")
    bag.take(raw, bag.address(0))
    assert game_at(bag, opened(bag)[0]).clock == Terms(move=3 * DAY, weekends=False, zone="+05:30")
    assert told(bag).endswith(phrase("answers.tables.clock", terms=f"{WEEKDAYS} (UTC+5:30)"))
