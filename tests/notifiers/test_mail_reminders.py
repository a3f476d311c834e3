"""Reminders: what each rung says, and that none goes out when it is too late, or said already."""

from __future__ import annotations

import pytest

from felix_async.follow_up.decisions import Reminder
from felix_async.game.commands import Bid, Resume, Vote
from felix_async.orders.rekeying import rekey
from felix_events.store.rows import Letter
from felix_notifiers.content.opening import Head, Opening
from felix_notifiers.mails.game import mail_of
from felix_notifiers.mails.render import rendered
from felix_notifiers.outbox.alerts import alert_text
from felix_notifiers.outbox.channel import TryAgain
from notifiers.office import Post, owe, place_all
from notifiers.sections import the
from notifiers.sheets import part, read
from notifiers.timed import PLAIN, WITH_RESERVE, in_auction
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


def last_letter(post: Post) -> Letter:
    return [letter for letter in post.letters() if letter.recipient == BENS][-1]


# ---- what it says -----------------------------------------------------------------------------------
@pytest.mark.parametrize("rung", ["", "50%", "80%", "95%"])
def test_a_reminder_says_that_it_is_one_in_its_headline_alone(rung: str) -> None:
    written = mail_of(in_auction().occasion("reminder", rung=rung))
    assert the(written, Opening).paragraphs == []
    assert the(written, Head).until == "until Sun 4 Jan, 13:00"
    assert rendered(written).text.count("eminder") <= 1


@pytest.mark.parametrize(
    ("rung", "days", "runs"), [("95%", 0.96, False), ("late", 1, True), ("reserve", 4, True)]
)
def test_with_a_reserve_a_reminder_says_once_what_runs_now(rung: str, days: float, runs: bool) -> None:
    sheet = in_auction(WITH_RESERVE).wait(days=days).occasion("reminder", rung=rung)
    text = " ".join(rendered(mail_of(sheet)).text.split())
    assert (text.count("Your reserve has been running since"), text.count("After that your reserve")) == (
        (1, 0) if runs else (0, 1)
    )


# ---- when there is none -----------------------------------------------------------------------------
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


def test_one_that_waited_for_the_next_one_is_not_sent_beside_it(post: Post) -> None:
    game_id = waiting_reminder(post)
    post.wait(days=0.9)
    remind(post, game_id, "80%")
    post.send()
    (sent,) = [letter for letter in post.tray.taken if letter.recipient == BENS]
    assert sent.raw == last_letter(post).raw


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
    notice = Reminder(game_id="k7m2p", version=1, seat=BEN, due_at="", rung=rung)
    assert notice.is_pressing is pressing
    told = alert_text({"reminder"}, "Club", is_late=pressing)
    assert (told == "Your time is running out at Club (felix). The e-mail has the rest.") is pressing


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


def test_a_reminder_whose_addresses_were_revoked_before_it_left_is_sent_once_more(post: Post) -> None:
    game_id = bidding(post)
    post.wait(days=2)
    remind(post, game_id, "50%")
    post.claim()
    with post.room.store.write() as tx:
        rekey(tx, post.room.service, tx.seats(game_id)[BEN], "")
    post.tray.taken.clear()
    post.send()
    (letter,) = post.tray.taken
    assert "until " in part(read(letter.raw), "plain")
    assert post.unsettled() == 0


@pytest.mark.parametrize("kind", ["vote", "paused", "resumed", "absent"])
def test_a_letter_about_what_is_over_is_not_written(post: Post, kind: str) -> None:
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
