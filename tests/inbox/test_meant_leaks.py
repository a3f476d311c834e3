"""Words that name a card, a number or a bid of their writer's are never offered to be passed on."""

from __future__ import annotations

import pytest

from inbox.postbag import Postbag, a_first_round, an_auction

TELLING = [
    "Got only dogs left, Anna",
    "Anna, got the 15 here",
    "Now the 5, in the next round the little dog.",
    "Told you I'd go high, Dan",
    "Anna you can have it for six, not me",
    "Ha Cara, guess who has the big one",
    "Cara my eleven sends regards",
    "I still have the 15, lucky me, Anna!",
    "Anna, my 15 will beat you",
    "Cara you will hate my dog next round",
    "my hand is full of bad cats, you lot",
    "everybody: I hold the rabbit",
    "Sorry Dan, that minus eight was mine",
    "I'm saving my big cat for later, Anna",
    "ha Anna, wait until you see my fifteen",
    "Anna I would go to nine for this, don't push me",
    "Dan, I can't go higher than 6",
    "Dear all, I have only nasty cats left",
    "Guys my card is a dog haha",
    "you'll never guess that I put the rabbit, Cara",
    "good luck with my -8, suckers",
    "Anna, bet you 5 mice that mine's the worst",
    "I'm out of good cats folks",
    "Cara, no more dogs here",
    "I've got nothing good left everyone",
    "Dan: if you bid 7 I'm out",
    "I'm stopping at eight, guys",
    "I only have twelve mice left, Anna, be kind",
    "Anna, I'll go one more than you, always",
    "woof woof Anna",
    "Everyone, hands off, that's my bunny in there",
    "we have the fifteen here, darlings",
    "lol guys i put down trash",
    "Anna I know what's in there and it's bad",
    "Cara you don't want this one, my card stinks",
    "I'm bluffing, folks",
    "keep bidding Anna, it's great cats",
    "next round I play the rabbit, be warned",
    "I'll pass next time Anna",
    "my last mouse is yours Dan",
    "Anna, the -8 is coming your way",
    "Anna, look out for the eight",
    "lots of minuses from me, guys",
    "Anna, all my positives are gone",
    "everyone brace for a stinker from me",
    "my best is still to come, Cara",
    "skint, Anna, have mercy",
    "Dan I could pay double that",
]
FOR_THE_TABLE = [
    "Well played, Anna",
    "thanks everyone, great fun",
    "See you all Thursday at 8",
    "Dan stop bidding like a maniac",
]


def sayings(bag: Postbag, seat: int, text: str) -> list[str]:
    return [offer for offer in bag.send(seat, text).offers if offer.startswith("SAY ")]


@pytest.fixture(name="room", params=[a_first_round, an_auction])
def _room(request: pytest.FixtureRequest) -> Postbag:
    bag: Postbag = request.param()
    return bag


@pytest.fixture(name="seat")
def _seat(room: Postbag) -> int:
    return room.game.asked[0]


@pytest.mark.slow
@pytest.mark.parametrize("text", TELLING)
def test_what_may_tell_a_hand_or_a_bid_is_not_offered(room: Postbag, seat: int, text: str) -> None:
    assert sayings(room, seat, text) == []


@pytest.mark.parametrize("text", FOR_THE_TABLE)
def test_what_tells_nothing_is_offered(room: Postbag, seat: int, text: str) -> None:
    assert sayings(room, seat, text) == [f"SAY {text}"]


def test_of_several_sentences_those_are_offered_that_tell_nothing(room: Postbag, seat: int) -> None:
    assert sayings(room, seat, "Anna, my hand is awful. You rat, Anna!") == ["SAY You rat, Anna!"]
