"""The page counts along as Python does: mice and cats, rounds, the names of then, waiting.

What it tells to a seat's eyes is what Python tells the seat.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from felix_async.audit.evidence import Evidence, evidence_in
from felix_async.audit.redacted import envelopes_of, exported_for
from felix_async.clock import time_of
from felix_async.game.cards import cat_points
from felix_async.game.ledger import purses
from felix_async.game.names import Names
from felix_async.game.views import Viewer, may_know
from felix_async.replay.page.facts import data_of, isolated_names, story_of
from felix_async.replay.replay import Replay
from felix_events import model as m
from felix_events.export import read_export
from games import NAMES, Played, a_game_played, a_running_game
from page.browsing import PLAIN
from page.forging import golden, spoken
from page.node import asked, needs_node
from table import ANNA

pytestmark = needs_node
_ONE = ("told.mjs",)
_BOTH = ("fold.mjs", "rules.mjs", "told.mjs")


def log_of(played: Played) -> str:
    return played.export().decode("utf-8")


def counted(script: str, *questions: object, modules: tuple[str, ...] = _ONE) -> Any:
    """What a function body makes of the `events` of a four-player game."""
    told = f"const [log, more] = questions; const events = m.eventsIn(log); {script}"
    return asked(told, [log_of(a_game_played(4)), *questions], modules=modules)


def test_the_events_are_those_of_the_log() -> None:
    types = counted("return events.map(({version, type}) => [version, type]);")
    assert types == [[one.version, one.type] for one in a_game_played(4).envelopes]


def test_events_are_read_up_to_a_line_that_is_none() -> None:
    torn = log_of(a_game_played(4)).replace('"version":9}', '"version":9', 1)
    assert asked("return m.eventsIn(questions).length;", torn, modules=_ONE) == 8


def test_an_event_that_is_hidden_says_so() -> None:
    line = '{"leaf":"00","version":1,"type":"hand_dealt","seat":2,"at":""}'
    (event,) = asked("return m.eventsIn(questions);", f"header\n{line}\n", modules=_ONE)
    assert (event["hidden"], event["seat"]) == (True, 2)


def test_the_events_of_a_running_game_are_those_that_its_file_tells() -> None:
    played = a_running_game(4)
    log = exported_for(ANNA, played.evidence, played.names, "", is_over=False)
    found = asked("return m.eventsIn(questions);", log.decode(), modules=_ONE)
    told = envelopes_of(evidence_in(read_export(log)))
    assert len(found) == played.size
    assert {one["version"]: one["type"] for one in found if "type" in one} == {
        one.version: one.type for one in told
    }
    hidden = {one.version for one in told if not may_know(one.data, ANNA)}
    assert {one["version"] for one in found if one["hidden"]} == hidden


def test_mice_and_cats_are_those_of_the_ledger() -> None:
    played = a_game_played(4)
    found = counted("return m.pursesOf(events, 4);")
    begun = played.versions("round_started")[0]
    for version in range(begun, played.size + 1):
        kept = purses(played.events[:version], range(4))
        assert found[version] == [{"mice": kept[seat].mice, "cats": kept[seat].cats} for seat in range(4)]


def test_a_round_has_its_beginning_its_end_and_its_profit() -> None:
    played = a_game_played(4)
    found = counted("return m.roundsIn(events);")
    sales = {one.version: one.data for one in played.envelopes if isinstance(one.data, m.SackSold)}
    assert [one["began"] for one in found] == played.versions("round_started")
    assert [one["ended"] for one in found if "sale" in one] == list(sales)
    profits = [cat_points(sale.prize) - sale.price for sale in sales.values()]
    assert [one["profit"] for one in found if "sale" in one] == profits


def test_the_names_are_those_of_then() -> None:
    names = isolated_names(Names(["Anna", "Zoe"], [(43, 1, "Ben"), (20, 1, ""), (30, 0, "ben")]))
    script = "return Array.from({length: 50}, (_, version) => m.namesAt(questions, version));"
    found = asked(script, {"names": names.now, "former": names.former}, modules=_ONE)
    assert found == [list(names.at(version)) for version in range(50)]


def test_who_is_waited_for_at_a_version_is_in_a_span_then() -> None:
    played = a_game_played(4)
    script = "const states = m.fold(events); return m.waits(events, (v) => m.awaited(states[v]), more);"
    until = played.size - 20
    spans = counted(script, until, modules=_BOTH)
    for version in [end for end in played.step_ends() if end < until]:
        now = time_of(played.envelopes[version - 1].at).timestamp() * 1000
        waited = {seat for seat, start, end in spans if start <= now < end}
        assert waited == set(played.game(version).awaited)


def plain(text: str) -> str:
    return text.translate(PLAIN)


def replay_of(evidence: Evidence, viewer: Viewer) -> Replay:
    words = {version: said.text for version, said in evidence.said.items()}
    names = isolated_names(Names(NAMES[: len(Played("", evidence).game().seats)]))
    return Replay(evidence, envelopes_of(evidence), viewer, names, words=words)


SOME: dict[str, Callable[[], Evidence]] = {
    "3 players": lambda: a_game_played(3).evidence,
    "4 players": lambda: a_game_played(4).evidence,
    "5 players": lambda: a_game_played(5).evidence,
    "words and a seat taken": spoken,
    "cards exchanged, computers": lambda: golden()["time-hurried.jsonl"],
}


@pytest.mark.parametrize("which", SOME)
def test_eyes_of_a_seat_are_told_what_the_seat_is_told(which: str) -> None:
    evidence = SOME[which]()
    whole = replay_of(evidence, "all")
    data = data_of(whole, at_end=False)
    beats = [
        {"text": one.text, "open": one.open or one.text, "told": data["told"].get(str(one.version))}
        for one in story_of(whole)
    ]
    viewers: list[Viewer] = ["all", "spectator", *range(len(whole.names.now))]
    script = """
        const {data, beats, events, viewers} = questions;
        return viewers.map((eyes) => [
          beats.map((beat) => m.textFor(data, beat, eyes)),
          events.map((event) => m.stepFor(data, event, eyes)),
        ]);
    """
    events = [{"version": one.version, "data": one.data.model_dump()} for one in whole.envelopes]
    questions = {"data": data, "beats": beats, "events": events, "viewers": viewers}
    found = asked(script, questions, modules=_ONE)
    for viewer, (told, steps) in zip(viewers, found, strict=True):
        replay = replay_of(evidence, viewer)
        assert list(map(plain, told)) == [plain(beat.text) for beat in replay.beats]
        lines = [line for beat in replay.beats for line in (*beat.lines, *beat.below)]
        inside = {v: line.text for line in lines if (v := line.version) and str(v) in data["inside"]}
        assert len(inside) > 40
        assert {version: steps[version - 1] for version in inside} == inside
