"""What a mail does: each of its lines is obeyed, refused, answered or left aside, and told so."""

from __future__ import annotations

import pytest

from felix_async.game.cards import in_order
from felix_async.language.grammar import Order
from felix_async.language.words import ASKED, DONE
from felix_events.model import Card
from games import NAMES
from inbox.postbag import MAILBOX, Postbag, a_first_round, a_mail, an_auction, verdicts


def play(card: Card) -> str:
    return str(Order("PLAY", card=card))


def hand(bag: Postbag, seat: int) -> list[Card]:
    return in_order(bag.game.seats[seat].hand)


# ---- each order -----------------------------------------------------------------------------------------
def test_the_answer_to_the_last_pass_before_round_9_stops_at_the_sack() -> None:
    """The last cards are placed, and the first one of the next row is turned over, in the same step."""
    bag = an_auction()
    why = ""
    while bag.game.round < 9:
        if bag.game.phase == "placing":
            bag.place_all()
            continue
        asked = bag.to_move
        line = bag.send(asked, "BID 1" if not bag.game.high_bid else "PASS").lines[0]
        why = line.why if line.text == "PASS" else why
    assert why.count(" passed") == 1
    assert why.count("turned over") <= 1
    assert "bought" not in why


def test_the_answer_to_a_bid_that_nobody_can_top_says_that_the_sack_is_theirs() -> None:
    """The others have 15 mice, too: the rules pass for them in the same step."""
    bag = an_auction()
    assert bag.send(bag.to_move, "BID 15").lines[0].why == "You bid 15, and the sack is yours."


def test_so_does_the_answer_to_such_a_bid_beside_a_card_for_the_next_round() -> None:
    bag = an_auction()
    seat = bag.to_move
    card = next(card for card in hand(bag, seat) if card != bag.game.seats[seat].placed)
    line = bag.send(seat, f"BID 15, NEXT {play(card).removeprefix('PLAY ')}").lines[0]
    assert line.why.startswith("You bid 15, and the sack is yours.")


def test_the_answer_to_another_bid_says_that_it_stands() -> None:
    bag = an_auction()
    assert bag.send(bag.to_move, "BID 14").lines[0].why == DONE["BID"]


@pytest.mark.parametrize("order", ["PLAY 8", "PASS", "BID 5"])
def test_an_answer_to_the_decision_before_a_pass_of_the_rules_does_nothing_after_it(order: str) -> None:
    """The pass counts as a decision of that seat, so that what was asked before it is over."""
    bag = an_auction()
    seat = (bag.to_move + 1) % 4
    earlier = bag.address(seat)
    bag.send(bag.to_move, "BID 15")
    size = bag.size
    bag.post(
        a_mail(order, sender=f"{NAMES[seat].lower()}@players.test", message_id="<late@x>"),
        earlier,
        f"{NAMES[seat].lower()}@players.test",
    )
    bag.work()
    assert bag.size == size


def test_what_is_nearly_an_order_is_asked_about_and_not_done() -> None:
    bag = an_auction()
    size = bag.size
    line = bag.send(0, "I resing").lines[0]
    assert (line.verdict, line.why) == ("asked", ASKED["meant"].format(order="RESIGN"))
    assert bag.size == size


# ---- every line -------------------------------------------------------------------------------------
def test_every_line_that_may_be_an_order_is_accounted_for() -> None:
    bag = a_first_round()
    card = hand(bag, 0)[0]
    text = f"Hello felix!\n\n{play(card).lower()}.\nQUIET some\n  *HAND*\nnonsense\n"
    answer = bag.send(0, text)
    assert [(line.text, line.verdict) for line in answer.lines] == [
        (f"{play(card).lower()}.", "done"),
        ("QUIET some", "ambiguous"),
        ("*HAND*", "done"),
    ]
    assert all(line.why for line in answer.lines)


def test_a_mail_that_says_thanks_and_no_more_is_answered_so() -> None:
    assert a_first_round().send(0, "Thanks!\n").lines != []


def test_what_the_answer_repeats_is_harmless() -> None:
    bag = a_first_round()
    raw = a_mail("x\x1b[31m\u202ey", message_id="<a\x07b@c>", subject="s\x1b]0;t")
    mail_id = bag.take(raw, bag.address(0))
    answer = bag.answered(mail_id)
    assert answer.lines[0].text == "x[31my"
    assert not any(char < " " for char in answer.in_reply_to + answer.subject)


# ---- answers to older mails -----------------------------------------------------------------------------
def test_a_bid_that_is_taken_back_below_is_asked_about() -> None:
    bag = an_auction()
    answer = bag.send(bag.to_move, "BID 1\nscratch that")
    assert (verdicts(answer), bag.game.high_bid, answer.offers[0]) == (["asked"], 0, "BID 1")


def test_the_private_record_of_a_move_names_the_mail_and_the_order() -> None:
    bag = a_first_round()
    card = hand(bag, 0)[0]
    mail_id = bag.write(0, f"hello\n{play(card).lower()}!")
    bag.work()
    evidence = bag.room.evidence(bag.game_id)
    record = evidence.private_records[bag.size].decode()
    assert bag.mail(mail_id).sha256 in record
    assert f'"order":"{play(card)}"' in record
    assert '"channel":"mail"' in record
    assert MAILBOX not in record


def test_the_answer_knows_which_mail_it_answers() -> None:
    answer = a_first_round().send(0, "HAND")
    assert (answer.in_reply_to, answer.subject) == ("1@players.test", "Re: Your turn")
