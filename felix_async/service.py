"""Execute one command in one transaction: load, decide, append, enqueue the notices that follow.

`Service.handle` runs in a transaction that its caller opened, so that a message with several lines is one
transaction, and "this mail is done" is part of it. The outcome of a command is remembered under its id: the
same command again does nothing and gives the same answer. Refusals come back as values.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import orjson

from felix_async.audit.seat_logs import cause_naming, order_cause
from felix_async.clock import Clock, not_before, text_of
from felix_async.draw import Dice, commit
from felix_async.follow_up.due import due_rows
from felix_async.follow_up.kinds import SeatLost, enqueue
from felix_async.follow_up.notices import Hours, notices_for
from felix_async.game.ahead import NOTHING, Ahead, Given, Step, next_step, refuse_order
from felix_async.game.commands import (
    Close,
    Command,
    Create,
    EndPause,
    Give,
    Move,
    Restore,
    Say,
    Substitute,
    TimeOut,
    order_text,
)
from felix_async.game.moment import NOT_SAID, lateness
from felix_async.game.players import Decision, computer_to_move
from felix_async.game.rules import Context, Refusal, advance, is_for_computer, why_not
from felix_async.game.sensible import decision_of
from felix_async.game.state import Game, initial_state
from felix_async.known import Known, KnownGames
from felix_async.origin import Entropy as Entropy
from felix_async.origin import Origin as Origin
from felix_async.origin import Outcome as Outcome
from felix_async.origin import private_record, seal
from felix_async.people import Named, distinct
from felix_async.seat_logs import MOST_ORDERS, Moving, ahead_since, all_ahead, given_in_round, roots_of
from felix_async.settings import PAUSE, STRANGERS_A_DAY
from felix_events.envelope import (
    clock_text,
)
from felix_events.model import (
    ChoiceExplained,
    DropReason,
    Options,
    OrderDone,
    Ruleset,
    Terms,
)
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import GameKind, GameRow, SeatRow

log = logging.getLogger(__name__)

_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_ID_LENGTH: Final = 5


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody to be seated: an opaque id, a name, and a mail address, or None for one without mail."""

    player_id: str
    name: str
    address: str | None = None


@dataclass
class Service:
    """The rules joined with a store, a clock and a source of secrets."""

    clock: Clock
    entropy: Entropy
    hours: Hours = field(default_factory=Hours)
    terms: Terms | None = None
    """The clock of a game whose host says nothing of one."""
    strangers_a_day: int = STRANGERS_A_DAY
    """The number of people who never wrote to felix and may be invited by mail within a day."""
    is_open: bool = False
    """True if somebody may open a table by mail who has not joined one before."""
    pause: int = PAUSE
    """Seconds until an order is done that was written in plain words."""
    kinds: frozenset[GameKind] = frozenset({"played"})
    """The games in which players are owed letters, and time runs."""
    _said: set[str] = field(default_factory=set, repr=False)
    _games: KnownGames = field(default_factory=KnownGames, repr=False)

    def load(self, reader: Reader, game_id: str) -> Game:
        """Return the state of a game, the initial one if there is none; Damaged if it cannot be read."""
        return self._games.load(reader, game_id).game

    def say_once(self, about: str, sentence: str, *values: object) -> None:
        """Warn in the log, unless that was said of the same thing since the start."""
        if about not in self._said:
            self._said.add(about)
            log.warning(sentence, *values)

    def load_anew(self, reader: Reader, game_id: str) -> Game:
        """The same, from the log alone."""
        self._games.forget(game_id)
        return self.load(reader, game_id)

    def identified(self, reader: Reader, people: Iterable[Named]) -> list[Player]:
        """Return these people with ids: an address is known from other games, and no two names are alike."""
        listed = list(people)
        ids: dict[str, str] = {}
        for one in listed:
            if one.address and one.address not in ids:
                ids[one.address] = reader.player_at(one.address) or self._new_id()
        names = distinct([one.name for one in listed])
        return [
            Player(ids.get(one.address) or self._new_id(), name, one.address or None)
            for one, name in zip(listed, names, strict=True)
        ]

    def open_table(
        self,
        tx: Tx,
        players: Sequence[Player],
        *,
        origin: Origin,
        table_name: str,
        ruleset: Ruleset,
        kind: GameKind = "played",
        options: Options | None = None,
        host: int | None = None,
        clock: Terms | None = None,
        rematch_of: str = "",
    ) -> tuple[str, Outcome]:
        """Create a game with a fresh id and seed, seat and invite the players; its id, and the outcome.

        `host` is the seat whose player may begin the game before all have joined, or call it off; without
        a `clock` nobody is hurried. `rematch_of` is the game that it follows.
        """
        earlier = tx.outcome(origin.command_id)
        if earlier is not None:
            return orjson.loads(earlier)["game_id"], Outcome.load(earlier)
        game_id = self._free_id(tx)
        seed = self.entropy(32)
        create = Create(
            ruleset=ruleset,
            seats=[player.player_id for player in players],
            options=options or Options(),
            commitment=commit(game_id, seed),
            host=host,
            clock=clock,
        )
        refusal = why_not(create, initial_state())
        if refusal is not None:
            return game_id, Outcome(0, refusal=refusal)
        now = text_of(self.clock())
        opened_by = host if origin.channel == "mail" else None
        row = GameRow(game_id, table_name, kind, now, seed, clock=clock_text(clock))
        tx.add_game(replace(row, rematch_of=rematch_of, opened_by=opened_by))
        for seat, player in enumerate(players):
            if player.address is not None:
                tx.add_player(player.player_id, player.address)
            secret = self.entropy(32)
            tx.add_seat(SeatRow(game_id, seat, player.player_id, player.name, player.address, secret))
        return game_id, self.handle(tx, game_id, create, origin)

    def handle(self, tx: Tx, game_id: str, command: Command, origin: Origin) -> Outcome:
        """Do what a command asks, or say why not; once, however often it comes.

        Then the table moves on by itself, as far as orders given in advance go, and the computer plays for
        those who are not there. All of it has one time, and is told once.
        """
        earlier = tx.outcome(origin.command_id)
        if earlier is not None:
            return Outcome.load(earlier)
        before, moving = self._begin(tx, game_id)
        outcome = self._handle(tx, moving, command, origin)
        tx.remember(origin.command_id, game_id, outcome.dump(game_id))
        if outcome.events:
            self._end(tx, moving, before, command)
        return outcome

    def instruct(
        self, tx: Tx, game_id: str, gives: Sequence[Give], origin: Origin, move: Move | None = None
    ) -> Outcome:
        """Keep what a seat says in advance, and do its move beside it if there is one; or say why not.

        An earlier order of the same kind is replaced. If anything is refused, nothing is done. The outcome
        counts the events of the move alone; what the table does then follows from the orders.
        """
        earlier = tx.outcome(origin.command_id)
        if earlier is not None:
            return Outcome.load(earlier)
        before, moving = self._begin(tx, game_id)
        refusals = [self._refusal(moving.row, before, move, origin)]
        refusals += [None if move is None else why_not(move, before)]
        refusals += [refuse_order(give, before) or _enough(tx, game_id, give, before) for give in gives]
        refusal = next((one for one in refusals if one is not None), None)
        outcome = Outcome(before.version, refusal=refusal)
        if refusal is None:
            for give in gives:
                moving.keep(give, before, origin)
            if move is not None:
                outcome = self._handle(tx, moving, move, origin)
        tx.remember(origin.command_id, game_id, outcome.dump(game_id))
        if refusal is None:
            self._end(tx, moving, before, gives[0])
        return outcome

    def ahead(self, reader: Reader, game_id: str) -> dict[int, Ahead]:
        """Return the orders that seats have given in advance, by seat; some may hold no more."""
        return all_ahead(reader, game_id, self.load(reader, game_id))

    def drop_orders(
        self,
        tx: Tx,
        game_id: str,
        seat: int,
        why: DropReason,
        origin: Origin | None = None,
        *,
        only: Collection[Given] | None = None,
    ) -> list[Given]:
        """Drop what a seat has said in advance, or `only` these; return the orders that held until now."""
        game, moving = self._begin(tx, game_id)
        given = moving.ahead.get(seat, NOTHING).given
        return moving.drop([one for one in given if only is None or one in only], game, why, origin)

    def seat_substitute(
        self, tx: Tx, game_id: str, seat: int, player: Player, *, address: str, origin: Origin
    ) -> Outcome:
        """Have somebody else play in a seat from now on; with the old secret go all tokens of that seat.

        `address` is where their letters go, unless they have chosen another one. The caller's transaction
        holds both the event and the change of the seat.
        """
        known = self.load(tx, game_id)
        command = Substitute(seat=seat, player_id=player.player_id)
        if tx.outcome(origin.command_id) is None and why_not(command, known) is None:
            tx.add_player(player.player_id, address)
            row = SeatRow(game_id, seat, player.player_id, player.name, address, self.entropy(32))
            before = tx.seats(game_id)[seat]
            tx.reseat(row, known.version + 1)
            if before.address is not None and not known.seats[seat].gone:
                enqueue(
                    tx,
                    SeatLost(
                        game_id=game_id,
                        version=known.version + 1,
                        seat=seat,
                        due_at=text_of(self.clock()),
                        to=before.address,
                        name=before.name,
                    ),
                )
        return self.handle(tx, game_id, command, origin)

    def _begin(self, tx: Tx, game_id: str) -> tuple[Game, Moving]:
        """Return the game, and what is to be known while it moves on."""
        # From the log's head: beside this transaction a reader may have put an older state into memory.
        known = self._games.load(tx, game_id)
        now = self.clock()
        ahead, last_at = ahead_since(tx, game_id, known.game)
        at = not_before(now, max(known.last_at or "", last_at) or None)
        moving = Moving(tx, game_id, tx.game(game_id), known, now, at, self.entropy, ahead)
        return known.game, moving

    def _end(self, tx: Tx, moving: Moving, before: Game, command: Command | Give) -> None:
        """Let the table move on until it rests, and owe each seat what all of it means for it."""
        self._move_on(tx, moving)
        after = moving.known.game
        if moving.row is not None and moving.row.kind in self.kinds and after.version != before.version:
            self._owe(tx, moving, before, after, command)

    def _move_on(self, tx: Tx, moving: Moving) -> None:
        """Make the moves that were ordered in advance, and those of the seats that the computer plays for.

        If nobody is left at the table, the game rests until somebody comes back.
        """
        while True:
            game = moving.known.game
            step = next_step(moving.ahead, game)
            if step is not None:
                self._do_ordered(tx, moving, game, step)
                continue
            seat = computer_to_move(game)
            if seat is None:
                return
            self._let_computer_play(tx, moving, game, seat)

    def _do_ordered(self, tx: Tx, moving: Moving, game: Game, step: Step) -> None:
        given = step.by
        seat = given.order.seat
        if step.ends:
            moving.note(OrderDone(seat=seat, size=game.version, order=given.version))
        cause = order_cause(moving.game_id, seat, given.version)
        origin = Origin(cause, given.actor, "order", order=order_text(step.move))
        outcome = self._handle(tx, moving, step.move, origin)
        assert outcome.events, "an order makes legal moves"
        moving.by_order.add(seat)
        if step.ends:
            moving.forget([given])

    def _let_computer_play(self, tx: Tx, moving: Moving, game: Game, seat: int) -> None:
        """A move of the computer."""
        game_id, row = moving.game_id, moving.row
        decision = advised(row, game, seat, f"computer/{game.version}")
        order = order_text(decision.move)
        cause = f"computer/{game_id}/{game.version}"
        if row is not None and row.kind == "played":
            turn = game.seats[seat].turn
            why = ChoiceExplained(seat=seat, turn=turn, order=order, reasons=list(decision.reasons))
            cause = cause_naming(game_id, seat, moving.note(why))
        outcome = self._handle(tx, moving, decision.move, Origin(cause, "computer", "computer", order=order))
        assert outcome.events, "a computer player makes legal moves"

    def _refusal(
        self, row: GameRow | None, game: Game, command: Command | None, origin: Origin
    ) -> Refusal | None:
        """Return why a command is refused before the rules are asked, None if it is not."""
        if row is None:
            return Refusal("game/unknown")
        if row.seed is None:
            return Refusal("game/imported")
        if isinstance(command, Move) and lateness(game, command.seat, origin.turn, NOT_SAID, "move"):
            return Refusal("turn/stale")
        if command is None or origin.actor == "computer" or game.is_over:
            return None
        if is_for_computer(command, game):
            return Refusal("seat/gone")
        return None

    def _handle(self, tx: Tx, moving: Moving, command: Command, origin: Origin) -> Outcome:
        """Do one step, and drop the orders that end with it."""
        game_id, row = moving.game_id, moving.row
        known = moving.known
        refusal = self._refusal(row, known.game, command, origin)
        if refusal is not None:
            return Outcome(known.version, refusal=refusal)
        assert row is not None, "else it was refused"
        assert row.seed is not None, "else it was refused"
        game = known.game.copy()
        why, ending = moving.ended_by(command, origin)
        context = Context(
            Dice(game_id, row.seed),
            moving.at,
            known.last_at or "",
            lambda then: next_step(moving.without(ending), then) is not None,
            lambda seats: roots_of(tx, game_id, seats),
        )
        decided = advance(command, game, context)
        if isinstance(decided, Refusal):
            return Outcome(known.version, refusal=decided)
        if not decided:
            return Outcome(known.version)
        sealed = seal(
            decided,
            private_record(game.options.records, origin, self.entropy),
            game_id=game_id,
            version=known.version,
            at=moving.at,
            actor=origin.actor,
            entropy=self.entropy,
        )
        version, range_ = tx.append(game_id, known.version, sealed)
        moving.known = Known(version, range_, game, moving.at)
        self._games.keep(game_id, moving.known)
        tx.note_game(game_id, game.standing, version)
        if not game.is_over:
            moving.drop(ending, game, why)
            for seat in (seat for seat, state in enumerate(game.seats) if state.gone):
                moving.drop(moving.ahead.get(seat, NOTHING).given, game, "left")
        return Outcome(version, len(decided))

    def _owe(self, tx: Tx, moving: Moving, before: Game, after: Game, command: Command | Give) -> None:
        """Owe each seat what this command means for it, and look again at those who are waited for.

        That the server was set back, a seat is told with its new addresses.
        """
        game_id, now, choices = moving.game_id, text_of(moving.now), tx.choices_at(moving.game_id)
        by = None if isinstance(command, Create | Close | EndPause | Restore) else command.seat
        notices = notices_for(
            game_id,
            before,
            after,
            by,
            choices,
            now,
            self.hours,
            is_talk=isinstance(command, Say),
            timed_out=isinstance(command, TimeOut),
            went_on=bool(moving.by_order - {by}),
            ahead=moving.ahead,
        )
        if not isinstance(command, Restore):
            for notice in notices:
                enqueue(tx, notice)
        known = tx.due_of(game_id)
        rows = due_rows(game_id, before, after, known, choices, now, self.hours)
        if rows != known:
            tx.set_due(game_id, rows)

    def _new_id(self) -> str:
        return f"p-{self.entropy(6).hex()}"

    def _free_id(self, tx: Tx) -> str:
        while True:
            numbers = self.entropy(_ID_LENGTH)
            game_id = "".join(_ALPHABET[number % len(_ALPHABET)] for number in numbers)
            if tx.game(game_id) is None and tx.head(game_id)[0] == 0:
                return game_id


def advised(row: GameRow | None, game: Game, seat: int, purpose: str) -> Decision:
    """Return what the computer does in a seat of a game that is played here; it sees what the seat sees.

    Its numbers come from the game's seed, and are others for each purpose.
    """
    assert row is not None, "a game that was just played on is ours"
    assert row.seed is not None, "an imported game is not played on"
    return decision_of(game, seat, Dice(row.game_id, row.seed), purpose)


def _enough(reader: Reader, game_id: str, give: Give, game: Game) -> Refusal | None:
    """Return why no more may be said in advance in this round: what was said is kept for ever."""
    if given_in_round(reader, game_id, give.seat, game.round) < MOST_ORDERS:
        return None
    return Refusal("ahead/too_many", {"most": MOST_ORDERS})
