"""Beside a game told again: what the seats kept to themselves, reasons and orders in advance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from felix_async.audit.evidence import Evidence
from felix_async.audit.said import Beside, Said, said_beside
from felix_async.audit.seat_logs import explanations
from felix_async.game.names import Names
from felix_async.game.narrate import Fate, told_order, told_reasons
from felix_async.game.views import Viewer
from felix_events.envelope import Envelope


@dataclass(frozen=True, slots=True)
class Told:
    """The part that one viewer may know, by the version that it is told at.

    `reasons` are the computer's for its move; `by` is the order that a move was made by, `unused` are those
    given there that never made one, each with the sentence about it.
    """

    reasons: Mapping[int, Sequence[str]] = field(default_factory=dict)
    by: Mapping[int, tuple[Said, str]] = field(default_factory=dict)
    unused: Mapping[int, Sequence[tuple[Said, str]]] = field(default_factory=dict)

    @property
    def orders(self) -> dict[tuple[int, int], Said]:
        """Every order that the viewer may know, by its seat and its version in the seat's own log."""
        pairs = [*self.by.values(), *(pair for several in self.unused.values() for pair in several)]
        return {(one.order.seat, one.version): one for one, _ in pairs}


def told_beside(
    evidence: Evidence, envelopes: Sequence[Envelope], viewer: Viewer, names: Names, *, is_over: bool
) -> Told:
    """Return what a viewer may know: all, once all is over; before that a seat what it said itself.

    Raises Flaw if it is not sound.
    """
    if not is_over and not isinstance(viewer, int):
        return Told()
    why = explanations(evidence, envelopes) if is_over else {}
    beside = said_beside(evidence, envelopes)
    reasons = {version: told_reasons(one, viewer) for version, one in why.items()}
    return Told(
        {version: told for version, told in reasons.items() if told},
        *_said(beside, viewer, names, is_over=is_over),
    )


def _said(
    beside: Beside, viewer: Viewer, names: Names, *, is_over: bool
) -> tuple[dict[int, tuple[Said, str]], dict[int, list[tuple[Said, str]]]]:
    def told(one: Said, how: Literal["by", "given"] | Fate) -> str:
        return told_order(one.order, viewer, names.at(one.order.size), how)

    by = {version: (one, told(one, "by")) for version, one in beside.by.items()}
    unused = {
        version: [(one, told(one, (one.dropped or "unused") if is_over else "given")) for one in several]
        for version, several in beside.unused.items()
    }
    known = {version: [pair for pair in pairs if pair[1]] for version, pairs in unused.items()}
    return (
        {version: pair for version, pair in by.items() if pair[1]},
        {version: pairs for version, pairs in known.items() if pairs},
    )
