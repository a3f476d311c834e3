"""The page is stepped through as the terminal is: the same keys lead to the same places."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, Final

from felix_async.language.phrases import phrase
from felix_async.replay.places import Course, Place, Stop, first_place, press
from page.node import asked, needs_node

pytestmark = needs_node
_STOPS: Final = [(0, 3), (0, 5), (1, 9), (1, 12), (1, 13), (2, 18), (2, 20), (2, 21), (3, 30)]
COURSE: Final = Course(
    [Stop(*stop) for stop in _STOPS],
    versions=range(1, 31),
    acting={8: 2, 9: 0, 10: 1, 18: 2},
    viewers=("all", "spectator", 0, 1, 2),
    seats=3,
    start=1,
)
SEATS_OWN: Final = replace(COURSE, viewers=(1, "spectator"))
KEYS: Final = (
    *("right", "left", "shift-right", "shift-left", "[", "]", "home", "end", "r", "w", " ", "tick", "x"),
    *"012345a",
)
GOALS: Final = ("r1", "r3", "r9", "1", "9", "20", "31", "0")
SAID: Final = {
    phrase(f"stepper.refused.{name}", versions=30, rounds=3, seats=3): name
    for name in ("no_jump", "at_end", "no_seat", "not_all", "not_eyes", "no_version", "no_round")
}
_SCRIPT: Final = """
    return questions.map(({course, keys}) => {
      const acting = new Map(course.acting);
      const whole = {...course, acting: (version) => acting.get(version) ?? null};
      let place = m.placeAt(whole, course.viewers[0], course.start);
      return keys.map((key) => {
        place = key.startsWith("g") ? m.goTo(whole, place, key.slice(1)) : m.press(whole, place, key);
        return {...place, eyes: m.eyesOf(whole, place)};
      });
    });
"""


def a_walk(chance: Random) -> list[str]:
    """Sixty keys, some of them places to go to."""
    return [f"g{chance.choice(GOALS)}" if chance.random() < 0.1 else chance.choice(KEYS) for _ in range(60)]


def by_python(course: Course, keys: list[str]) -> list[dict[str, Any]]:
    place = first_place(course, course.viewers[0])
    places = []
    for key in keys:
        place = typed(course, place, key[1:]) if key.startswith("g") else press(course, place, key)
        places.append(facts(course, place))
    return places


def typed(course: Course, place: Place, goal: str) -> Place:
    """What a terminal makes of a place that is typed."""
    for key in ("g", *goal, "enter"):
        place = press(course, place, key)
    return place


def facts(course: Course, place: Place) -> dict[str, Any]:
    return {
        "beat": place.beat,
        "version": place.version,
        "viewer": place.viewer,
        "eyes": place.eyes(course),
        "furthest": place.furthest,
        "follows": place.follows,
        "back": None if place.back is None else list(place.back),
        "plays": place.is_playing,
        "said": SAID[place.said] if place.said else None,
    }


def as_question(course: Course, keys: list[str]) -> dict[str, Any]:
    return {
        "course": {
            "stops": [{"round": stop.round, "version": stop.version} for stop in course.stops],
            "size": course.versions[-1],
            "viewers": course.viewers,
            "seats": course.seats,
            "start": course.start,
            "acting": list(course.acting.items()),
        },
        "keys": keys,
    }


def test_a_walk_of_any_keys_leads_where_it_leads_in_a_terminal() -> None:
    chance = Random("keys")
    walks = [(course, a_walk(chance)) for course in (COURSE, SEATS_OWN) for _ in range(100)]
    found = asked(_SCRIPT, [as_question(*walk) for walk in walks], modules=("course.mjs",))
    assert found == [by_python(*walk) for walk in walks]
