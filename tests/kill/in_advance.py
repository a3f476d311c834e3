"""Checks that a kill leaves orders in advance in good order.

Chains are there as a whole, moves name their orders, and each mail did as its answer says.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import orjson

from felix_async.audit.seat_logs import order_cause
from felix_async.follow_up.answer import AnsweredLine
from felix_async.follow_up.kinds import Answer, load
from felix_async.game.ahead import next_step
from felix_async.game.folding import fold
from felix_async.seat_logs import all_ahead
from felix_events.envelope import check_seat_envelopes, decode_events, seat_log_id
from felix_events.model import OrderGiven
from felix_events.store.base import Reader


@dataclass(frozen=True)
class Chains:
    """The moves by orders in a game, and the most of them that happened at one time."""

    moves: int
    longest: int


def check_chains(reader: Reader, game_id: str) -> Chains:
    """A chain of moves by orders is there as a whole or not at all, and each of them was ordered."""
    game = fold(decode_events(reader.bodies(game_id)))
    step = next_step(all_ahead(reader, game_id, game), game)
    assert step is None, f"a chain ended half-way: {step}"
    given = {
        order_cause(game_id, seat, one.version)
        for seat in range(len(game.seats))
        for one in check_seat_envelopes(reader.bodies(seat_log_id(game_id, seat)))
        if isinstance(one.data, OrderGiven)
    }
    moves = []
    for row in reader.log(game_id):
        cause = orjson.loads(row.private_record)["cause"] if row.private_record else ""
        if cause.startswith("order/"):
            assert cause in given, "a move by an order that nobody gave"
            moves.append(orjson.loads(row.body)["at"])
    return Chains(len(moves), max(Counter(moves).values(), default=0))


def check_steps(reader: Reader, game_id: str) -> None:
    """Each event is one of a command whose outcome is remembered, or of an order in advance."""
    rows = reader.log(game_id)
    starts = [row for row in rows if row.private_record]
    ends = [row.version for row in starts[1:]] + [len(rows) + 1]
    for row, end in zip(starts, ends, strict=True):
        cause = orjson.loads(row.private_record or b"")["cause"]
        outcome = reader.outcome(cause)
        if not cause.startswith("order/"):
            assert outcome is not None, f"nobody remembers {cause}"
            assert orjson.loads(outcome)["events"] == end - row.version, f"events of nobody: {cause}"


def mails_heard(reader: Reader, game_id: str) -> set[str]:
    """The mails that did something at a table, each of them once: a move, a limit or a pass, a card."""
    did = [(sha256, "a move") for sha256, _ in _mailed(reader, game_id)]
    for row in reader.seats(game_id):
        mailed = _mailed(reader, seat_log_id(game_id, row.seat))
        given = [(sha256, event["data"]) for sha256, event in mailed if event["type"] == OrderGiven.type]
        did += [(sha256, "a card" if data["kind"] == "next" else "a limit") for sha256, data in given]
    twice = [one for one, count in Counter(did).items() if count > 1]
    assert twice == [], "a mail did the same twice"
    return {sha256 for sha256, _ in did}


def unheard(reader: Reader, heard: set[str]) -> list[str]:
    """Return the mails that by their answers were done but did nothing, or were refused but did something.

    An order out of plain words may be done later, or be for nothing by then. What stands already is not kept
    once more: who says the same twice to an address is told twice that it is done.
    """
    answered: dict[int, list[AnsweredLine]] = {}
    for game in reader.games():
        for notice in map(load, reader.notices(game.game_id)):
            if isinstance(notice, Answer):
                lines = [line for line in notice.answer.lines if line.text]
                answered.setdefault(notice.mail_id, []).extend(lines)
    done = reader.mails("done")
    said = {
        mail.mail_id: (mail.recipient, {one.text for one in answered.get(mail.mail_id, [])}) for mail in done
    }
    stands = [said[mail.mail_id] for mail in done if mail.sha256 in heard]
    found = []
    for mail in done:
        verdicts = {one.verdict for one in answered.get(mail.mail_id, [])} or {"done"}
        should = "done" in verdicts and (mail.sha256 in heard or said[mail.mail_id] not in stands)
        if verdicts <= {"done", "refused"} and (mail.sha256 in heard) != should:
            found.append(f"{mail.mail_id}: {sorted(verdicts)}")
    return found


def _mailed(reader: Reader, log_id: str) -> list[tuple[str, dict[str, Any]]]:
    """The events of a log that a mail brought about, each with the hash of the mail."""
    found = []
    for row in reader.log(log_id):
        sha256 = orjson.loads(row.private_record)["mail_sha256"] if row.private_record else None
        if sha256 is not None:
            found.append((sha256, orjson.loads(row.body)))
    return found
