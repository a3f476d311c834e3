"""What was said reaches everybody else at the table, and once: in whichever letter comes first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from email.message import EmailMessage
from hashlib import sha256
from random import Random

import pytest

from each import one_in
from felix_async.draw import Stream
from felix_async.game.commands import order_text
from felix_async.game.players import random_player
from felix_async.game.views import view
from felix_async.inbox.process import Processor
from felix_async.language.grammar import Order
from felix_events.store.base import Tx
from felix_notifiers.outbox.channel import TryAgain
from games import NAMES, a_room
from inbox.mailroom_of_people import Village, a_village
from inbox.postbag import MAILBOX, Postbag
from notifiers.sheets import part
from table import ANNA, BEN, CARA, DAN

_SAID = re.compile(r"word-\d+-said")


@dataclass
class Tables:
    """Tables of the same players, their post office, and which of their words came to whom, how often."""

    bags: list[Postbag]
    village: Village
    got: Counter[tuple[str, int]] = field(default_factory=Counter)

    @property
    def bag(self) -> Postbag:
        """The first of them."""
        return self.bags[0]

    def deliver(self) -> Sequence[EmailMessage]:
        """All that is owed goes out, and is read."""
        mails = self.village.deliver()
        for mail in mails:
            text = " ".join(part(mail, "plain").replace("|", " ").split())
            for word in _SAID.findall(text):
                self.got[word, _reader(mail)] += 1
        return mails

    def pass_time(self, **time: float) -> None:
        """Nothing happens for so long."""
        self.bag.room.clock.now += timedelta(**time)

    def move(self, bag: Postbag, chance: Random, numbers: Stream) -> None:
        """Somebody who is asked does something."""
        game = bag.game
        seat = chance.choice(game.asked)
        bag.send(seat, order_text(random_player(view(game, seat), seat, numbers).move))

    def play_until(self, bag: Postbag, seat: int) -> None:
        """Everybody else plays and passes until this seat is asked."""
        while seat not in bag.game.asked:
            asked = bag.game.asked[0]
            if bag.game.phase == "placing":
                bag.send(asked, str(Order("PLAY", card=bag.game.seats[asked].hand[0])))
            else:
                bag.send(asked, "PASS")


def _reader(mail: EmailMessage) -> int:
    return next(seat for seat, name in enumerate(NAMES) if f"{name.lower()}@" in str(mail["To"]))


def tables(count: int, seats: int = 4, seed: str = "told") -> Tables:
    """So many tables in their first round."""
    room = a_room(seed)
    processor = Processor(room.service, MAILBOX)
    bags = [
        Postbag(
            room, room.open(seats, start=ANNA, command_id=f"open {number}"), processor, mails=1000 * number
        )
        for number in range(count)
    ]
    village = a_village(bags[0])
    for bag in bags:
        room.join_all(bag.game_id)
    opened = Tables(bags, village)
    opened.deliver()
    return opened


def to(mails: Sequence[EmailMessage], seat: int) -> list[str]:
    """The text parts of those to a seat."""
    return [part(mail, "plain") for mail in mails if _reader(mail) == seat]


# ---- as a whole -------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", one_in(4, range(4)))
def test_each_saying_reaches_each_other_seat_exactly_once(seed: int) -> None:
    """Whatever each of them wants to be told, and however often they change their minds.

    HISTORY, RESEND and reminders say again what was said, and are asked for by nobody here.
    """
    chance = Random(seed)
    seats = 3 + seed % 3
    told = tables(1 + seed % 2, seats, str(seed))
    numbers = Stream(sha256(str(seed).encode()).digest(), "told")
    said: list[tuple[str, int]] = []
    while running := [bag for bag in told.bags if not bag.game.is_over and bag.game.round < 4]:
        bag, seat = chance.choice(running), chance.randrange(seats)
        match chance.choices(["say", "notify", "ask", "move"], [4, 2, 1, 12])[0]:
            case "say":
                said.append((f"word-{len(said)}-said", seat))
                assert bag.send(seat, f"SAY {said[-1][0]}").lines[0].verdict == "done"
            case "notify":
                bag.send(seat, f"NOTIFY {chance.choice(['ALL', 'TURNS', 'DAILY'])}")
            case "ask":
                bag.send(seat, chance.choice(["STATUS", "HAND", "GAMES", "RULES", "HELP"]))
            case "move":
                told.move(bag, chance, numbers)
        if chance.random() < 0.6:
            told.deliver()
        if chance.random() < 0.1:
            told.pass_time(hours=chance.choice([1, 7, 20]))
    told.deliver()
    told.pass_time(days=2)
    told.deliver()
    # Whoever has not been written to since asks.
    for bag in told.bags:
        for seat in range(seats):
            bag.send(seat, "STATUS")
    told.deliver()
    assert len(said) > 2
    for word, by in said:
        assert {seat: told.got[word, seat] for seat in range(seats) if seat != by} == {
            seat: 1 for seat in range(seats) if seat != by
        }, word


# ---- one by one -------------------------------------------------------------------------------------
def test_a_digest_is_remembered_for_each_of_its_games() -> None:
    told = tables(2)
    told.bag.send(DAN, "NOTIFY DAILY")
    for number, bag in enumerate(told.bags):
        bag.send(DAN, str(Order("PLAY", card=bag.game.seats[DAN].hand[0])))
        bag.send(ANNA, f"SAY word-{number}-said")
    for _ in range(3):
        for bag in told.bags:
            told.play_until(bag, DAN)
        told.pass_time(days=1)
        told.deliver()
        for bag in told.bags:
            bag.send(DAN, "PASS" if bag.game.phase == "bidding" else _first_card(bag, DAN))
    assert [told.got[f"word-{number}-said", DAN] for number in range(2)] == [1, 1]


def test_after_a_digest_news_of_the_second_game_begin_where_it_ended() -> None:
    told = tables(2)
    told.bag.send(DAN, "NOTIFY DAILY")
    for bag in told.bags:
        told.play_until(bag, DAN)
        bag.send(DAN, _first_card(bag, DAN))
        told.play_until(bag, DAN)
    told.deliver()
    told.pass_time(days=1)
    (digest,) = to(told.deliver(), DAN)
    assert "Anna  passed" in digest
    told.bag.send(DAN, "NOTIFY ALL")
    told.deliver()
    told.bags[1].send(DAN, "PASS")
    told.deliver()
    told.play_until(told.bags[1], ANNA)
    for seat in (ANNA, BEN, CARA, DAN):
        told.bags[1].send(seat, _first_card(told.bags[1], seat))
    told.bags[1].send(ANNA, "PASS")
    news = [text for text in to(told.deliver(), DAN) if "Since my last message" in text]
    assert news
    assert not any("Round 1: " in text for text in news)


def _first_card(bag: Postbag, seat: int) -> str:
    return str(Order("PLAY", card=bag.game.seats[seat].hand[0]))


@pytest.mark.parametrize("notify", ["TURNS", "ALL"])
def test_who_wants_no_digest_any_more_gets_at_once_what_waited_for_it(notify: str) -> None:
    told = tables(2)
    told.bag.send(DAN, "NOTIFY DAILY")
    for bag in told.bags:
        bag.place_all()
        told.play_until(bag, DAN)
    told.deliver()
    told.bag.send(DAN, f"NOTIFY {notify}")
    subjects = [str(mail["Subject"]) for mail in told.deliver() if _reader(mail) == DAN]
    assert len([subject for subject in subjects if subject.startswith("Round 1 · ")]) == 2


def test_what_is_said_while_a_letter_is_owed_stands_in_that_one_only() -> None:
    told = tables(1)
    told.bag.place_all()
    told.bag.send(BEN, "SAY word-0-said")
    told.deliver()
    told.bag.send(ANNA, "BID 1")
    told.bag.send(BEN, "BID 2")
    told.bag.send(CARA, "BID 3")
    told.bag.send(DAN, "BID 4")
    told.deliver()
    assert told.got["word-0-said", ANNA] == 1


def test_who_is_waited_for_hears_it_in_the_answer_to_a_move() -> None:
    told = tables(1)
    told.bag.place_all()
    told.bag.send(ANNA, "BID 1")
    told.deliver()
    told.bag.send(ANNA, "SAY word-0-said")
    assert to(told.deliver(), BEN) == []
    told.bag.send(BEN, "BID 2")
    (answer,) = to(told.deliver(), BEN)
    assert "Anna says:\n  | word-0-said\n" in answer


def test_history_says_it_once() -> None:
    told = tables(1)
    told.bag.send(ANNA, "SAY word-0-said")
    told.deliver()
    told.bag.send(BEN, "HISTORY")
    told.deliver()
    told.bag.send(BEN, "STATUS")
    told.deliver()
    assert told.got["word-0-said", BEN] == 1


def test_the_own_words_are_not_told_as_something_new() -> None:
    told = tables(1)
    told.bag.send(ANNA, "SAY hello there")
    told.deliver()
    told.bag.send(ANNA, "STATUS")
    (answer,) = to(told.deliver(), ANNA)
    assert "hello there" not in answer


def test_what_stood_in_a_letter_that_was_dropped_is_told_in_the_next() -> None:
    told = tables(1)
    told.bag.place_all()
    told.bag.send(BEN, "SAY word-0-said")
    told.village.post.tray.answers = [TryAgain("450 busy")] * 20
    told.village.post.send()
    told.village.post.tray.taken.clear()
    told.village.post.tray.answers = []

    def drop(tx: Tx) -> None:
        for letter in tx.letters("ready"):
            if "anna@" in letter.recipient:
                tx.end_letter(letter.letter_id, "dropped", "gone")

    told.bag.do(drop)
    told.bag.send(ANNA, "STATUS")
    told.deliver()
    assert told.got["word-0-said", ANNA] == 1


def test_who_hears_again_is_not_told_what_was_said_meanwhile() -> None:
    told = tables(1)
    told.bag.send(BEN, "SAY OFF")
    told.bag.send(ANNA, "SAY word-0-said")
    told.deliver()
    told.bag.send(BEN, "STATUS")
    told.deliver()
    told.bag.send(BEN, "SAY ON")
    told.bag.send(ANNA, "SAY word-1-said")
    told.deliver()
    told.bag.send(BEN, "STATUS")
    told.deliver()
    assert (told.got["word-0-said", BEN], told.got["word-1-said", BEN]) == (0, 1)
