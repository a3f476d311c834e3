"""A game in a file for one viewer: what this one may not know is left out of it, and what is there is read.

Once the game is over, a line with its leaf stands in place of each hidden event, so the tree is the same.
While it runs the bytes of events would tell when each move was made: then the file tells of them instead, and
cards are placed by seat, at the last of the versions that may be theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import orjson

from felix_async.audit.evidence import Evidence, exported
from felix_async.game.narrate import untimed
from felix_async.game.story import Step, Story
from felix_async.game.views import Hidden, Viewer, may_know, redact
from felix_events import model as m
from felix_events.envelope import Envelope, Unreadable, canonical, check_envelopes
from felix_events.lines import LEAF, TOLD, Leaf, Told, ToldHidden, Untold, is_envelope, line_of
from felix_events.tree import leaf

_UNKNOWN: Final[dict[str, dict[str, Any]]] = {
    m.HandDealt.type: {"cards": [], "boxed": None},
    m.DummyDealt.type: {"pile": [], "boxed": None},
    m.CardPlaced.type: {"card": None},
}
"""What stands for the cards of a hidden event."""
_NO_TIME: Final = "1970-01-01T00:00:00.000000Z"
"""In an envelope of which nobody is told when it was."""
_OWN_DEEDS: Final = (
    m.PlayerJoined,
    m.PlayerDeclined,
    m.CardPlaced,
    m.BidPlaced,
    m.PlayerPassed,
    m.SeatHandedOver,
    m.PlayerSaid,
    m.AbsenceDeclared,
    m.AbsenceEnded,
    m.VoteCast,
    m.VotesWithdrawn,
    m.GameResumed,
)
"""The events whose seat has caused them, if somebody in a seat did."""


def exported_for(
    viewer: Viewer,
    evidence: Evidence,
    names: Sequence[str],
    table: str,
    *,
    is_over: bool,
    former: Sequence[tuple[int, int, str]] = (),
) -> bytes:
    """The bytes of a game's export as far as a viewer may know it; `"all"` is what `exported` gives.

    A seat has the words of its table, but none that were said before its player came, and its own log and
    private records once the game is over. A spectator has none of these.
    """
    known = evidence if viewer == "all" else _known_to(viewer, evidence, is_over=is_over)
    return exported(known, names, table, is_over=is_over, former=former)


def _known_to(viewer: Viewer, evidence: Evidence, *, is_over: bool) -> Evidence:
    envelopes = check_envelopes(evidence.bodies)
    story = Story.of(envelopes)
    is_running = story.game.standing == "running"
    came = story.came(viewer) if isinstance(viewer, int) and not is_over else 0
    records, is_seat = evidence.private_records, viewer != "spectator"
    return replace(
        evidence,
        bodies=list(_told(story, viewer) if is_running else _leaves(evidence, envelopes, viewer)),
        private_records={v: records[v] for v in records if may_open(envelopes[v - 1], viewer)},
        seat_logs={seat: log for seat, log in evidence.seat_logs.items() if seat == viewer},
        said={version: said for version, said in evidence.said.items() if is_seat and version > came},
        viewer=viewer,
    )


def may_open(envelope: Envelope, viewer: Viewer) -> bool:
    """Return True if the private record of an event is the viewer's own: of a deed of that seat."""
    event = envelope.data
    is_own = isinstance(event, _OWN_DEEDS) and event.seat == viewer
    return envelope.private is not None and (viewer == "all" or (is_own and envelope.actor != "host"))


def _leaves(evidence: Evidence, envelopes: Sequence[Envelope], viewer: Viewer) -> Iterator[bytes]:
    for body, envelope in zip(evidence.bodies, envelopes, strict=True):
        if may_know(envelope.data, viewer):
            yield body
        else:
            yield line_of(
                Leaf(
                    leaf=leaf(body).hex(),
                    version=envelope.version,
                    type=envelope.type,
                    seat=getattr(envelope.data, "seat", None),
                    at=envelope.at,
                )
            )


def _told(story: Story, viewer: Viewer) -> Iterator[bytes]:
    """A line for each version: what is told there. Cards take the last that are free in their round."""
    steps, size = list(untimed(story)), len(story.steps)
    taken = {step.version for step in steps if not isinstance(step.event, m.CardPlaced)}
    lines = {version: Untold(told=version) for version in range(1, size + 1)}
    placed: list[Step] = []
    start = 1
    for step in [*steps, None]:
        if step is not None and isinstance(step.event, m.CardPlaced):
            placed.append(step)
            continue
        if step is None or isinstance(step.event, m.CardsTurned):
            end = size + 1 if step is None else step.version
            free = [version for version in range(start, end) if version not in taken]
            for version, one in zip(free[len(free) - len(placed) :], placed, strict=True):
                lines[version] = _told_line(one, version, viewer)
            placed, start = [], end
        if step is not None:
            lines[step.version] = _told_line(step, step.version, viewer)
    yield from map(line_of, lines.values())


def _told_line(step: Step, version: int, viewer: Viewer) -> Untold:
    event = redact(step.event, viewer)
    if isinstance(event, Hidden):
        return ToldHidden(told=version, type=event.type, seat=event.seat)
    return Told(told=version, type=event.type, actor=step.envelope.actor, data=event.model_dump())


# ---- read again
def envelopes_of(evidence: Evidence, until: int | None = None) -> list[Envelope]:
    """The envelopes of a log up to a version, strictly read. Raises Unreadable.

    In a file for one viewer hidden events hold no cards, which fold to what this viewer sees; versions at
    which nothing is told are left out.
    """
    bodies = evidence.bodies[:until]
    if evidence.viewer == "all":
        return check_envelopes(bodies)
    places = [place for place, body in enumerate(bodies) if is_envelope(body)]
    try:
        whole = dict(zip(places, check_envelopes([bodies[place] for place in places]), strict=True))
    except Unreadable as error:
        raise Unreadable(places[error.index], error.why) from None
    found = []
    for place, body in enumerate(bodies):
        envelope = whole.get(place) or _in_place(evidence, place, body)
        if envelope is not None:
            found.append(envelope)
    return _with_cards_last(found) if is_retold(evidence) else found


def _with_cards_last(envelopes: Sequence[Envelope]) -> list[Envelope]:
    """The same, with the cards of a round after all else of it: a time-out comes before its card."""
    found: list[Envelope] = []
    placed: list[Envelope] = []
    for envelope in envelopes:
        if isinstance(envelope.data, m.CardPlaced):
            placed.append(envelope)
            continue
        if isinstance(envelope.data, m.CardsTurned):
            found += placed
            placed = []
        found.append(envelope)
    return found + placed


def hidden_in(evidence: Evidence) -> list[int]:
    """The versions of the events in a file for one viewer that this one may not know."""
    return [version for version, body in enumerate(evidence.bodies, 1) if body.startswith(LEAF)]


def is_retold(evidence: Evidence) -> bool:
    """Return True if a file for one viewer tells of a running game, without its bytes."""
    return evidence.viewer != "all" and any(body.startswith(TOLD) for body in evidence.bodies)


def _in_place(evidence: Evidence, place: int, body: bytes) -> Envelope | None:
    """The envelope that a line stands for, as far as it is known; None if it tells nothing.

    That the line is as felix writes it has been checked with the file.
    """
    line = orjson.loads(body)
    kind = line.get("type")
    if kind is None:
        return None
    if "data" in line:
        event = m.BY_TYPE[kind].model_validate_json(canonical(line["data"]))
    else:
        event = _unknown(place, kind, line["seat"])
    if may_know(event, evidence.viewer) != ("data" in line):
        why = "told to one who may not know it" if "data" in line else "hidden from the one who may know it"
        raise Unreadable(place, why)
    fields: dict[str, Any] = {
        "game_id": evidence.game_id,
        "version": place + 1,
        "type": kind,
        "schema_": event.schema_version,
        "at": line.get("at", _NO_TIME),
        "actor": line.get("actor", "seat" if kind == m.CardPlaced.type else "rules"),
        "data": event,
    }
    return Envelope.model_construct(**fields, salt=None, private=None)


def _unknown(place: int, kind: str, seat: int | None) -> m.Event:
    """A hidden event without its cards."""
    if (seat is None) != (kind == m.DummyDealt.type):
        raise Unreadable(place, "a hidden event of no seat, or of the dummy's")
    fields = _UNKNOWN[kind] if seat is None else {**_UNKNOWN[kind], "seat": seat}
    return m.BY_TYPE[kind].model_construct(**fields)
