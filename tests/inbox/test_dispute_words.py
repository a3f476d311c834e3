"""The words behind DISPUTE: which are done, which are asked about, and which name somebody else's move."""

from __future__ import annotations

import pytest

from felix_async.game.commands import Dispute
from felix_async.orders.dispute import of_own
from inbox.postbag import Postbag, an_auction
from table import BEN, CARA, DAN

_TABLE = ("Anna", "Ben", "Cara", "Dan")


@pytest.fixture
def bag() -> Postbag:
    """Ben has placed a card, and bid 2."""
    bag = an_auction()
    assert bag.to_move == BEN
    bag.send(BEN, "BID 2")
    return bag


def denied(bag: Postbag) -> list[str]:
    return [one.what for one in bag.game.disputes]


_OF_BID = [
    "", "bid", "my bid", "BID 2", "bid two", "(bid 2)", "2", ": the bid of 2 in round 1",
    "my bid of 2 mice", "last bid please", "my last move", "this", "it", "not mine",
    "that was not me", "that wasn’t me", "BID 2, that wasn't me", '"I never bid 2"',
    '"I never bid two"', "I didn't bid 2", "I never wrote that", "I did not send that mail",
    '"this was my little brother, not me"', "somebody else wrote that", "my account was hacked",
    "the bid under my name", "I never bid so much, my dog sat on the keyboard", "Ben never bid 2",
    "Ben's bid", "Ben’s bid, not mine", "seat 2 bid 2", "my move in round one", "I dispute that bid",
]  # fmt: skip
_OF_CARD = [
    "card", "my card", "my card in round 1", "card round one", "PLAY -8", "I never played that",
    "I never placed the −8", "the last card I placed, not mine", "card minus eight",
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "what"), [*((one, "bid") for one in _OF_BID), *((one, "card") for one in _OF_CARD)]
)
def test_a_move_is_denied_in_many_words(bag: Postbag, words: str, what: str) -> None:
    assert bag.send(BEN, f"DISPUTE {words}").lines[0].verdict == "done"
    assert denied(bag) == [what]


@pytest.mark.parametrize(
    "words",
    [
        "Cara's card", "Cara’s card", "Cara", "cara bid 2", "the bid of CARA", "Cara's pass, not mine",
        "I never bid 2, Cara did", "Cara never bid 9", "seat 3", "Seat 3's card", "Ben and Dan",
    ],
)  # fmt: skip
def test_a_move_of_somebody_else_is_not_denied_at_all(bag: Postbag, words: str) -> None:
    size = bag.size
    (line,) = bag.send(BEN, f"DISPUTE {words}").lines
    assert (line.verdict, line.code, bag.size) == ("refused", "dispute/not_own", size)


@pytest.mark.parametrize(
    ("words", "offer"),
    [
        *[
            (words, "DISPUTE BID 2")
            for words in (
                "asdf qwer", "the shuffle", "the rules", "all", "everything", "his bid", "Zoe's bid",
                "Dans bid", "the computer's bid", "my first bid", "wrong bid", "that is a mistake",
                "I meant 1, not 2", "I was asleep when that was sent", "it was sent at 9:02",
                "I dispute the scoring", "drop my bid", "I did not bid 3, I bid 2", "BID 2, not 3",
            )
        ],
        ("my card of last round", "DISPUTE PLAY -8"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_asked_about(bag: Postbag, words: str, offer: str) -> None:
    size = bag.size
    answer = bag.send(BEN, f"DISPUTE {words}")
    assert (answer.lines[0].verdict, answer.offers) == ("asked", [offer, "HISTORY"])
    assert (answer.doubt, bag.size) == ("denied", size)
    assert not any(bag.owed(seat, "disputed") for seat in range(4))
    assert bag.send(BEN, offer).lines[0].verdict == "done"


@pytest.mark.parametrize("words", ["OFF please", "off, it was mine", "withdraw my dispute", "drop it"])
def test_a_dispute_is_taken_back_by_the_words_alone_and_asked_about_with_more(
    bag: Postbag, words: str
) -> None:
    assert bag.send(BEN, f"DISPUTE {words}").lines[0].code == "dispute/none"
    bag.send(BEN, "DISPUTE")
    answer = bag.send(BEN, f"DISPUTE {words}")
    assert (answer.lines[0].verdict, answer.offers, denied(bag)) == ("asked", ["DISPUTE OFF"], ["bid"])
    assert bag.send(BEN, f"{answer.offers[0]}!").lines[0].verdict == "done"
    assert not denied(bag)


@pytest.mark.parametrize("words", ["bid nine", "rabbit", "the large dog", "bid 2 round two", "qwer 9"])
def test_no_other_move_is_taken_for_the_one_that_is_named(bag: Postbag, words: str) -> None:
    assert bag.send(BEN, f"DISPUTE {words}").lines[0].code == "dispute/no_move"


def test_nothing_is_asked_if_the_rules_refuse_it(bag: Postbag) -> None:
    for seat in (CARA, DAN):
        bag.room.do(bag.game_id, Dispute(seat=seat, turn=1, what="card"))
    assert bag.send(BEN, "DISPUTE the shuffle").lines[0].code == "dispute/too_many"


def test_after_the_end_it_is_no_different(bag: Postbag) -> None:
    bag.room.play(bag.game_id)
    assert bag.send(BEN, "DISPUTE Cara's pass").lines[0].code == "dispute/not_own"
    assert bag.send(BEN, "DISPUTE the shuffle in round 1").lines[0].verdict == "asked"
    assert not any(bag.owed(seat, "disputed") for seat in range(4))


@pytest.mark.parametrize(
    ("words", "names", "left"),
    [
        ("Anna's bid", _TABLE, "bid"),
        ("Ben's bid", _TABLE, None),
        ("Benno's bid", _TABLE, "Benno's bid"),
        ("seat 1", _TABLE, ""),
        ("PASS", ("Anna", "Pass", "Bid 9", "9"), "PASS"),
        ("BID 9", ("Anna", "Pass", "Bid 9", "9"), "BID 9"),
        ("PASS", ("Pass", "Ben", "Cara", "Dan"), "PASS"),
        ("Maria's bid", ("Anna", "Anna Maria", "Cara", "Dan"), None),
        ("Anna Maria", ("Anna", "Anna Maria", "Cara", "Dan"), None),
        ("Anna's bid", ("Anna", "Anna Maria", "Cara", "Dan"), "bid"),
        ("Anna's bid", ("Anna Maria", "Anna", "Cara", "Dan"), None),
        ("Anna Maria's bid", ("Anna Maria", "Anna", "Cara", "Dan"), "bid"),
        ("Smith's bid", ("Anna Smith", "Ben Smith", "Cara", "Dan"), "bid"),
        ("Mr Smith", ("Anna", "Ben Smith", "Cara", "Dan"), None),
        ("Anna's bid", ("Anna (seat 1)", "Anna (seat 2)", "Cara", "Dan"), "bid"),
        ("Anna (seat 2)'s bid", ("Anna (seat 1)", "Anna (seat 2)", "Cara", "Dan"), None),
        ("the card of O'Neil", ("Anna", "O'Neil", "(.*)", "Dan"), None),
        ("my card", ("Anna", "O'Neil", "(.*)", "Dan"), "my card"),
        ("I don't, can’t", ("Anna", "Don", "Can", "Dan"), "I don't, can’t"),
        ("Don's bid", ("Anna", "Don", "Can", "Dan"), None),
        ("PLAY LARGE DOG", ("Anna", "Dog Lover", "Large", "Dan"), "PLAY LARGE DOG"),
        ("PLAY LARGE DOG", ("Dog Lover", "Ben", "Cara", "Dan"), "PLAY LARGE DOG"),
        ("BID 9 round 3", ("Anna", "Round", "Cara", "Dan"), "BID 9 round 3"),
        ("the bid of Dog Lover", ("Anna", "Dog Lover", "Cara", "Dan"), None),
    ],
)  # fmt: skip
def test_a_name_is_no_trouble(words: str, names: tuple[str, ...], left: str | None) -> None:
    read = of_own(words, names, 0)
    assert (read if read is None else read.strip()) == left
