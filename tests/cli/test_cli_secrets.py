"""What a viewer must not know does not show: not one byte of what felix prints depends on it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import pytest

from async_.sameness import played as played_with_orders
from cli.terminal import Terminal
from each import one_in
from felix_async.game.players import random_player
from felix_async.game.views import Viewer
from felix_events.export import write_export
from games import NAMES, RULESETS, Played, a_game_played
from secrets_changed import with_other_secrets, with_other_times


def looks(file: str, viewer: Viewer) -> list[list[object]]:
    """Every way in which a viewer may look at a file."""
    seen: list[list[object]] = [
        [command, file, "--as", viewer, "--mask-hashes", *form]
        for command in ("show", "replay")
        for form in ([], ["--json"])
    ]
    if isinstance(viewer, int):
        Path("answer.txt").write_text("the dog or the lowest cat\nwhat have the others played?\n")
        explain = ["mail", "explain", "answer.txt", "--game", file, "--seat", viewer]
        for form in ([], ["--json"]):
            seen += [["mail", "preview", file, viewer, "--mask-hashes", *form], [*explain, *form]]
    return seen


def write(name: str, played: Played) -> str:
    bodies = played.evidence.bodies
    Path(name).write_bytes(write_export(played.game_id, played.names, "Thursday club", bodies))
    return name


def some_games() -> list[tuple[int, str, int, Viewer]]:
    """Numbers of players, seeds, places in the log and viewers, drawn once and for all."""
    drawn = Random("non-interference")
    viewers: list[Viewer] = ["spectator", 0, 1, 2]
    return [
        (seats, seed, drawn.randrange(1000), viewer)
        for seats in (3, 4, 5)
        for seed in ("s", "t")
        for viewer in [*viewers, *range(3, seats)]
    ]


def cut_somewhere(seats: int, seed: str, place: int) -> Played:
    """A random game up to some step after its deal."""
    played = a_game_played(seats, seed=seed, ruleset=RULESETS[place % 2], kinds=(random_player,))
    ends = [v for v in played.step_ends() if played.versions("hand_dealt")[-1] < v < played.size]
    return played.until(ends[place % len(ends)])


@pytest.mark.parametrize(("seats", "seed", "place", "viewer"), one_in(5, some_games()))
def test_what_a_viewer_must_not_know_changes_no_byte(
    terminal: Terminal, seats: int, seed: str, place: int, viewer: Viewer
) -> None:
    played = cut_somewhere(seats, seed, place)
    other = with_other_secrets(played, viewer, f"{seed}/{place}")
    assert played.evidence.bodies != other.evidence.bodies
    one, two = write("one.jsonl", played), write("two.jsonl", other)
    for words, same in zip(looks(one, viewer), looks(two, viewer), strict=True):
        assert terminal.run(*words) == terminal.run(*same)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_what_a_viewer_must_not_know_changes_no_byte_at_any_step(terminal: Terminal, seats: int) -> None:
    """At each step a third of the viewers look, in turn."""
    whole = a_game_played(seats, seed="u", kinds=(random_player,))
    deal = whole.versions("hand_dealt")[-1]
    viewers: list[Viewer] = ["spectator", *range(seats)]
    for step, version in enumerate(v for v in whole.step_ends() if deal < v < whole.size):
        played = whole.until(version)
        one = write("one.jsonl", played)
        for viewer in viewers[step % 3 :: 3]:
            two = write("two.jsonl", with_other_secrets(played, viewer, f"{version}"))
            for words, same in zip(looks(one, viewer), looks(two, viewer), strict=True):
                assert terminal.run(*words) == terminal.run(*same)


@cache
def whole_with_orders(number: int) -> Played:
    room, game_id = played_with_orders(number, orders=True)
    return Played(game_id, room.evidence(game_id), NAMES[: 3 + number % 3])


def running_with_orders(number: int, place: int) -> Played:
    """A game by the clock in which orders are given in advance, up to where the table waits for somebody."""
    whole = whole_with_orders(number)
    ends = [v for v in whole.step_ends() if whole.versions("card_placed")[5] < v < whole.size]
    evidence = whole.evidence
    cut = replace(evidence, bodies=evidence.bodies[: ends[place % len(ends)]], private_records={}, kept=None)
    return replace(whole, evidence=cut)


@pytest.mark.slow
@pytest.mark.parametrize("number", one_in(3, [6, 7, 8]))
@pytest.mark.parametrize("place", [10, 55, 91])
def test_when_a_move_was_made_changes_no_byte_while_the_game_runs(
    terminal: Terminal, number: int, place: int
) -> None:
    """Nor does who placed a card first; since when somebody is waited for is seen."""
    played = running_with_orders(number, place)
    other = with_other_times(played, Random(place))
    assert played.evidence.bodies != other.evidence.bodies
    one, two = write("one.jsonl", played), write("two.jsonl", other)
    for viewer in ("spectator", *range(3 + number % 3)):
        for words, same in zip(looks(one, viewer), looks(two, viewer), strict=True):
            assert terminal.run(*words) == terminal.run(*same)


@pytest.mark.parametrize("back", [1, 5, 12])
def test_an_earlier_state_of_a_running_game_has_no_deadlines(terminal: Terminal, back: int) -> None:
    """Each would tell when the table rested; those that run now are shown."""
    played = running_with_orders(7, 55)
    file = write("one.jsonl", played)
    until = ["--until", len(played.evidence.bodies) - back]
    for viewer in ("spectator", 0, 1):
        steps = terminal.json("replay", file, "--as", viewer, *until)
        assert "deadline_set" not in {step["type"] for step in steps}
        seats = terminal.json("show", file, "--as", viewer, *until)["view"]["seats"]
        assert {str(seat["time"]["deadline"]) for seat in seats} == {"None"}
    now = terminal.json("show", file)["view"]["seats"]
    assert any(seat["time"]["deadline"] for seat in now)


def test_an_earlier_table_of_a_running_game_tells_nobody_who_placed_a_card_first(terminal: Terminal) -> None:
    played = running_with_orders(7, 55)
    other = with_other_times(played, Random(55))
    one, two = write("one.jsonl", played), write("two.jsonl", other)
    (turned, *_) = played.versions("cards_turned")
    for version in range(turned - 6, turned + 1):
        words = ["--as", "spectator", "--until", version, "--mask-hashes"]
        told = terminal.run("show", one, *words)
        assert told == terminal.run("show", two, *words)
        assert f"Log: {version} events" in told


def test_a_card_that_was_placed_has_no_place_in_a_running_game(terminal: Terminal) -> None:
    """The hash of its event and the root would tell it as well, without the mask."""
    steps = terminal.json("replay", write("one.jsonl", running_with_orders(7, 55)), "--as", 0)
    placed = [step for step in steps if step["type"] == "card_placed"]
    assert {(step["version"], step["at"], step["leaf"]) for step in placed} == {(None, None, "-")}
    assert {step["at"] for step in steps} == {None}


def test_no_hash_of_an_event_tells_when_it_was(terminal: Terminal) -> None:
    """Whoever knows all else of an event tries times until the hash fits."""
    for viewer in ("spectator", 0):
        steps = terminal.json("replay", write("one.jsonl", running_with_orders(7, 55)), "--as", viewer)
        assert {step["leaf"] for step in steps} == {"-"}


def test_when_a_move_was_made_is_told_after_the_end(terminal: Terminal) -> None:
    whole = whole_with_orders(7)
    steps = terminal.json("replay", write("one.jsonl", whole))
    assert [(step["version"], step["at"]) for step in steps] == [
        (envelope.version, envelope.at) for envelope in whole.envelopes
    ]


def test_the_changed_secrets_are_seen_by_those_who_may(terminal: Terminal) -> None:
    """Else the tests above would prove nothing."""
    played = a_game_played(4).until(a_game_played(4).versions("card_placed")[2])
    one = write("one.jsonl", played)
    two = write("two.jsonl", with_other_secrets(played, 0, "x"))
    for seat in (1, 2, 3):
        for words, same in zip(looks(one, seat), looks(two, seat), strict=True):
            assert terminal.run(*words) != terminal.run(*same)


def test_without_the_mask_the_root_differs_and_nothing_else(terminal: Terminal) -> None:
    played = cut_somewhere(4, "s", 50)
    one = write("one.jsonl", played)
    two = write("two.jsonl", with_other_secrets(played, 1, "x"))
    assert terminal.json("replay", one, "--as", 1) == terminal.json("replay", two, "--as", 1)
    shown, other = (terminal.json("show", file, "--as", 1) for file in (one, two))
    assert shown.pop("root") != other.pop("root")
    assert shown == other


def test_a_game_with_other_secrets_is_as_sound_as_the_real_one(terminal: Terminal) -> None:
    """Nobody but the server can tell which of the two was played."""
    played = cut_somewhere(5, "t", 77)
    other = with_other_secrets(played, 2, "x")
    for name, game in (("one.jsonl", played), ("two.jsonl", other)):
        (report,) = terminal.json("audit", write(name, game))
        assert report["findings"] == []


def test_everything_is_shown_once_the_game_is_over(terminal: Terminal) -> None:
    played = a_game_played(3)
    text = terminal.run("replay", write("one.jsonl", played))
    assert "in the box are Anna's" in text
    assert "placed a card" not in text
