"""Reminders: what each rung says, and that none goes out when it is too late, or said already."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from felix_async.clock import text_of
from felix_async.game.commands import Bid, Leave, Pass, Resume, Vote
from felix_async.schedule.tick import tick
from felix_events.store.rows import Choice, Letter, NoticeKind
from felix_notifiers.content.answers import Answers
from felix_notifiers.content.deadline import is_pressing
from felix_notifiers.content.opening import Head, Opening
from felix_notifiers.mails.game import mail_of
from felix_notifiers.outbox.alerts import alert_text
from felix_notifiers.outbox.channel import TryAgain
from notifiers.office import Post, owe, place_all
from notifiers.sections import offered_in, the
from notifiers.sheets import compose, part
from notifiers.timed import PLAIN, WITH_RESERVE, a_timed_game, in_auction
from table import ANNA, BEN, CARA, DAN

BENS = "ben@players.test"
BUSY = TryAgain("450 4.2.1 busy")


def bidding(post: Post, terms: object = PLAIN) -> str:
    """Anna has bid and Ben is asked; all mail about it is gone."""
    game_id = post.started(start=ANNA, host=ANNA, clock=terms)
    place_all(post, game_id)
    post.move(game_id, Bid(seat=ANNA, amount=2))
    post.send()
    return game_id


def remind(post: Post, game_id: str, rung: str) -> None:
    """Ben is owed a reminder."""
    owe(post, game_id, BEN, "reminder", about=rung)


def to_ben(post: Post) -> list[str]:
    """The subjects of what was written to Ben since the auction began."""
    mails = [mail for mail in post.mails()[4:] if BENS in str(mail["To"])]
    return [str(mail["Subject"]).partition("] ")[2] for mail in mails]


def last_letter(post: Post) -> Letter:
    return [letter for letter in post.letters() if letter.recipient == BENS][-1]


# ---- what it says -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("rung", "said"),
    [
        ("", "This is a reminder, in case the first mail got lost."),
        ("50%", "This is a reminder. There is still time, and your table waits for you."),
        ("80%", "This is a reminder: most of the time for this is gone."),
        ("95%", "This is the last reminder: your time is almost up."),
    ],
)
def test_each_rung_has_words_of_its_own(rung: str, said: str) -> None:
    written = mail_of(in_auction().sheet("reminder", rung=rung))
    assert " ".join(the(written, Opening).paragraphs) == said
    assert the(written, Head).deadline == "You have until Sun 4 Jan, 13:00 CET (UTC+1)."


@pytest.mark.parametrize(
    ("rung", "days", "said"),
    [
        ("95%", 0.96, "This is a reminder: most of the time for this is gone."),
        ("late", 1, "This is a reminder: the time for this move is over."),
        ("80%", 1.5, "This is a reminder: the time for this move is over."),
        ("reserve", 4, "This is the last reminder: most of your reserve is gone."),
    ],
)
def test_with_a_reserve_a_rung_is_told_by_what_runs_now(rung: str, days: float, said: str) -> None:
    sheet = in_auction(WITH_RESERVE).wait(days=days).sheet("reminder", rung=rung)
    assert " ".join(the(mail_of(sheet), Opening).paragraphs) == said


def test_that_the_reserve_runs_is_told_once() -> None:
    text = compose(in_auction(WITH_RESERVE).wait(days=1).sheet("reminder", rung="late")).text
    assert text.count("reserve") == 1


def test_the_last_reminder_says_when_the_computer_would_play_on() -> None:
    timed = a_timed_game().place(ANNA, CARA, DAN).time_out(BEN).do(Bid(seat=ANNA, amount=2))
    written = mail_of(timed.sheet("reminder", rung="95%"))
    assert the(written, Head).reserve.endswith(
        "It would be the second time in a row, so the computer would play on for you."
    )


def test_in_placement_the_last_reminder_says_that_a_card_is_drawn() -> None:
    written = mail_of(a_timed_game().sheet("reminder", rung="95%"))
    assert the(written, Head).reserve == "Then I place a card for you, drawn by lot."


def test_the_last_call_for_an_invitation_says_that_it_is_the_last() -> None:
    timed = a_timed_game()
    timed.game_id = timed.room.open(4, host=ANNA, command_id="second")
    written = mail_of(timed.sheet("reminder", rung="last_call"))
    assert the(written, Opening).paragraphs[0] == "This is the last reminder of your invitation."


@pytest.mark.parametrize("rung", ["50%", "95%"])
def test_a_reminder_has_the_answers_and_the_thread_of_the_turn_mail(rung: str) -> None:
    timed = in_auction()
    turn, reminder = mail_of(timed.sheet("turn")), mail_of(timed.sheet("reminder", rung=rung))
    assert offered_in(reminder) == [option.words for option in the(turn, Answers).options]
    assert the(reminder, Head).headline == "Reminder: round 1 of 9, bid or pass"


# ---- when there is none -----------------------------------------------------------------------------
def test_a_reminder_is_written_while_there_is_time(post: Post) -> None:
    game_id = bidding(post)
    post.wait(days=1.5)
    remind(post, game_id, "50%")
    post.claim()
    assert to_ben(post)[-1] == "Reminder: round 1, bid or pass"


@pytest.mark.parametrize("days", [3, 3.5])
def test_none_is_written_once_the_time_is_up(post: Post, days: float) -> None:
    """The time-out itself may have to wait, for a mail that is not read yet."""
    game_id = bidding(post)
    post.wait(days=days)
    remind(post, game_id, "95%")
    assert (post.claim(), post.unsettled()) == (0, 0)


def test_none_is_written_in_a_pause_nor_to_who_has_left(post: Post) -> None:
    game_id = bidding(post)
    remind(post, game_id, "50%")
    post.move(game_id, *(Vote(seat=seat, on="pause") for seat in (ANNA, CARA, DAN)))
    post.claim()
    assert to_ben(post)[-1] == "The game is paused"
    other = post.started(start=ANNA, clock=PLAIN, command_id="other")
    remind(post, other, "50%")
    post.move(other, Leave(seat=BEN, for_good=False))
    before = len(to_ben(post))
    post.claim()
    assert "Reminder: round 1, place a card" not in to_ben(post)[before:]


def waiting_reminder(post: Post, rung: str = "50%") -> str:
    """A reminder to Ben is frozen, and could not be sent yet."""
    game_id = bidding(post)
    post.wait(days=1.5)
    remind(post, game_id, rung)
    post.tray.answers = [BUSY]
    post.send()
    post.tray.taken.clear()
    assert last_letter(post).state == "ready"
    return game_id


def test_one_that_waited_until_the_time_was_up_is_not_sent(post: Post) -> None:
    waiting_reminder(post)
    post.wait(days=1.5)
    post.send()
    assert (last_letter(post).state, post.tray.taken) == ("dropped", [])


def test_one_that_waited_until_the_move_was_made_is_not_sent(post: Post) -> None:
    game_id = waiting_reminder(post)
    frozen = last_letter(post)
    post.move(game_id, Pass(seat=BEN))
    post.wait(minutes=2)
    post.send()
    assert frozen.raw not in [letter.raw for letter in post.tray.taken]


def test_one_that_waited_for_the_next_one_is_not_sent_beside_it(post: Post) -> None:
    game_id = waiting_reminder(post)
    post.wait(days=0.9)
    remind(post, game_id, "80%")
    post.send()
    (sent,) = [letter for letter in post.tray.taken if letter.recipient == BENS]
    assert sent.raw == last_letter(post).raw


def test_a_reminder_does_not_go_beside_the_turn_mail_that_waits_as_well(post: Post) -> None:
    game_id = post.started(start=ANNA, clock=PLAIN)
    post.tray.answers = [BUSY] * 4
    post.send()
    post.wait(days=1.5)
    remind(post, game_id, "50%")
    post.tray.taken.clear()
    post.send()
    (sent,) = [letter for letter in post.tray.taken if letter.recipient == BENS]
    assert b"Your turn" in sent.raw


def test_two_reminders_that_wait_for_the_digest_are_one_mail(post: Post) -> None:
    game_id = bidding(post)
    post.wait(days=1.5)
    remind(post, game_id, "50%")
    owe(post, game_id, BEN, "reminder", about="80%")
    before = len(post.letters())
    post.claim()
    (mail,) = post.mails()[before:]
    assert "most of the time for this is gone" in " ".join(part(mail, "plain").split())
    assert "There is still time" not in part(mail, "plain")


def test_the_ladder_goes_out_by_itself_and_each_rung_once(post: Post) -> None:
    post.do(lambda tx: tx.choose(Choice("ben-1", quiet="")))
    bidding(post)
    for _ in range(5 * 24):
        post.wait(hours=1)
        tick(post.do, post.room.service)
        post.send()
    told = to_ben(post)
    assert told.count("Reminder: round 1, bid or pass") == 3
    assert told.count("Your time was up") == 1


# ---- votes and pauses that are over -----------------------------------------------------------------
@pytest.mark.parametrize("kind", ["vote", "paused", "resumed", "absent"])
def test_a_letter_about_what_is_over_is_not_written(post: Post, kind: NoticeKind) -> None:
    game_id = bidding(post)
    if kind == "vote":
        post.move(game_id, Vote(seat=CARA, on="abandon"), Resume(seat=CARA))
    elif kind == "paused":
        post.move(game_id, *(Vote(seat=seat, on="pause") for seat in (ANNA, CARA, DAN)), Resume(seat=CARA))
    elif kind == "resumed":
        post.move(game_id, *(Vote(seat=seat, on="pause") for seat in (ANNA, CARA, DAN)))
    post.claim()
    before = len(post.letters())
    owe(post, game_id, BEN, kind, about="again")
    assert (post.claim(), len(post.letters()), post.unsettled()) == (0, before, 0)


def test_a_vote_that_was_taken_back_while_its_letter_waited_is_not_sent(post: Post) -> None:
    game_id = bidding(post)
    post.tray.answers = [BUSY] * 4
    post.move(game_id, Vote(seat=CARA, on="abandon"))
    post.send()
    post.move(game_id, Resume(seat=CARA))
    post.wait(minutes=2)
    post.tray.taken.clear()
    post.send()
    assert post.tray.taken == []


# ---- short notices ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("rung", "pressing"),
    [
        ("", False),
        ("50%", False),
        ("80%", False),
        ("95%", True),
        ("late", True),
        ("reserve", True),
        ("last_call", True),
    ],
)
def test_only_the_last_reminders_are_worth_a_short_notice(rung: str, pressing: bool) -> None:
    assert is_pressing(rung) is pressing
    told = alert_text({"reminder"}, "Club", is_late=pressing)
    assert (told == "Your time is running out at Club (felix). The mail has the rest.") is pressing


@pytest.mark.parametrize("kind", ["timed_out", "absent", "vote", "paused", "resumed"])
def test_what_the_clock_does_is_worth_a_short_notice(kind: NoticeKind) -> None:
    told = str(alert_text({kind}, "Club"))
    assert "Club (felix)" in told
    assert told.endswith("The mail has the rest.")


def test_a_subject_says_nothing_of_how_much_time_is_left() -> None:
    subjects = {compose(in_auction().sheet("reminder", rung=rung)).subject for rung in ("50%", "80%", "95%")}
    assert len(subjects) == 1


def test_what_a_reminder_says_is_by_the_time_at_which_it_is_written() -> None:
    timed = in_auction(WITH_RESERVE)
    sheet = timed.sheet("reminder", rung="50%")
    later = replace(sheet, now=text_of(timed.room.clock.now + timedelta(days=2)))
    assert the(mail_of(sheet), Opening).paragraphs[0] != the(mail_of(later), Opening).paragraphs[0]
