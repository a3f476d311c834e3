"""What mails say about time: until when, how much is in reserve, who is away, and that the game pauses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from felix_async.game.commands import Absent, Bid, Vote
from felix_async.game.views import view
from felix_async.language.phrases import phrase
from felix_events.store.rows import NoticeKind
from felix_notifiers.content import asked
from felix_notifiers.content.answers import Waiting
from felix_notifiers.content.deadline import line, reserve
from felix_notifiers.content.opening import Head, Opening
from felix_notifiers.content.scene import Scene
from felix_notifiers.content.sheet import Sheet
from felix_notifiers.content.table import Table
from felix_notifiers.mails.digest import digest_of, turn_first
from felix_notifiers.mails.game import mail_of
from games import NAMES, TABLE_NAME
from notifiers.sections import all_in, offered_in, the
from notifiers.sheets import REPLY_ADDRESS, an_answer, compose
from notifiers.timed import BERLIN, PLAIN, WITH_RESERVE, Timed, a_timed_game, days_on, in_auction
from table import ANNA, BEN, CARA, DAN, GAME_ID

UNTIL = "You have until Sun 4 Jan, 13:00 CET (UTC+1)."
STATUS = an_answer(("STATUS", "done", "The table is below."), show=["status"])


def words(sheet: Sheet) -> str:
    """The text part, on one line."""
    return " ".join(compose(sheet).text.split())


def status(timed: Timed, seat: int = BEN) -> str:
    """The answer to STATUS."""
    return words(replace(timed.sheet("answer", seat=seat), answer=STATUS))


def paused() -> Timed:
    """All but Ben were for a pause."""
    return in_auction().do(*(Vote(seat=seat, on="pause") for seat in (ANNA, CARA, DAN)))


# ---- until when -------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["turn", "reminder", "news", "resumed"])
def test_a_mail_to_who_is_asked_says_until_when_first_of_all(kind: str) -> None:
    written = mail_of(in_auction().sheet(kind, rung="50%"))  # type: ignore[arg-type]
    assert (the(written, Head).deadline, the(written, Head).reserve) == (UNTIL, "Then I pass for you.")
    assert compose(in_auction().sheet("turn")).text.index(UNTIL) < 80


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("America/New_York", "Sun 4 Jan, 07:00 EST (UTC-5)"),
        ("Asia/Kathmandu", "Sun 4 Jan, 17:45 (UTC+5:45)"),
        ("Pacific/Auckland", "Mon 5 Jan, 01:00 NZDT (UTC+13)"),
        ("UTC", "Sun 4 Jan, 12:00 UTC"),
    ],
)
def test_the_time_is_by_the_readers_own_clock(zone: str, shown: str) -> None:
    assert the(mail_of(in_auction().sheet("turn", zone=zone)), Head).deadline == f"You have until {shown}."


def test_who_is_not_asked_is_told_of_no_deadline() -> None:
    written = mail_of(in_auction().sheet("news", seat=CARA))
    assert the(written, Head).deadline == ""
    assert the(written, Waiting).told == (
        "Now waiting for Ben to bid or pass, since Thu 1 Jan, 13:00 CET (UTC+1), "
        "until Sun 4 Jan, 13:00 CET (UTC+1) at the latest."
    )


def test_a_game_without_a_clock_says_nothing_of_time() -> None:
    timed = a_timed_game(None).place(ANNA, BEN, CARA, DAN).do(Bid(seat=ANNA, amount=2))
    written = mail_of(timed.sheet("turn"))
    assert (the(written, Head).deadline, the(written, Head).reserve, the(written, Table).facts) == (
        "",
        "",
        [],
    )
    assert "until" not in status(timed, CARA)
    assert "The clock:" not in status(timed)


def test_a_vote_is_asked_about_without_a_deadline_that_might_be_taken_for_its_own() -> None:
    written = mail_of(in_auction().do(Vote(seat=ANNA, on="abandon")).sheet("vote"))
    assert the(written, Head).deadline == ""


# ---- the reserve ------------------------------------------------------------------------------------
def test_with_a_reserve_the_move_time_comes_first_and_what_is_left_below_it() -> None:
    written = mail_of(in_auction(WITH_RESERVE).sheet("turn"))
    assert the(written, Head).deadline == "You have until Fri 2 Jan, 13:00 CET (UTC+1)."
    assert the(written, Head).reserve == (
        "After that your reserve of 4 days runs, until Thu 8 Jan, 13:00 CET (UTC+1) at the latest. "
        "Then I pass for you."
    )


def test_once_the_reserve_runs_its_end_is_the_deadline() -> None:
    written = mail_of(in_auction(WITH_RESERVE).wait(days=1).sheet("turn"))
    assert the(written, Head).deadline == "You have until Thu 8 Jan, 13:00 CET (UTC+1)."
    assert the(written, Head).reserve == (
        "That is with your reserve, which has been running since Fri 2 Jan, 13:00 CET (UTC+1). "
        "Then I pass for you."
    )


def test_a_letter_that_does_not_know_what_time_it_is_tells_it_as_if_none_had_passed() -> None:
    sheet = replace(in_auction(WITH_RESERVE).wait(days=30).sheet("turn"), now="")
    assert the(mail_of(sheet), Head).deadline == "You have until Fri 2 Jan, 13:00 CET (UTC+1)."


def test_status_says_how_much_reserve_everybody_has_left() -> None:
    timed = in_auction(WITH_RESERVE).wait(days=1, hours=5).do(Bid(seat=BEN, amount=3))
    assert "Reserve left: you 3 days and 19 hours, Anna 4 days, Cara 4 days and Dan 4 days." in status(timed)
    assert "The clock: 1 day a move and 4 days in reserve, weekends do not count" in status(timed)


def test_status_counts_the_reserve_that_is_running() -> None:
    """Anna and the others have not begun with theirs; what Ben has used by now is gone, whatever he does."""
    timed = in_auction(WITH_RESERVE).wait(days=1, hours=5)
    assert "Reserve left: you 3 days and 19 hours, Anna 4 days, Cara 4 days and Dan 4 days." in status(timed)
    assert "Reserve left: you 4 days, Anna 4 days, Ben 3 days and 19 hours and" in status(timed, seat=CARA)


def test_a_weekend_uses_up_no_reserve() -> None:
    """From Friday noon until Monday noon."""
    timed = in_auction(WITH_RESERVE).wait(days=4)
    assert "Reserve left: you 3 days, Anna 4 days," in status(timed)


# ---- who is away, and pauses ------------------------------------------------------------------------
def test_who_is_away_is_named_with_the_day_on_which_they_are_back() -> None:
    timed = a_timed_game()
    timed.do(Absent(seat=CARA, start=days_on(timed, 0), back=days_on(timed, 9), computer=False))
    assert the(mail_of(timed.sheet("turn")), Table).facts == ["Cara is away, back on Sat 10 Jan."]
    assert the(mail_of(timed.sheet("turn", seat=CARA)), Table).facts == ["You are away, back on Sat 10 Jan."]


def test_an_absence_to_come_says_from_when_on_and_that_the_computer_plays() -> None:
    timed = a_timed_game()
    timed.do(Absent(seat=CARA, start=days_on(timed, 2), back=days_on(timed, 9), computer=True))
    assert the(mail_of(timed.sheet("turn")), Table).facts == [
        "Cara will be away from Sat 3 Jan, back on Sat 10 Jan. The computer plays meanwhile."
    ]


def test_an_answer_without_the_table_says_who_is_away_all_the_same() -> None:
    timed = in_auction().do(Bid(seat=BEN, amount=3))
    timed.do(Absent(seat=CARA, start=days_on(timed, 0), back=days_on(timed, 9), computer=False))
    done = an_answer(("SAY Hello", "done", "."))
    written = mail_of(replace(timed.sheet("answer"), answer=done))
    assert the(written, Waiting).told.endswith(" at the latest. Cara is away, back on Sat 10 Jan.")


def test_a_pause_stands_where_the_deadline_was() -> None:
    until = "The game is paused until Sat 31 Jan, 13:00 CET (UTC+1), or until one of you answers RESUME."
    for seat in (ANNA, BEN):
        written = mail_of(paused().sheet("turn" if seat == BEN else "news", seat=seat))
        assert (the(written, Head).deadline, the(written, Head).reserve) == (until, "")


def test_a_letter_about_the_pause_offers_to_go_on_and_nothing_else() -> None:
    written = mail_of(paused().sheet("paused"))
    assert offered_in(written) == ["RESUME"]


def test_when_the_game_is_over_nothing_is_said_of_time() -> None:
    timed = in_auction().do(*(Vote(seat=seat, on="abandon") for seat in (ANNA, CARA, DAN)))
    written = mail_of(timed.sheet("cancelled"))
    assert (the(written, Head).deadline, the(written, Waiting).told) == ("", "")
    assert (
        the(written, Opening).paragraphs[0]
        == "Enough of you were for it, so the game ended without a result."
    )
    assert the(written, Head).headline == "The game ended without a result"


# ---- votes ------------------------------------------------------------------------------------------
def test_a_vote_says_who_would_like_what_and_how_many_it_takes() -> None:
    timed = in_auction().do(Vote(seat=ANNA, on="abandon"), Vote(seat=CARA, on="abandon"))
    written = mail_of(timed.sheet("vote"))
    assert the(written, Opening).paragraphs == [
        "Anna and Cara would like to end the game without a result. That takes 3 votes; so far there are 2.",
        "If you would like that, too, answer with the word below. If not, you need not do anything.",
    ]
    assert offered_in(written) == ["ABANDON"]


def test_who_has_voted_is_asked_about_the_other_vote_only() -> None:
    timed = in_auction().do(Vote(seat=ANNA, on="abandon"), Vote(seat=BEN, on="pause"))
    assert offered_in(mail_of(timed.sheet("vote", seat=ANNA))) == ["PAUSE"]
    assert offered_in(mail_of(timed.sheet("vote", seat=BEN))) == ["ABANDON"]
    assert offered_in(mail_of(timed.sheet("vote", seat=DAN))) == [
        "PAUSE",
        "ABANDON",
    ]


def test_status_tells_of_the_votes_that_are_open() -> None:
    timed = in_auction().do(Vote(seat=BEN, on="pause"))
    assert "You would like to pause the game. That takes 3 votes; so far there is 1." in status(timed)


# ---- invitations, GAMES, digests --------------------------------------------------------------------
def test_an_invitation_says_how_much_time_there_is_instead_of_that_there_is_no_hurry() -> None:
    timed = a_timed_game(WITH_RESERVE)
    invited = Timed(timed.room, timed.room.open(4, host=ANNA, clock=WITH_RESERVE, command_id="second"))
    text = words(invited.sheet("invitation"))
    assert "The clock: 1 day a move and 4 days in reserve" in text
    assert "The reserve is yours for the whole game" in text
    assert "no hurry" not in text
    unhurried = Timed(timed.room, timed.room.open(4, host=ANNA, command_id="third"))
    assert "There is no hurry and nothing to install." in words(unhurried.sheet("invitation"))


def test_the_list_of_a_players_games_says_until_when_it_is_their_turn() -> None:
    def listed(timed: Timed) -> str:
        table = timed.sheet("turn").table
        seated = asked.Seated(GAME_ID, TABLE_NAME, NAMES[:4], table, BEN, REPLY_ADDRESS, BERLIN)
        return str(asked.games([seated])[1].paragraphs[0])

    assert listed(in_auction()).endswith("it is your turn, until Sun 4 Jan, 13:00 CET (UTC+1)")
    assert "paused until Sat 31 Jan, 13:00 CET (UTC+1)" in listed(paused())
    assert listed(a_timed_game(None)).endswith("it is your turn")


def test_each_part_of_a_digest_has_its_own_deadline() -> None:
    digest = digest_of(
        [in_auction().sheet("turn"), a_timed_game(WITH_RESERVE).sheet("turn")], days_on(in_auction(), 0)
    )
    assert [head.deadline for head in all_in(digest, Head)[1:]] == [
        UNTIL,
        "You have until Fri 2 Jan, 13:00 CET (UTC+1).",
    ]


def test_a_spectators_view_has_the_same_deadlines_as_a_players() -> None:
    timed = in_auction(PLAIN)
    game = timed.room.game(timed.game_id)
    assert view(game, "spectator").seats == view(game, BEN).seats
    scene = Scene(view(game, BEN), NAMES[:4], BEN, BERLIN)
    assert (line(scene, ""), reserve(scene, "")) == (UNTIL, "Then I pass for you.")


def test_a_digest_begins_with_what_is_due_first() -> None:
    """Not with what has the larger reserve: that may not run yet."""
    later, sooner = in_auction(PLAIN).sheet("turn"), in_auction(WITH_RESERVE).sheet("turn")
    assert turn_first([later, sooner]) == [1, 0]
    idle = in_auction(WITH_RESERVE).sheet("news", seat=CARA)
    assert turn_first([idle, later, sooner]) == [2, 1, 0]


@pytest.mark.parametrize("what", ["paused", "resumed"])
def test_who_made_it_so_reads_it_once_in_the_answer(what: NoticeKind) -> None:
    timed = in_auction()
    told = phrase(f"mails.opening.{what}")
    assert told in the(mail_of(timed.sheet(what)), Opening).paragraphs
    assert told not in the(mail_of(replace(timed.sheet("answer", what), answer=STATUS)), Opening).paragraphs
