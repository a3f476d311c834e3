"""Non-interference in games by the clock: cards placed by a time-out, hands, and what others chose for
themselves change no byte of a letter.
"""

from __future__ import annotations

from random import Random

import pytest

from felix_async.clock import later, text_of
from felix_async.game.commands import Absent, Bid, Play, TimeOut, Vote
from felix_async.game.timing import running
from felix_events.model import CardPlaced
from felix_events.store.rows import Choice
from felix_notifiers.mails.case import Case
from notifiers.office import Post
from notifiers.test_mail_secrets_bytes import letter, read
from notifiers.timed import DAY, PLAIN, WITH_RESERVE
from notifiers.twice import altered
from table import ANNA, BEN, CARA, DAN

SEATS = (ANNA, BEN, CARA)
KINDS: tuple[tuple[str, ...], ...] = (
    ("turn",),
    ("reminder",),
    ("timed_out",),
    ("timed_out", "turn"),
    ("absent",),
    ("vote",),
    ("resumed",),
    ("answer",),
    ("news",),
)


def timed_out(post: Post) -> Case:
    """Ben's card was placed by the clock, and Cara's as well; Dan is away, and Anna votes."""
    game_id = post.open(4, start=ANNA, host=ANNA, clock=WITH_RESERVE)
    post.room.join_all(game_id)
    now = text_of(post.room.clock.now)
    post.move(game_id, Absent(seat=DAN, start=later(now, 3600), back=later(now, 3 * DAY), computer=False))
    for _ in range(2):
        post.wait(days=20)
        seat, deadline = running(post.room.game(game_id))[1]
        post.move(game_id, TimeOut(seat=seat, turn=deadline.turn))
    post.move(game_id, Vote(seat=ANNA, on="abandon"))
    return read(post, game_id)


@pytest.mark.parametrize("kinds", KINDS, ids="+".join)
def test_a_letter_by_the_clock_holds_no_secret(post: Post, kinds: tuple[str, ...]) -> None:
    case = timed_out(post)
    for seat in SEATS:
        ours = letter(post, [case], seat, *kinds)
        for number in range(4):
            other = altered(case, seat, Random(number))
            assert other.story != case.story
            assert letter(post, [other], seat, *kinds) == ours


def test_the_card_that_the_clock_placed_is_told_to_its_seat_alone(post: Post) -> None:
    case = timed_out(post)
    (placed,) = {step.event.seat for step in case.story.steps if isinstance(step.event, CardPlaced)} - {CARA}
    ours = letter(post, [case], placed, "timed_out")
    assert ours is not None
    assert b"a random card" in ours
    other = altered(case, CARA, Random(1))
    assert letter(post, [other], placed, "timed_out") != ours


@pytest.mark.parametrize("kinds", KINDS, ids="+".join)
def test_what_others_chose_for_themselves_changes_no_letter(post: Post, kinds: tuple[str, ...]) -> None:
    """Their time zones, quiet hours and digests are nobody else's business."""
    case = timed_out(post)
    ours = letter(post, [case], BEN, *kinds)
    for seat in (ANNA, CARA, DAN):
        choice = Choice(
            case.seats[seat].player_id,
            "daily",
            hears=False,
            zone="Pacific/Auckland",
            offset="+12:00",
            quiet="10:00-20:00",
        )
        with post.room.store.write() as tx:
            tx.choose(choice)
    assert letter(post, [case], BEN, *kinds) == ours


def test_the_readers_own_zone_does(post: Post) -> None:
    case = timed_out(post)
    ours = letter(post, [case], ANNA, "turn")
    post.do(lambda tx: tx.choose(Choice(case.seats[ANNA].player_id, zone="Pacific/Auckland")))
    theirs = letter(post, [case], ANNA, "turn")
    assert theirs is not None
    assert theirs != ours
    assert b"01:00" in theirs


def test_a_digest_by_the_clock_holds_no_secret(post: Post) -> None:
    first = timed_out(post)
    game_id = post.open(4, start=BEN, clock=PLAIN, command_id="second")
    post.room.join_all(game_id)
    for seat in range(4):
        post.move(game_id, *_first_card(post, game_id, seat))
    post.move(game_id, Bid(seat=BEN, amount=1))
    cases = [first, read(post, game_id)]
    for seat in SEATS:
        ours = letter(post, cases, seat, "turn", "timed_out")
        for number in range(4):
            others = [altered(case, seat, Random(number)) for case in cases]
            assert letter(post, others, seat, "turn", "timed_out") == ours


def _first_card(post: Post, game_id: str, seat: int) -> list[Play]:
    return [Play(seat=seat, card=post.room.game(game_id).seats[seat].hand[0])]
