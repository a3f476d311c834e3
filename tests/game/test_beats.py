"""A game in beats: every record in one of them, in order, said once, and for nobody who may not know."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import pytest

from async_.sameness import played as played_with_orders
from each import each
from felix_async.game.beats import SAID_LIMIT, Beat, beats, untold
from felix_async.game.chain import chain
from felix_async.game.commands import Bid, Command, Leave, Pass, Play, Return, Say, Vote
from felix_async.game.names import Names
from felix_async.game.narrate import retell, told_tie
from felix_async.game.story import Story
from felix_async.game.views import Viewer
from felix_async.people import FORMER
from felix_async.service import Origin
from felix_events import model as m
from felix_events.envelope import Envelope, check_envelopes
from felix_events.export import read_export
from felix_events.store.sqlite import SqliteStore
from games import NAMES, Room, a_game_played, a_room, a_started_room, place_all
from spoken import ANNA_SAID, BEN_SAID, NORA_SAID, a_spoken_game
from table import ANNA, BEN, CARA, DAN

GOLDEN: Final = Path(__file__).parents[1] / "golden"
VIEWERS: Final[tuple[Viewer, ...]] = ("all", "spectator", ANNA)


@cache
def golden(name: str) -> list[Envelope]:
    return check_envelopes(read_export((GOLDEN / f"{name}.jsonl").read_bytes()).bodies)


def told(envelopes: list[Envelope], viewer: Viewer = "all") -> list[Beat]:
    return beats(envelopes, viewer, Names(NAMES), {})


def of_room(room: Room, game_id: str, viewer: Viewer = "all", **named: object) -> list[Beat]:
    """The beats of the game so far."""
    with room.store.read() as reader:
        envelopes = check_envelopes(reader.bodies(game_id))
    names, words = named.get("names", Names(NAMES)), named.get("words", {})
    return beats(envelopes, viewer, names, words)  # type: ignore[arg-type]


def texts(found: list[Beat], kind: str = "") -> list[str]:
    return [beat.text for beat in found if kind in ("", beat.kind)]


def a_placed_room(*commands: Command) -> list[Beat]:
    """The beats of a game in which all have placed a card, and this was done then."""
    room, game_id = a_started_room()
    place_all(room, game_id)
    for command in commands:
        assert room.do(game_id, command).refusal is None
    return of_room(room, game_id, "spectator")


# ---- every record is in one beat ---------------------------------------------------------------------


def games_that_are_over() -> list[list[Envelope]]:
    found = [golden(path.stem) for path in sorted(GOLDEN.glob("*.jsonl"))]
    found += [a_game_played(seats, seed=seed).envelopes for seats in (3, 4, 5) for seed in "ab"]
    return found + [with_orders(number) for number in (6, 7, 8)]


@cache
def with_orders(number: int) -> list[Envelope]:
    """A game by the clock in which orders are given in advance."""
    room, game_id = played_with_orders(number, orders=True)
    return check_envelopes(room.evidence(game_id).bodies)


@each("envelopes", games_that_are_over)
def test_every_version_is_in_one_beat_and_they_follow_each_other(envelopes: list[Envelope]) -> None:
    for viewer in VIEWERS:
        found = told(envelopes, viewer)
        versions = [version for beat in found for version in beat.versions]
        assert versions == list(range(1, len(envelopes) + 1)), viewer
        assert [beat.first for beat in found] == [beat.versions[0] for beat in found]
        assert [beat.last for beat in found] == [beat.versions[-1] for beat in found]


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_every_version_of_many_games_is_in_one_beat(seats: int) -> None:
    for seed in range(20):
        envelopes = a_game_played(seats, seed=f"many/{seed}").envelopes
        versions = [version for beat in told(envelopes) for version in beat.versions]
        assert versions == list(range(1, len(envelopes) + 1)), seed


@each("envelopes", games_that_are_over)
def test_every_beat_says_something_in_one_line(envelopes: list[Envelope]) -> None:
    for beat in told(envelopes):
        assert beat.text.strip(), beat
        assert beat.text.isprintable() or "\u00a0" in beat.text, beat


@each("envelopes", games_that_are_over)
def test_rounds_go_up_from_nothing(envelopes: list[Envelope]) -> None:
    rounds = [beat.round for beat in told(envelopes)]
    assert rounds == sorted(rounds)
    assert rounds[0] == 0
    assert set(rounds) == set(range(rounds[-1] + 1))


@each("envelopes", games_that_are_over)
def test_deadlines_and_reserves_are_one_level_below(envelopes: list[Envelope]) -> None:
    found = told(envelopes)
    lines = [line.event for beat in found for line in beat.lines]
    below = [line.event for beat in found for line in beat.below]
    clock = (m.ClockSet, m.DeadlineSet, m.ReserveSpent)
    assert not any(isinstance(event, clock) for event in lines)
    assert all(isinstance(event, clock) for event in below)
    assert not any("has until" in beat.text for beat in found)


def test_a_beat_of_nothing_that_may_be_known_yet_has_no_version() -> None:
    assert (Beat("away", 1, "", (), ()).first, Beat("away", 1, "", (), ()).last) == (None, None)


# ---- the lobby and the deal --------------------------------------------------------------------------


def test_those_who_were_invited_and_came_are_told_once() -> None:
    (lobby,) = texts(told(golden("4-players-2017")), "lobby")
    assert lobby == "A table for 4 was opened, by the 2017 rules. Anna, Ben, Cara and Dan joined."


def test_whoever_has_not_come_yet_was_invited() -> None:
    lobby = told(golden("life-5-invited"), "spectator")[0]
    assert "invited" in lobby.text


def test_the_deal_tells_what_is_in_the_box() -> None:
    (deal,) = texts(told(golden("3-players-2017")), "deal")
    assert deal.startswith("The game started and the cards were dealt; in the box are Anna's ")
    assert " and the dummy's " in deal


def test_a_seat_is_told_its_own_card_in_the_box() -> None:
    (deal,) = texts(told(golden("3-players-2017"), BEN), "deal")
    assert "in the box is Ben's " in deal
    assert "Anna" not in deal


def test_a_spectator_is_told_no_card_in_the_box() -> None:
    (deal,) = texts(told(golden("3-players-2017"), "spectator"), "deal")
    assert deal == "The game started and the cards were dealt, one of each hand into the box."


# ---- a round -----------------------------------------------------------------------------------------


def test_a_placing_is_one_beat() -> None:
    placings = texts(told(golden("time-hurried")), "placing")
    assert placings[-1] == (
        "Cara starts; the mouse cards hold 2, 4 and 6. Cara placed the small dog, Dan the rabbit, "
        "Anna the small dog and Ben the −5. The small dog was turned over."
    )


def test_a_card_that_took_anothers_place_is_told_as_that() -> None:
    told_ = texts(told(golden("time-hurried")), "placing")
    assert "Cara placed the 8 and Ben the 5. Cara exchanged the card for the −5." in told_


def test_cards_that_took_each_others_place_are_told_together() -> None:
    placings = " ".join(texts(told(golden("time-hurried")), "placing"))
    assert " Cara exchanged the card for the rabbit, then for the small dog, then for the 15. " in placings


def test_who_may_not_know_the_cards_is_told_once_that_they_were_exchanged() -> None:
    placings = texts(told(golden("time-hurried"), "spectator"), "placing")
    assert max(text.count("Cara exchanged the card.") for text in placings) == 1


def test_of_a_placing_a_seat_is_told_its_own_card() -> None:
    placing = texts(told(golden("4-players-2017"), BEN), "placing")[0]
    assert "Ben placed the " in placing
    assert "Dan placed" not in placing
    assert " placed their cards. The " in placing


def test_a_running_placing_is_told_by_seat_when_it_is_over() -> None:
    room, game_id = a_started_room()
    for seat in (DAN, CARA, BEN):
        room.do(game_id, Play(seat=seat, card=room.game(game_id).seats[seat].hand[0]))
    *_, last = of_room(room, game_id, DAN)
    assert last.text == "Anna starts; the mouse cards hold 2, 4 and 6."
    room.do(game_id, Play(seat=ANNA, card=room.game(game_id).seats[ANNA].hand[0]))
    *_, last = of_room(room, game_id, "spectator")
    assert "Anna, Ben, Cara and Dan placed their cards. The " in last.text
    cards = [line for line in last.lines if isinstance(line.step.event, m.CardPlaced)]
    assert [line.step.event.seat for line in cards] == [ANNA, BEN, CARA, DAN]  # type: ignore[attr-defined]
    assert [(line.version, line.at) for line in cards] == [(None, None)] * 4


def test_bids_after_each_other_are_one_beat() -> None:
    found = a_placed_room(Bid(seat=ANNA, amount=1), Bid(seat=BEN, amount=4), Bid(seat=CARA, amount=5))
    assert texts(found, "bids") == ["Anna bid\u00a01\u00a0· Ben\u00a04\u00a0· Cara\u00a05."]


def test_a_name_that_ends_in_a_digit_is_set_off_from_the_bid() -> None:
    steps = Story.of(a_game_played(3).envelopes).steps
    bids = [next(step for step in steps if isinstance(step.event, m.BidPlaced))] * 2
    assert chain(bids, ["Gus 6"] * 3).count("Gus 6:\u00a0") == 1


def test_a_pass_is_a_beat_with_its_mice_and_its_card() -> None:
    found = a_placed_room(Bid(seat=ANNA, amount=1), Pass(seat=BEN), Bid(seat=CARA, amount=2))
    assert [beat.kind for beat in found[-3:]] == ["bids", "pass", "bids"]
    passed = found[-2]
    assert passed.text.startswith("Ben passed and took 2 mice. The ")
    assert [line.step.envelope.type for line in passed.lines] == ["player_passed", "cards_turned"]


def test_a_bid_that_the_host_made_has_a_sentence_of_its_own() -> None:
    room, game_id = a_started_room()
    place_all(room, game_id)
    room.do(game_id, Bid(seat=ANNA, amount=1))
    room.do(game_id, Bid(seat=BEN, amount=2), Origin("desk-1", "host", "desk"))
    assert texts(of_room(room, game_id, "spectator"), "bids") == [
        "Anna bid\u00a01.",
        "Ben bid 2 mice. (The host did this.)",
    ]


def test_a_card_that_the_host_placed_has_a_sentence_of_its_own() -> None:
    room, game_id = a_started_room()
    for seat, state in enumerate(room.game(game_id).seats):
        origin = Origin("desk-1", "host", "desk") if seat == CARA else None
        room.do(game_id, Play(seat=seat, card=state.hand[0]), origin)
    placing = texts(of_room(room, game_id, "spectator"), "placing")[0]
    assert " Anna, Ben and Dan placed their cards. Cara placed a card. (The host did this.) The " in placing


def test_a_sale_tells_the_dogs_work_and_the_price() -> None:
    sales = texts(told(golden("time-hurried")), "sale")
    assert sales[0] == "The large dog chased the 5 away. Dan bought the sack for 3 mice and got −5 and 3."


def test_a_sack_that_nobody_wanted_ends_a_round() -> None:
    sales = texts(told(golden("life-taken")), "sale")
    assert sales[0] == "Nobody wanted the sack; it went to the box."
    assert len(sales) == 9


# ---- talk --------------------------------------------------------------------------------------------


def a_word(words: str | None) -> str:
    """The beat of something that Cara said."""
    room, game_id = a_started_room()
    room.do(game_id, Say(seat=CARA, text_hash="0" * 64))
    version = room.game(game_id).version
    (talk,) = texts(of_room(room, game_id, words={} if words is None else {version: words}), "talk")
    return talk


def test_talk_is_told_in_words() -> None:
    assert a_word("Well\nplayed!") == "Cara: \u201cWell played!\u201d"


@pytest.mark.parametrize("words", [None, "", " \u200b"])
def test_words_that_are_gone_were_something(words: str | None) -> None:
    assert a_word(words) == "Cara said something."


@pytest.mark.parametrize(
    ("viewer", "ends", "heard"),
    [
        ("all", True, [ANNA_SAID, BEN_SAID, NORA_SAID]),
        ("spectator", True, []),
        (CARA, False, [ANNA_SAID, BEN_SAID, NORA_SAID]),
        (BEN, False, [NORA_SAID]),
        (BEN, True, [ANNA_SAID, BEN_SAID, NORA_SAID]),
    ],
)
def test_words_are_for_those_who_sat_there(viewer: Viewer, ends: bool, heard: list[str]) -> None:
    store = SqliteStore.in_memory()
    game_id, versions, _ = a_spoken_game(store, ends=ends)
    with store.read() as reader:
        envelopes = check_envelopes(reader.bodies(game_id))
    words = dict(zip(versions, (ANNA_SAID, BEN_SAID, NORA_SAID), strict=True))
    talk = texts(beats(envelopes, viewer, Names(NAMES), words), "talk")
    assert len(talk) == 3
    assert [text for text in talk if not text.endswith(" said something.")] == [
        f"{name}: \u201c{said}\u201d"
        for name, said in (("Anna", ANNA_SAID), ("Ben", BEN_SAID), ("Ben", NORA_SAID))
        if said in heard
    ]


def test_words_are_one_harmless_line() -> None:
    talk = a_word("\x1b[31m\u202e" + "x" * 2000)
    assert talk.isprintable()
    assert len(talk) < SAID_LIMIT + 20


# ---- who was away, and who came ----------------------------------------------------------------------


def test_whoever_leaves_and_comes_back_is_told_each_time() -> None:
    found = a_placed_room(Leave(seat=BEN, for_good=False), Return(seat=BEN))
    assert texts(found, "away") == ["The computer plays on for Ben.", "Ben is back at the table."]


def test_a_return_from_a_time_away_is_told_once() -> None:
    away = texts(told(golden("time-hurried")), "away")
    assert away[0].startswith("Dan is away from ")
    assert away[1] == "Dan's time away begins. The computer plays on for Dan."
    assert "Dan is back at the table." in away
    assert "Dan's time away is over. Dan is back at the table." not in away


def test_a_time_out_is_told() -> None:
    assert "Cara's time was up, so I moved for them." in texts(told(golden("time-hurried")), "away")


def test_votes_for_the_same_are_told_together_with_what_came_of_them() -> None:
    votes = [text for text in texts(told(golden("time-hurried")), "away") if "want a pause" in text]
    assert votes[0].startswith("Anna, Ben and Dan want a pause. The game is paused until ")


def test_votes_for_different_things_are_told_apart() -> None:
    room = a_room()
    game_id = room.open(clock=m.Terms(move=3600))
    room.join_all(game_id)
    for vote in (Vote(seat=BEN, on="pause"), Vote(seat=CARA, on="abandon")):
        assert room.do(game_id, vote).refusal is None
    told_ = texts(of_room(room, game_id, "spectator"), "away")
    assert told_ == [
        "Ben wants a pause.",
        "Cara wants to end the game without a result.",
    ]


def test_a_new_host_is_told_with_why() -> None:
    away = texts(told(golden("time-hurried")), "away")
    assert "Anna's time away begins. The computer plays on for Anna. Ben is the host." in away


def test_deeds_are_told_under_the_names_of_then() -> None:
    envelopes = golden("life-taken")
    came = next(one.version for one in envelopes if one.type == "seat_taken")
    names = Names(["Anna", "Zoe", "Cara"], [(came, BEN, "Ben")])
    found = beats(envelopes, "all", names, {})
    before = " ".join(beat.text for beat in found if beat.versions[0] < came)
    after = " ".join(beat.text for beat in found if beat.versions[0] > came)
    assert ("Ben" in before, "Zoe" in before) == (True, False)
    assert ("Ben" in after, "Zoe" in after) == (False, True)
    assert "Zoe plays on for Ben." in texts(found, "away")


def test_records_and_beats_are_told_under_the_same_names() -> None:
    lines = retell(golden("life-taken"), "all", Names(["Anna", "Zoe", "Cara"], [(43, BEN, "Ben")]))
    assert {line.version: line.text for line in lines}[43] == "Zoe plays on for Ben."


def test_without_names_of_then_the_seat_was_a_former_players() -> None:
    assert "Ben plays on in the seat of a former player." in texts(told(golden("life-taken")), "away")


def test_a_sentence_begins_with_a_capital_even_if_its_player_is_forgotten() -> None:
    names = Names([FORMER, *NAMES[1:]])
    for beat in beats(golden("time-hurried"), "all", names, {}):
        assert beat.text[0].isupper(), beat.text


# ---- the result --------------------------------------------------------------------------------------


def test_the_result_has_the_best_first_and_who_won() -> None:
    *_, last = told(golden("time-hurried"))
    assert (last.kind, last.text) == (
        "result",
        "The game is over: Anna 65, Cara 64, Ben 35 and Dan 27. Anna won.",
    )


def test_a_game_that_was_called_off_ends_with_why() -> None:
    *_, last = told(golden("life-cancelled"))
    assert (last.kind, last.text) == ("result", "The host called the game off.")


def test_a_shared_win_is_told_with_how_it_came() -> None:
    envelopes = golden("4-players-shared")
    (ended,) = (one.data for one in envelopes if isinstance(one.data, m.GameEnded))
    *_, last = told(envelopes)
    assert last.text.endswith(f" share the win. {told_tie(ended.scores, ended.winners)}")


@pytest.mark.parametrize(
    ("totals", "winners", "said"),
    [
        ([3, 2, 1], [0], ""),
        ([3, 3, 1], [1], "The highest total was reached more than once, so the cats decided."),
        ([3, None, 3], [0, 2], "Their totals are the same, and so are their cats."),
        ([], [], ""),
    ],
)
def test_how_a_tie_was_decided(totals: list[int | None], winners: list[int], said: str) -> None:
    scores = [None if total is None else m.Score(cats=0, mice=total, total=total) for total in totals]
    assert told_tie(scores, winners) == said


# ---- a game that is followed -----------------------------------------------------------------------


def test_the_rest_of_a_beat_is_told_alone() -> None:
    envelopes = a_game_played().envelopes
    found = told(envelopes)
    (bids,) = [beat for beat in found if beat.kind == "bids"][:1]
    (rest,) = untold([bids], {bids.lines[0].step.version}, Names(NAMES))
    assert (rest.lines, rest.text) == (bids.lines[1:], "Cara bid\N{NO-BREAK SPACE}4.")


def test_what_was_told_is_not_told_again() -> None:
    envelopes = a_game_played().envelopes
    assert list(untold(told(envelopes), range(len(envelopes) + 1), Names(NAMES))) == []
