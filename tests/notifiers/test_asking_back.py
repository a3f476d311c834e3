"""What felix asks back can be answered: YES and NO stand in the mail that asks, and the YES is done."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from felix_async.game.commands import Bid, Cancel, Play
from felix_async.language.words import REFUSALS
from inbox.postbag import a_first_round, an_auction
from notifiers.correspondence import Correspondence, Reply, corresponding
from notifiers.refused import after, hosted


def host() -> tuple[Correspondence, int]:
    """Who has opened a table and joined it, and waits for the others."""
    return hosted(joined=3), 0


def guest_in() -> tuple[Correspondence, int]:
    """A guest who waits for the others."""
    return hosted(), 1


def placed() -> tuple[Correspondence, int]:
    """Somebody whose card lies in the row, while others still choose theirs."""
    letters = corresponding(a_first_round())
    return after(letters, Play(seat=0, card=letters.bag.game.seats[0].hand[0])), 0


def bidding() -> tuple[Correspondence, int]:
    """Somebody who is asked for a bid."""
    letters = corresponding(an_auction())
    return letters, letters.bag.game.asked[0]


def waiting() -> tuple[Correspondence, int]:
    """Somebody in an auction in which it is another player's turn."""
    letters = corresponding(an_auction())
    return letters, (letters.bag.game.asked[0] + 1) % 4


def leading() -> tuple[Correspondence, int]:
    """Somebody who has bid, and waits for what the others do."""
    letters, seat = bidding()
    return after(letters, Bid(seat=seat, amount=4)), seat


def called_off() -> tuple[Correspondence, int]:
    """A guest of a table that was called off."""
    return hosted(Cancel(seat=0)), 1


def has_yes(letters: Correspondence, seat: int, reply: Reply) -> bool:
    """Return True if a mail that asks holds a YES and a NO to tap and to type, and both are done."""
    links = [link for link in reply.links if link.body in ("YES", "NO")]
    assert sorted(link.body for link in links) == ["NO", "YES"], reply.text
    assert all(f"\n  {word}\n" in reply.text for word in ("YES", "NO"))
    return all(letters.tap(seat, link).lines[-1].verdict == "done" for link in links)


@pytest.mark.slow
@pytest.mark.parametrize("line", [
    "stopp", "stop please", "time zone", "delete me",
])  # fmt: skip
@pytest.mark.parametrize("situation", [host, guest_in, placed, bidding, waiting, called_off])
def test_whoever_is_asked_back_can_answer(
    situation: Callable[[], tuple[Correspondence, int]], line: str
) -> None:
    letters, seat = situation()
    reply = letters.write(seat, line)
    assert "Did you mean" in reply.text or reply.answer.asks
    assert has_yes(letters, seat, reply)


@pytest.mark.parametrize("situation", [host, bidding, waiting])
def test_what_only_shows_something_is_not_asked_about(
    situation: Callable[[], tuple[Correspondence, int]],
) -> None:
    letters, seat = situation()
    assert [one.verdict for one in letters.write(seat, "send again").answer.lines] == ["done"]


@pytest.mark.parametrize(("situation", "line"), [
    (host, "strat"), (host, "cancel the game"), (bidding, "psas"), (bidding, "bit 5"), (bidding, "abandom"),
    (waiting, "abandom"), (placed, "quit"), (guest_in, "i'm out of it, declne"), (guest_in, "quit"),
])  # fmt: skip
def test_an_order_that_would_be_done_is_asked_about(
    situation: Callable[[], tuple[Correspondence, int]], line: str
) -> None:
    letters, seat = situation()
    reply = letters.write(seat, line)
    assert not reply.answer.asks_text or has_yes(letters, seat, reply)


@pytest.mark.parametrize(("situation", "line", "code"), [
    (waiting, "play dog", "row/complete"), (guest_in, "5", "game/not_started"),
    (bidding, "play dog", "row/complete"),
    (guest_in, "strat", "host/only"), (guest_in, "i'm in", "seat/already_joined"),
    (called_off, "I'm in!", "game/never_began"), (called_off, "psas", "game/never_began"),
    (waiting, "puase", "vote/no_clock"),
])  # fmt: skip
def test_what_a_yes_would_not_do_is_refused_at_once_and_not_asked(
    situation: Callable[[], tuple[Correspondence, int]], line: str, code: str
) -> None:
    letters, seat = situation()
    reply = letters.write(seat, line)
    assert ([one.code for one in reply.answer.lines], reply.answer.asks) == ([code], 0)
    assert "Did you mean" not in reply.text
    assert reply.links
    assert all(letters.tap(seat, link).lines[0].verdict == "done" for link in reply.links)


@pytest.mark.parametrize(("situation", "line"), [
    (placed, "psas"), (placed, "bit 5"), (bidding, "bit 99"), (bidding, "5 or 6, hmm"),
    (bidding, "paly 5"), (waiting, "paly 5"), (waiting, "5 or 6, hmm"),
])  # fmt: skip
def test_what_is_not_possible_or_not_clear_is_asked_about_with_what_is_possible(
    situation: Callable[[], tuple[Correspondence, int]], line: str
) -> None:
    letters, seat = situation()
    reply = letters.write(seat, line)
    assert [one.verdict for one in reply.answer.lines] == ["asked"]
    assert [link.body for link in reply.links][: len(reply.answer.offers)] == reply.answer.offers
    assert 2 <= len(reply.answer.offers) <= 4
    assert all(letters.tap(seat, link).lines[0].verdict == "done" for link in reply.links)


@pytest.mark.parametrize(("situation", "offers"), [
    (waiting, ["PASS", "UP TO 3", "BID 1"]), (leading, ["PASS", "UP TO 7", "BID 5"]),
])  # fmt: skip
def test_who_tells_of_a_card_out_of_turn_is_offered_what_can_be_said_in_advance(
    situation: Callable[[], tuple[Correspondence, int]], offers: list[str]
) -> None:
    letters, seat = situation()
    reply = letters.write(seat, "my -8 is in there, so I will let it go cheap")
    assert [link.body for link in reply.links] == offers
    assert all(letters.tap(seat, link).lines[0].verdict == "done" for link in reply.links)


def test_a_yes_to_what_is_no_longer_legal_says_so() -> None:
    letters, seat = host()
    number = letters.write(seat, "strat").answer.asks
    letters.write(seat, "UNINVITE Cara")
    answer = letters.write(seat, "YES", to=letters.bag.question_address(seat, number)).answer
    assert answer.lines[0].why == REFUSALS["question/closed"]


def test_of_two_questions_in_one_letter_the_newer_one_is_asked() -> None:
    letters, seat = bidding()
    letters.bag.write(seat, "psas")
    letters.bag.work()
    reply = letters.write(seat, "stopp")
    assert "PASS" not in [option.body for option in reply.links[:2]]
    assert has_yes(letters, seat, reply)


def test_who_has_placed_is_not_told_to_place() -> None:
    letters, seat = placed()
    reply = letters.write(seat, "PASS")
    assert reply.answer.lines[0].why == REFUSALS["auction/card_lies"]
    assert [link.body for link in reply.links] == ["STATUS"]


@pytest.mark.parametrize(
    ("bid", "code", "offers"),
    [(40, "bid/above_mice", ["BID 15", "PASS"]), (2, "bid/too_low", ["BID 5", "BID 6", "PASS"])],
)
def test_a_bid_that_is_refused_before_its_turn_is_told_once_beside_those_that_would_do(
    bid: int, code: str, offers: list[str]
) -> None:
    letters, seat = leading()
    waits = (seat + 2) % 4
    reply = letters.write(waits, f"BID {bid}")
    assert reply.answer.lines[0].code == code
    assert [link.body for link in reply.links] == offers
    assert reply.text.count(f"BID {bid}") == 1
    assert "Write instead" not in reply.text
    assert letters.tap(waits, reply.links[0]).lines[0].verdict == "done"
