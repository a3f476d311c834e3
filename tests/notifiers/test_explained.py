"""The short answers to questions in plain words: mice, time, the deal, taking back, points of the rules."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from felix_async.follow_up.answer import Section
from felix_async.game.commands import Play
from felix_async.game.folding import fold
from felix_async.game.story import Story
from felix_async.game.views import view
from felix_async.meaning.topics import Topic
from felix_events.model import Ruleset
from felix_notifiers.content.occasion import Occasion
from games import Played, a_game_played
from inbox.mailroom_of_people import a_village
from inbox.postbag import a_first_round
from notifiers.sheets import Html, compose, in_short, snapshot
from notifiers.timed import WITH_RESERVE, a_timed_game, in_auction
from table import ANNA, BEN, CARA, Table, a_game, an_invitation

POINTS: list[Section] = [topic for topic in get_args(Topic) if topic.startswith("rules/")]


@pytest.fixture(scope="module")
def played() -> Played:
    return a_game_played(4)


def at(played: Played, version: int, *show: Section, seat: int = BEN) -> Occasion:
    """The answer to a seat at a version of the game."""
    game = snapshot(view(played.game(version), seat), played.names)
    return in_short(Occasion(game=game, kinds={"answer"}), Story.of(played.envelopes[:version]), show)


def answer(table: Table, *show: Section, seat: int = BEN) -> str:
    """The text of the answer at a table that was set up."""
    game = snapshot(view(table.game, seat))
    return told(in_short(Occasion(game=game, kinds={"answer"}), Story(), show))


def told(occasion: Occasion) -> str:
    """The text of an answer in one line."""
    return " ".join(compose(occasion).text.split())


def purses(occasion: Occasion) -> dict[str, str]:
    """What stands about the mice of each player."""
    (block,) = occasion.blocks
    return dict(line.split(": ", 1) for line in block.lines)


# ---- mice -------------------------------------------------------------------------------------------
def test_the_mice_of_each_player_can_be_added_up_from_what_is_told(played: Played) -> None:
    version = next(v for v in played.step_ends() if played.game(v).round == 6)
    told = purses(at(played, version, "mice"))
    seats = [("You" if seat == BEN else name, seat) for seat, name in enumerate(played.names)]
    for name, seat in seats:
        first, *rest = told[name].split("; ")
        mice = [int(part.split()[0].replace("−", "-")) for part in (first, *rest)]
        assert sum(mice) == played.game(version).seats[seat].mice


def test_no_total_of_another_player_is_told(played: Played) -> None:
    version = next(v for v in played.step_ends() if played.game(v).round == 6)
    (block,) = at(played, version, "mice").blocks
    for line in block.lines:
        assert re.fullmatch(
            r"\w+: 15(; \+\d for passing in round \d|; −\d+ in round \d, for [^;]+)*", line
        ), line


def test_the_readers_own_mice_and_won_cards_are_added_up(played: Played) -> None:
    version = next(v for v in played.step_ends() if played.game(v).round == 6)
    mice = played.game(version).seats[BEN].mice
    assert f"You have {mice} mice." in told(at(played, version, "mice"))


def test_before_the_deal_who_asks_for_mice_reads_how_many_everybody_begins_with() -> None:
    game = snapshot(view(fold(an_invitation(4, [ANNA])), BEN))
    assert "Everybody begins with 15 mice" in told(
        in_short(Occasion(game=game, kinds={"answer"}), Story(), ["mice"])
    )


# ---- time -------------------------------------------------------------------------------------------
def test_who_is_asked_reads_the_deadline_and_the_clock_once() -> None:
    text = told(in_short(in_auction(WITH_RESERVE).occasion("answer"), Story(), ["time"]))
    assert text.count("You have until") == 1
    assert "The clock:" in text
    assert "Your reserve" in text or "After that your reserve" in text


def test_who_is_not_asked_reads_that_no_time_of_theirs_runs() -> None:
    text = told(in_short(in_auction().occasion("answer", seat=CARA), Story(), ["time"]))
    assert "your time is not running" in text


def test_without_a_clock_it_says_so() -> None:
    text = told(in_short(a_timed_game(None).occasion("answer"), Story(), ["time"]))
    assert "This game has no clock" in text
    assert "30 days" in text


def test_after_the_end_no_time_runs(played: Played) -> None:
    assert "no clock is running" in told(at(played, played.size, "time"))


# ---- the deal, and taking back ----------------------------------------------------------------------
def test_who_doubts_the_deal_reads_the_seal_of_this_game(played: Played) -> None:
    assert played.game(played.size).commitment in told(at(played, 40, "fairness"))


def test_a_card_that_may_be_exchanged_is_answered_with_the_others_as_taps() -> None:
    table = a_game().after(Play(seat=BEN, card=8))
    game = snapshot(view(table.game, BEN))
    occasion = in_short(Occasion(game=game, kinds={"answer"}), Story(), ["undo"])
    bodies = [link.body for link in Html(compose(occasion).html).links]
    assert "PLAY 5" in bodies
    assert "PLAY 8" not in bodies


def test_in_the_auction_a_bid_stands() -> None:
    assert "A bid or a pass stands" in answer(a_game().in_auction(top_bid=5, by=BEN), "undo")


# ---- the rules --------------------------------------------------------------------------------------
@pytest.mark.parametrize("point", POINTS)
def test_a_point_of_the_rules_is_two_sentences(point: Section) -> None:
    table = a_game().in_auction()
    game = snapshot(view(table.game, BEN))
    (block,) = in_short(Occasion(game=game, kinds={"answer"}), Story(), [point]).blocks
    (paragraph,) = block.paragraphs
    assert len(re.findall(r"\.(?: |$)", paragraph)) == 2


@pytest.mark.parametrize(
    ("ruleset", "order"), [("felicity-2017", "−5 before −8"), ("felix-2007", "−8 before −5")]
)
def test_the_large_dog_is_told_by_the_rules_of_the_table(ruleset: Ruleset, order: str) -> None:
    table = a_game(ruleset=ruleset).in_auction()
    assert f"without a positive cat it takes {order}" in answer(table, "rules/large_dog")


def test_who_gets_all_of_the_rules_gets_no_point_of_them_twice() -> None:
    game = snapshot(view(a_game().game, BEN))
    assert in_short(Occasion(game=game, kinds={"answer"}), Story(), ["rules", "rules/rabbit"]).blocks == []


# ---- by mail ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("how many mice have the others?", "- Ben: 15"),
        ("what does the large dog do again?", "chases the highest cat away"),
        ("can I see my hand again?", "Your hand:"),
        ("who is slow?", "still have to play a card"),
        ("what did I miss?", "Round 1"),
        ("how long do we have?", "This game has no clock"),
        ("was this dealt fairly, can I check?", "I sealed my part of the draw"),
        ("can I take it back?", "A card can be swapped until the last one is in"),
        ("what am I supposed to do?", "You may now:"),
    ],
)
def test_a_question_in_plain_words_is_answered_by_mail(text: str, expected: str) -> None:
    village = a_village(a_first_round())
    assert expected in " ".join(village.answer(ANNA, text).split())


def test_words_that_felix_is_asked_to_pass_on_reach_the_others() -> None:
    village = a_village(a_first_round())
    village.answer(ANNA, "tell Ben he is slow")
    assert "Ben: he is slow" in village.answer(BEN, "HISTORY")
