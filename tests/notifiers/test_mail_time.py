"""What mails say about time: until when, how much is in reserve, who is away, and that the game pauses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from felix_async.follow_up.answer import Answer
from felix_async.game.commands import Vote
from felix_notifiers.content import asked
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.opening import Head
from felix_notifiers.mails.game import mail_of
from felix_notifiers.mails.render import rendered
from gallery.heard import said, taken
from notifiers.sections import the
from notifiers.sheets import an_answer, compose
from notifiers.timed import WITH_RESERVE, Timed, a_timed_game, in_auction
from table import ANNA, BEN, CARA, DAN

UNTIL = "until Sun 4 Jan, 13:00"
STATUS = an_answer(("STATUS", "done", "The table is below."), show=["status"])


def words(occasion: Occasion) -> str:
    """The text part, on one line."""
    return " ".join(compose(occasion).text.split())


def status(timed: Timed, seat: int = BEN) -> str:
    """The answer to STATUS."""
    return words(replace(timed.occasion("answer", seat=seat), answer=STATUS))


def paused() -> Timed:
    """All but Ben were for a pause."""
    return in_auction().do(*(Vote(seat=seat, on="pause") for seat in (ANNA, CARA, DAN)))


# ---- until when -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("America/New_York", "Sun 4 Jan, 07:00"),
        ("Asia/Kathmandu", "Sun 4 Jan, 17:45"),
        ("Pacific/Auckland", "Mon 5 Jan, 01:00"),
        ("UTC", "Sun 4 Jan, 12:00 UTC"),
    ],
)
def test_the_time_is_by_the_readers_own_clock(zone: str, shown: str) -> None:
    assert the(mail_of(in_auction().occasion("turn", zone=zone)), Head).until == f"until {shown}"


# ---- beside plain language --------------------------------------------------------------------------
def heard(timed: Timed, answer: Answer) -> str:
    """The answer to what Ben wrote in his own words."""
    return words(replace(timed.occasion("answer"), answer=answer))


def test_beside_what_was_taken_no_deadline_is_told() -> None:
    told = heard(in_auction(), taken("4 for me", "BID 4", "BID 5", "PASS", "WAIT"))
    assert ("I took this as BID 4." in told, "until" in told) == (True, False)


def test_the_deadline_is_told_once_where_felix_asks() -> None:
    told = heard(in_auction(), said("or 5?", "asked", doubt="several", offers=["BID 4", "BID 5"]))
    assert told.count(UNTIL) == 1


def test_a_pause_is_told_beside_what_was_taken() -> None:
    told = heard(paused(), taken("4 for me", "BID 4", "WAIT"))
    assert told.index("paused until") < told.index("I took this as BID 4.") < told.index("answer RESUME")


# ---- invitations, GAMES, digests --------------------------------------------------------------------
def test_the_list_of_a_players_games_says_until_when_it_is_their_turn() -> None:
    def listed(timed: Timed) -> str:
        return str(asked.games([timed.occasion("turn").game])[1].paragraphs[0])

    assert listed(in_auction()).endswith("it is your turn, until Sun 4 Jan, 13:00")
    assert "paused until Sat 31 Jan, 13:00" in listed(paused())
    assert listed(a_timed_game(None)).endswith("it is your turn")


def test_once_the_reserve_runs_its_end_is_the_deadline() -> None:
    written = mail_of(in_auction(WITH_RESERVE).wait(days=1).occasion("turn"))
    assert the(written, Head).until == "until Thu 8 Jan, 13:00"
    assert (
        "Your reserve has been running since Fri 2 Jan, 13:00. If I hear nothing by then, I'll pass for you."
        in " ".join(rendered(written).text.split())
    )
