"""Beside a game told again: what the seats kept to themselves, reasons and orders in advance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any, Final

from felix_async.audit.evidence import Flaw
from felix_async.audit.said import Beside, Said, said_beside
from felix_async.audit.seat_logs import explanations
from felix_async.game.narrate import told_order, told_reasons
from felix_async.game.views import Viewer
from felix_async.language.phrases import phrase
from felix_cli.output import say
from felix_cli.wiring import Subject
from felix_events.envelope import Envelope

_INDENT: Final = " " * 24


@dataclass(frozen=True, slots=True)
class Told:
    """The part that one viewer may know, by the version that it is told at.

    `reasons` are the computer's for its move; `by` is the order that a move was made by, `unused` are those
    given there that never made one, each with the sentence about it.
    """

    reasons: Mapping[int, Sequence[str]] = field(default_factory=dict)
    by: Mapping[int, tuple[Said, str]] = field(default_factory=dict)
    unused: Mapping[int, Sequence[tuple[Said, str]]] = field(default_factory=dict)

    def fields(self, version: int) -> dict[str, Any]:
        """Return what an event's JSON has of it: nothing, as a rule."""
        found: dict[str, Any] = {}
        if version in self.reasons:
            found["reasons"] = list(self.reasons[version])
        if version in self.by:
            found["by_order"] = _order_json(*self.by[version])
        if version in self.unused:
            found["said"] = [_order_json(*one) for one in self.unused[version]]
        return found

    def lines(self, version: int) -> Iterator[str]:
        """Return the lines below that of the event."""
        texts = []
        if version in self.by:
            texts.append(self.by[version][1])
        if version in self.reasons:
            texts.append(phrase("events.reasons.told", reasons=" ".join(self.reasons[version])))
        texts += [text for _, text in self.unused.get(version, ())]
        for text in texts:
            yield from wrap(text, 100, initial_indent=_INDENT, subsequent_indent=_INDENT)


def told_beside(subject: Subject, envelopes: Sequence[Envelope], viewer: Viewer, *, is_over: bool) -> Told:
    """Return what a viewer may know: all, once all is over; before that a seat what it said itself."""
    if not is_over and not isinstance(viewer, int):
        return Told()
    try:
        why = explanations(subject.evidence, envelopes) if is_over else {}
        beside = said_beside(subject.evidence, envelopes)
    except Flaw:
        say("What the seats kept to themselves is left out: it is not sound. `felix audit` says where.")
        return Told()
    reasons = {version: told_reasons(one, viewer) for version, one in why.items()}
    return Told(
        {version: told for version, told in reasons.items() if told},
        *_said(beside, viewer, subject.names, is_over=is_over),
    )


def _said(
    beside: Beside, viewer: Viewer, names: Sequence[str], *, is_over: bool
) -> tuple[dict[int, tuple[Said, str]], dict[int, list[tuple[Said, str]]]]:
    by = {version: (one, told_order(one.order, viewer, names, "by")) for version, one in beside.by.items()}
    unused = {
        version: [
            (one, told_order(one.order, viewer, names, (one.dropped or "unused") if is_over else "given"))
            for one in several
        ]
        for version, several in beside.unused.items()
    }
    known = {version: [pair for pair in pairs if pair[1]] for version, pairs in unused.items()}
    return (
        {version: pair for version, pair in by.items() if pair[1]},
        {version: pairs for version, pairs in known.items() if pairs},
    )


def _order_json(said: Said, text: str) -> dict[str, Any]:
    order = said.order.model_dump()
    return {"version": said.version, **order, "moves": said.moves, "dropped": said.dropped, "text": text}
