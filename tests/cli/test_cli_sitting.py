"""At the table of `play`, without a terminal: what is asked, said and told, and whole games."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from cli.place import Place
from cli.terminal import assert_harmless
from felix_async.game.cards import card_text, cat_points
from felix_async.game.moments import best, moments
from felix_async.game.story import Story
from felix_async.language.grammar import Order
from felix_async.language.phrases import signed
from felix_async.service import Service
from felix_cli.play.sitting import Sitting
from felix_cli.play.table import YOU, Table
from felix_events.model import Card, SackDiscarded, SackSold
from fresh import a_database
from games import SeededEntropy, SteppingClock

CORPORA = Path(__file__).parents[1] / "meaning" / "corpora"
_ORDER = re.compile(r"In your place I would say ([^.]+)\.")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A place at a table of four."""
    store = a_database(tmp_path / "felix.db")
    yield Place(store)
    store.close()


@pytest.fixture
def bidding(place: Place) -> Place:
    """The same, in the first auction."""
    place.say(place.advised(""))
    assert place.table.game.to_move == YOU
    return place


# ---- whole games --------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_whole_game_by_advice_is_sound(tmp_path: Path, players: int) -> None:
    store = a_database(tmp_path / "felix.db")
    place = Place(store, players=players)
    place.sit(place.advised)
    assert place.table.game.phase == "ended"
    assert place.is_sound()
    store.close()


def test_the_result_is_told_at_the_end(place: Place) -> None:
    place.sit(place.advised)
    end = place.text.rpartition("Round 9:")[2]
    for score in place.table.game.scores:
        assert score is not None
        assert f" {score.total} " in f" {end} ".replace("\n", " ")


def test_the_player_is_told_how_they_did(place: Place) -> None:
    place.sit(place.advised)
    scores = {seat: score.total for seat, score in enumerate(place.table.game.scores) if score is not None}
    ahead = scores[YOU] - max(total for seat, total in scores.items() if seat != YOU)
    told = re.search(r"^You (won|came \w+,).* (\d+) points?", place.text, re.MULTILINE)
    assert told is not None
    assert (told[1] == "won", int(told[2])) == (ahead > 0, abs(ahead))


def test_the_best_moments_are_told_at_the_end(place: Place) -> None:
    place.sit(place.advised)
    told = [moment.text(place.table.names) for moment in best(moments(place.table.story))]
    assert told
    assert [line for line in told if line in " ".join(place.text.split())] == told


def test_whoever_is_left_alone_is_told_what_the_sack_costs(tmp_path: Path) -> None:
    store = a_database(tmp_path / "felix.db")
    place = Place(store, players=3, seed="e")
    told = place.say("PLAY -8")
    assert "is yours for exactly 1 mouse. If you pass, it goes to the box, and" in told
    store.close()


def test_the_others_are_named_at_the_beginning(place: Place) -> None:
    assert "You sit with Anna, Ben and Cara." in place.say()


def test_no_line_is_wider_than_the_eye_likes(place: Place) -> None:
    said = iter(["RULES"])
    with pytest.raises(StopIteration):
        place.sit(lambda _prompt: next(said), width=200)
    assert 100 < max(map(len, place.text.splitlines())) <= 120


def test_it_is_told_what_the_open_cards_count(bidding: Place) -> None:
    assert "Open +3, 3 cards face down. Your turn: BID 1" in bidding.say()


def test_a_game_that_was_taken_up_again_is_sound(place: Place) -> None:
    place.say(*[place.advised("")], "PASS")
    place.table = Table.taken_up(
        place.store, Service(SteppingClock(), SeededEntropy("b")), place.table.game_id
    )
    assert "Round 2 of 9. Your card?" in place.say()
    place.sit(place.advised)
    assert place.is_sound()


def test_a_move_that_was_made_elsewhere_meanwhile_is_told(bidding: Place) -> None:
    other = Table.taken_up(bidding.store, bidding.service, bidding.table.game_id)
    assert other.do(Order("PASS"), "PASS") is None
    told = bidding.say("BID 1")
    assert "This game went on in another terminal; I did nothing." in told
    assert "You're out" in told


def test_nobody_is_owed_a_letter_and_nothing_is_due(place: Place) -> None:
    place.sit(place.advised)
    with place.store.read() as reader:
        assert reader.notices(place.table.game_id) == []
        assert reader.due_of(place.table.game_id) == []


def test_the_same_seed_deals_the_same_cards(place: Place, tmp_path: Path) -> None:
    store = a_database(tmp_path / "other.db")
    assert Place(store).table.view == place.table.view
    store.close()


@pytest.mark.parametrize("seed", ["b", pytest.param("c", marks=pytest.mark.slow)])
def test_a_game_is_sound_whatever_is_said(tmp_path: Path, seed: str) -> None:
    """Between two pieces of advice come words that people wrote in messages."""
    chance = random.Random(seed)
    said = [json.loads(line)["text"] for line in (CORPORA / "moves.jsonl").read_text("utf-8").splitlines()]
    store = a_database(tmp_path / "felix.db")
    place = Place(store, players=3, seed=seed)
    place.sit(lambda prompt: chance.choice(said) if chance.random() < 0.7 else place.advised(prompt))
    assert place.is_sound()
    assert_harmless(place.text)
    store.close()


# ---- what is said -------------------------------------------------------------------------------------


def test_a_hint_is_what_a_player_there_would_do_by_the_view_alone(bidding: Place) -> None:
    told = bidding.say("HINT")
    order = _ORDER.search(told)
    assert order is not None
    assert order[1] == bidding.table.hint()[0]
    assert "So I would go up to" in told


def test_a_hint_is_the_same_if_it_is_asked_again(place: Place) -> None:
    assert place.table.hint() == place.table.hint()


@pytest.mark.parametrize("words", ["BID 3", "bid 3", "3", "3!", "I bid 3"])
def test_a_bid_is_said_in_many_ways(bidding: Place, words: str) -> None:
    assert "You bid 3" in bidding.say(words, "YES").replace("\N{NO-BREAK SPACE}", " ")


def test_plain_words_are_done_after_a_yes(bidding: Place) -> None:
    assert "PASS? Write YES" in bidding.say("too rich for me")
    assert "You're out" in bidding.say("too rich for me", "YES")


def test_plain_words_are_not_done_without_a_yes(bidding: Place) -> None:
    version = bidding.table.game.version
    bidding.say("too rich for me", "NO", "YES")
    assert bidding.table.read() == ()
    assert bidding.table.game.version == version


def test_up_to_is_kept_and_told(bidding: Place) -> None:
    told = bidding.say("UP TO 2")
    assert "You bid 1" in told.replace("\N{NO-BREAK SPACE}", " ")


def test_a_limit_that_ended_with_a_card_is_told(tmp_path: Path) -> None:
    store = a_database(tmp_path / "felix.db")
    place = Place(store, players=3, seed="k")
    assert "A card has turned, so your UP TO 5 is over." in place.say(place.advised(""), "UP TO 5")
    store.close()


def test_a_card_for_the_next_round_lies_there_by_itself(bidding: Place) -> None:
    card = bidding.table.view.own[YOU].hand[0]
    told = bidding.say(f"NEXT {card}", "ORDERS", "PASS")
    assert told.count("is ready for round 2") == 2
    assert bidding.table.game.round == 1 or "You placed" in told


def test_what_was_said_in_advance_is_dropped(bidding: Place) -> None:
    card = bidding.table.view.own[YOU].hand[0]
    told = bidding.say(f"NEXT {card}", "DROP", "DROP", "ORDERS")
    assert "It is forgotten." in told
    assert told.count("You have said nothing in advance.") == 2


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("BID 99", "so you can't bid 99"),
        ("PLAY 8", "yours stays where it is"),
        ("YES", "I have not asked you that."),
        ("undo", "Nothing can be taken back here"),
        ("take that back", "Nothing can be taken back here"),
        ("AWAY UNTIL 3 Dec", "AWAY is for games by mail"),
        ("xyzzy", "I did not understand that; perhaps: BID 1, BID 2, PASS?"),
        ("0", "A bid of 0 is too low. Bid 1 or more, or PASS."),
        ("99", "so you can't bid 99"),
        ("twenty", "so you can't bid 20"),
        ("the rabbit", "yours stays where it is"),
        ("bid", "BID needs one whole number"),
        ("I quit", "Which is it: PASS, QUIT?"),
        ("2 or 3", "Which is it: BID 3, BID 2, PASS?"),
        ("what a game", "Nobody here can chat, I'm afraid; HELP lists what you can say."),
        ("hello", "Nobody here can chat"),
        ("thanks!", "Nobody here can chat"),
        ("gg", "Nobody here can chat"),
    ],
)
def test_what_cannot_be_done_is_answered(bidding: Place, words: str, why: str) -> None:
    assert why in bidding.say(words)
    assert bidding.table.read() == ()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("99", "You can't bid or pass yet: cards are still being placed."),
        ("too rich for me", "You can't bid or pass yet: cards are still being placed."),
        ("I'm out", "You can't bid or pass yet: cards are still being placed."),
        ("PLAY 7", "There is no such card."),
        ("<script>alert(1)</script>", "I did not understand that"),
        ("a dog", "Which is it: PLAY LARGE DOG, PLAY SMALL DOG"),
        ("Hello Anna, nice card!", "I did not understand that; HELP lists what can be said here."),
        ("PLAY 5, UP TO 6", "That may be several orders. Write the one that counts"),
        ("xyzzy", "I did not understand that; HELP lists what can be said here."),
    ],
)
def test_a_card_that_cannot_be_played_is_answered(place: Place, words: str, why: str) -> None:
    assert why in place.say(words)
    assert place.table.read() == ()


def test_the_row_is_shown_before_its_sale(bidding: Place) -> None:
    bidding.say("PASS")
    steps = bidding.table.story.steps
    sale = next(step for step in steps if isinstance(step.event, SackSold | SackDiscarded))
    row = Story.of(step.envelope for step in steps[: sale.version - 1]).game.row()
    shown = " ".join(bidding.text.partition("Round 2:")[0].rpartition("╭")[2].split())
    assert [card_text(card) for card in row if card is not None] == re.findall(r"−?\d+|rabbit", shown)[:4]


def test_everybodys_mice_and_cats_are_told_once_they_differ(bidding: Place) -> None:
    assert "Mice:" not in bidding.say()
    bidding.say(*[bidding.advised("")] * 3)
    table = bidding.table
    told = re.findall(r"(Mice|Cats): Mia (.+?), Anna (.+?), Ben (.+?), Cara (.+?)\. ?", bidding.say())
    cats = [signed(cat_points(seat.won)) for seat in table.game.seats]
    assert told == [("Mice", *(str(seat.mice) for seat in table.game.seats)), ("Cats", *cats)]


@pytest.mark.parametrize(("height", "typed"), [(24, ""), (24, "STATUS"), (60, "")])
def test_a_sale_is_seen_before_the_next_table(bidding: Place, height: int, typed: str) -> None:
    prompts: list[str] = []

    def read(prompt: str) -> str:
        prompts.append(prompt)
        if prompt != "> ":
            return typed
        if prompts.count("> ") > 1:
            raise EOFError
        return "PASS"

    console = Console(file=bidding.paper, width=80, height=height, force_terminal=True)
    with pytest.raises(EOFError):
        Sitting(bidding.table, console, read).play()
    assert prompts == ["> ", *["Enter goes on. "] * (height == 24), "> "]
    # A line that was typed at the pause is done.
    after = bidding.text.rpartition("Round 2:")[2]
    assert after.count("Mouse cards:") == (2 if typed else 1)


@pytest.mark.parametrize(("answer", "windows"), [("", 5), ("q", 2), ("NO", 2)])
def test_a_long_text_is_read_in_windows(bidding: Place, answer: str, windows: int) -> None:
    prompts: list[str] = []

    def read(prompt: str) -> str:
        prompts.append(prompt)
        if prompt != "> ":
            return answer
        if not said:
            raise EOFError
        return said.pop()

    said = ["RULES"]
    console = Console(file=bidding.paper, width=80, height=10, force_terminal=True)
    with pytest.raises(EOFError):
        Sitting(bidding.table, console, read).play()
    assert prompts == ["> ", *["Enter goes on, Q stops. "] * (windows - 1), "> "]
    # A line that was typed there answers the next question.
    assert bidding.text.count("I have not asked you that.") == (answer == "NO")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("HELP", "leave; the game is kept"),
        ("RULES", "nine rounds"),
        ("HISTORY", "Round 1:"),
        ("STATUS", "Round 1 of 9."),
        ("what's in my hand?", "mice"),
        ("?", "leave; the game is kept"),
        ("should I pass?", "In your place I would say"),
        ("how much should I bid?", "In your place I would say"),
        ("hint please", "In your place I would say"),
        ("what is the rabbit worth?", "The rabbit is worth 0 points, and no dog ever chases it."),
        ("how many rounds are there", "After nine rounds you count the cats"),
        ("is the deal fair?", "`felix audit` checks every draw"),
    ],
)
def test_questions_are_answered(bidding: Place, words: str, told: str) -> None:
    assert told in bidding.say(words)


@pytest.mark.parametrize("words", ["QUIT", "bye", "stop", "exit", "quit the game", "RESIGN"])
def test_whoever_says_so_leaves(bidding: Place, words: str) -> None:
    assert bidding.say(words, "RULES").endswith("HELP or QUIT.")
    assert bidding.table.read() == ()


def test_an_empty_line_asks_again(bidding: Place) -> None:
    assert bidding.say("", " ").count("Your turn: BID 1") == 3


def test_the_card_of_this_round_is_not_that_of_the_next(place: Place) -> None:
    card = place.table.view.own[YOU].hand[0]
    assert "can't be your card for the next round" in place.say(f"PLAY {card}, NEXT {card}")


# ---- hidden things ------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_bidding", [False, True], ids=["placing", "bidding"])
def test_nothing_that_is_said_follows_from_hidden_cards(place: Place, is_bidding: bool) -> None:
    """Of two tables that differ in what the others hold and have placed, the same is told."""
    if is_bidding:
        place.say(place.advised(""))
    told = place.say("STATUS", "HINT", "HISTORY", "ORDERS")
    game = place.table.game.copy()
    for seat in game.seats[YOU + 1 :]:
        card: Card = "small_dog" if seat.placed != "small_dog" else 15
        seat.hand, seat.placed, seat.boxed = [*seat.hand[1:], 8], card, 3
    place.table.story = replace(place.table.story, game=game)
    assert place.say("STATUS", "HINT", "HISTORY", "ORDERS") == told


def test_a_running_game_names_no_card_that_lies_face_down(bidding: Place) -> None:
    told = bidding.say("STATUS", "HISTORY")
    placed = re.findall(r"(?:Anna|Ben|Cara) (?:placed|put)", told)
    assert placed == []
