"""Beside a game told again: the JSON and the texts of what the seats kept to themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from felix_async.audit.said import Said
from felix_async.game.names import Names
from felix_async.game.narrate import Line
from felix_async.language.order import order_of
from felix_async.language.phrases import phrase
from felix_async.provenance import Provenance
from felix_async.replay.beside import Told
from felix_async.text import plain
from felix_cli.output import say
from felix_events.model import PLAYED

_LONGEST: Final = 1000
"""Characters of a line."""


def fields_of(told: Told, version: int) -> dict[str, Any]:
    """Return what an event's JSON has of it: nothing, as a rule."""
    found: dict[str, Any] = {}
    if version in told.reasons:
        found["reasons"] = list(told.reasons[version])
    if version in told.by:
        found["by_order"] = _order_json(*told.by[version])
    if version in told.unused:
        found["said"] = [_order_json(*one) for one in told.unused[version]]
    return found


def texts_of(
    told: Told, lines: Sequence[Line], names: Names, why: Mapping[int, Sequence[str]]
) -> Iterator[str]:
    """Return what is told below these records, which are one beat: orders, and why by version.

    Where several moves were made at once, each order is told once, and of a seat the reasons for the last.
    """
    several = sum(isinstance(line.step.event, PLAYED) for line in lines) > 1
    if several:
        versions = [line.step.version for line in lines]
        yield from _orders([told.by[version][0] for version in versions if version in told.by], names)
    reasoned = [line.step for line in lines if line.step.version in why]
    last = {step.event.seat: step.version for step in reasoned if isinstance(step.event, PLAYED)}
    for line in lines:
        version = line.step.version
        texts = [told.by[version][1]] if version in told.by and not several else []
        if version in last.values():
            texts += why[version]
        if texts:
            yield " ".join([line.text, *texts] if several else texts)
        yield from (text for _, text in told.unused.get(version, ()))


def cause_json(one: Provenance) -> dict[str, Any]:
    """Return who gave the command of a step, by which mail and which line, under the name of then."""
    line, message_id = one.line, one.message_id
    return {
        "name": one.name,
        "channel": one.channel,
        "order": one.said.order,
        "line": None if line is None else plain(line, _LONGEST),
        "message_id": None if message_id is None else plain(message_id, _LONGEST),
        "mail_sha256": one.said.mail_sha256,
    }


def cause_text(one: Provenance) -> str:
    """Return the same in a sentence."""
    way = "terminal" if one.channel == "desk" and one.actor == "seat" else one.channel
    told = phrase(f"replay.by.{way}", who=one.name or phrase("replay.words.host"))
    if one.line:
        told += phrase("replay.words.line", line=plain(one.line, _LONGEST))
    elif one.order:
        told += phrase("replay.words.order", order=plain(one.order, _LONGEST))
    if one.message_id:
        told += phrase("replay.words.message", id=plain(one.message_id, _LONGEST))
    return f"{told}."


def _orders(made: Sequence[Said], names: Names) -> Iterator[str]:
    """Return the line about the orders that made these moves. Each is named once, however often it bid."""
    orders = list({(one.order.seat, one.version): one.order for one in made}.values())
    if orders:
        said = [f"{names.at(order.size)[order.seat]} {order_of(order)}" for order in orders]
        yield phrase("events.orders_given.by", orders=said)


def _order_json(said: Said, text: str) -> dict[str, Any]:
    order = said.order.model_dump()
    return {"version": said.version, **order, "moves": said.moves, "dropped": said.dropped, "text": text}


def say_unsound() -> None:
    """Warn that the seats' own logs are not told."""
    say("What the seats kept to themselves is left out: it is not sound. `felix audit` says where.")
