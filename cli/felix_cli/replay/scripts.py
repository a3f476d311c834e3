"""The records of a game as JSON, for scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from felix_async.game.narrate import Line, retell
from felix_async.game.state import Game
from felix_async.game.views import Hidden
from felix_async.replay.replay import Replay
from felix_cli.naming import viewer_of
from felix_cli.replay.beside import cause_json, fields_of, say_unsound
from felix_cli.replay.part import Part
from felix_cli.wiring import Subject, followed
from felix_events.lines import is_told, leaf_in
from felix_events.model import DeadlineSet, ReserveSpent

_HASHES: Final = ("commitment", "contribution", "seed")


def records(subject: Subject, viewer: str | None, part: Part, *, mask_hashes: bool) -> list[dict[str, Any]]:
    """Return the records of a part of a game; while it runs, as this viewer knew them after the last."""
    envelopes, game = followed(subject, None)
    if not game.is_over:
        envelopes, game = followed(subject, part.last)
    seen_by = viewer_of(viewer, game, subject)
    replay = subject.replay(envelopes, seen_by)
    if not replay.is_sound:
        say_unsound()
    told = list(retell(envelopes, seen_by, replay.names))
    is_cut = part.last < len(subject.evidence.bodies)
    return [
        _record(subject, line, replay, mask_hashes=mask_hashes)
        for line in _from(told, part.first)
        if line.step.version <= part.last and not _is_over(line, game, is_cut=is_cut)
    ]


def _from(told: list[Line], first: int) -> Iterator[Line]:
    """The lines from a version on; one that tells none goes with the line before it."""
    version = 0
    for line in told:
        version = line.version or version
        if version >= first:
            yield line


def _is_over(line: Line, game: Game, *, is_cut: bool) -> bool:
    """Return True of a deadline of a running game that does not run any more, and of reserves before now."""
    event = line.step.event
    if game.standing != "running" or not isinstance(event, DeadlineSet | ReserveSpent):
        return False
    return is_cut if isinstance(event, ReserveSpent) else game.seats[event.seat].time.deadline is None


def _record(subject: Subject, line: Line, replay: Replay, *, mask_hashes: bool) -> dict[str, Any]:
    step, hidden = line.step, isinstance(line.event, Hidden)
    data: dict[str, Any]
    if isinstance(line.event, Hidden):
        data = {} if line.event.seat is None else {"seat": line.event.seat}
    else:
        data = line.event.model_dump()
    body = subject.evidence.bodies[step.version - 1]
    # All of an event but its time can be known, and its hash would give that away.
    has_leaf = not mask_hashes and line.at is not None and not is_told(body)
    if mask_hashes:
        data = {key: "-" if key in _HASHES else value for key, value in data.items()}
    return {
        "version": line.version,
        "at": line.at,
        "type": step.envelope.type,
        "actor": step.envelope.actor,
        "hidden": hidden,
        "data": data,
        "text": line.text,
        "leaf": leaf_in(body).hex() if has_leaf else "-",
        **({"by": cause_json(replay.causes[step.version])} if step.version in replay.causes else {}),
        **fields_of(replay.told, step.version),
    }
