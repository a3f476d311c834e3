"""The story of a game: its log, event by event, each with the little of the table that telling it needs.

A story grows: `Story.and_then` adds what came since, without folding the events before it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeVar

from felix_async.game.folding import apply
from felix_async.game.state import Game, initial_state
from felix_events import model as m
from felix_events.envelope import Envelope

E = TypeVar("E", bound=m.Event)
Since = Mapping[tuple[int, int], str]
"""The decisions that are waited for, by seat and turn, each with the time at which that began."""


@dataclass(frozen=True, slots=True)
class Before:
    """The table as an event found it: the round, and the open cards with their owners (None: the dummy).

    `placed` are the seats that had put a card face down, `computer` those that the computer played for;
    `poor` is the seat to move if the rules were about to pass for it, as it had too few mice to bid. `denied`
    is the move that a dispute is about; None for other events, and for a card that nobody else has seen.
    """

    round: int = 0
    row: Sequence[tuple[int | None, m.Card]] = ()
    placed: frozenset[int] = frozenset()
    computer: frozenset[int] = frozenset()
    poor: int | None = None
    denied: Step | None = None


NOTHING: Final = Before()


@dataclass(frozen=True, slots=True)
class Step:
    """An event in its envelope, and the table as it found it."""

    before: Before
    envelope: Envelope

    @property
    def version(self) -> int:
        """The place of the event in its log, from 1."""
        return self.envelope.version

    @property
    def event(self) -> m.Event:
        """The event itself, hidden things included."""
        return self.envelope.data

    def is_move_of(self, seat: int) -> bool:
        """Return True if the seat, or somebody for it, caused this event.

        Deeds of rules and clock in its name are no moves; words, votes, an absence and a return are none
        either.
        """
        event = self.envelope.data
        if isinstance(event, _NO_MOVES) or (isinstance(event, m.SeatHandedOver) and event.to == "player"):
            return False
        return self.envelope.actor not in ("rules", "clock") and getattr(event, "seat", None) == seat


_NO_MOVES: Final = (
    m.AbsenceDeclared,
    m.AbsenceEnded,
    m.DeadlineSet,
    m.DisputeRaised,
    m.DisputeSettled,
    m.GameResumed,
    m.PlayerSaid,
    m.ReserveSpent,
    m.TurnTimedOut,
    m.VoteCast,
    m.VotesWithdrawn,
)
"""The events that a seat may cause, or that are about it, which touch neither its cards nor its bids."""
_MOVES_TABLE: Final = frozenset(
    {m.RoundStarted, m.CardsTurned, m.CardPlaced, m.SackSold, m.SackDiscarded, m.SeatHandedOver, m.SeatTaken}
)
"""The events that change the table as the next one finds it (`Before`)."""


@dataclass(frozen=True, slots=True)
class Timeout:
    """A seat's time was up at `at`, `in_a_row` counts; `card` was placed for it, None for a pass."""

    at: str
    in_a_row: int
    card: m.Card | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A change that a host is told: the computer plays for `left` now (None: for no other seat than before),
    because of a time-out, a vote or because that player went; `is_new_host` if the reader hosts since then.
    """

    left: int | None
    timed_out: bool
    is_new_host: bool
    outvoted: bool = False


@dataclass(frozen=True, slots=True)
class NewHost:
    """The host before the reader, at a table that has not begun, and why the reader hosts it now."""

    before: int
    why: Literal["named", "gave_back", "silent"]


@dataclass(frozen=True, slots=True)
class Story:
    """A log as far as it was read, and the game after it. The event of version 1 is the first step.

    `made` are the moves of players by seat and turn, the last one at each decision.
    """

    steps: Sequence[Step] = ()
    game: Game = field(default_factory=initial_state)
    since: Since = field(default_factory=dict)
    made: Mapping[tuple[int, int], Step] = field(default_factory=dict)

    @classmethod
    def of(cls, envelopes: Iterable[Envelope]) -> Story:
        """Tell a log from its beginning."""
        return cls().and_then(envelopes)

    def and_then(self, envelopes: Iterable[Envelope]) -> Story:
        """Return the story that goes on with these events; this one stays as it is."""
        steps, game, since, made = list(self.steps), self.game.copy(), self.since, dict(self.made)
        before = _table(game)
        for envelope in envelopes:
            event, step = envelope.data, Step(before, envelope)
            if isinstance(event, m.PLAYED) and envelope.actor != "rules":
                made[event.seat, game.seats[event.seat].turn] = step
            elif isinstance(event, m.DisputeRaised | m.DisputeSettled):
                step = Step(replace(before, denied=_denied(event, made, steps, before)), envelope)
            steps.append(step)
            apply(game, event)
            if type(event) in _MOVES_TABLE or before.poor != game.passes_by_rule:
                before = _table(game)
            asked = [(seat, game.seats[seat].turn) for seat in game.awaited]
            since = {decision: since.get(decision, envelope.at) for decision in asked}
        return Story(tuple(steps), game, since, made)

    @property
    def asked_since(self) -> dict[int, str]:
        """The seats that are waited for, each with the time at which that began.

        Whoever comes back to a seat that the computer played for is waited for from then on.
        """
        return {seat: at for (seat, _), at in self.since.items()}

    def came(self, seat: int) -> int:
        """Return the version at which a player took the seat over from another one; 0 if nobody did."""
        return max((step.version for step, _ in _about(self.steps, m.SeatTaken, seat)), default=0)

    @property
    def round_began(self) -> int:
        """Return the version at which the round that is played now began; 0 if none has begun yet."""
        began = (step.version for step in reversed(self.steps) if type(step.event) is m.RoundStarted)
        return next(began, 0)

    @property
    def sale(self) -> Step | None:
        """The sale by which the round before this one ended, while the game runs."""
        if self.game.phase not in ("placing", "bidding"):
            return None
        last = self.last_sack
        return last if last is not None and isinstance(last.event, m.SackSold) else None

    @property
    def last_sack(self) -> Step | None:
        """The end of the newest round that is over."""
        ends = (step for step in reversed(self.steps) if type(step.event) in (m.SackSold, m.SackDiscarded))
        return next(ends, None)

    def last_move(self, seat: int) -> int:
        """Return the version of the last move that the seat's player made; 0 if there is none."""
        moves = (step for step in reversed(self.steps) if seat not in step.before.computer)
        return next((step.version for step in moves if step.is_move_of(seat)), 0)

    def has_moved(self, seat: int) -> bool:
        """Return True if the player in this seat has placed a card, bid or passed."""
        return any(
            isinstance(step.envelope.data, m.PLAYED) and step.is_move_of(seat)
            for step in self.steps[self.came(seat) :]
        )

    def is_doubled(self, step: Step) -> bool:
        """Return True if an absence is over, and the event beside it says that its player is back."""
        ended, place = step.event, step.version - 1
        if not isinstance(ended, m.AbsenceEnded):
            return False
        beside = [*self.steps[max(place - 1, 0) : place], *self.steps[place + 1 : place + 2]]
        return any(over.to == "player" for _, over in _about(beside, m.SeatHandedOver, ended.seat))

    def timeouts(self, seat: int, versions: Iterable[int]) -> list[Timeout]:
        """Return the newest decision of the seat that timed out, for each of these versions; each once."""
        found = (self._timeout(seat, version) for version in sorted(versions))
        return list(dict.fromkeys(one for one in found if one is not None))

    def changes(self, host: int, versions: Iterable[int]) -> list[Change]:
        """Return what changed at the table for its host, for each of these versions; each change once."""
        found = (self._change(host, version) for version in sorted(versions))
        return list(dict.fromkeys(one for one in found if one is not None))

    def new_host(self, seat: int, versions: Iterable[int]) -> NewHost | None:
        """Return how the seat came to host, in the newest of the commands that end in these versions."""
        for version in sorted(versions, reverse=True):
            for step in reversed(self.steps[2:version]):
                if isinstance(step.event, m.HostNamed) and step.event.seat == seat:
                    return self._new_host(step)
                if step.envelope.private is not None:
                    break
        return None

    @property
    def disputes(self) -> list[Step]:
        """Return the steps that raised the disputes which are open."""
        raised = (_about(reversed(self.steps), m.DisputeRaised, one.seat) for one in self.game.disputes)
        return [next(found)[0] for found in raised]

    def settled(self, until: int) -> list[Step]:
        """Return the ends of disputes in the last step until this version that has any."""
        found: list[Step] = []
        for step in reversed(self.steps[:until]):
            if isinstance(step.event, m.DisputeSettled):
                found.insert(0, step)
            if found and step.envelope.actor != "rules":
                break
        return found

    def _timeout(self, seat: int, until: int) -> Timeout | None:
        found = next(_about(reversed(self.steps[:until]), m.TurnTimedOut, seat), None)
        if found is None:
            return None
        step, event = found
        due = (one.at for _, one in _about(reversed(self.steps[: step.version]), m.DeadlineSet, seat))
        made = (one.event for one in self.steps[step.version : until])
        moves = (one for one in made if isinstance(one, m.CardPlaced | m.PlayerPassed) and one.seat == seat)
        card = next((one.card if isinstance(one, m.CardPlaced) else None for one in moves), None)
        return Timeout(next(due, step.envelope.at), event.in_a_row, card)

    def _change(self, host: int, until: int) -> Change | None:
        for step in reversed(self.steps[:until]):
            event, left = step.event, self._event_before(step)
            if isinstance(event, m.HostNamed) and event.seat == host:
                if isinstance(left, m.SeatHandedOver) and left.seat != host:
                    is_timed_out = self._is_timed_out(self.steps[step.version - 2])
                    ends = _about(self.steps[step.version : until], m.DisputeSettled, left.seat)
                    outvoted = any(event.how == "handed_over" for _, event in ends)
                    return Change(left.seat, is_timed_out, is_new_host=True, outvoted=outvoted)
                return Change(None, timed_out=False, is_new_host=True)
            if isinstance(event, m.SeatHandedOver) and self._is_timed_out(step):
                return Change(event.seat, timed_out=True, is_new_host=False)
        return None

    def _new_host(self, step: Step) -> NewHost | None:
        earlier = (one.event for one in reversed(self.steps[: step.version - 1]))
        before = next((event.seat for event in earlier if isinstance(event, m.HostNamed)), None)
        if before is None:
            return None
        # A host named by the former host's command is not there because somebody else went.
        why = None if step.envelope.private is not None else self._event_before(step)
        if isinstance(why, m.PlayerDeclined):
            return NewHost(before, "gave_back")
        return NewHost(before, "silent" if isinstance(why, m.InvitationExpired) else "named")

    def _is_timed_out(self, step: Step) -> bool:
        """Return True if a seat was given to the computer because its time was up."""
        before = self._event_before(step)
        return isinstance(before, m.TurnTimedOut) and before.seat == getattr(step.event, "seat", None)

    def _event_before(self, step: Step) -> m.Event | None:
        return self.steps[step.version - 2].event if step.version > 1 else None


def _about(steps: Iterable[Step], kind: type[E], seat: int) -> Iterator[tuple[Step, E]]:
    """The steps whose event is of this kind, and about this seat."""
    for step in steps:
        event = step.envelope.data
        if type(event) is kind and getattr(event, "seat", None) == seat:
            yield step, event


def _denied(
    event: m.DisputeRaised | m.DisputeSettled,
    made: Mapping[tuple[int, int], Step],
    steps: Sequence[Step],
    before: Before,
) -> Step | None:
    """Return the move that a dispute is about; None for a card face down, or exchanged since."""
    found = made.get((event.seat, event.turn))
    if found is None or not isinstance(found.event, m.CardPlaced):
        return found
    if isinstance(event, m.DisputeSettled):
        raised = (step.version for step, _ in _about(reversed(steps), m.DisputeRaised, event.seat))
        if next(raised, 0) < found.version:
            return None
    # As it was turned: a log that holds back what somebody may not know has no cards that were placed.
    rows = (
        at.row
        for at in (before, *(step.before for step in reversed(steps)))
        if at.round == found.before.round
    )
    turned = next((card for row in rows for owner, card in row if owner == event.seat), None)
    if turned is None:
        return None
    as_turned = m.CardPlaced(seat=event.seat, card=turned)
    return replace(found, envelope=found.envelope.model_copy(update={"data": as_turned}))


def _table(game: Game) -> Before:
    """The table as the next event will find it."""
    return Before(
        game.round,
        tuple(zip(game.owners, game.turned, strict=False)) if game.turned else (),
        frozenset(seat for seat in game.players if game.seats[seat].has_placed),
        frozenset(seat for seat in game.players if game.seats[seat].computer),
        game.passes_by_rule,
    )
