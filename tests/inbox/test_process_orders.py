"""What a mail does: each of its lines is obeyed, refused, answered or left aside, and told so."""

from __future__ import annotations

import pytest

from felix_async.draw import contribution
from felix_async.game.cards import in_order
from felix_async.game.rules import Refusal
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.language.words import (
    ALREADY_DONE,
    ANOTHER_MOVE,
    ASKED,
    DONE,
    MISUNDERSTOOD,
    REFUSALS,
    TWO_MOVES,
)
from felix_async.reading.understand import MAX_MISREAD
from felix_events.model import Card
from games import Played
from inbox.postbag import MAILBOX, Postbag, a_first_round, a_mail, a_table, an_auction, verdicts


def play(card: Card) -> str:
    return str(Order("PLAY", card=card))


def hand(bag: Postbag, seat: int) -> list[Card]:
    return in_order(bag.game.seats[seat].hand)


def types_since(bag: Postbag, version: int) -> list[str]:
    """The types of the events after this version."""
    return [e.type for e in Played(bag.game_id, bag.room.evidence(bag.game_id)).envelopes[version:]]


# ---- each order -----------------------------------------------------------------------------------------
def test_join_takes_the_seat_and_tells_what_it_put_into_the_draw() -> None:
    bag = a_table()
    answer = bag.send(0, "JOIN salt and pepper")
    assert bag.game.seats[0].answer == "joined"
    expected = contribution("1@players.test", "salt and pepper")
    assert bag.game.seats[0].contribution == expected
    assert expected in answer.lines[0].small
    assert expected not in answer.lines[0].why
    assert answer.lines[0].why.startswith(DONE["JOIN"])


def test_a_join_without_words_puts_its_message_id_into_the_draw() -> None:
    bag = a_table()
    bag.send(0, "JOIN")
    assert bag.game.seats[0].contribution == contribution("1@players.test", "")


def test_decline_gives_the_seat_back_and_the_game_does_not_take_place() -> None:
    bag = a_table()
    assert bag.send(1, "DECLINE").lines[0].why == DONE["DECLINE"]
    assert bag.game.phase == "abandoned"


def test_play_places_a_card() -> None:
    bag = a_first_round()
    card = hand(bag, 2)[3]
    answer = bag.send(2, play(card))
    assert (answer.lines[0].verdict, answer.lines[0].why) == ("done", DONE["PLAY"])
    assert bag.game.seats[2].placed == card


def test_a_card_may_be_exchanged_until_the_row_is_complete() -> None:
    bag = a_first_round()
    first, second = hand(bag, 2)[:2]
    turn = bag.game.seats[2].turn
    bag.send(2, play(first))
    assert verdicts(bag.send(2, play(second), turn)) == ["done"]
    assert bag.game.seats[2].placed == second
    assert first in bag.game.seats[2].hand
    bag.place_all()
    late = bag.send(2, play(first), turn)
    assert (verdicts(late), bag.game.seats[2].placed) == (["refused"], second)


def test_the_same_card_again_is_so_already() -> None:
    bag = a_first_round()
    card = hand(bag, 2)[0]
    bag.send(2, play(card))
    size = bag.size
    answer = bag.send(2, play(card))
    assert (answer.lines[0].verdict, answer.lines[0].why) == ("done", ALREADY_DONE)
    assert bag.size == size


def test_the_answer_to_the_last_pass_before_round_9_stops_at_the_sack() -> None:
    """The last cards are placed, and the first one of the next row is turned over, in the same step."""
    bag = an_auction()
    why = ""
    while bag.game.round < 9:
        if bag.game.phase == "placing":
            bag.place_all()
            continue
        asked = bag.game.to_move
        assert asked is not None
        line = bag.send(asked, "BID 1" if not bag.game.high_bid else "PASS").lines[0]
        why = line.why if line.text == "PASS" else why
    assert why.count(" passed") == 1
    assert why.count("turned over") <= 1
    assert "bought" not in why


def test_bid_and_pass_move_the_auction() -> None:
    bag = an_auction()
    first = bag.game.to_move
    assert first is not None
    assert bag.send(first, "BID 3").lines[0].why == DONE["BID"]
    assert bag.game.high_bid == 3
    second = bag.game.to_move
    assert second is not None
    assert bag.send(second, "PASS").lines[0].why == "You passed and took 2 mice. The −8 was turned over."
    assert bag.game.seats[second].passed


@pytest.mark.parametrize("word", ["STATUS", "HAND", "HELP"])
def test_a_question_is_answered_and_changes_nothing(word: str) -> None:
    bag = a_first_round()
    size = bag.size
    answer = bag.send(1, word)
    assert answer.show == [word.lower()]
    assert (answer.lines[0].verdict, answer.lines[0].why) == ("done", DONE[word])
    assert bag.size == size


def test_a_section_is_shown_once_however_often_it_is_asked_for() -> None:
    bag = a_first_round()
    assert bag.send(1, "HAND\nSTATUS\nHAND").show == ["hand", "status"]


def test_what_is_nearly_an_order_is_asked_about_and_not_done() -> None:
    bag = an_auction()
    size = bag.size
    first = bag.game.to_move
    assert first is not None
    line = bag.send(first, "I pass this time").lines[0]
    assert (line.verdict, line.why) == ("asked", ASKED["meant"].format(order="PASS"))
    assert bag.size == size


# ---- every line -------------------------------------------------------------------------------------
def test_every_line_is_accounted_for_in_order() -> None:
    bag = a_first_round()
    card = hand(bag, 0)[0]
    text = f"Hello felix!\n\n{play(card).lower()}.\nBID 2\nbid 5 or 6\n  *HAND*\nnonsense\n"
    answer = bag.send(0, text)
    assert [(line.text, line.verdict) for line in answer.lines] == [
        (f"{play(card).lower()}.", "done"),
        ("BID 2", "ignored"),
        ("bid 5 or 6", "ambiguous"),
        ("*HAND*", "done"),
        ("", "ignored"),
    ]
    assert answer.lines[-1].why == phrase("people.rest", count=1), "the greeting is not counted"
    assert all(line.why for line in answer.lines)


def test_a_refused_line_undoes_nothing_else() -> None:
    bag = a_first_round()
    card = hand(bag, 0)[0]
    size = bag.size
    answer = bag.send(0, f"DECLINE\n{play(card)}\nHAND")
    assert verdicts(answer) == ["refused", "done", "done"]
    assert types_since(bag, size) == ["card_placed"]
    assert bag.game.seats[0].placed == card


def test_a_refusal_says_why_in_words() -> None:
    bag = an_auction()
    first = bag.game.to_move
    assert first is not None
    assert bag.send(first, "BID 99").lines[0].why == str(
        Refusal("bid/above_mice", {"amount": 99, "mice": 15})
    )


def test_four_lines_not_understood_do_not_end_the_reading() -> None:
    bag = a_first_round()
    chat = "lovely weather\n" * (MAX_MISREAD - 1)
    answer = bag.send(0, f"{chat}{play(hand(bag, 0)[0])}\n{chat}HAND")
    assert verdicts(answer).count("done") == 2


def test_five_lines_not_understood_in_a_row_end_the_reading() -> None:
    bag = a_first_round()
    size = bag.size
    chat = "how are you\n" * MAX_MISREAD
    answer = bag.send(0, f"{chat}{play(hand(bag, 0)[0])}")
    assert verdicts(answer)[:MAX_MISREAD] == ["not understood"] * MAX_MISREAD
    assert bag.size == size


@pytest.mark.parametrize("word", ["END", "end.", "thanks", "Thanks!", "Thank you,", "*thx*", "Cheers"])
def test_a_stop_word_ends_the_reading(word: str) -> None:
    bag = a_first_round()
    first, second = hand(bag, 0)[:2]
    bag.send(0, f"{play(first)}\n{word}\n{play(second)}")
    assert bag.game.seats[0].placed == first


@pytest.mark.parametrize("end", ["END\n", "how are you\n" * MAX_MISREAD])
def test_lines_after_the_end_of_the_reading_are_told_as_left_aside(end: str) -> None:
    bag = a_first_round()
    answer = bag.send(0, f"HAND\n{end}PASS\nSTATUS")
    assert [(line.text, line.verdict) for line in answer.lines if line.text][-2:] == [
        ("PASS", "ignored"),
        ("STATUS", "ignored"),
    ]
    assert answer.show == ["hand"]


@pytest.mark.parametrize("text", ["", "> BID 5\n", "-- \nBID 5"])
def test_a_mail_without_an_order_is_answered_so(text: str) -> None:
    answer = a_first_round().send(0, text)
    assert [line.why for line in answer.lines] == [MISUNDERSTOOD["mail/no_order"]]


def test_a_mail_that_says_thanks_and_no_more_is_answered_so() -> None:
    assert a_first_round().send(0, "Thanks!\n").lines != []


def test_a_mail_without_text_is_answered_so() -> None:
    bag = a_first_round()
    raw = a_mail("PASS", headers=["Content-Type: image/png"])
    mail_id = bag.post(raw, bag.address(0))
    bag.work()
    answer = bag.answer_to(mail_id)
    assert answer is not None
    assert [line.why for line in answer.lines] == [MISUNDERSTOOD["mail/no_text"]]


def test_an_order_in_the_subject_of_a_reply_is_not_read() -> None:
    bag = an_auction()
    seat = bag.game.to_move
    assert seat is not None
    size = bag.size
    sender = bag.seat(seat).address or ""
    bag.post(a_mail("HAND", subject="Re: BID 5", sender=sender), bag.address(seat), sender)
    bag.work()
    assert bag.size == size


def test_an_order_in_doubt_is_asked_about_and_nothing_is_done() -> None:
    bag = an_auction()
    seat = bag.game.to_move
    assert seat is not None
    size = bag.size
    answer = bag.send(seat, "Hi\n\n-----\nBID 2")
    assert [(line.text, line.verdict) for line in answer.lines] == [
        ("Hi", "not understood"),
        ("BID 2", "asked"),
    ]
    assert "BID 2" in answer.lines[1].why
    assert bag.size == size


def test_the_answer_repeats_nothing_of_another_mail() -> None:
    text = "HAND\n\nAm 01.05.26 um 19:12 schrieb felix:\n> secret\n-- \nAnna\n"
    assert [line.text for line in a_first_round().send(0, text).lines] == ["HAND"]


def test_a_mail_that_is_html_alone_is_obeyed() -> None:
    bag = an_auction()
    seat = bag.game.to_move
    assert seat is not None
    sender = bag.seat(seat).address or ""
    html = "<div>PASS</div><blockquote>BID 2</blockquote>"
    bag.post(a_mail(html, headers=["Content-Type: text/html"], sender=sender), bag.address(seat), sender)
    bag.work()
    assert bag.game.seats[seat].passed


def test_an_order_in_the_subject_of_a_new_mail_is_obeyed() -> None:
    bag = an_auction()
    seat = bag.game.to_move
    assert seat is not None
    sender = bag.seat(seat).address or ""
    bag.post(a_mail("", subject="PASS", sender=sender), bag.address(seat), sender)
    bag.work()
    assert bag.game.seats[seat].passed


def test_what_the_answer_repeats_is_harmless() -> None:
    bag = a_first_round()
    raw = a_mail("x\x1b[31m\u202ey", message_id="<a\x07b@c>", subject="s\x1b]0;t")
    mail_id = bag.post(raw, bag.address(0))
    bag.work()
    answer = bag.answer_to(mail_id)
    assert answer is not None
    assert answer.lines[0].text == "x[31my"
    assert not any(char < " " for char in answer.in_reply_to + answer.subject)


def test_the_answer_knows_which_mail_it_answers() -> None:
    answer = a_first_round().send(0, "HAND")
    assert (answer.in_reply_to, answer.subject) == ("1@players.test", "Re: Your turn")


def test_words_that_only_some_charsets_can_spell_are_joined_all_the_same() -> None:
    bag = a_table()
    raw = a_mail("JOIN +2AA- words", headers=["Content-Type: text/plain; charset=utf-7"])
    mail_id = bag.post(raw, bag.address(0))
    bag.work()
    assert bag.mail(mail_id).state == "done"
    assert bag.game.seats[0].answer == "joined"


# ---- answers to older mails -----------------------------------------------------------------------------
def test_an_answer_to_an_older_turn_mail_does_nothing() -> None:
    bag = an_auction()
    first = bag.game.to_move
    assert first is not None
    old = bag.game.seats[first].turn
    bag.send(first, "BID 1")
    while bag.game.to_move != first:
        assert bag.game.to_move is not None
        bag.send(bag.game.to_move, f"BID {bag.game.high_bid + 1}")
    size = bag.size
    answer = bag.send(first, "BID 9", old)
    assert [(line.verdict, line.why) for line in answer.lines] == [("refused", REFUSALS["turn/stale"])]
    assert bag.size == size


def test_a_question_to_an_older_mail_is_answered() -> None:
    bag = an_auction()
    assert verdicts(bag.send(0, "HAND", 0)) == ["done"]


def test_of_two_different_moves_for_one_decision_neither_is_done() -> None:
    bag = an_auction()
    first = bag.game.to_move
    assert first is not None
    answer = bag.send(first, "BID 1\nBID 9\nHAND")
    assert verdicts(answer) == ["ambiguous", "ambiguous", "done"]
    assert [line.why for line in answer.lines[:2]] == [TWO_MOVES, ANOTHER_MOVE]
    assert (bag.game.high_bid, answer.asks) == (0, 0)


def test_a_bid_that_is_taken_back_below_waits_for_a_yes() -> None:
    bag = an_auction()
    first = bag.game.to_move
    assert first is not None
    answer = bag.send(first, "BID 1\nscratch that")
    assert (verdicts(answer)[0], bag.game.high_bid, answer.asks) == ("asked", 0, 1)
    bag.send(first, "YES")
    assert bag.game.high_bid == 1


def test_orders_are_obeyed_in_the_order_of_receipt() -> None:
    """Whatever their Date headers say; here the mail received last was written first."""
    bag = a_first_round()
    one, two = hand(bag, 0)[:2]
    bag.post(a_mail(play(one), headers=["Date: Fri, 02 Jan 2026 12:00:00 +0000"]), bag.address(0))
    bag.post(a_mail(play(two), message_id="<2@x>"), bag.address(0))
    assert bag.work() == 2
    assert bag.game.seats[0].placed == two


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
