"""Letters after a time-out: to the player what was done for them, to the host that the computer plays on."""

from __future__ import annotations

import pytest

from felix_async.game.commands import Bid, Leave, NameHost, Return
from felix_async.game.story import Change, Story
from felix_async.game.views import view
from felix_notifiers.content.answers import Answers
from felix_notifiers.content.history import since_last_move
from felix_notifiers.content.opening import Head, Opening
from felix_notifiers.mails.game import mail_of
from games import NAMES
from notifiers.sections import offered_in, the
from notifiers.sheets import compose
from notifiers.timed import Timed, a_timed_game, in_auction
from table import ANNA, BEN, CARA, DAN

FIRST = "Sun 4 Jan, 13:00 CET (UTC+1)"


def twice() -> Timed:
    """Ben's card was placed for him, and then he passed."""
    timed = a_timed_game().place(ANNA, CARA, DAN).time_out(BEN)
    return timed.do(Bid(seat=ANNA, amount=2)).time_out(BEN)


# ---- to who was timed out ---------------------------------------------------------------------------
def test_who_did_not_place_a_card_hears_which_one_it_is_now_and_may_exchange_it() -> None:
    written = mail_of(a_timed_game().place(ANNA, CARA).time_out(BEN).sheet("timed_out"))
    assert the(written, Opening).paragraphs == [
        f"Your time was up on {FIRST}, so I placed a card for you, drawn by lot: 3. "
        "You may still exchange it, until the last card is in.",
        "If your next move is not in time either, the computer plays on for you, until you write.",
    ]
    assert the(written, Head).headline == "Your time was up"


def test_once_the_row_is_complete_there_is_nothing_to_exchange() -> None:
    written = mail_of(a_timed_game().place(ANNA, CARA, DAN).time_out(BEN).sheet("timed_out"))
    assert the(written, Opening).paragraphs[0].endswith("drawn by lot: 3.")


def test_who_did_not_bid_hears_that_they_passed() -> None:
    written = mail_of(in_auction().time_out(BEN).sheet("timed_out"))
    assert the(written, Opening).paragraphs[0] == f"Your time was up on {FIRST}, so I passed for you."


def test_the_second_time_the_way_back_is_one_tap() -> None:
    written = mail_of(twice().sheet("timed_out"))
    assert the(written, Opening).paragraphs[1] == (
        "It was the second time in a row, so the computer plays for you now. "
        "Any order brings you back to the table, for example STATUS."
    )
    assert offered_in(written) == ["STATUS"]


def test_who_is_back_before_the_letter_is_written_hears_of_no_computer() -> None:
    written = mail_of(twice().do(Return(seat=BEN)).sheet("timed_out"))
    assert len(the(written, Opening).paragraphs) == 1
    assert the(written, Answers).words == []


def test_with_the_next_turn_it_is_one_mail_about_that_turn() -> None:
    timed = a_timed_game(start=BEN).place(ANNA, CARA, DAN).time_out(BEN)
    written = mail_of(timed.sheet("timed_out", "turn"))
    assert the(written, Head).headline == "Your turn: round 1 of 9, bid or pass"
    assert the(written, Opening).paragraphs[0].startswith("Your time was up on")


@pytest.mark.parametrize("seat", [ANNA, CARA, DAN])
def test_no_subject_and_no_other_player_hears_which_card_it_was(seat: int) -> None:
    timed = a_timed_game().place(ANNA, CARA).time_out(BEN)
    assert "3" not in compose(timed.sheet("timed_out")).subject
    assert Story.of(timed.envelopes).timeouts(seat, [len(timed.envelopes)]) == []
    told = " ".join(map(str, since_last_move(Story.of(timed.envelopes), NAMES, seat)))
    assert "Ben placed a card." in told


def test_several_notices_about_one_time_out_tell_of_it_once() -> None:
    envelopes = in_auction().time_out(BEN).envelopes
    assert len(Story.of(envelopes).timeouts(BEN, [len(envelopes), len(envelopes)])) == 1
    both = twice().envelopes
    first = next(one.version for one in both if one.type == "turn_timed_out") + 3
    assert [lapse.in_a_row for lapse in Story.of(both).timeouts(BEN, [first, len(both)])] == [1, 2]


def test_a_move_by_the_clock_is_not_the_readers_last_move() -> None:
    """Else who was timed out would learn nothing of what happened."""
    timed = in_auction()
    before = since_last_move(Story.of(timed.envelopes), NAMES, BEN)
    after = since_last_move(Story.of(timed.time_out(BEN).envelopes), NAMES, BEN)
    assert before == after[: len(before)]
    assert after[len(before) :][:2] == [
        "Your time was up, so I moved for you.",
        "You passed and took 2 mice.",
    ]


def test_that_the_computer_got_the_seat_is_told_as_what_it_is() -> None:
    timed = twice()
    assert "The computer plays on for you." in since_last_move(Story.of(timed.envelopes), NAMES, BEN)
    told = since_last_move(Story.of(timed.envelopes), NAMES, CARA)
    assert "The computer plays on for Ben." in told
    assert not any("Ben left the table" in str(line) for line in told)


def test_deadlines_are_no_part_of_the_story() -> None:
    timed = in_auction()
    assert "deadline_set" in [one.type for one in timed.envelopes]
    assert since_last_move(Story.of(timed.envelopes), NAMES, BEN) == [
        "Cara and Dan placed a card each.",
        "The -8 was turned over.".replace("-", "\u2212"),
        "Anna bid 2 mice.",
    ]


# ---- to the host ------------------------------------------------------------------------------------
def test_the_host_hears_for_whom_the_computer_plays_and_what_can_be_done() -> None:
    written = mail_of(twice().sheet("absent", seat=ANNA))
    assert the(written, Opening).paragraphs == [
        "Ben did not move in time, twice in a row. The computer plays on until Ben writes.",
        "You can offer the seat to somebody else: write SUBSTITUTE Ben, "
        "and the address of whoever shall play on.",
    ]


def test_a_new_host_hears_of_it_with_the_reason() -> None:
    left = a_timed_game(host=ANNA).do(Leave(seat=ANNA, for_good=False))
    written = mail_of(left.sheet("absent"))
    assert the(written, Opening).paragraphs[:2] == [
        "Anna has left the table, and the computer plays on there.",
        "You are the host of this game now.",
    ]
    assert the(written, Answers).options == []


def test_who_was_named_by_the_host_hears_just_that() -> None:
    timed = a_timed_game(host=ANNA).do(NameHost(seat=ANNA, to=BEN))
    assert the(mail_of(timed.sheet("absent")), Opening).paragraphs == ["You are the host of this game now."]


def test_a_host_whose_time_was_up_is_followed_by_another() -> None:
    timed = a_timed_game(start=CARA, host=CARA).place(ANNA, BEN, DAN).time_out(CARA).time_out(CARA)
    size = len(timed.envelopes)
    assert timed.room.game(timed.game_id).host == DAN
    assert Story.of(timed.envelopes).changes(DAN, [size]) == [Change(CARA, timed_out=True, is_new_host=True)]


def test_a_seat_whose_player_is_back_is_not_offered_to_anybody() -> None:
    timed = twice()
    version = len(timed.envelopes)
    timed.do(Return(seat=BEN))
    (change,) = Story.of(timed.envelopes).changes(ANNA, [version])
    assert change.left == BEN
    assert not view(timed.room.game(timed.game_id), ANNA).seats[BEN].computer
