"""Is a game sound? Envelopes in, findings out; no store, no network, no key is needed.

Each check names the first version at which the log is not what it should be. Anything that cannot be checked
(a running game has not shown its seed yet) is said, and is no finding.

    bytes    versions without gaps, one game, known events, canonical and strict, salts where they belong
    tree     the tree kept beside the events, and the private records, fit the events
    moves    every command, decided again under the game's own ruleset, gives the events that are there
    draws    every draw, done again from the revealed seed, gives what was dealt
    count    mice (66, 87 or 108) and cards are conserved after every event
    scores   the result follows from the cards won and the mice owned
    time     never backwards; that deadlines are enforced when they fell due, the moves show
    words    what players said, as far as it is there, fits the hashes in the log
    seats    the seats' own logs: bytes and tree, that they are those which the game names at its end, that
             each explanation belongs to a move of the computer, that orders given in advance were followed
    causes   each private record gives its move, by a way and an actor that fit; the computer's choices again
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Final, TypeVar, get_args

import orjson

from felix_async.audit.causes import cause_of
from felix_async.audit.counts import check_count, check_scores, numbered
from felix_async.audit.draw_check import Recorded, drawn_otherwise, revealed
from felix_async.audit.evidence import Evidence, Flaw, Kept, created_in, not_as_written, veiled
from felix_async.audit.origins import Origins, check_said
from felix_async.audit.private import opened
from felix_async.audit.redacted import envelopes_of, hidden_in, is_retold, may_open
from felix_async.audit.seat_logs import Named, check_own_log, check_seat_logs, named_in, roots
from felix_async.draw import Dice, commit
from felix_async.game.commands import ClockCommand, Command, Restore
from felix_async.game.rules import Context, Refusal, advance, is_for_computer
from felix_async.game.state import Game, initial_state
from felix_events import model as m
from felix_events.envelope import Envelope, OfLater, Private, Unreadable, clock_text

T = TypeVar("T")
_BY_CLOCK: Final = frozenset(get_args(ClockCommand))


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be, and the first version that shows it; 0 if none does."""

    check: str
    version: int
    expected: str
    found: str
    line: int | None = None
    """The line of an exported file, if it is the file that is damaged."""
    seat: int | None = None
    """The seat, if the version is one of that seat's own log."""

    def __str__(self) -> str:
        return f"{self.where}{self.check}: expected {self.expected}, found {self.found}"

    @property
    def where(self) -> str:
        """The version or the line, as it stands before the rest."""
        if self.seat is not None:
            return f"version {self.version} of seat {self.seat}'s own log: "
        if self.line is not None:
            return f"line {self.line}: "
        return f"version {self.version}: " if self.version else ""

    @property
    def place(self) -> tuple[bool, int]:
        """Its place among others: by version, those of the seats' own logs at the end."""
        return self.seat is not None, self.version


@dataclass(slots=True)
class Report:
    """The findings of an audit. A game is sound if there is none."""

    game_id: str
    size: int
    findings: list[Finding] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    not_checked: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What a reader has to know who holds something else against the log; no findings."""
    later: str = ""
    """Says that this felix cannot look, if a later one may know an event of the log: that is no finding."""

    @property
    def sound(self) -> bool:
        """True if nothing was found, and the events are all known."""
        return not self.findings and not self.later


_RESTORED: Final = (
    "the server was set back to a backup; what was sent before may tell of moves that are no longer there"
)
_HIDDEN: Final = "cards are hidden in this file for one viewer"
_LATER: Final = "the game still runs; who said what is shown at the end"
_AGREED: Final = (1, {"seeded", "start_seat"}), (2, set(m.Options.model_fields))
"""The options that each schema of a table names."""
_TOLD: Final = "this file tells one viewer of a running game, without its bytes"


class _NotChecked(Exception):
    """Ends a check that cannot be made, with the reason."""


def audit(evidence: Evidence) -> Report:
    """Make all checks of one game."""
    report = Report(evidence.game_id, len(evidence.bodies))
    envelopes = _run(report, "bytes", lambda: _check_bytes(evidence))
    over = envelopes is not None and isinstance(envelopes[-1].data, m.SeedRevealed)
    named = named_in(evidence)
    records = _run(report, "tree", lambda: _check_tree(evidence, envelopes, named, over))
    if envelopes is None:
        unmade = ["moves", "draws", "count", "scores", "time"]
        unmade += [*(["seats"] if evidence.seat_logs else []), "causes"]
        report.not_checked |= dict.fromkeys(unmade, "the events cannot be read")
        return report
    events = [envelope.data for envelope in envelopes]
    report.notes += [
        f"version {one.version}: {_RESTORED}" for one in envelopes if type(one.data) is m.ServerRestored
    ]
    chain = _Chain(envelopes)
    seen = Origins(envelopes, records or {}, _dice(evidence, events), named.explained.values(), over=over)
    _run(report, "moves", lambda: _check_moves(evidence, envelopes, chain, seen))
    hidden = hidden_in(evidence)
    _run(report, "draws", lambda: _check_draws(evidence, events, hidden))
    _run(report, "count", lambda: _check_count(envelopes, cards=not hidden and not is_retold(evidence)))
    _run(report, "scores", lambda: check_scores(envelopes))
    _run(report, "time", lambda: _check_time(evidence, envelopes))
    if evidence.said or any(type(event) is m.PlayerSaid for event in events):
        _run(report, "words", lambda: _check_words(evidence, envelopes))
    if evidence.checkpoint is not None:
        report.not_checked["checkpoint"] = "this felix knows no signatures"
    is_bound = created_in(envelopes).options.seat_logs_closed
    if is_bound or evidence.seat_logs or named.explained or named.ordered or chain.is_told:
        _run(report, "seats", lambda: _check_seats(evidence, envelopes, named, chain, seen))
    _run(report, "causes", lambda: _check_causes(seen, report))
    return report


def _dice(evidence: Evidence, events: Sequence[m.Event]) -> Dice | None:
    """The seed that the log reveals, or that the server keeps; they are the same, says another check."""
    kept = None if evidence.kept is None else evidence.kept.seed
    return revealed(evidence.game_id, events[-1]) or (None if kept is None else Dice(evidence.game_id, kept))


def _run(report: Report, check: str, work: Callable[[], T]) -> T | None:
    try:
        result = work()
    except Flaw as flaw:
        report.findings.append(Finding(check, flaw.version, flaw.expected, flaw.found, seat=flaw.seat))
        return None
    except OfLater as error:
        report.later = report.not_checked[check] = (
            f"This felix does not know an event of this log (version {error.index + 1}: {error.why}); "
            "if a newer felix wrote it, look with that"
        )
        return None
    except _NotChecked as reason:
        report.not_checked[check] = str(reason)
        return None
    except (LookupError, ValueError, TypeError, ArithmeticError) as error:
        # A log that breaks the rules badly enough cannot even be told: that is a finding, not a crash.
        broken = f"one that breaks the rules ({type(error).__name__})"
        report.findings.append(Finding(check, report.size, "a log that can be followed", broken))
        return None
    report.passed.append(check)
    return result


def _check_bytes(evidence: Evidence) -> list[Envelope]:
    if not evidence.bodies:
        raise Flaw(1, "a first event", "an empty log")
    try:
        envelopes = envelopes_of(evidence)
    except OfLater:
        raise
    except Unreadable as error:
        raise Flaw(error.index + 1, "an event as felix writes it", error.why) from None
    told = is_retold(evidence)
    if not envelopes or (told and envelopes[0].version != 1):
        raise Flaw(1, "a first event", "nothing that is told")
    for place, envelope in enumerate(envelopes, 1):
        version = envelope.version if told else place
        if envelope.version != version:
            raise Flaw(version, f"version {version}", f"version {envelope.version}")
        if envelope.game_id != evidence.game_id:
            raise Flaw(version, f"game {evidence.game_id}", f"game {envelope.game_id}")
        if (type(envelope.data) is m.GameCreated) != (version == 1):
            raise Flaw(version, "game_created as the first event and only there", envelope.type)
    if not told:
        _check_options(evidence.bodies[0], created_in(envelopes).options)
    return envelopes


def _check_options(body: bytes, options: m.Options) -> None:
    """The schema of a table says which options it has, and so by which rules its private records are kept."""
    created = orjson.loads(body)
    schema, named = created["schema"], set(created["data"]["options"])
    same = options.forced_pass, options.seat_logs_closed, options.records
    if (schema, named) not in _AGREED or same != ((True, True, 2) if schema == 2 else (False, False, 1)):
        raise Flaw(1, f"the options of a table of schema {schema}", "others")


def _check_tree(
    evidence: Evidence, envelopes: Sequence[Envelope] | None, named: Named, over: bool
) -> dict[int, Private]:
    """The private records by version, those that have to be there."""
    flaw = not_as_written(evidence)
    if flaw is not None:
        raise flaw
    if envelopes is None:
        raise _NotChecked("the private records need the events, which cannot be read")
    if is_retold(evidence):
        raise _NotChecked(_TOLD)
    schema = created_in(envelopes).options.records
    if evidence.viewer != "all":
        # The others are not in the file.
        keep = {True: {}, False: {"private": None}}
        envelopes = [one.model_copy(update=keep[may_open(one, evidence.viewer)]) for one in envelopes]
    if not (evidence.private_records or evidence.records_expected or over):
        return {}
    records = opened(envelopes, evidence.private_records, schema)
    for version, record in records.items():
        if record.channel == "order" and version not in named.ordered:
            raise Flaw(version, "an order that its private record names", "none")
    return records


def _check_causes(seen: Origins, report: Report) -> None:
    if seen.flaw is not None:
        raise seen.flaw
    if "moves" not in report.passed:
        raise _NotChecked("the moves can only be followed to the first that is wrong")
    if not seen.records:
        raise _NotChecked("the private records cannot be read" if seen.over else _LATER)
    if seen.schema == 1:
        raise _NotChecked("an older felix kept an order as its writer wrote it")


def _check_seats(
    evidence: Evidence, envelopes: Sequence[Envelope], named: Named, chain: _Chain, seen: Origins
) -> None:
    if evidence.viewer != "all" and seen.over:
        check_own_log(evidence, envelopes, named)
        raise _NotChecked("this file for one viewer holds no logs of others")
    if not seen.over and not evidence.records_expected and not evidence.seat_logs:
        raise _NotChecked("the game still runs; what its seats keep to themselves is shown at the end")
    check_seat_logs(evidence, envelopes, named, check_said, seen.reasons, is_chained=chain.is_told)


def _check_moves(evidence: Evidence, envelopes: Sequence[Envelope], chain: _Chain, seen: Origins) -> None:
    """Fold step by step; each step must be what `decide` answers to the command that began it."""
    if is_retold(evidence) or hidden_in(evidence):
        raise _NotChecked(_TOLD if is_retold(evidence) else _HIDDEN)
    events = [envelope.data for envelope in envelopes]
    recorded = Recorded(events)
    own_roots = partial(_roots, evidence, events)
    game = initial_state()
    start = 0
    while start < len(envelopes):
        given = envelopes[start]
        if given.actor == "rules":
            raise Flaw(start + 1, "an event that somebody caused", f"{given.type} by the rules")
        command = cause_of(given.data, game, events)
        if command is None:
            raise Flaw(start + 1, "an event that a command can cause", given.type)
        if given.private is None:
            raise Flaw(start + 1, "the hash of a private record", "none")
        _check_actor(given, command, game)
        last = envelopes[start - 1].at if start else ""
        seen.look(given, command, game, last)
        context = Context(recorded, given.at, last, chain.follows, own_roots)
        decided = advance(command, game, context)
        if isinstance(decided, Refusal):
            raise Flaw(
                start + 1, "a move that the rules allow", f"{_told(given.data, seen.over)}: {decided.code}"
            )
        if not decided:
            raise Flaw(start + 1, "a move that changes something", f"{given.type} that changes nothing")
        _check_step(envelopes, start, decided, seen.over)
        start += len(decided)
    _check_row(evidence.kept, game)


@dataclass(slots=True)
class _Chain:
    """The steps of a log that follow each other at once. `is_told` says that the log has any.

    The log alone tells that a move by an order may follow; that one does, the seats' own logs show.
    """

    envelopes: Sequence[Envelope]
    is_told: bool = False

    def follows(self, game: Game) -> bool:
        """Return True if the next event is a move of a player who is asked, at the same time."""
        if not 0 < game.version < len(self.envelopes):
            return False
        last, following = self.envelopes[game.version - 1], self.envelopes[game.version]
        event = following.data
        if (
            following.at != last.at
            or following.actor not in ("seat", "host")
            or not isinstance(event, m.PLAYED)
        ):
            return False
        is_asked = event.seat in game.asked
        self.is_told |= is_asked
        return is_asked


def _roots(evidence: Evidence, events: Sequence[m.Event], seats: int) -> list[str]:
    """The roots of the seats' own logs as the log has them: whether they are right is another check's."""
    closed = events[-2] if len(events) > 1 else None
    return closed.roots if isinstance(closed, m.SeatLogsClosed) else roots(evidence, seats)


def _check_row(kept: Kept | None, game: Game) -> None:
    """The state and the clock in lists of games are those that follow from the log."""
    if kept is None:
        return
    if kept.state != game.standing:
        raise Flaw(game.version, f"a game that is {kept.state}", f"one that is {game.standing}")
    clock = clock_text(game.clock)
    if kept.clock != clock:
        raise Flaw(game.version, f"the clock {kept.clock or 'none'}", f"the clock {clock or 'none'}")


def _check_actor(given: Envelope, command: Command, game: Game) -> None:
    """Time asks what only time may ask, the operator what only they may, and the computer alone moves for a
    seat that was left for good.
    """
    is_by_clock = type(command) in _BY_CLOCK
    if is_by_clock != (given.actor == "clock"):
        by = "time" if is_by_clock else "somebody at the table"
        raise Flaw(given.version, f"{given.type} by {by}", f"one by {given.actor}")
    if type(command) is Restore and given.actor != "host":
        raise Flaw(given.version, f"{given.type} by the host", f"one by {given.actor}")
    if given.actor != "computer" and is_for_computer(command, game):
        raise Flaw(given.version, f"{given.type} by the computer", f"one by {given.actor}")


def _check_step(envelopes: Sequence[Envelope], start: int, decided: Sequence[m.Event], over: bool) -> None:
    for place, expected in enumerate(decided):
        version = start + place + 1
        if version > len(envelopes):
            raise Flaw(version, _expected(expected, over), "the end of the log")
        found = envelopes[version - 1]
        if not _same(found.data, expected):
            raise Flaw(version, _expected(expected, over), _told(found.data, over))
        if found.at != envelopes[start].at:
            raise Flaw(version, f"the time of its step, {envelopes[start].at}", found.at)
        if place and found.actor != "rules":
            raise Flaw(version, f"{found.type} by the rules", f"one by {found.actor}")
        if place and found.private is not None:
            raise Flaw(version, f"{found.type} without a private record", "the hash of one")


def _same(one: m.Event, other: m.Event) -> bool:
    """Return True if two events say the same, as `==` does, in a third of the time."""
    return type(one) is type(other) and vars(one) == vars(other)


def _check_draws(evidence: Evidence, events: Sequence[m.Event], hidden: Sequence[int]) -> None:
    dice = None if is_retold(evidence) else revealed(evidence.game_id, events[-1])
    kept = None if evidence.kept is None else evidence.kept.seed
    if dice is not None and kept not in (None, dice.seed):
        raise Flaw(len(events), "the seed that the server keeps", "another one")
    seed = kept if dice is None else dice.seed
    if seed is not None and commit(evidence.game_id, seed) != created_in(events).commitment:
        raise Flaw(1, "a commitment to the seed", "a commitment to something else")
    if dice is None:
        raise _NotChecked("the game still runs; its seed is shown at the end")
    known = list(events)
    for version in hidden:
        known[version - 1] = m.SackDiscarded()  # which nothing is drawn for
    for version, expected, found in drawn_otherwise(known, dice):
        raise Flaw(version, expected, found)
    if hidden:
        raise _NotChecked("cards are hidden in this file for one viewer; what it shows follows from the seed")


def _check_count(envelopes: Sequence[Envelope], *, cards: bool) -> None:
    check_count(envelopes, cards=cards)
    if not cards:
        raise _NotChecked("cards are hidden in this file for one viewer; the mice are conserved")


def _check_time(evidence: Evidence, envelopes: Sequence[Envelope]) -> None:
    if is_retold(evidence):
        raise _NotChecked(_TOLD)
    for before, after in pairwise(envelopes):
        if after.at < before.at:
            raise Flaw(after.version, f"a time not before {before.at}", after.at)


def _check_words(evidence: Evidence, envelopes: Sequence[Envelope]) -> None:
    hashes = {version: one.text_hash for version, one in numbered(envelopes) if isinstance(one, m.PlayerSaid)}
    for version, said in sorted(evidence.said.items()):
        if version not in hashes:
            raise Flaw(min(version, len(evidence.bodies)), "an event that tells of what was said", "none")
        if said.hash != hashes[version]:
            raise Flaw(version, "the words that the event hashes", "others")
    missing = len(hashes) - len(evidence.said)
    if missing:
        raise _NotChecked(f"of what was said {missing} of {len(hashes)} are not there, or forgotten")


def _expected(event: m.Event, over: bool) -> str:
    # The missing event may be a card that is still face down.
    return _told(event, over) if over else event.type


def _told(event: m.Event, over: bool) -> str:
    """An event in a finding; a running game's hidden cards stay hidden there too."""
    return veiled(f"{event.type} {event.model_dump()}", event.type, over=over or not event.secret)
