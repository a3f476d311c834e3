"""Where somebody is who steps through a game, and what each key makes of it.

Pure: keys in, places out. A terminal draws places, and names the keys.

A place is after a beat, or at a version inside it. Steps of one beat or version go on from there; jumps (a
round, an end, `g`) can be taken back with `r`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from felix_async.game.beats import Beat
from felix_async.game.folding import apply
from felix_async.game.state import Game, initial_state
from felix_async.game.views import Viewer
from felix_async.language.phrases import phrase
from felix_events.envelope import Envelope

_LONGEST: Final = 12
"""Characters that somebody may type to go to a place."""
_GOAL: Final = re.compile(r" *([rv]?)([0-9]{1,9}) *", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Stop:
    """The place after a beat: its round (0 before the first), and the version of the table then."""

    round: int
    version: int


@dataclass(frozen=True, slots=True)
class Course:
    """Everything that can be stepped through, and whose eyes may look.

    `versions` are those that one may stand at, in order; `acting` has the seat that is to move at a version,
    if there is one; `start` is the beat at which a replay opens: the deal.
    """

    stops: Sequence[Stop]
    versions: Sequence[int]
    acting: Mapping[int, int]
    viewers: Sequence[Viewer]
    seats: int
    start: int = 0

    @property
    def rounds(self) -> int:
        """The last round that has begun."""
        return max(stop.round for stop in self.stops)

    def beat_of(self, version: int) -> int:
        """Return the beat in which a version is."""
        ends = [stop.version for stop in self.stops]
        return min(bisect_left(ends, version), len(ends) - 1)


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody is: after a beat, or at a version inside it, and with whose eyes.

    With `follows` the eyes are those of the seat to move. `furthest` is the last version that was seen.
    `back` is the place before the last jump. `typed` is where `g` is to go, as far as it was typed; `said` is
    a sentence about the key before, '' mostly.
    """

    beat: int
    version: int
    viewer: Viewer
    furthest: int
    follows: bool = False
    back: tuple[int, int] | None = None
    is_playing: bool = False
    is_helping: bool = False
    typed: str | None = None
    said: str = ""
    has_left: bool = False

    def eyes(self, course: Course) -> Viewer:
        """Return who looks at the table here."""
        return course.acting.get(self.version, self.viewer) if self.follows else self.viewer


def course_of(beats: Sequence[Beat], envelopes: Sequence[Envelope], viewers: Sequence[Viewer]) -> Course:
    """Return the course of a game that has these beats.

    While a game runs one can only stand where something is told, and no card of a round is missing: else it
    could be seen who placed before whom.
    """
    between, acting, game = set(), {}, initial_state()
    for envelope in envelopes:
        apply(game, envelope.data)
        if _is_between_cards(game):
            between.add(envelope.version)
        if asked := _to_move(game):
            acting[envelope.version] = asked[0]
    last = envelopes[-1].version
    versions = [*range(1, last + 1)]
    if not game.is_over:
        told = {version for beat in beats for version in beat.versions}
        versions = sorted(told - between | {last})
    acting = {version: acting[version] for version in versions if version in acting}
    start = next((place for place, beat in enumerate(beats) if beat.kind == "deal"), 0)
    return Course(list(_stops(beats, versions)), versions, acting, viewers, len(game.seats), start)


def _stops(beats: Sequence[Beat], versions: Sequence[int]) -> Iterator[Stop]:
    """A beat ends where one may stand, and not before the one that was told before it; the last one, now."""
    end = versions[0]
    for beat in beats[:-1]:
        end = max(end, *(line.step.version for line in (*beat.lines, *beat.below)))
        yield Stop(beat.round, versions[bisect_left(versions, end)])
    yield Stop(beats[-1].round, versions[-1])


def _is_between_cards(game: Game) -> bool:
    """Return True if some cards of the round are placed, and others are not."""
    return game.phase == "placing" and any(game.seats[seat].has_placed for seat in game.players)


def _to_move(game: Game) -> list[int]:
    """The seats that are to place a card or to bid, the one that comes first in front."""
    if game.phase == "placing":
        return [seat for seat in game.clockwise(game.start_seat) if seat in game.asked]
    return [] if game.to_move is None else [game.to_move]


def first_place(course: Course, viewer: Viewer, version: int | None = None) -> Place:
    """Return the place at which a replay opens: the deal, or after the beat of a version."""
    beat = course.start if version is None else course.beat_of(version)
    at = course.stops[beat].version
    return Place(beat, at, viewer, furthest=at)


def press(course: Course, place: Place, key: str) -> Place:
    """Return the place that a key leads to; a key that means nothing here stops playing, and no more.

    `tick` is the time that passes between two beats while it plays; all other keys are somebody's.
    """
    if key == "tick":
        return _played(course, place) if place.is_playing else place
    at = replace(place, is_playing=False, said="")
    if at.is_helping:
        return replace(at, is_helping=False)
    if at.typed is not None:
        return _typed(course, at, at.typed, key)
    if key in _SEATS:
        return _looked(course, at, int(key) - 1)
    if key == " ":
        return at if place.is_playing else _played_on(course, at)
    after = _KEYS.get(key)
    return at if after is None else after(course, at)


def _stand(course: Course, place: Place, beat: int, version: int) -> Place:
    return replace(place, beat=beat, version=version, furthest=max(place.furthest, version))


def _to_beat(course: Course, place: Place, beat: int) -> Place:
    beat = max(0, min(beat, len(course.stops) - 1))
    return _stand(course, place, beat, course.stops[beat].version)


def _jump(course: Course, place: Place, beat: int) -> Place:
    """A jump: `r` leads back from there."""
    return _jumped(place, _to_beat(course, place, beat))


def _jumped(place: Place, after: Place) -> Place:
    return after if _where(after) == _where(place) else replace(after, back=_where(place))


def _where(place: Place) -> tuple[int, int]:
    return place.beat, place.version


def _next_beat(course: Course, place: Place) -> Place:
    is_inside = place.version < course.stops[place.beat].version
    return _to_beat(course, place, place.beat if is_inside else place.beat + 1)


def _last_beat(course: Course, place: Place) -> Place:
    return _to_beat(course, place, place.beat - 1)


def _by_version(course: Course, place: Place, by: int) -> Place:
    at = bisect_left(course.versions, place.version) + by
    version = course.versions[max(0, min(at, len(course.versions) - 1))]
    return place if version == place.version else _stand(course, place, course.beat_of(version), version)


def _next_round(course: Course, place: Place) -> Place:
    return _to_round(course, place, course.stops[place.beat].round + 1)


def _last_round(course: Course, place: Place) -> Place:
    """To the beginning of this round, or of the one before it from there."""
    number = course.stops[place.beat].round
    began = _began(course, number)
    return _jump(course, place, began if place.beat > began else _began(course, number - 1))


def _to_round(course: Course, place: Place, number: int) -> Place:
    return _jump(course, place, _began(course, number))


def _began(course: Course, number: int) -> int:
    """The first beat of a round; behind the last round, the last beat."""
    rounds = [stop.round for stop in course.stops]
    return next((beat for beat, at in enumerate(rounds) if at >= number), len(rounds) - 1)


def _home(course: Course, place: Place) -> Place:
    return _jump(course, place, 0)


def _end(course: Course, place: Place) -> Place:
    return _jump(course, place, len(course.stops) - 1)


def _back(_course: Course, place: Place) -> Place:
    """Back to where one was before the last jump; once more leads forth again."""
    if place.back is None:
        return replace(place, said=phrase("stepper.refused.no_jump"))
    beat, version = place.back
    return replace(place, beat=beat, version=version, back=_where(place))


def _played_on(course: Course, place: Place) -> Place:
    if place.beat == len(course.stops) - 1:
        return replace(place, said=phrase("stepper.refused.at_end"))
    return replace(place, is_playing=True)


def _played(course: Course, place: Place) -> Place:
    after = _next_beat(course, place)
    return replace(after, is_playing=after.beat < len(course.stops) - 1)


def _looked(course: Course, place: Place, viewer: Viewer) -> Place:
    if isinstance(viewer, int) and viewer >= course.seats:
        return replace(place, said=phrase("stepper.refused.no_seat", seats=course.seats))
    if viewer not in course.viewers:
        unseen = phrase("stepper.refused.not_all" if viewer == "all" else "stepper.refused.not_eyes")
        return replace(place, said=unseen)
    return replace(place, viewer=viewer, follows=False)


def _follows(course: Course, place: Place) -> Place:
    if any(seat not in course.viewers for seat in range(course.seats)):
        return replace(place, said=phrase("stepper.refused.not_eyes"))
    return replace(place, follows=not place.follows)


def _typed(course: Course, place: Place, typed: str, key: str) -> Place:
    """A key while somebody types where to go."""
    if key == "enter":
        return _gone(course, replace(place, typed=None), typed)
    if key == "escape" or (key == "backspace" and not typed):
        return replace(place, typed=None)
    if key == "backspace":
        return replace(place, typed=typed[:-1])
    is_typed = len(key) == 1 and key.isprintable() and len(typed) < _LONGEST
    return replace(place, typed=typed + key if is_typed else typed)


def _gone(course: Course, place: Place, typed: str) -> Place:
    found = _GOAL.fullmatch(typed)
    if found is None:
        return replace(place, said=phrase("stepper.screen.no_goal")) if typed else place
    number = int(found[2])
    if found[1] in ("r", "R"):
        if not 1 <= number <= course.rounds:
            return replace(place, said=phrase("stepper.refused.no_round"))
        return _to_round(course, place, number)
    if not 1 <= number <= course.versions[-1]:
        return replace(place, said=phrase("stepper.refused.no_version", versions=course.versions[-1]))
    version = course.versions[bisect_left(course.versions, number)]
    return _jumped(place, _stand(course, place, course.beat_of(version), version))


_SEATS: Final = frozenset("12345")
_KEYS: Final[Mapping[str, Callable[[Course, Place], Place]]] = {
    "right": _next_beat,
    "left": _last_beat,
    "shift-right": lambda course, place: _by_version(course, place, 1),
    "shift-left": lambda course, place: _by_version(course, place, -1),
    "]": _next_round,
    "[": _last_round,
    "home": _home,
    "end": _end,
    "r": _back,
    "0": lambda course, place: _looked(course, place, "spectator"),
    "a": lambda course, place: _looked(course, place, "all"),
    "w": _follows,
    "g": lambda _, place: replace(place, typed=""),
    "?": lambda _, place: replace(place, is_helping=True),
    "q": lambda _, place: replace(place, has_left=True),
}
"""What each key does; `1` to `5`, the space and what is typed after `g` are apart."""
