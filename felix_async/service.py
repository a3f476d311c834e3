"""Execute one command in one transaction: load, decide, append, enqueue the notices that follow.

`Service.handle` runs in a transaction that its caller opened, so that a mail with several lines is one
transaction, and "this mail is done" is part of it. The outcome of a command is remembered under its id: the
same command again does nothing and gives the same answer. Refusals come back as values.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import orjson

from felix_async.audit.seat_logs import cause_naming
from felix_async.clock import Clock, not_before, text_of
from felix_async.draw import Dice, commit
from felix_async.follow_up.due import due_rows
from felix_async.follow_up.kinds import SeatLost, enqueue
from felix_async.follow_up.notices import Hours, notices_for
from felix_async.game.commands import Close, Command, Create, EndPause, Move, Say, Substitute, order_text
from felix_async.game.folding import fold
from felix_async.game.rules import Context, Refusal, advance, is_for_computer, why_not
from felix_async.game.sensible import sensible_player
from felix_async.game.state import Game, initial_state
from felix_async.game.views import view
from felix_async.people import Named, distinct
from felix_async.settings import PAUSE, STRANGERS_A_DAY
from felix_events.envelope import (
    Actor,
    Private,
    clock_text,
    decode_events,
    encode_envelope,
    encode_private,
    seat_log_id,
)
from felix_events.model import ChoiceExplained, Event, Options, Ruleset, Terms
from felix_events.store.base import Damaged, Reader, Tx
from felix_events.store.errors import LOOK_FIRST
from felix_events.store.rows import GameKind, GameRow, Sealed, SeatRow

log = logging.getLogger(__name__)

Entropy = Callable[[int], bytes]
"""Gives so many unpredictable bytes: `os.urandom`, or a seeded stream in tests and simulations."""

_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_ID_LENGTH: Final = 5
_CACHED_GAMES: Final = 1024


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a command. Its `command_id` names it for ever; the rest goes into the private record.

    `turn` is the decision that it answers; None if it does not say (the host's desk).
    """

    command_id: str
    actor: Actor
    channel: Literal["mail", "desk", "computer", "clock"]
    mail_sha256: str | None = None
    order: str | None = None
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a command: the log's version then, the number of events, or a refusal.

    `repeated` says that the command had been handled before, with this outcome.
    """

    version: int
    events: int = 0
    refusal: Refusal | None = None
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody to be seated: an opaque id, a name, and a mail address, or None for one without mail."""

    player_id: str
    name: str
    address: str | None = None


@dataclass(frozen=True, slots=True)
class _Known:
    version: int
    range_: bytes
    game: Game
    last_at: str | None


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
    pause: int = PAUSE
    """Seconds until an order is done that was written in plain words."""
    kinds: frozenset[GameKind] = frozenset({"played"})
    """The games in which players are owed letters, and time runs."""
    _said: set[str] = field(default_factory=set, repr=False)
    _known: OrderedDict[str, _Known] = field(default_factory=OrderedDict, repr=False)
    _cache_lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def load(self, reader: Reader, game_id: str) -> Game:
        """Return the state of a game, the initial one if there is none; Damaged if it cannot be read."""
        return self._load(reader, game_id).game

    def say_once(self, about: str, sentence: str, *values: object) -> None:
        """Warn in the log, unless that was said of the same thing since the start."""
        if about not in self._said:
            self._said.add(about)
            log.warning(sentence, *values)

    def load_anew(self, reader: Reader, game_id: str) -> Game:
        """The same, from the log alone."""
        with self._cache_lock:
            self._known.pop(game_id, None)
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
            return orjson.loads(earlier)["game_id"], _outcome_of(earlier)
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

        If it is then up to seats whose players have left, the computer plays on for them at once.
        """
        earlier = tx.outcome(origin.command_id)
        if earlier is not None:
            return _outcome_of(earlier)
        outcome = self._handle(tx, game_id, command, origin)
        tx.remember(origin.command_id, game_id, _text_of(game_id, outcome))
        if outcome.events:
            self._let_computer_play(tx, game_id)
        return outcome

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

    def _let_computer_play(self, tx: Tx, game_id: str) -> None:
        """The moves of the seats that the computer plays for, until it is up to a player again.

        It sees what a player in that seat would see, and no more. If nobody is left at the table, the
        game rests until somebody comes back.
        """
        while True:
            # From the log's head: beside this transaction a reader may have put an older state into memory.
            game = self._load(tx, game_id).game
            seat = _computer_to_move(game)
            if seat is None:
                return
            row = tx.game(game_id)
            assert row is not None, "a game that was just played on is ours"
            assert row.seed is not None, "an imported game is not played on"
            numbers = Dice(game_id, row.seed).stream(game.contributions, f"computer/{game.version}")
            decision = sensible_player(view(game, seat), seat, numbers)
            order = order_text(decision.move)
            explained, _ = tx.head(seat_log_id(game_id, seat))
            cause = f"computer/{game_id}/{game.version}"
            if row.kind == "played":
                cause = cause_naming(game_id, seat, explained + 1)
            outcome = self._handle(
                tx, game_id, decision.move, Origin(cause, "computer", "computer", order=order)
            )
            assert outcome.events, "a computer player makes legal moves"
            if row.kind == "played":
                turn = game.seats[seat].turn
                why = ChoiceExplained(seat=seat, turn=turn, order=order, reasons=list(decision.reasons))
                self._explain(tx, game_id, explained, why)

    def _explain(self, tx: Tx, game_id: str, expected: int, why: ChoiceExplained) -> None:
        """Keep in the seat's own log, at the time of the move, why the computer made it."""
        at = self._load(tx, game_id).last_at
        assert at is not None, "a move was just made"
        log_id = seat_log_id(game_id, why.seat)
        salt = self.entropy(16).hex()
        body = encode_envelope(why, game_id=log_id, version=expected + 1, at=at, actor="computer", salt=salt)
        tx.append(log_id, expected, [Sealed(body)])

    def _handle(self, tx: Tx, game_id: str, command: Command, origin: Origin) -> Outcome:
        row = tx.game(game_id)
        if row is None:
            return Outcome(0, refusal=Refusal("game/unknown"))
        if row.seed is None:
            return Outcome(0, refusal=Refusal("game/imported"))
        known = self._load(tx, game_id)
        if isinstance(command, Move) and _is_stale(known.game, command, origin):
            return Outcome(known.version, refusal=Refusal("turn/stale"))
        if origin.actor != "computer" and not known.game.is_over and is_for_computer(command, known.game):
            return Outcome(known.version, refusal=Refusal("seat/gone"))
        now = self.clock()
        at = not_before(now, known.last_at)
        game = known.game.copy()
        decided = advance(command, game, Context(Dice(game_id, row.seed), at, known.last_at or ""))
        if isinstance(decided, Refusal):
            return Outcome(known.version, refusal=decided)
        if not decided:
            return Outcome(known.version)
        sealed = self._seal(game_id, known.version, at, decided, origin)
        version, range_ = tx.append(game_id, known.version, sealed)
        self._keep(game_id, _Known(version, range_, game, at))
        tx.note_game(game_id, game.standing, version)
        if row.kind in self.kinds:
            by = None if isinstance(command, Create | Close | EndPause) else command.seat
            self._owe(tx, game_id, known.game, game, by, text_of(now), is_talk=isinstance(command, Say))
        return Outcome(version, len(decided))

    def _seal(
        self, game_id: str, version: int, at: str, events: Sequence[Event], origin: Origin
    ) -> list[Sealed]:
        """The bytes of a step. Its first event is the command's; the others follow by the rules."""
        private = Private(
            salt=self.entropy(16).hex(),
            channel=origin.channel,
            cause=origin.command_id,
            mail_sha256=origin.mail_sha256,
            order=origin.order,
        )
        record, private_hash = encode_private(private)
        return [
            Sealed(
                encode_envelope(
                    event,
                    game_id=game_id,
                    version=version + step,
                    at=at,
                    actor=origin.actor if step == 1 else "rules",
                    salt=self.entropy(16).hex() if event.secret else None,
                    private=private_hash if step == 1 else None,
                ),
                record if step == 1 else None,
            )
            for step, event in enumerate(events, 1)
        ]

    def _owe(
        self, tx: Tx, game_id: str, before: Game, after: Game, by: int | None, now: str, *, is_talk: bool
    ) -> None:
        """Owe each seat what this step means for it, and look again at those who are waited for."""
        choices = tx.choices_at(game_id)
        for notice in notices_for(game_id, before, after, by, choices, now, self.hours, is_talk=is_talk):
            enqueue(tx, notice)
        known = tx.due_of(game_id)
        rows = due_rows(game_id, before, after, known, choices, now, self.hours)
        if rows != known:
            tx.set_due(game_id, rows)

    def _load(self, reader: Reader, game_id: str) -> _Known:
        """From memory if the log's head is the one that we know (its hash says so), else from the log."""
        version, range_ = reader.head(game_id)
        with self._cache_lock:
            known = self._known.get(game_id)
            if known is not None and (known.version, known.range_) == (version, range_):
                self._known.move_to_end(game_id)
                return known
        bodies = reader.bodies(game_id)
        try:
            last_at = orjson.loads(bodies[-1])["at"] if bodies else None
            known = _Known(version, range_, fold(decode_events(bodies)), last_at)
        except (LookupError, ValueError, TypeError) as error:
            raise Damaged(f"The log of game {game_id} cannot be followed; {LOOK_FIRST}", game_id) from error
        self._keep(game_id, known)
        return known

    def _keep(self, game_id: str, known: _Known) -> None:
        with self._cache_lock:
            self._known[game_id] = known
            self._known.move_to_end(game_id)
            while len(self._known) > _CACHED_GAMES:
                self._known.popitem(last=False)

    def _new_id(self) -> str:
        return f"p-{self.entropy(6).hex()}"

    def _free_id(self, tx: Tx) -> str:
        while True:
            numbers = self.entropy(_ID_LENGTH)
            game_id = "".join(_ALPHABET[number % len(_ALPHABET)] for number in numbers)
            if tx.game(game_id) is None and tx.head(game_id)[0] == 0:
                return game_id


def _is_stale(game: Game, command: Move, origin: Origin) -> bool:
    """Return True if an answer is for a decision that this seat no longer has before it."""
    if origin.turn is None or game.is_over:
        return False
    return 0 <= command.seat < len(game.seats) and origin.turn != game.seats[command.seat].turn


def _computer_to_move(game: Game) -> int | None:
    """A seat that is asked and has nobody but the computer to answer, as long as some player is there."""
    if not any(seat.computer for seat in game.seats) or game.phase not in ("placing", "bidding"):
        return None
    asked = (seat for seat in game.asked if game.seats[seat].computer)
    return next(asked, None) if game.humans else None


def _text_of(game_id: str, outcome: Outcome) -> str:
    refusal = outcome.refusal
    fields = {"game_id": game_id, "version": outcome.version, "events": outcome.events}
    if refusal is None:
        return orjson.dumps(fields).decode()
    return orjson.dumps({**fields, "code": refusal.code, "details": refusal.details}).decode()


def _outcome_of(text: str) -> Outcome:
    fields = orjson.loads(text)
    refusal = Refusal(fields["code"], fields["details"]) if "code" in fields else None
    return Outcome(fields["version"], fields["events"], refusal, repeated=True)
