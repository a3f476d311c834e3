"""SAY: a line for the table, kept outside the log, and nothing but a line."""

from __future__ import annotations

import textwrap

import pytest

from felix_async.audit.audit import audit
from felix_async.game.commands import Leave
from felix_async.language.phrases import phrase
from felix_async.language.words import BESIDE_AN_ORDER, REFUSALS
from felix_async.orders.say import MAX_A_DAY, MAX_SAYING, hash_of
from felix_events.model import PlayerSaid
from felix_events.store.rows import Choice, Saying
from games import Played
from inbox.postbag import Postbag, a_first_round, an_auction

ANNA, BEN, CARA = range(3)
SENTENCE = "I think that was a really nice sack you bought there, dear Ben, and next time it will be mine."


def sayings(bag: Postbag) -> list[Saying]:
    with bag.room.store.read() as reader:
        return reader.sayings(bag.game_id)


def last_event(bag: Postbag) -> object:
    return Played(bag.game_id, bag.room.evidence(bag.game_id)).envelopes[-1].data


def refusal(bag: Postbag, text: str) -> str:
    """Why this mail was refused, having changed nothing."""
    size = bag.size
    (line,) = bag.send(ANNA, text).lines
    assert (line.verdict, bag.size, sayings(bag)) == ("refused", size, [])
    return line.why


def test_a_saying_is_kept_beside_an_event_that_holds_its_hash() -> None:
    bag = a_first_round()
    bag.send(ANNA, "SAY Well played, Ben!")
    (saying,) = sayings(bag)
    assert (saying.version, saying.seat, saying.text) == (bag.size, ANNA, "Well played, Ben!")
    assert last_event(bag) == PlayerSaid(seat=ANNA, text_hash=hash_of(saying.salt, saying.text))


def test_the_text_is_neither_in_the_log_nor_in_an_export() -> None:
    bag = a_first_round()
    bag.send(ANNA, "SAY parsnips for everybody")
    evidence = bag.room.evidence(bag.game_id)
    kept = b"".join([*evidence.bodies, *evidence.private_records.values()])
    assert b"parsnips" not in kept
    assert b'"order":"SAY"' in kept
    assert audit(evidence).findings == []


def test_the_answer_says_to_how_many_it_goes() -> None:
    bag = a_first_round(4)
    (line,) = bag.send(ANNA, "SAY hello").lines
    assert line.why == phrase("people.said.to", count=3)


def test_who_is_away_is_not_counted() -> None:
    bag = a_first_round(4)
    bag.room.do(bag.game_id, Leave(seat=CARA, for_good=False))
    (line,) = bag.send(ANNA, "SAY hello").lines
    assert line.why == phrase("people.said.to", count=2)


def test_nobody_is_told_who_does_not_hear() -> None:
    """At a table of three the number alone would tell it."""
    bag = a_first_round(3)
    bag.send(BEN, "SAY OFF")
    (line,) = bag.send(ANNA, "SAY hello").lines
    assert line.why == phrase("people.said.to", count=2)


def test_a_line_that_nobody_is_there_to_hear_says_so() -> None:
    bag = a_first_round(3)
    for seat in (BEN, CARA):
        bag.room.do(bag.game_id, Leave(seat=seat, for_good=False))
    assert bag.send(ANNA, "SAY hello").lines[0].why == phrase("people.said.to_nobody")


def test_who_wants_every_event_is_owed_news_of_it() -> None:
    bag = a_first_round()
    bag.send(BEN, "NOTIFY ALL")
    before = len(bag.owed(BEN, "news"))
    bag.send(ANNA, "SAY hello")
    assert len(bag.owed(BEN, "news")) == before + 1


def test_who_hears_nothing_is_owed_no_news_of_it() -> None:
    bag = a_first_round()
    bag.send(BEN, "NOTIFY ALL\nSAY OFF")
    before = len(bag.owed(BEN, "news"))
    bag.send(ANNA, "SAY hello")
    assert len(bag.owed(BEN, "news")) == before


def test_who_hears_nothing_is_owed_news_of_moves_all_the_same() -> None:
    bag = a_first_round()
    bag.send(BEN, "NOTIFY ALL\nSAY OFF")
    before = len(bag.owed(BEN, "news"))
    bag.send(ANNA, f"PLAY {next(c for c in bag.game.seats[ANNA].hand if isinstance(c, int))}")
    assert len(bag.owed(BEN, "news")) == before + 1


# ---- refused: a sentence, and nothing changed -----------------------------------------------------------
@pytest.mark.parametrize("text", ["x" * (MAX_SAYING + 1), "word " * 20_000, "w" * 100_000])
def test_what_is_too_long_is_said_to_nobody(text: str) -> None:
    assert refusal(a_first_round(), f"SAY {text}") == REFUSALS["say/too_long"].format(most=MAX_SAYING)


def test_three_hundred_characters_are_not_too_long() -> None:
    bag = a_first_round()
    bag.send(ANNA, f"SAY {'x' * MAX_SAYING}")
    assert len(sayings(bag)[0].text) == MAX_SAYING


def test_a_hundred_kilobytes_in_short_lines_are_too_long_as_well() -> None:
    text = textwrap.fill("SAY " + "all these words " * 6000, 72)
    assert refusal(a_first_round(), text) == REFUSALS["say/too_long"].format(most=MAX_SAYING)


@pytest.mark.parametrize(
    "text",
    [
        "<b>hello</b>",
        "look <a href='https://evil.test'>here</a>",
        "<script>alert(1)</script>",
        "< img src=x onerror=y >",
        "<!-- hidden -->",
        "<!DOCTYPE html>",
        "&lt;script&gt;",
        "&#60;b&#62;",
        "<img src=x onerror=y",
    ],
)
def test_the_code_of_a_page_is_said_to_nobody(text: str) -> None:
    assert refusal(a_first_round(), f"SAY {text}") == REFUSALS["say/plain_text_only"]


@pytest.mark.parametrize("text", [
    "I <3 this", "5 > 3 and 2 < 3", "AT&T & friends", "a < b", "a < b and c > d", "x<y", "<grin>",
    "me < you > us",
])  # fmt: skip
def test_signs_that_make_no_page_are_said(text: str) -> None:
    bag = a_first_round()
    bag.send(ANNA, f"SAY {text}")
    assert [saying.text for saying in sayings(bag)] == [text]


@pytest.mark.parametrize(
    "text", ["PASS", "bid 5", "SAY hello", "STOP", "YES", "ADDRESS a@b.org", "FORGET ME"]
)
def test_an_order_is_neither_said_nor_done(text: str) -> None:
    bag = an_auction()
    why = refusal(bag, f"SAY {text}")
    assert why.startswith(REFUSALS["say/is_an_order"].partition("{")[0])


def test_a_saying_without_words_is_nothing() -> None:
    bag = a_first_round()
    (line,) = bag.send(ANNA, "SAY").lines
    assert line.verdict == "not understood"
    assert sayings(bag) == []


def test_so_many_lines_a_day_and_no_more() -> None:
    bag = a_first_round()
    for number in range(MAX_A_DAY):
        assert bag.send(ANNA, f"SAY hello number {number}").lines[0].verdict == "done"
    (line,) = bag.send(ANNA, "SAY one more").lines
    assert line.why == REFUSALS["say/too_often"].format(most=MAX_A_DAY)
    assert len(sayings(bag)) == MAX_A_DAY
    assert bag.send(BEN, "SAY I have said nothing yet").lines[0].verdict == "done"


def test_a_day_later_there_is_more_to_say() -> None:
    bag = a_first_round()
    for number in range(MAX_A_DAY):
        bag.send(ANNA, f"SAY hello number {number}")
    bag.room.clock.now = bag.room.clock.now.replace(day=bag.room.clock.now.day + 1)
    assert bag.send(ANNA, "SAY one more").lines[0].verdict == "done"


def test_the_same_mail_again_says_nothing_again() -> None:
    bag = a_first_round()
    mail_id = bag.write(ANNA, "SAY hello")
    bag.work()
    bag.do(lambda tx: tx.settle_mail(mail_id, "new", key=None))
    bag.work()
    assert len(sayings(bag)) == 1


# ---- broken lines ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("columns", [66, 72, 76, 78])
def test_a_line_that_was_broken_arrives_whole(columns: int) -> None:
    text = f"SAY {SENTENCE} {SENTENCE}"
    bag = a_first_round()
    bag.send(ANNA, f"Hi\n\n{textwrap.fill(text, columns)}\n\nCheers\nAnna")
    assert sayings(bag)[0].text == f"{SENTENCE} {SENTENCE}"


@pytest.mark.parametrize("below", ["-- \nAnna", "Cheers,\nAnna", "> quoted words", "\nAnna"])
def test_nothing_else_is_swallowed(below: str) -> None:
    bag = a_first_round()
    bag.send(ANNA, f"{textwrap.fill(f'SAY {SENTENCE}', 72)}\n{below}")
    assert sayings(bag)[0].text == SENTENCE


def test_a_short_saying_ends_with_its_line() -> None:
    bag = a_first_round()
    bag.send(ANNA, "SAY hello\nhow are you")
    assert sayings(bag)[0].text == "hello"


def test_an_order_below_a_short_saying_is_done() -> None:
    bag = an_auction()
    seat = bag.game.to_move
    assert seat is not None
    bag.send(seat, "SAY too dear for me\nPASS")
    assert bag.game.seats[seat].passed


def test_an_order_that_may_be_the_end_of_a_broken_saying_is_not_done() -> None:
    """`... and then I shall` / `PASS`: nobody knows whether that was said or ordered."""
    bag = an_auction()
    seat = bag.game.to_move
    assert seat is not None
    answer = bag.send(seat, "SAY if nobody wants this sack I am going to look at my cards and shall\nPASS")
    assert not bag.game.seats[seat].passed
    assert answer.lines[-1].why == BESIDE_AN_ORDER


# ---- what a player chooses ------------------------------------------------------------------------------
@pytest.mark.parametrize(("word", "hears"), [("SAY OFF", False), ("say off.", False), ("SAY ON", True)])
def test_say_on_and_off_choose_and_say_nothing(word: str, hears: bool) -> None:
    bag = a_first_round()
    size = bag.size
    bag.do(lambda tx: tx.choose(Choice(bag.seat(ANNA).player_id, hears=not hears)))
    answer = bag.send(ANNA, word)
    with bag.room.store.read() as reader:
        assert reader.choice(bag.seat(ANNA).player_id).hears == hears
    assert (bag.size, sayings(bag), answer.changed) == (size, [], True)


@pytest.mark.parametrize(("word", "chosen"), [("ALL", "all"), ("TURNS", "turns"), ("DAILY", "daily")])
def test_notify_chooses_and_says_so(word: str, chosen: str) -> None:
    bag = a_first_round()
    (line,) = bag.send(ANNA, f"NOTIFY {word}").lines
    with bag.room.store.read() as reader:
        assert reader.choice(bag.seat(ANNA).player_id).notify == chosen
    assert line.why == phrase(f"people.notify.{chosen}", time="17:00 UTC")


def test_one_choice_leaves_the_other_as_it_is() -> None:
    bag = a_first_round()
    bag.send(ANNA, "SAY OFF")
    bag.send(ANNA, "NOTIFY DAILY")
    with bag.room.store.read() as reader:
        assert reader.choice(bag.seat(ANNA).player_id) == Choice(
            bag.seat(ANNA).player_id, "daily", hears=False
        )


def test_who_says_several_lines_hears_that_only_the_first_was_passed_on() -> None:
    bag = a_first_round()
    answer = bag.send(ANNA, "SAY well played\nthat was a fine row\nsee you on Sunday\n")
    assert [saying.text for saying in sayings(bag)] == ["well played"]
    assert answer.lines[-1].why == phrase("people.rest_of_saying", count=2)
