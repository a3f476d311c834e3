"""What is said after the end of a game: passed on beside its log, which is closed."""

from __future__ import annotations

from collections.abc import Sequence
from email.message import EmailMessage
from functools import cache

import pytest

from felix_async.audit.audit import audit
from felix_async.follow_up.notices import TALK_WAIT
from felix_async.game.commands import Leave
from felix_async.language.phrases import phrase
from felix_async.language.words import REFUSALS
from felix_async.orders.say import MAX_AFTER
from felix_events.store.rows import Saying
from inbox.mailroom_of_people import Village, a_village
from inbox.postbag import Postbag, a_first_round
from notifiers.sheets import part

ANNA, BEN, CARA, DAN = range(4)


def after_the_end(*, left: int | None = None) -> Village:
    """A table of four whose game is over, all mail about it gone; perhaps one of them left it for good."""
    return a_village(_over(left).another())


@cache
def _over(left: int | None) -> Postbag:
    """The one that is played, and copied for each test."""
    bag = a_first_round()
    if left is not None:
        bag.room.do(bag.game_id, Leave(seat=left, for_good=True))
    bag.room.play(bag.game_id)
    assert bag.game.phase == "ended"
    return bag


def said(village: Village) -> list[Saying]:
    with village.bag.room.store.read() as reader:
        return reader.sayings(village.bag.game_id)


def to(mails: Sequence[EmailMessage], name: str) -> list[EmailMessage]:
    return [mail for mail in mails if f"{name}@players.test" in str(mail["To"])]


def after_a_while(village: Village) -> Sequence[EmailMessage]:
    """All letters up to now, and those of the next hour."""
    mails = [*village.deliver()]
    village.post.wait(seconds=TALK_WAIT)
    return [*mails, *village.deliver()]


def test_a_move_that_comes_after_the_end_is_not_to_be_tried_again() -> None:
    village = after_the_end()
    assert village.bag.send(CARA, "BID 9").lines[0].code == "game/over"
    (mail,) = to(village.deliver(), "cara")
    text = part(mail, "plain")
    assert text.startswith(phrase("glance.preview.game_over"))
    assert phrase("glance.preview.refused") not in text


def test_good_game_reaches_everybody_else() -> None:
    village = after_the_end()
    assert village.bag.send(ANNA, "SAY Good game!").lines[0].why == phrase("people.said.after", count=3)
    mails = after_a_while(village)
    for name in ("ben", "cara", "dan"):
        (mail,) = to(mails, name)
        assert " wins · " in str(mail["Subject"])
        assert "Anna says:\n  | Good game!\n" in part(mail, "plain")


def test_who_said_it_gets_nothing() -> None:
    village = after_the_end()
    village.deliver()
    village.bag.send(ANNA, "SAY Good game!")
    assert to(after_a_while(village), "anna") == []


def test_the_log_stays_as_it_is_and_sound() -> None:
    village = after_the_end()
    size = village.bag.size
    village.bag.send(ANNA, "SAY Good game!")
    assert village.bag.size == size
    assert audit(village.bag.room.evidence(village.bag.game_id)).findings == []


def test_it_is_kept_behind_the_log_without_a_hash() -> None:
    village = after_the_end()
    size, game_id = village.bag.size, village.bag.game_id
    village.bag.send(ANNA, "SAY Good game!")
    village.bag.send(BEN, "SAY Thank you!")
    assert said(village) == [
        Saying(game_id, size + 1, ANNA, b"", "Good game!"),
        Saying(game_id, size + 2, BEN, b"", "Thank you!"),
    ]


def test_it_is_heard_once() -> None:
    village = after_the_end()
    village.bag.send(ANNA, "SAY Good game!")
    village.bag.send(BEN, "STATUS")
    texts = [part(mail, "plain") for mail in to(village.deliver(), "ben")]
    assert sum(text.count("Good game!") for text in texts) == 1
    assert to(after_a_while(village), "ben") == []
    assert "Good game!" not in village.answer(BEN, "STATUS")


def test_history_tells_it_below_the_game() -> None:
    village = after_the_end()
    village.bag.send(ANNA, "SAY Good game!")
    assert "After the game:\n\n- Anna: “Good game!”\n" in village.answer(BEN, "HISTORY")
    assert "- You: “Good game!”\n" in village.answer(ANNA, "HISTORY")


def test_who_wants_one_mail_a_day_reads_it_then() -> None:
    village = after_the_end()
    village.bag.send(BEN, "NOTIFY DAILY")
    village.deliver()
    village.bag.send(ANNA, "SAY Good game!")
    assert to(village.deliver(), "ben") == []
    village.post.wait(days=1)
    assert len(to(village.deliver(), "ben")) == 1


def test_who_hears_nothing_gets_no_mail() -> None:
    village = after_the_end()
    village.bag.send(BEN, "SAY OFF")
    village.deliver()
    assert village.bag.send(ANNA, "SAY Good game!").lines[0].why == phrase("people.said.after", count=3)
    assert to(after_a_while(village), "ben") == []


def test_who_left_for_good_neither_says_nor_hears_it() -> None:
    village = after_the_end(left=DAN)
    assert village.bag.send(ANNA, "SAY Good game!").lines[0].why == phrase("people.said.after", count=2)
    assert to(after_a_while(village), "dan") == []
    assert village.bag.send(DAN, "SAY Me, too").lines[0].why == REFUSALS["seat/gone"]


def test_so_many_lines_and_no_more() -> None:
    village = after_the_end()
    for number in range(MAX_AFTER):
        assert village.bag.send(ANNA, f"SAY word {number}").lines[0].verdict == "done"
    assert village.bag.send(ANNA, "SAY one more").lines[0].why == REFUSALS["say/enough"].format(
        most=MAX_AFTER
    )
    assert len(said(village)) == MAX_AFTER
    assert village.bag.send(BEN, "SAY I have said nothing yet").lines[0].verdict == "done"


def test_the_same_mail_again_says_nothing_again() -> None:
    village = after_the_end()
    mail_id = village.bag.write(ANNA, "SAY hello")
    village.bag.work()
    village.bag.do(lambda tx: tx.settle_mail(mail_id, "new", key=None))
    village.bag.work()
    assert len(said(village)) == 1


@pytest.mark.parametrize("text", ["SAY <b>hello</b>", "SAY PASS", f"SAY {'x' * 301}"])
def test_what_nobody_may_say_is_not_said_then_either(text: str) -> None:
    village = after_the_end()
    assert village.bag.send(ANNA, text).lines[0].verdict == "refused"
    assert said(village) == []


def test_the_hand_at_the_end_tells_what_was_won_in_all() -> None:
    village = after_the_end()
    assert "so far" not in village.answer(ANNA, "HAND")


def test_it_is_erased_with_who_said_it() -> None:
    village = after_the_end()
    village.bag.send(ANNA, "SAY Good game!")
    player_id = village.bag.seat(ANNA).player_id
    village.bag.do(lambda tx: tx.forget(player_id))
    assert [saying.text for saying in said(village)] == [""]
    assert to(village.deliver(), "ben") == []
