"""Letters that ask early: they go by day, once for each card, and only while they are of use."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from felix_async.draw import Stream
from felix_async.game import commands as c
from felix_async.game.moment import waits_in_auction
from felix_async.game.sensible import sensible_player
from felix_async.game.views import view
from felix_async.service import Origin
from felix_events.store.rows import Letter, Notify
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.channel import TryAgain
from felix_notifiers.outbox.marks import Outbox
from games import a_room
from notifiers.office import Post, place_all, recipients
from notifiers.sheets import MAILBOX
from table import ANNA, BEN, CARA, DAN

BUSY = TryAgain("450 4.2.1 busy")
PLAYERS = ("anna", "ben", "cara", "dan")


def a_post() -> Post:
    """An empty post office, the same each time."""
    room = a_room("post")
    room.clock.step = timedelta(0)
    return Post(room, Outbox(room.clock, Letters(MAILBOX, bytes(range(32)))))


def an_auction(post: Post) -> str:
    """The first card lies open and Anna is in turn; all mail about that has gone."""
    game_id = post.started(start=ANNA)
    place_all(post, game_id)
    post.send()
    post.tray.taken.clear()
    return game_id


def choose(post: Post, seat: int, notify: Notify = "turns", quiet: str = "") -> None:
    post.do(lambda tx: tx.choose(replace(tx.choice(f"{PLAYERS[seat]}-1"), notify=notify, quiet=quiet)))


def say(post: Post, game_id: str, give: c.Give) -> None:
    origin = Origin(f"said {give} {post.room.clock.now}", "seat", "mail", order="said")
    outcome = post.do(lambda tx: post.room.service.instruct(tx, game_id, [give], origin))
    assert outcome.refusal is None


def kinds_in(post: Post, letter: Letter) -> set[str]:
    with post.room.store.read() as reader:
        return {one.kind for one in reader.notices_in(letter.letter_id)}


def to(post: Post, seat: int) -> list[set[str]]:
    """What the letters told that have reached a seat since."""
    address = f"{PLAYERS[seat]}@players.test"
    return [kinds_in(post, letter) for letter in post.tray.taken if letter.recipient == address]


def turn_a_card(post: Post, game_id: str) -> None:
    """Anna passes: Ben is in turn, Cara and Dan are asked early."""
    post.move(game_id, c.Pass(seat=ANNA))


def test_when_a_card_turns_one_letter_goes_to_each_who_is_still_in(post: Post) -> None:
    game_id = an_auction(post)
    turn_a_card(post, game_id)
    post.send()
    assert sorted(recipients(post.tray.taken)) == [f"{name}@players.test" for name in ("ben", "cara", "dan")]
    assert [to(post, seat) for seat in (BEN, CARA, DAN)] == [[{"turn"}], [{"early"}], [{"early"}]]


def test_the_curious_get_the_news_and_the_question_in_one_letter(post: Post) -> None:
    game_id = an_auction(post)
    choose(post, DAN, "all")
    turn_a_card(post, game_id)
    post.send()
    assert to(post, DAN) == [{"news", "early"}]


def test_an_early_ask_goes_in_the_morning(post: Post) -> None:
    game_id = an_auction(post)
    post.room.clock.now = post.room.clock.now.replace(hour=23)
    turn_a_card(post, game_id)
    post.send()
    assert to(post, DAN) == []
    post.wait(hours=10)
    post.send()
    assert to(post, DAN) == [{"early"}]


def test_in_the_morning_nobody_is_asked_early_who_is_in_turn_by_then(post: Post) -> None:
    game_id = an_auction(post)
    post.room.clock.now = post.room.clock.now.replace(hour=23)
    turn_a_card(post, game_id)
    post.move(game_id, c.Bid(seat=BEN, amount=1))
    post.wait(hours=10)
    post.send()
    assert (to(post, CARA), to(post, DAN)) == ([{"turn"}], [{"early"}])


def test_in_the_morning_nobody_is_asked_who_has_answered_by_then(post: Post) -> None:
    game_id = an_auction(post)
    post.room.clock.now = post.room.clock.now.replace(hour=23)
    turn_a_card(post, game_id)
    say(post, game_id, c.Give(seat=DAN, kind="bid", limit=9))
    post.wait(hours=10)
    post.send()
    assert to(post, DAN) == []


def test_in_the_morning_the_newest_card_alone_is_asked_about(post: Post) -> None:
    game_id = an_auction(post)
    post.room.clock.now = post.room.clock.now.replace(hour=23)
    turn_a_card(post, game_id)
    post.move(game_id, c.Pass(seat=BEN))
    post.wait(hours=10)
    post.send()
    assert to(post, DAN) == [{"early"}]
    assert "early" not in set().union(*to(post, CARA))


def test_a_digest_asks_early(post: Post) -> None:
    game_id = an_auction(post)
    choose(post, DAN, "daily")
    turn_a_card(post, game_id)
    post.send()
    assert to(post, DAN) == []
    post.wait(hours=24)
    post.send()
    assert to(post, DAN) == [{"early"}]


def test_each_rest_of_the_table_is_one_letter_to_a_reader_at_the_most(post: Post) -> None:
    """Three rounds in which limits are given and followed; Dan wants to hear of everything."""
    game_id = post.started(start=ANNA)
    choose(post, DAN, "all")
    post.send()
    numbers = Stream(bytes(32), "somebody moves")
    told: set[frozenset[str]] = set()
    while (game := post.room.game(game_id)).round <= 3:
        waits = [seat for seat in game.bidders if waits_in_auction(game, seat)]
        rich = [seat for seat in waits if game.seats[seat].mice > game.high_bid + 2]
        if rich and numbers.below(2):
            say(post, game_id, c.Give(seat=rich[0], kind="bid", limit=game.high_bid + 3))
        seat = game.asked[numbers.below(len(game.asked))]
        post.tray.taken.clear()
        post.move(game_id, sensible_player(view(game, seat), seat, numbers).move)
        post.send()
        assert len(recipients(post.tray.taken)) == len({*recipients(post.tray.taken)})
        told |= {frozenset(kinds_in(post, letter)) for letter in post.tray.taken}
        post.wait(minutes=2)
    assert told >= {
        frozenset({"turn"}),
        frozenset({"early"}),
        frozenset({"news"}),
        frozenset({"news", "early"}),
    }


# ---- written, and not gone yet -----------------------------------------------------------------------
def written(post: Post) -> str:
    """A card has turned, and all letters about it are written and not sent: the other side was busy."""
    game_id = an_auction(post)
    turn_a_card(post, game_id)
    post.tray.answers = [BUSY] * 3
    post.send()
    post.tray.taken.clear()
    post.wait(minutes=2)
    return game_id


def test_one_that_is_still_of_use_goes_as_it_is(post: Post) -> None:
    written(post)
    post.send()
    assert to(post, DAN) == [{"early"}]


def test_it_is_dropped_where_the_table_has_come_to_rest_and_the_turn_mail_goes(post: Post) -> None:
    game_id = written(post)
    post.move(game_id, c.Bid(seat=BEN, amount=1))
    post.send()
    assert to(post, CARA) == [{"turn"}]


def test_it_is_dropped_once_another_card_has_turned_and_the_new_one_goes(post: Post) -> None:
    game_id = written(post)
    post.move(game_id, c.Pass(seat=BEN))
    post.send()
    assert to(post, DAN) == [{"early"}]
    dans = [one for one in post.letters() if one.recipient == "dan@players.test"]
    assert [one.state for one in dans if "early" in kinds_in(post, one)][-2:] == ["dropped", "sent"]


def test_it_is_dropped_once_its_reader_has_answered(post: Post) -> None:
    game_id = written(post)
    say(post, game_id, c.Give(seat=DAN, kind="bid", limit=9))
    post.send()
    assert to(post, DAN) == []


def test_it_is_held_in_quiet_hours(post: Post) -> None:
    written(post)
    post.room.clock.now = post.room.clock.now.replace(hour=23)
    post.send()
    assert to(post, DAN) == []
    assert to(post, BEN) == [{"turn"}]


def test_news_beside_one_that_is_needless_are_written_anew(post: Post) -> None:
    game_id = an_auction(post)
    choose(post, DAN, "all")
    turn_a_card(post, game_id)
    post.tray.answers = [BUSY] * 3
    post.send()
    post.tray.taken.clear()
    post.wait(minutes=2)
    say(post, game_id, c.Give(seat=DAN, kind="bid", limit=9))
    post.send()
    post.send()
    assert to(post, DAN) == [{"news"}]


# ---- byte for byte -----------------------------------------------------------------------------------
def what_others_get(*gives: c.Give) -> list[tuple[str, str, bytes]]:
    """All letters but Dan's, if he has said this in advance, until it would be his turn."""
    post = a_post()
    game_id = an_auction(post)
    for give in gives:
        say(post, game_id, give)
    for command in (c.Pass(seat=ANNA), c.Bid(seat=BEN, amount=1)):
        post.move(game_id, command)
        post.send()
        post.wait(hours=1)
    return [
        (letter.recipient, letter.message_id, letter.raw)
        for letter in post.letters()
        if letter.recipient != "dan@players.test"
    ]


@pytest.mark.parametrize("gives", [(9,), (12,), (9, 12)])
def test_that_somebody_has_answered_early_changes_no_byte_that_others_get(gives: tuple[int, ...]) -> None:
    orders = [c.Give(seat=DAN, kind="bid", limit=limit) for limit in gives]
    assert what_others_get(*orders, c.Give(seat=DAN, kind="pass")) == what_others_get()
