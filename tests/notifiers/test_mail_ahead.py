"""Mails about what is said in advance: asked early, told as it happened, and to nobody else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.message import EmailMessage
from typing import Final

import pytest

from felix_async.game.commands import Bid, Pass
from felix_async.game.story import Story
from felix_async.language.grammar import Order
from felix_async.seat_logs import orders_at
from felix_events.envelope import check_envelopes
from felix_notifiers.mails.digest import digest_of, turn_first
from felix_notifiers.mails.render import rendered
from felix_notifiers.mails.spoke import Spoke, last_word
from gallery.advance import early
from inbox.postbag import Postbag
from notifiers.sheets import Html, changed, compose, offered
from notifiers.test_mail_told_once import Tables, tables, to
from table import ANNA, BEN, CARA, DAN, NOW, Table, a_game

_CLOCK: Final = re.compile(r"\d\d:\d\d")


def an_auction(seed: str = "ahead") -> Tables:
    """A table of four where the first card has turned: Anna is in turn, and everybody has been asked."""
    told = tables(1, seed=seed)
    for seat in range(4):
        told.bag.send(seat, str(Order("PLAY", card=told.bag.game.seats[seat].hand[seat])))
    told.deliver()
    return told


def words(mails: Sequence[EmailMessage], seat: int) -> str:
    """All that one seat reads in these mails, in one line."""
    return " ".join(" ".join(to(mails, seat)).replace("\u00a0", " ").split())


# ---- asked early ------------------------------------------------------------------------------------
def outbid() -> Table:
    """Ben's turn comes after Anna's; Dan is out, and Cara leads."""
    table = a_game(start=CARA).with_row(11, -5, "large_dog", 3).in_round(4)
    return table.after(Bid(seat=CARA, amount=6), Pass(seat=DAN))


def test_an_early_mail_says_after_whom_it_is_the_readers_turn() -> None:
    text = compose(early(outbid())).text
    assert text.startswith("Cara bids 6 mice, and Anna is next. How far would you go?\n")


def test_who_is_waited_for_now_is_named() -> None:
    table = a_game(start=CARA).with_row(11, -5, "large_dog", 3).in_round(4)
    assert compose(early(table)).text.startswith("The 11 is up, and Cara is next: how far would you go?\n")


def test_who_leads_is_told_so_and_not_that_it_will_be_their_turn() -> None:
    leading = outbid().after(Bid(seat=ANNA, amount=7), Bid(seat=BEN, amount=8), Pass(seat=CARA))
    text = " ".join(compose(early(leading)).text.split())
    assert text.startswith("You lead. If somebody goes higher, how far would you go?")
    assert "will be your turn" not in text


def test_no_limit_is_broken_into_two_lines() -> None:
    asked = outbid().after(Bid(seat=ANNA, amount=7))
    assert "\n  UP TO 11, 13\n" in compose(early(asked, "turn")).text


@pytest.mark.parametrize(("number", "is_told"), [(1, True), (2, True), (3, False), (9, False)])
def test_the_first_rounds_say_what_a_limit_does_and_that_words_will_do(number: int, is_told: bool) -> None:
    table = a_game(start=BEN).with_row(11, -5, 8, 3).in_round(number)
    told = " ".join(compose(early(table, "turn")).text.split())
    said = ["I bid for you, one at a time", "or in your own words"]
    assert [words in told for words in said] == [is_told, is_told]


def test_an_early_mail_is_told_apart_by_its_first_line() -> None:
    asked = outbid().after(Bid(seat=ANNA, amount=7))
    before, now = compose(early(outbid())), compose(early(asked, "turn"))
    assert (before.subject == now.subject, before.text[:12] == now.text[:12]) == (True, False)


def test_an_early_mail_names_no_time() -> None:
    assert not _CLOCK.search(compose(early(outbid())).text)


def test_an_early_mail_offers_limits_and_pass_and_no_card() -> None:
    composed = compose(early(outbid()))
    assert offered(composed) == ["PASS", "UP TO 8", "UP TO 10", "UP TO 12", "UP TO 15"]
    bodies = [link.body for link in Html(composed.html).links]
    assert bodies == ["PASS", "UP TO 8", "UP TO 10", "UP TO 12", "UP TO 15", "UP TO "]


@pytest.mark.parametrize(
    ("mice", "limits"), [(7, ["UP TO 7"]), (8, ["UP TO 8"]), (10, ["UP TO 8", "UP TO 10"])]
)
def test_no_limit_is_offered_above_the_mice_that_are_left(mice: int, limits: list[str]) -> None:
    table = a_game(start=CARA).with_row(11, -5, "large_dog", 3).in_round(4).with_mice({BEN: mice})
    told = compose(early(table.after(Bid(seat=CARA, amount=6), Pass(seat=DAN))))
    assert offered(told) == ["PASS", *limits]


def test_a_turn_mail_offers_limits_in_small_below_its_bids() -> None:
    composed = compose(early(outbid().after(Bid(seat=ANNA, amount=7)), "turn"))
    assert offered(composed) == ["PASS", "BID 8", "BID 9", "BID 10", "BID 12", "UP TO 11", "UP TO 13"]
    bodies = [link.body for link in Html(composed.html).links]
    assert bodies[5:8] == ["UP TO 11", "UP TO 13", "UP TO "]
    assert bodies[8:] == ["NEXT -8", "NEXT -5", "NEXT RABBIT", "NEXT 5", "NEXT 8"]


def test_no_card_is_offered_for_the_round_that_has_no_choice() -> None:
    table = a_game(start=CARA).with_row(11, -5, "large_dog", 3).in_round(8)
    assert not [
        link for link in Html(compose(early(table, "turn")).html).links if link.body.startswith("NEXT")
    ]


def test_a_digest_says_how_many_tables_wait_and_puts_them_behind_the_turns() -> None:
    turn = early(outbid().after(Bid(seat=ANNA, amount=7)), "turn")
    over = changed(early(outbid(), "news"), game_id="over2")
    occasions = sorted([over, early(outbid()), turn], key=turn_first)
    assert occasions == [turn, early(outbid()), over]
    first = rendered(digest_of(occasions, NOW)).text.splitlines()[0]
    assert first == "1 of your tables waits for you, and there is news from 3."
    first = rendered(digest_of(occasions[1:], NOW)).text.splitlines()[0]
    assert first == "No table waits for you yet, but at 1 of them you may already say what you want."


# ---- what happened at once --------------------------------------------------------------------------
def test_a_chain_is_told_to_each_seat_once_from_where_it_spoke() -> None:
    told = an_auction()
    told.bag.send(BEN, "UP TO 9")
    told.bag.send(DAN, "UP TO 8 THEN ASK")
    told.bag.send(CARA, "PASS")
    told.deliver()
    told.bag.send(ANNA, "BID 2")
    mails = told.deliver()
    told_first = "Since your last move: Cara out, +2;"
    assert [words(mails, seat).count("Cara out, +2;") for seat in range(4)] == [1, 1, 0, 1]
    assert told_first in words(mails, ANNA)
    assert [
        told_first.replace("your last move", "my last message") in words(mails, seat) for seat in (BEN, DAN)
    ] == [True, True]


def test_the_answer_to_an_order_tells_what_happened_at_once_by_it() -> None:
    told = an_auction()
    told.bag.send(BEN, "UP TO 9 THEN ASK")
    told.bag.send(CARA, "UP TO 7 THEN ASK")
    told.bag.send(DAN, "UP TO 5 THEN ASK")
    told.deliver()
    told.bag.send(ANNA, "BID 2, UP TO 4")
    answer = words(told.deliver(), ANNA)
    chain = "Ben bid 3; Cara 4; Dan 5; you're out, +2"
    assert f"What happened next: {chain}" in answer
    assert answer.count("You bid 2 now.") == 1


def test_who_has_said_the_next_card_reads_who_bought_the_sack() -> None:
    told = an_auction()
    hands = [told.bag.game.seats[seat].hand for seat in range(4)]
    for seat in (BEN, CARA, DAN):
        told.bag.send(seat, f"PASS, {Order('NEXT', next=hands[seat][0])}")
    told.deliver()
    told.bag.send(ANNA, f"BID 1, {Order('NEXT', next=hands[ANNA][0])}")
    mails = told.deliver()
    assert (told.bag.game.round, told.bag.game.phase) == (2, "bidding")
    asked = [words(mails, seat) for seat in range(4)]
    assert [text.count("Round 1:") for text in asked] == [1, 1, 1, 1]
    assert ["You paid 1 mouse for" in asked[ANNA], "Anna paid 1 mouse for" in asked[BEN]] == [True, True]
    assert not [text for text in asked if "bought the sack for" in text]


def test_an_answer_that_moved_nobody_tells_nothing_of_the_kind() -> None:
    told = an_auction()
    told.bag.send(ANNA, "BID 2")
    assert "What happened next" not in words(told.deliver(), ANNA)
    told.bag.send(ANNA, "HELP")
    assert "What happened next" not in words(told.deliver(), ANNA)


def test_who_hears_of_everything_gets_one_mail_for_a_chain_and_nothing_twice() -> None:
    told = an_auction()
    for seat in range(4):
        told.bag.send(seat, "NOTIFY ALL")
    told.bag.send(CARA, "PASS")
    told.bag.send(BEN, "UP TO 9 THEN ASK")
    told.bag.send(DAN, "UP TO 8 THEN ASK")
    told.deliver()
    told.bag.send(ANNA, "BID 2")
    first = told.deliver()
    assert [len(to(first, seat)) for seat in range(4)] == [1, 1, 1, 1]
    assert "Anna bid 2; Ben 3; you're out, +2" in words(first, CARA)
    told.bag.send(DAN, "BID 4, UP TO 6")
    second = told.deliver()
    assert [len(to(second, seat)) for seat in range(4)] == [1, 1, 1, 1]
    assert not [seat for seat in range(4) if "bid 2;" in words(second, seat)]


def test_what_came_between_an_early_ask_and_the_order_is_told() -> None:
    told = an_auction()
    told.bag.send(ANNA, "BID 2")
    told.deliver()
    told.bag.send(CARA, "UP TO 6")
    told.bag.send(BEN, "BID 3")
    told.deliver()
    told.bag.send(DAN, "PASS")
    assert "Since my last message: Dan out, +2;" in words(told.deliver(), CARA)


# ---- what the reader has said -----------------------------------------------------------------------
def test_what_a_seat_has_said_is_shown_to_it_and_to_nobody_else() -> None:
    told = an_auction()
    told.bag.send(BEN, "UP TO 9, NEXT 8")
    told.deliver()
    for seat in range(4):
        told.bag.send(seat, "STATUS")
    mails = told.deliver()
    assert "You have said: UP TO 9, until a card turns." in words(mails, BEN)
    assert "Your card for round 2: 8." in words(mails, BEN)
    others = " ".join(words(mails, seat) for seat in (ANNA, CARA, DAN))
    assert "said" not in others
    assert "round 2" not in others


def test_a_limit_that_a_card_has_ended_is_offered_again() -> None:
    told = an_auction()
    for seat in (BEN, CARA):
        told.bag.send(seat, "UP TO 11")
    told.deliver()
    told.bag.send(ANNA, "PASS")
    mails = told.deliver()
    for seat in (BEN, CARA):
        assert "A card has turned, so your UP TO 11 is over." in words(mails, seat)
    assert " UP TO 4, 11 (I bid for you" in words(mails, BEN)
    assert " UP TO 2, 4, 6, 11 " in words(mails, CARA)


def test_it_stands_in_its_place_among_the_others() -> None:
    told = an_auction()
    for seat in (BEN, CARA):
        told.bag.send(seat, "UP TO 2")
    told.deliver()
    told.bag.send(ANNA, "PASS")
    assert " UP TO 2, 4 (I bid for you" in words(told.deliver(), BEN)


@pytest.mark.parametrize("order", ["UP TO 7", "UP TO 7 THEN ASK, NEXT RABBIT"])
def test_a_limit_that_ends_with_a_card_at_once_is_told_to_be_over_once(order: str) -> None:
    told = an_auction()
    for seat in (BEN, CARA):
        told.bag.send(seat, "PASS")
    told.deliver()
    told.bag.send(ANNA, order)
    mails = words(told.deliver(), ANNA)
    assert mails.count(f"A card has turned, so your {order.partition(',')[0]} is over.") == 1
    assert "no longer counts" not in mails


def test_no_mail_of_a_running_game_shows_when_somebody_moved() -> None:
    told = an_auction()
    for minutes, (seat, line) in enumerate(
        [(BEN, "UP TO 9"), (ANNA, "BID 2"), (CARA, "PASS"), (DAN, "BID 7")]
    ):
        told.pass_time(minutes=7 + minutes)
        told.bag.send(seat, line)
    told.deliver()
    for seat in range(4):
        told.bag.send(seat, "HISTORY; STATUS; HAND".replace("; ", "\n"))
    for seat in range(4):
        shown = [line for line in words(told.deliver(), seat).split(". ") if _CLOCK.search(line)]
        assert all("since" in line for line in shown), shown


# ---- the last word of a player ----------------------------------------------------------------------
def spoken(bag: Postbag, seat: int) -> Spoke:
    """The last word of a seat."""
    with bag.room.store.read() as reader:
        story = Story.of(check_envelopes(reader.bodies(bag.game_id)))
        return last_word(story, seat, orders_at(reader, bag.game_id, seat))


def test_a_move_by_an_order_is_no_word_of_its_player() -> None:
    bag = an_auction().bag
    size, before = bag.size, spoken(bag, BEN)
    bag.send(BEN, "UP TO 9")
    bag.send(ANNA, "BID 2")
    assert bag.game.high_bid == 3
    assert (spoken(bag, BEN).size, spoken(bag, BEN).by_hand) == (size, before.by_hand)


def test_a_move_in_the_place_of_an_order_is_a_word() -> None:
    bag = an_auction().bag
    bag.send(BEN, "UP TO 2 THEN ASK")
    bag.send(ANNA, "BID 2")
    bag.send(BEN, "BID 5")
    assert bag.game.high_bid == 5
    assert spoken(bag, BEN).by_hand == spoken(bag, BEN).size == bag.size
