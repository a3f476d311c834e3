"""An answer to another card is not done: it is shown with the row as it is now, and one tap gives it anew."""

from __future__ import annotations

from email.utils import parseaddr

import pytest

from felix_async.game import commands as c
from felix_async.language.words import REFUSALS
from felix_async.seat_logs import ahead_at
from inbox.postbag import an_auction
from notifiers.correspondence import Correspondence, corresponding
from notifiers.refused import after


def auction() -> tuple[Correspondence, int]:
    """The first card lies open; the seat that begins."""
    letters = corresponding(an_auction())
    return letters, letters.bag.to_move


def card_later(*moves: c.Move) -> tuple[Correspondence, int, str]:
    """The next seat was asked early, and has not answered; then the first one passed, and this happened.

    Returns that seat and the address to which it was to answer.
    """
    letters, first = auction()
    seat = (first + 1) % 4
    early = letters.bag.address(seat)
    after(letters, c.Pass(seat=first), *moves)
    return letters, seat, early


def test_an_early_bid_that_comes_when_its_turn_has_come_at_another_card_is_not_done() -> None:
    letters, seat, early = card_later()
    size = letters.bag.size
    (line,) = letters.write(seat, "BID 3", to=early).answer.lines
    assert (line.verdict, line.code, line.why) == (
        "refused",
        "turn/card_turned",
        REFUSALS["turn/card_turned"],
    )
    assert letters.bag.size == size


def test_its_answer_shows_the_row_with_both_cards_that_lie_open_now() -> None:
    letters, seat, early = card_later()
    text = letters.write(seat, "BID 3", to=early).text
    row = text.partition("Open ")[0].strip().rpartition("\n\n")[2].splitlines()
    assert ["face down" in line for line in row] == [False, False, True, True]


def test_one_tap_gives_it_anew() -> None:
    letters, seat, early = card_later()
    reply = letters.write(seat, "BID 3", to=early)
    again = next(link for link in reply.links if link.body == "BID 3")
    assert [line.verdict for line in letters.tap(seat, again).lines] == ["done"]


def test_what_would_be_refused_now_is_not_offered_and_the_reason_is_told() -> None:
    letters, first = auction()
    late = (first + 2) % 4
    early = letters.bag.address(late)
    after(letters, c.Pass(seat=first), c.Bid(seat=(first + 1) % 4, amount=6))
    reply = letters.write(late, "BID 3", to=early)
    (line,) = reply.answer.lines
    assert line.why.startswith(REFUSALS["turn/card_turned"])
    assert "too low" in line.why
    assert "BID 3" not in [link.body for link in reply.links]


def test_an_answer_to_this_very_card_is_done_whenever_it_comes() -> None:
    letters, first = auction()
    seat = (first + 1) % 4
    early = letters.bag.address(seat)
    after(letters, c.Bid(seat=first, amount=1))
    assert [line.verdict for line in letters.write(seat, "BID 3", to=early).answer.lines] == ["done"]


# ---- what is said in advance -------------------------------------------------------------------------
def waiting_later() -> tuple[Correspondence, int, str]:
    """A seat that was asked early at the first card and waits at the second one, and its address then."""
    letters, first = auction()
    seat = (first + 2) % 4
    early = letters.bag.address(seat)
    after(letters, c.Pass(seat=first))
    return letters, seat, early


@pytest.mark.parametrize("line", ["UP TO 7", "BID 5, UP TO 9", "UP TO 7 THEN ASK", "BID 3", "PASS"])
def test_what_was_said_of_another_card_is_not_kept_and_one_tap_says_it_anew(line: str) -> None:
    letters, seat, early = waiting_later()
    reply = letters.write(seat, line, to=early)
    assert [one.code for one in reply.answer.lines] == ["turn/card_turned"]
    assert standing(letters, seat) == 0
    again = next(link for link in reply.links if link.body == line)
    assert [one.verdict for one in letters.tap(seat, again).lines] == ["done"]


@pytest.mark.parametrize("line", ["UP TO 7", "BID 5, UP TO 9", "PASS"])
def test_what_is_said_of_this_card_is_kept_whenever_it_comes(line: str) -> None:
    letters, first = auction()
    seat = (first + 2) % 4
    early = letters.bag.address(seat)
    after(letters, c.Bid(seat=first, amount=1))
    assert [one.verdict for one in letters.write(seat, line, to=early).answer.lines] == ["done"]
    assert standing(letters, seat) == 1


def test_a_limit_that_comes_when_its_turn_has_come_bids_at_once() -> None:
    letters, first = auction()
    seat = (first + 1) % 4
    early = letters.bag.address(seat)
    after(letters, c.Bid(seat=first, amount=1))
    letters.write(seat, "UP TO 7", to=early)
    assert letters.bag.game.seats[seat].bid == 2


def test_a_card_for_the_next_round_may_come_at_any_card_of_this_one() -> None:
    letters, seat, early = waiting_later()
    card = card_of(letters, seat)
    assert [one.verdict for one in letters.write(seat, f"NEXT {card}", to=early).answer.lines] == ["done"]
    assert standing(letters, seat) == 1


def test_a_card_for_a_round_that_has_begun_is_offered_to_be_placed() -> None:
    letters, first = auction()
    last = (first + 3) % 4
    early = letters.bag.address(last)
    card = card_of(letters, last)
    after(letters, *(c.Pass(seat=(first + step) % 4) for step in range(4)))
    reply = letters.write(last, f"NEXT {card}", to=early)
    assert [one.code for one in reply.answer.lines] == ["turn/stale"]
    assert reply.answer.lines[0].instead == f"PLAY {card}"
    place = next(link for link in reply.links if link.body == f"PLAY {card}")
    assert [one.verdict for one in letters.tap(last, place).lines] == ["done"]


def test_an_address_from_before_there_were_rows_is_judged_by_its_turn() -> None:
    letters, first = auction()
    seat = (first + 2) % 4
    turn = letters.bag.game.seats[seat].turn
    verdicts = [letters.write(seat, "UP TO 7", turn=one).answer.lines[0].verdict for one in (turn, turn - 1)]
    assert verdicts == ["done", "refused"]


def standing(letters: Correspondence, seat: int) -> int:
    """How many orders of a seat stand."""
    with letters.bag.room.store.read() as reader:
        return len(ahead_at(reader, letters.bag.game_id, seat).given)


def card_of(letters: Correspondence, seat: int) -> str:
    """A card in the seat's hand, as it is written."""
    return next(str(card) for card in letters.bag.game.seats[seat].hand if isinstance(card, int) and card)


# ---- the addresses of questions ----------------------------------------------------------------------
def asked_about() -> tuple[Correspondence, int, str]:
    """A seat that waits was asked at the first card whether it means PASS, and where it answers that."""
    letters, first = auction()
    seat = (first + 2) % 4
    number = letters.write(seat, "psas").answer.asks
    assert number
    address = letters.bag.question_address(seat, number)
    after(letters, c.Pass(seat=first))
    return letters, seat, address


@pytest.mark.parametrize("line", ["YES", "UP TO 7", "PASS"])
def test_a_question_that_was_asked_at_another_card_is_answered_by_the_row_of_now(line: str) -> None:
    letters, seat, address = asked_about()
    answer = letters.write(seat, line, to=address).answer
    assert answer.lines[0].code == "turn/card_turned"
    assert standing(letters, seat) == 0


def test_a_letter_that_is_written_after_the_card_asks_nothing_about_the_one_before() -> None:
    letters, first = auction()
    seat = (first + 2) % 4
    mail_id = letters.bag.write(seat, "psas")
    letters.bag.work()
    assert letters.bag.answered(mail_id).asks
    after(letters, c.Pass(seat=first))
    reply = letters.write(seat, "STATUS")
    assert "Did you mean" not in reply.text
    assert parseaddr(str(reply.message["Reply-To"]))[1].lower().strip("<>") == letters.bag.address(seat)


# ---- a letter that is written once the auction is over ----------------------------------------------
@pytest.mark.parametrize("line", ["PASS", "UP TO 7"])
def test_a_letter_that_is_written_after_the_auction_offers_nothing_of_it(line: str) -> None:
    letters, seat, early = waiting_later()
    sender = ("anna", "ben", "cara", "dan")[seat] + "@players.test"
    mail_id = letters.bag.post(letters.raw(seat, line), early, sender)
    letters.bag.work()
    first = (seat + 2) % 4
    after(letters, *(c.Pass(seat=(first + step) % 4) for step in range(1, 4)))
    reply = letters.answer_to(mail_id)
    assert reply is not None
    assert "A card has turned since" not in reply.text
    assert {link.body.split()[0] for link in reply.links} <= {"PLAY", "STATUS", "HELP"}


# ---- too late, twice ---------------------------------------------------------------------------------
def test_a_late_answer_to_a_round_that_is_over_is_for_an_older_mail() -> None:
    letters, first = auction()
    last = (first + 3) % 4
    early = letters.bag.address(last)
    after(letters, *(c.Pass(seat=(first + step) % 4) for step in range(4)))
    letters.bag.place_all()
    assert letters.bag.game.round == 2
    assert [line.code for line in letters.write(last, "BID 3", to=early).answer.lines] == ["turn/stale"]


def test_the_same_mail_twice_is_one_answer() -> None:
    letters, first = auction()
    seat = (first + 1) % 4
    early = letters.bag.address(seat)
    after(letters, c.Bid(seat=first, amount=1))
    raw = letters.raw(seat, "BID 3")
    sender = ("anna", "ben", "cara", "dan")[seat] + "@players.test"
    for _ in range(2):
        letters.bag.post(raw, early, sender)
        letters.bag.work()
    assert letters.bag.states()[-2:] == ["done", "duplicate"]
    assert letters.bag.game.high_bid == 3


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_the_address_of_every_letter_names_the_row_of_now(seat: int) -> None:
    letters, _ = auction()
    reply = letters.write(seat, "STATUS")
    assert parseaddr(str(reply.message["Reply-To"]))[1].lower().strip("<>") == letters.bag.address(seat)
