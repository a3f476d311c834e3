"""Letters after a time-out: to the player what was done for them, to the host that the computer plays on."""

from __future__ import annotations

import pytest

from felix_async.game.commands import Bid, NameHost
from felix_async.game.story import Change, Story
from felix_notifiers.content.history import since_last_move
from felix_notifiers.content.opening import Head, Opening
from felix_notifiers.mails.game import mail_of
from games import NAMES
from notifiers.sections import the
from notifiers.sheets import compose
from notifiers.timed import Timed, a_timed_game
from table import ANNA, BEN, CARA, DAN

FIRST = "Sun 4 Jan, 13:00"


def twice() -> Timed:
    """Ben's card was placed for him, and then he passed."""
    timed = a_timed_game().place(ANNA, CARA, DAN).time_out(BEN)
    return timed.do(Bid(seat=ANNA, amount=2)).time_out(BEN)


# ---- to who was timed out ---------------------------------------------------------------------------
@pytest.mark.parametrize("seat", [ANNA, CARA, DAN])
def test_no_subject_and_no_other_player_hears_which_card_it_was(seat: int) -> None:
    timed = a_timed_game().place(ANNA, CARA).time_out(BEN)
    assert "3" not in compose(timed.occasion("timed_out")).subject
    assert Story.of(timed.envelopes).timeouts(seat, [len(timed.envelopes)]) == []
    told = " ".join(map(str, since_last_move(Story.of(timed.envelopes), NAMES, seat)))
    assert "Ben's time was up" in told
    assert "placed" not in told


# ---- to the host ------------------------------------------------------------------------------------
def test_who_was_named_by_the_host_hears_just_that() -> None:
    timed = a_timed_game(host=ANNA).do(NameHost(seat=ANNA, to=BEN))
    written = mail_of(timed.occasion("absent"))
    assert the(written, Opening).paragraphs == ["You are the host of this game now."]


def test_a_host_whose_time_was_up_is_followed_by_another() -> None:
    timed = a_timed_game(start=CARA, host=CARA).place(ANNA, BEN, DAN).time_out(CARA).time_out(CARA)
    size = len(timed.envelopes)
    assert timed.room.game(timed.game_id).host == DAN
    assert Story.of(timed.envelopes).changes(DAN, [size]) == [Change(CARA, timed_out=True, is_new_host=True)]


def test_who_did_not_place_a_card_hears_which_one_it_is_now_and_may_exchange_it() -> None:
    written = mail_of(a_timed_game().place(ANNA, CARA).time_out(BEN).occasion("timed_out"))
    assert the(written, Opening).paragraphs == [
        f"You didn't move by {FIRST}, so I played a random card for you: 3. "
        "You may still exchange it, until the last card is in.",
        "If you miss the next one too, the computer takes over until you write.",
    ]
    assert the(written, Head).headline == "Your time ran out, so I played a card for you."
