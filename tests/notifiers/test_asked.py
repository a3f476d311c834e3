"""The answers to HISTORY, RULES, GAMES, RESEND and HELP: what was asked for, as it is for this reader."""

from __future__ import annotations

from datetime import timedelta

import pytest

from felix_async.follow_up.answer import Section
from felix_async.game.commands import Leave, Pass
from felix_async.game.folding import fold
from felix_async.game.story import Story
from felix_async.language.phrases import phrase
from felix_async.language.words import RULES
from felix_async.schedule.tick import tick
from felix_events.model import Event, PlayerDeclined, PlayerUninvited
from felix_events.store.rows import Saying
from felix_notifiers.content import asked
from felix_notifiers.content.block import Block
from games import NAMES, TABLE_NAME, Played, a_game_played, joining
from inbox.clocked import a_clocked_table
from inbox.mailroom_of_people import a_village
from inbox.postbag import Postbag, a_first_round
from notifiers.sheets import Html, an_answer, mail, part
from table import ANNA, BEN, CARA, Table, a_game, a_hosted_invitation, an_invitation


def two_tables() -> Postbag:
    bag = a_first_round()
    bag.room.open(3, command_id="create-2")
    return bag


HELP = an_answer(("HELP", "done", "."), show=["help"])
QUESTIONS: tuple[Section, ...] = ("history", "rules", "games", "resend", "help", "hand", "status")


def titles(blocks: list[Block]) -> list[str]:
    return [block.title for block in blocks]


def now_may(table: Table | list[Event], seat: int) -> str:
    """What stands below "You may now"."""
    game = table.game if isinstance(table, Table) else fold(table)
    text = mail(game, seat, {"answer"}, answer=HELP).text
    start = text.index(f"{phrase('people.now.heading')}:")
    return " ".join(text[start:].split("\n\n")[1].split())


@pytest.fixture(scope="module")
def played() -> Played:
    return a_game_played(4)


# ---- HISTORY --------------------------------------------------------------------------------------------
def test_a_saying_that_was_erased_is_told_without_its_words() -> None:
    bag = a_first_round()
    bag.send(BEN, "SAY I like this row")
    bodies = Played(bag.game_id, bag.room.evidence(bag.game_id)).envelopes
    erased = Saying(bag.game_id, bag.size, BEN, b"", "")
    (*_, block) = asked.history(Story.of(bodies), [erased], NAMES[:4], ANNA)
    assert block.lines[-1] == "Ben said something."


# ---- RULES ----------------------------------------------------------------------------------------------
def test_the_rules_name_the_cards_and_the_mice_that_there_are() -> None:
    for word in ("−8, −5, 3, 5, 8, 11, 15", "15 mice", "nine rounds", "exactly 1 mouse", "dummy"):
        assert word in RULES


# ---- GAMES ----------------------------------------------------------------------------------------------
def test_no_table_of_somebody_else_is_listed() -> None:
    bag = a_first_round(4)
    bag.room.open(3, command_id="create-2")
    text = a_village(bag).answer(3, "GAMES")
    assert text.count("To see that table") == 1


def test_a_table_that_was_left_for_good_is_not_listed() -> None:
    bag = a_first_round()
    bag.room.do(bag.game_id, Leave(seat=ANNA, for_good=True))
    assert phrase("people.games.none") in a_village(bag).answer(ANNA, "GAMES")


def test_games_that_are_over_come_last() -> None:
    bag = a_first_round(3)
    bag.room.play(bag.game_id)
    bag.room.open(3, command_id="create-2")
    village = a_village(bag)
    text = village.answer(ANNA, "GAMES")
    assert text.index("not started yet") < text.index(f"{bag.game_id}: over")


def test_the_table_where_it_is_the_readers_turn_comes_first_and_is_never_cut_off() -> None:
    bag = a_first_round()
    for number in range(asked.MOST_GAMES + 2):
        other = bag.room.open(3, command_id=f"table {number}")
        bag.room.do(other, joining(ANNA))
    text = a_village(bag).answer(ANNA, "GAMES")
    standings = [line for line in text.splitlines() if line.startswith(f"{TABLE_NAME} ")]
    assert standings[0].startswith(f"{TABLE_NAME} {bag.game_id}: round 1 of 9, it is your turn")


# ---- RESEND ---------------------------------------------------------------------------------------------
def test_resend_of_a_result_has_the_scores() -> None:
    bag = a_first_round(3)
    bag.room.play(bag.game_id)
    assert "Cats + Mice = Total" in a_village(bag).answer(ANNA, "RESEND")


# ---- HELP -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("table", "seat", "expected"),
    [
        (a_game(), ANNA, "PLAY one of the cards"),
        (a_game().in_auction(top_bid=5, by=ANNA), BEN, "BID 6 or more, up to 15, or PASS."),
        (a_game().asking_all().with_mice({BEN: 6}).in_auction(top_bid=5, by=ANNA), BEN, "BID 6, or PASS."),
        (
            a_game().asking_all().with_mice({BEN: 5}).in_auction(top_bid=5, by=ANNA),
            BEN,
            "PASS; a bid is not possible",
        ),
        (a_game().in_auction(top_bid=5, by=ANNA), CARA, "wait for your turn"),
        (
            a_game(start=ANNA).in_auction().after(Pass(seat=ANNA)),
            ANNA,
            "wait for the next round, because you have",
        ),
        (an_invitation(4), ANNA, "JOIN, or DECLINE."),
        (a_hosted_invitation(4, ()), ANNA, "JOIN, or CANCEL to call the game off."),
        (an_invitation(4, (ANNA,)), ANNA, "wait for the others, or DECLINE"),
        (a_hosted_invitation(4, (ANNA,)), ANNA, "wait for at least 3 players"),
        (a_hosted_invitation(4, (ANNA, BEN, CARA)), ANNA, "START the game"),
        (a_game().after(Leave(seat=BEN, for_good=False)), BEN, "write any order to play for yourself"),
        (
            a_game().after(Leave(seat=BEN, for_good=True)),
            BEN,
            "ask for STATUS, HISTORY or GAMES; you are out",
        ),
        ([*a_hosted_invitation(5, (ANNA,)), PlayerDeclined(seat=BEN)], BEN, "JOIN after all"),
        (
            [*a_hosted_invitation(5, (ANNA,)), PlayerUninvited(seat=BEN)],
            BEN,
            "ask for STATUS, HISTORY or GAMES; you are not",
        ),
    ],
)
def test_help_begins_with_what_the_reader_may_do_now(
    table: Table | list[Event], seat: int, expected: str
) -> None:
    assert now_may(table, seat).startswith(expected)


def test_help_offers_start_to_a_host_with_enough_players() -> None:
    table = fold(a_hosted_invitation(4, (ANNA, BEN, CARA)))
    bodies = [link.body for link in Html(mail(table, ANNA, {"answer"}, answer=HELP).html).links]
    assert "START" in bodies
    assert bodies[-1] == "RULES"


def test_help_does_not_offer_start_to_anybody_else() -> None:
    table = fold(a_hosted_invitation(4, (ANNA, BEN, CARA)))
    bodies = [link.body for link in Html(mail(table, BEN, {"answer"}, answer=HELP).html).links]
    assert "START" not in bodies


def test_games_lists_the_tables_and_who_is_waited_for() -> None:
    village = a_village(two_tables())
    text = village.answer(ANNA, "GAMES")
    assert f"{TABLE_NAME} {village.bag.game_id}: round 1 of 9, it is your turn" in text
    assert "not started yet, you have not answered yet" in text


def test_resend_of_a_vote_has_the_vote_and_its_word() -> None:
    bag = a_clocked_table()
    bag.place_all()
    village = a_village(bag)
    bag.send(BEN, "ABANDON")
    village.deliver()
    text = " ".join(village.answer(CARA, "RESEND").split())
    assert "Ben would like to end the game without a result." in text
    assert text.count("ABANDON") > 0


def test_the_news_of_a_vote_has_the_turn_of_who_is_asked_too() -> None:
    """It is the newest message of its thread."""
    bag = a_clocked_table()
    bag.place_all()
    village = a_village(bag)
    village.deliver()
    bag.send((bag.to_move + 1) % 4, "ABANDON")
    (text,) = [
        part(one, "plain")
        for one in village.deliver()
        if bag.seat(bag.to_move).name.lower() in str(one["To"])
    ]
    assert "\n  PASS" in text
    assert "\n  BID 1" in text


def test_help_in_a_pause_tells_how_to_end_it() -> None:
    bag = a_clocked_table()
    for seat in (ANNA, BEN, CARA):
        bag.send(seat, "PAUSE")
    text = a_village(bag).answer(ANNA, "HELP")
    assert "The game is paused: RESUME ends that, and the time runs again." in " ".join(text.split())


def test_resend_of_a_time_out_says_whose_time_was_up() -> None:
    bag = a_clocked_table()
    village = a_village(bag)
    bag.room.clock.now += timedelta(days=4)
    tick(bag.do, bag.room.service)
    village.deliver()
    assert "You didn't move by" in village.answer(BEN, "RESEND")
