"""Origins: that the private record of a step gives its move, by a way and an actor that fit it. Pure.

Records of schema 2 only: in those of an older felix the order stands as somebody wrote it. In a record
the order is canonical, so that any other move than that of its event is a finding. The line of a message is
read again by the reader of its time, and only another move in it is a finding.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from felix_async.audit.evidence import Flaw, created_in, veiled
from felix_async.draw import Dice, contribution
from felix_async.game import commands as c
from felix_async.game.players import computer_to_move
from felix_async.game.sensible import decision_of
from felix_async.game.state import Game
from felix_async.game.views import view
from felix_async.game.votes import OVER
from felix_async.language.grammar import read_line
from felix_async.language.order import Order, order_of
from felix_async.language.words import WORD_OF
from felix_async.meaning.meaning import GRAMMAR, meaning_of
from felix_async.meaning.situation import situation_of
from felix_async.origin import taken_cause
from felix_events import model as m
from felix_events.envelope import MOST_OF_LINE, Actor, Channel, Envelope, Private, PrivateV2, game_of

_ACTORS: Final[Mapping[Channel, tuple[Actor, ...]]] = {
    "mail": ("seat", "host"),
    "desk": ("seat", "host"),
    "web": ("seat",),
    "order": ("seat", "host"),
    "computer": ("computer",),
    "clock": ("clock",),
}
"""The actors of what came this way."""
_BY_HOST: Final = frozenset({c.Create, c.Start, c.NameHost, c.Uninvite, c.Cancel, c.Stand})
"""The commands that come by mail from the host, and no others."""
_IS_NUMBER: Final = re.compile(r"\d+")
_JOIN: Final = "JOIN"
_DISPUTE: Final = "DISPUTE"
_REMATCH: Final = "REMATCH"
_AND_NEXT: Final = f", {WORD_OF['NEXT']} "
"""Follows a move if a card for the next round was said with it."""
_UP_TO: Final = f"{WORD_OF['UPTO']} "
_CONFIRMED: Final = re.compile(r".*\((.*)\)")
"""The line of an order that was asked about: the answer, and the order in brackets."""
_MADE: Final[Mapping[str, Mapping[str, object]]] = {
    "PAUSE": {"on": "pause"},
    "ABANDON": {"on": "abandon"},
    "RESIGN": {"for_good": True},
    "STOP": {"for_good": False},
    "STANDS": {"how": "stands"},
    "DISPUTE": {"how": "withdrawn"},
    **{f"{WORD_OF['HANDOVER']} {seat}": {"on": on} for seat, on in enumerate(OVER)},
}
"""By the first word of an order: the values that its event must have, if it has such a field."""
_LEAVES: Final = ("STOP", "RESIGN", WORD_OF["FORGET"].split()[0])
_ORDERED: Final[Mapping[type[m.Event], tuple[str, ...]]] = {
    m.VoteCast: ("PAUSE", "ABANDON", WORD_OF["HANDOVER"].split()[0]),
    m.VotesWithdrawn: ("RESUME",),
    m.DisputeRaised: ("DISPUTE",),
    m.DisputeSettled: ("DISPUTE", "STANDS"),
}
"""By what a player did who made no move: the first words of the orders by mail for it."""


class Origins:
    """The private records of a game, by version, held to its steps as they come; `flaw` is the first that
    does not fit.
    """

    def __init__(
        self,
        envelopes: Sequence[Envelope],
        records: Mapping[int, Private],
        dice: Dice | None,
        explained: Collection[int],
        *,
        over: bool,
    ) -> None:
        """Take what is known of a game: `dice` if its seed is; `explained` are moves by their versions."""
        self.records = records
        self.dice = dice
        self.explained = explained
        self.over = over
        self.created = envelopes[0]
        created = created_in(envelopes)
        self.seats, self.schema = len(created.seats), created.options.records
        self.flaw: Flaw | None = None
        self.joined = {
            envelope.data.seat
            for envelope in envelopes
            if envelope.actor == "computer" and type(envelope.data) is m.PlayerJoined
        }
        """The seats in which the computer sits from the start: of games at a terminal, and simulated ones."""
        self.is_simulated = self.created.actor == "computer"
        self.sits_oddly = len(self.joined) not in ([self.seats] if self.is_simulated else [0, self.seats - 1])
        self.made: dict[tuple[int, int], c.Move] = {}
        """The moves so far, by seat and turn: of two cards of one turn the last."""
        self.reasons: dict[int, Sequence[m.Reason]] = {}
        """Why the computer made its moves, by their versions."""

    def look(self, given: Envelope, command: c.Command, game: Game, last_at: str) -> None:
        """Hold a step to its record: it begins with this event and answers this command."""
        record = self.records.get(given.version)
        if self.flaw is not None or not isinstance(record, PrivateV2):
            return
        if c.is_move(command) and command.seat >= self.seats:
            return  # the rules refuse it
        try:
            check_way(given, record)
            self._check_table(given, record)
            self._check_actor(given, record, command)
            self._check_computer(given, record, command, game, last_at)
            if c.is_move(command):
                self._check_move(given, record, command, game)
                self.made[command.seat, game.seats[command.seat].turn] = command
            elif isinstance(command, c.Join):
                self._check_join(given, record, command)
            else:
                _check_made(given, record)
                if isinstance(command, c.Dispute):
                    self._check_denied(given, record, command)
        except Flaw as flaw:
            self.flaw = flaw

    def _check_table(self, given: Envelope, record: PrivateV2) -> None:
        """The computer sits in all seats of a simulated table, in all but one at a terminal, without mail."""
        if self.sits_oddly or (self.joined and record.channel in ("mail", "order")):
            raise Flaw(given.version, "the computer in seats of a table at a terminal alone", "otherwise")

    def _check_actor(self, given: Envelope, record: Private, command: c.Command) -> None:
        """A host orders by mail what only hosts may, and a seat at the desk sits alone with the computer."""
        # Whoever asks for a rematch opens it, from the seat in which they played.
        is_hosts = type(command) in _BY_HOST and record.order != _REMATCH
        if record.channel == "mail" and is_hosts != (given.actor == "host"):
            by = "the host" if is_hosts else "a seat"
            raise Flaw(given.version, f"{given.type} by {by}, as it came by mail", f"one by {given.actor}")
        if record.channel == "order" and not c.is_move(command):
            raise Flaw(given.version, f"{given.type} by somebody who said so then", "one by an order")
        if record.channel == "desk" and given.actor == "seat" and not self.joined:
            raise Flaw(given.version, f"{given.type} by the host, as it came from the desk", "one by a seat")

    def _check_computer(
        self, given: Envelope, record: Private, command: c.Command, game: Game, last_at: str
    ) -> None:
        """The computer moves for its own seats, at once, as it must, and nobody else moves before it does."""
        seat = computer_to_move(game)
        if (
            seat is not None
            and record.channel != "order"
            and (given.actor, given.at) != ("computer", last_at)
        ):
            raise Flaw(
                given.version, f"a move of the computer for seat {seat}, at {last_at}", "something else"
            )
        if given.actor != "computer":
            return
        if not c.is_move(command):
            if not self.is_simulated and not isinstance(command, c.Join):
                raise Flaw(given.version, f"{given.type} by somebody", "one by the computer")
            return
        if seat is None and command.seat not in self.joined:
            raise Flaw(given.version, "a seat that the computer plays for", f"seat {command.seat}")
        is_explained = given.version in self.explained
        if seat is not None and not is_explained:
            raise Flaw(given.version, "an explanation that its private record names", "none")
        if seat is None and is_explained:
            raise Flaw(given.version, "no explanation, as nobody was away", "one that its record names")
        if self.dice is None or self.is_simulated:
            return
        made = decision_of(game, command.seat, self.dice, f"computer/{game.version}")
        if made.move != command:
            raise Flaw(given.version, f"the computer's {self._told(made.move)}", self._told(command))
        self.reasons[given.version] = made.reasons

    def _check_move(self, given: Envelope, record: PrivateV2, move: c.Move, game: Game) -> None:
        """Compare a move with the order in its record, and with the line that this was read in."""
        if record.order is None and self.is_simulated:
            return
        order = c.order_text(move)
        said = record.order or ""
        has_next = given.actor != "computer" and said.startswith(f"{order}{_AND_NEXT}")
        if said != order and not has_next:
            raise Flaw(
                given.version, f"the order {self._shown(move, order)}", self._shown(move, said or "none")
            )
        line = line_read(record)
        if line is None or line.upper() == order:
            return
        read = self._reread(record, line, move, game)
        if read is not None and read != move:
            raise Flaw(given.version, f"the move of its line, {self._told(read)}", self._told(move))

    def _reread(self, record: PrivateV2, line: str, move: c.Move, game: Game) -> c.Move | None:
        """Return the move in a line as its reader understands it now; None if it is not sure to be one."""
        if not record.inferred:
            return _move_in(line, move.seat)
        now = situation_of(view(game, move.seat))
        order = meaning_of([line], now).do if now.decision else None
        read = None if order is None else order.move(move.seat)
        # Words as `one more` may have meant another number when they were written.
        numbers = _IS_NUMBER.findall(line)
        is_named = isinstance(read, c.Bid) and isinstance(move, c.Bid) and numbers == [str(read.amount)]
        return read if is_named else None

    def _check_join(self, given: Envelope, record: Private, join: c.Join) -> None:
        """Make the contribution again; whoever opens a table by mail has joined with the words of the NEW."""
        assert isinstance(record, PrivateV2), "the others are left alone"
        opened = self.records.get(1)
        is_opening = opened is not None and None is not opened.mail_sha256 == record.mail_sha256
        word, _, words = (record.order or "").partition(" ")
        if record.channel != "mail" or is_opening:
            return
        if word not in (_JOIN, _REMATCH):
            raise Flaw(given.version, f"the order {_JOIN}, as it came by mail", record.order or "none")
        made = contribution(record.message_id or "", words)
        if made != join.contribution:
            raise Flaw(given.version, f"the contribution {made} of its message", join.contribution)

    def _check_denied(self, given: Envelope, record: PrivateV2, dispute: c.Dispute) -> None:
        """A dispute names the move that its seat made at that turn, or none."""
        move = self.made.get((dispute.seat, dispute.turn))
        told = "" if move is None else c.order_text(move)
        if told and record.order not in (_DISPUTE, f"{_DISPUTE} {told}"):
            about = veiled(f" {told}", " the move of its turn", over=self.over)
            raise Flaw(given.version, f"the order {_DISPUTE}{about}", "another one")

    def _told(self, move: c.Move) -> str:
        return self._shown(move, c.order_text(move))

    def _shown(self, move: c.Move, text: str) -> str:
        return veiled(text, "a card", over=self.over or not isinstance(move, c.Play))


def check_way(given: Envelope, record: PrivateV2, seat: int | None = None) -> None:
    """Check that the actor of an event fits the way by which it came, and that its record is whole.

    Raises Flaw; `seat` if the event is one of that seat's own log.
    """
    actors = _ACTORS[record.channel]
    if given.actor not in actors:
        raise Flaw(
            given.version, f"one by {' or '.join(actors)}, as it came by {record.channel}", given.actor, seat
        )
    if (record.mail_sha256 is not None) != (record.channel == "mail") and not _is_late(given, record, seat):
        raise Flaw(given.version, "the hash of a mail if it came by mail, and only then", "otherwise", seat)
    if record.message_id is not None and record.channel not in ("mail", "desk"):
        raise Flaw(given.version, "a Message-ID only of a mail", f"one by {record.channel}", seat)
    if (record.line is None) != (record.grammar is None) or (record.inferred and record.line is None):
        raise Flaw(given.version, "a line with the number of its reader, or neither", "one of them", seat)


def _is_late(given: Envelope, record: PrivateV2, seat: int | None) -> bool:
    """Return True if an order was taken first, and done when its message may have been gone."""
    its = getattr(given.data, "seat", None) if seat is None else seat
    is_taken = its is not None and record.cause.startswith(taken_cause(game_of(given.game_id), its))
    return record.mail_sha256 is None and record.inferred and is_taken


def check_said(seat: int, envelope: Envelope, record: Private, following: Private | None) -> None:
    """Hold what was said in advance, or taken back, in a seat's own log to its record, and to the one that
    follows: of an order that another one replaced it is the same. Raises Flaw.
    """
    event = envelope.data
    if not isinstance(record, PrivateV2):
        return
    check_way(envelope, record, seat)
    if record.channel == "mail" and envelope.actor != "seat":
        raise Flaw(envelope.version, "one by the seat, as it came by mail", f"one by {envelope.actor}", seat)
    if isinstance(event, m.OrderDropped):
        is_asked = event.why == "asked" and (record.order or "").split(" ")[0] == WORD_OF["DROP"]
        if not is_asked and (
            following is None or record.model_copy(update={"salt": following.salt}) != following
        ):
            raise Flaw(envelope.version, "the wish that its private record gives", "another one", seat)
    if not isinstance(event, m.OrderGiven):
        return
    line = None if record.inferred else line_read(record)
    read = None if line is None else read_line(line)
    is_order = isinstance(read, Order) and (read.is_ahead or read.move(seat) is not None)
    if not _gives(record.order or "", event) or (is_order and not _gives(str(read), event)):
        raise Flaw(envelope.version, "the order that its private record gives", "another one", seat)


def _gives(order: str, event: m.OrderGiven) -> bool:
    """Return True if an order says this in advance, alone or beside something else."""
    is_in = f", {order_of(event)}, " in f", {order}, "
    return is_in and (event.limit is not None or event.kind != "bid" or _UP_TO not in order)


def _check_made(given: Envelope, record: PrivateV2) -> None:
    """Hold a vote, a dispute, and an end of somebody's part in the game to the order in its record."""
    order = record.order or ""
    word = order.partition(" ")[0]
    is_left = isinstance(given.data, m.SeatHandedOver) and given.data.to == "computer"
    allowed = _LEAVES if is_left else _ORDERED.get(type(given.data), ())
    if record.channel == "mail" and allowed and word not in allowed:
        raise Flaw(given.version, f"an order for {given.type}", order or "none")
    if order.startswith(WORD_OF["HANDOVER"]) and order not in _MADE:
        raise Flaw(given.version, "the order to hand over a seat, by its number", "another")
    # Talk may be a line with an order in it.
    line = None if record.inferred or not allowed else line_read(record)
    read = None if line is None else read_line(_CONFIRMED.sub(r"\1", line))
    if isinstance(read, Order) and WORD_OF[read.word] in {*_MADE} - {word}:
        raise Flaw(given.version, f"the order of its line, {WORD_OF[read.word]}", order)
    for name, value in _MADE.get(order, _MADE.get(word, {})).items():
        found = getattr(given.data, name, value)
        if found != value:
            raise Flaw(given.version, f"{name} = {value}, as its order says", str(found))


def line_read(record: PrivateV2) -> str | None:
    """Return the line that an order was read in, if the reader of its time is the one of today."""
    line = record.line
    if line is None or record.grammar != GRAMMAR or len(line) >= MOST_OF_LINE:
        return None
    return line


def _move_in(text: str, seat: int) -> c.Move | None:
    read = read_line(text)
    return read.move(seat) if isinstance(read, Order) else None
