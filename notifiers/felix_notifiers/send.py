"""From what is owed to what is sent: claim notices, freeze letters, try them until they are gone.

`claim` and `mark` run in a transaction that the caller opened; `deliver` runs outside any. What is sent is
always the frozen bytes: a crash between the server's yes and the mark sends the same mail once more, never
another one, and never none.
"""

from __future__ import annotations

import hmac
import logging
from base64 import b32encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from felix_async.address import Token, address_of, encode_token
from felix_async.answer import Answer
from felix_async.clock import Clock, later, text_of, time_of
from felix_async.game.fold import fold
from felix_async.game.state import Game
from felix_async.game.view import view
from felix_events.envelope import Envelope, canonical, check_envelopes
from felix_events.store.base import GameRow, Letter, Notice, Reader, SeatRow, Tx
from felix_notifiers.channel import Channel, Refused, Result, Sent
from felix_notifiers.compose import Sheet, compose
from felix_notifiers.history import since_last_move
from felix_notifiers.letter import build

log = logging.getLogger(__name__)

BATCH: Final = 50
"""Letters of one burst."""
DELAYS: Final = (60, 5 * 60, 15 * 60, 3600, 4 * 3600)
"""Seconds until the next try, by the number of tries before; the last one stays."""
GIVE_UP_AFTER: Final = timedelta(days=5)
_JITTER: Final = 0.1


@dataclass(frozen=True, slots=True)
class _Case:
    """A game that somebody is owed a letter about."""

    row: GameRow
    seats: Sequence[SeatRow]
    envelopes: Sequence[Envelope]
    game: Game


@dataclass(frozen=True, slots=True)
class Sender:
    """Writes and sends felix's letters. Without the server's `secret` nobody can make their Message-IDs."""

    clock: Clock
    mailbox: str
    secret: bytes = field(repr=False)

    def claim(self, tx: Tx) -> int:
        """Turn what is owed now into letters, one for each seat, and drop what is stale; how many letters."""
        now = text_of(self.clock())
        owed: dict[str, dict[int, list[Notice]]] = {}
        for notice in tx.owed(now):
            owed.setdefault(notice.game_id, {}).setdefault(notice.seat, []).append(notice)
        return sum(self._claim_game(tx, game_id, by_seat, now) for game_id, by_seat in owed.items())

    def due(self, reader: Reader, limit: int = BATCH) -> list[Letter]:
        """The letters to try now."""
        return reader.letters_due(text_of(self.clock()), limit)

    def deliver(self, letter: Letter, channel: Channel) -> Result:
        """Try to send a letter once; outside any transaction, because the other side may take its time."""
        return channel.send(letter)

    def mark(self, tx: Tx, letter: Letter, result: Result) -> None:
        """Say how a try went, and when the next one is."""
        now = self.clock()
        domain = letter.recipient.rpartition("@")[2]
        about = f"letter {letter.letter_id} to seat {letter.seat} of {letter.game_id}"
        if isinstance(result, Sent):
            log.info("%s: sent to %s", about, domain)
            tx.mark_letter(letter.letter_id, "sent", next_at=text_of(now), note=result.text)
        elif isinstance(result, Refused) or now - time_of(letter.created_at) >= GIVE_UP_AFTER:
            log.warning("%s: given up, %s said: %s", about, domain, result.text)
            tx.mark_letter(letter.letter_id, "failed", next_at=text_of(now), note=result.text)
        else:
            next_at = later(text_of(now), self._delay(letter))
            log.info("%s: not yet, to be tried again at %s: %s", about, next_at, result.text)
            tx.mark_letter(letter.letter_id, "ready", next_at=next_at, note=result.text)

    def _claim_game(self, tx: Tx, game_id: str, by_seat: dict[int, list[Notice]], now: str) -> int:
        try:
            case = _case(tx, game_id)
        except (LookupError, ValueError):
            log.exception("nobody can be written to about game %s; what is owed stays owed", game_id)
            return 0
        in_order = sorted(by_seat.items())
        return sum(self._claim_seat(tx, case, seat, notices, now) for seat, notices in in_order)

    def _claim_seat(self, tx: Tx, case: _Case, seat: int, notices: Sequence[Notice], now: str) -> int:
        fresh = [notice for notice in notices if not is_stale(notice, case.game)]
        stale = [notice.notice_id for notice in notices if notice not in fresh]
        if not fresh or case.seats[seat].address is None:
            tx.settle([notice.notice_id for notice in notices], None)
            return 0
        try:
            letter = self._letter(case, case.seats[seat], fresh, now)
        except Exception:
            # One letter that cannot be written must not hold up all the others.
            log.exception(
                "seat %d of game %s cannot be written to; what is owed stays owed", seat, case.row.game_id
            )
            return 0
        tx.settle(stale, None)
        tx.settle([notice.notice_id for notice in fresh], tx.freeze(letter))
        return 1

    def _letter(self, case: _Case, to: SeatRow, notices: Sequence[Notice], now: str) -> Letter:
        assert to.address is not None, "a seat without an address gets no letter"
        game_id, seat = to.game_id, to.seat
        names = [row.name for row in case.seats]
        answers = [Answer.from_json(notice.payload) for notice in notices if notice.kind == "answer"]
        answer = Answer.folded(answers) if answers else None
        token = encode_token(Token(game_id, seat, "move", case.game.seats[seat].turn), to.secret)
        reply_address = address_of(self.mailbox, token)
        composed = compose(
            Sheet(
                game_id=game_id,
                table_name=case.row.table_name,
                names=names,
                table=view(case.game, seat),
                occasions={notice.kind for notice in notices},
                answer=answer,
                history=since_last_move(case.envelopes, names, seat),
                reply_address=reply_address,
            )
        )
        message_id = self._id("letter", game_id, seat, [notice.notice_id for notice in notices])
        raw = build(
            composed,
            sender_mailbox=self.mailbox,
            to_name=to.name,
            to_address=to.address,
            reply_to=reply_address,
            message_id=message_id,
            thread_id=self._id("thread", game_id, seat),
            in_reply_to="" if answer is None else answer.in_reply_to,
            at=time_of(now),
            kind="auto-generated" if answer is None else "auto-replied",
        )
        return Letter(game_id, seat, to.address, message_id, raw, created_at=now, next_at=now)

    def _id(self, *what: object) -> str:
        """A Message-ID that is always the same for this, and tells nobody what it is for."""
        name = b32encode(self._hmac(*what)[:20]).decode("ascii").lower()
        return f"<{name}@{self.mailbox.rpartition('@')[2]}>"

    def _delay(self, letter: Letter) -> float:
        """Seconds until the next try: a little spread, so that a burst does not come back as a burst."""
        delay = DELAYS[min(letter.tries, len(DELAYS) - 1)]
        spread = int.from_bytes(self._hmac("try", letter.message_id, letter.tries)[:2]) / 0x10000
        return delay * (1 + _JITTER * spread)

    def _hmac(self, *what: object) -> bytes:
        return hmac.digest(self.secret, canonical(what), "sha256")


def is_stale(notice: Notice, game: Game) -> bool:
    """Whether a notice asks for what the seat has done already, or can do no more."""
    if notice.kind in ("turn", "reminder"):
        return notice.seat not in game.asked or notice.turn != game.seats[notice.seat].turn
    if notice.kind == "invitation":
        return game.phase != "inviting" or notice.seat not in game.asked
    return False


def send_due(do: Callable[[Callable[[Tx], Any]], Any], sender: Sender, channel: Channel) -> list[Result]:
    """Claim what is owed and try what is due, in transactions that `do` opens; what came of each try."""
    do(sender.claim)
    letters: list[Letter] = do(sender.due)
    results = []
    try:
        for letter in letters:
            results.append(sender.deliver(letter, channel))
            do(_marking(sender, letter, results[-1]))
    finally:
        channel.close()
    return results


def _marking(sender: Sender, letter: Letter, result: Result) -> Callable[[Tx], None]:
    return lambda tx: sender.mark(tx, letter, result)


def _case(tx: Tx, game_id: str) -> _Case:
    row = tx.game(game_id)
    if row is None:
        raise LookupError(f"there is no game {game_id}")
    envelopes = check_envelopes(tx.bodies(game_id))
    return _Case(row, tx.seats(game_id), envelopes, fold(envelope.data for envelope in envelopes))
