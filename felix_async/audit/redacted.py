"""A game in a file for one viewer: what this one may not know is left out of it, and what is there is read.

Once the game is over, a line with its leaf stands in place of each hidden event, so the tree is the same.
While it runs the bytes of events would tell when each move was made: then the file tells of them instead, the
cards of a round by seat, and counts anew what it tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import orjson

from felix_async.audit.evidence import Evidence, exported
from felix_async.game.narrate import numbers_told, untimed
from felix_async.game.story import Step, Story
from felix_async.game.views import Hidden, Viewer, may_know, redact
from felix_events import model as m
from felix_events.envelope import Envelope, OfLater, Unreadable, canonical, check_envelopes
from felix_events.lines import LEAF, TOLD, Leaf, Told, ToldHidden, is_envelope, line_of
from felix_events.tree import leaf

_UNKNOWN: Final[dict[str, dict[str, Any]]] = {
    m.HandDealt.type: {"cards": [], "boxed": None},
    m.DummyDealt.type: {"pile": [], "boxed": None},
    m.CardPlaced.type: {"card": None},
}
"""What stands for the cards of a hidden event."""
_NO_TIME: Final = "1970-01-01T00:00:00.000000Z"
"""In an envelope of which nobody is told when it was."""
OWN_DEEDS: Final = (
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
    m.DisputeRaised,
    m.DisputeSettled,
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
    if viewer == "all":
        return exported(evidence, names, table, is_over=is_over, former=former)
    story = Story.of(check_envelopes(evidence.bodies))
    came = story.came(viewer) if isinstance(viewer, int) and not is_over else 0
    said = {v: one for v, one in evidence.said.items() if viewer != "spectator" and v > came}
    if story.game.standing == "running":
        bodies, numbers = list(_told(story, viewer)), numbers_told(story)
        said = {
            numbers[v]: one.model_copy(update={"said": numbers[v]}) for v, one in said.items() if v in numbers
        }
        former = [(numbers[v], seat, name) for v, seat, name in former if v in numbers]
    else:
        bodies = list(_leaves(story, evidence, viewer))
    known = replace(
        evidence,
        bodies=bodies,
        private_records={
            step.version: evidence.private_records[step.version]
            for step in story.steps
            if step.version in evidence.private_records and may_open(step.envelope, viewer)
        },
        seat_logs={seat: log for seat, log in evidence.seat_logs.items() if seat == viewer},
        said=said,
        viewer=viewer,
    )
    return exported(known, names, table, is_over=is_over, former=former)


def may_open(envelope: Envelope, viewer: Viewer) -> bool:
    """Return True if the private record of an event is the viewer's own: of a deed of that seat."""
    event = envelope.data
    is_own = isinstance(event, OWN_DEEDS) and event.seat == viewer
    if isinstance(event, m.DisputeSettled):
        is_own &= event.how == "withdrawn"
    return envelope.private is not None and (viewer == "all" or (is_own and envelope.actor != "host"))


def _leaves(story: Story, evidence: Evidence, viewer: Viewer) -> Iterator[bytes]:
    for body, step in zip(evidence.bodies, story.steps, strict=True):
        envelope = step.envelope
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
    """A line for each event of a running game that may be told."""
    for number, step in enumerate(untimed(story), 1):
        yield line_of(_told_line(step, number, viewer))


def _told_line(step: Step, version: int, viewer: Viewer) -> ToldHidden | Told:
    event = redact(step.event, viewer)
    if isinstance(event, Hidden):
        return ToldHidden(told=version, type=event.type, seat=event.seat)
    return Told(told=version, type=event.type, actor=step.envelope.actor, data=event.model_dump())


# ---- read again
def envelopes_of(evidence: Evidence, until: int | None = None) -> list[Envelope]:
    """The envelopes of a log up to a version, strictly read. Raises Unreadable.

    In a file for one viewer hidden events hold no cards, which fold to what this viewer sees.
    """
    bodies = evidence.bodies[:until]
    if evidence.viewer == "all":
        return check_envelopes(bodies)
    places = [place for place, body in enumerate(bodies) if is_envelope(body)]
    try:
        whole = dict(zip(places, check_envelopes([bodies[place] for place in places]), strict=True))
    except Unreadable as error:
        raise type(error)(places[error.index], error.why) from None
    return [whole.get(place) or _in_place(evidence, place, body) for place, body in enumerate(bodies)]


def hidden_in(evidence: Evidence) -> list[int]:
    """The versions of the events in a file for one viewer that this one may not know."""
    hides = evidence.viewer != "all"
    return [version for version, body in enumerate(evidence.bodies, 1) if hides and body.startswith(LEAF)]


def is_retold(evidence: Evidence) -> bool:
    """Return True if a file for one viewer tells of a running game, without its bytes."""
    return evidence.viewer != "all" and any(body.startswith(TOLD) for body in evidence.bodies)


def _in_place(evidence: Evidence, place: int, body: bytes) -> Envelope:
    """The envelope that a line stands for, as far as it is known.

    That the line is as felix writes it has been checked with the file.
    """
    line = orjson.loads(body)
    kind = line["type"]
    if kind not in m.BY_TYPE:
        raise OfLater(place, f"event type {kind!r} is not known to this version of felix")
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
