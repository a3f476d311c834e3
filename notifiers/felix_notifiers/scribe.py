"""From what is owed to letters: one for each seat, nothing stale, frozen as bytes in the same transaction."""

from __future__ import annotations

import hmac
import logging
from base64 import b32encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import orjson

from felix_async.address import Purpose, Token, address_of, encode_token
from felix_async.answer import Answer, Section
from felix_async.clock import Clock, text_of, time_of
from felix_async.game.fold import fold
from felix_async.game.state import Game
from felix_async.game.view import view
from felix_async.words import FOR_GOOD, WORD_OF
from felix_events.envelope import Envelope, canonical, check_envelopes
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import GameRow, Letter, Notice, NoticeKind, SeatRow
from felix_notifiers import asked as asked_for
from felix_notifiers import courtesy, host
from felix_notifiers.compose import Sheet, compose
from felix_notifiers.history import since_last_move
from felix_notifiers.letter import build
from felix_notifiers.moves import mailto
from felix_notifiers.preview import occasions_now
from felix_notifiers.sheet import Block

log = logging.getLogger(__name__)

STOP: Final = WORD_OF["STOP"]
SAID_BACK: Final[frozenset[NoticeKind]] = frozenset({"answer", "question"})
"""What follows from a mail that came in; it goes out also where the reader wants no more mail."""


ADDRESSED: Final[Mapping[NoticeKind, str]] = {"farewell": "address", "moved": "to"}
"""Letters that go to an address of their own, which stands under this name in the notice."""
_FINAL_ORDERS: Final = frozenset(WORD_OF[word] for word in FOR_GOOD)


@dataclass(frozen=True, slots=True)
class Case:
    """A game that somebody is owed a letter about."""

    row: GameRow
    seats: Sequence[SeatRow]
    envelopes: Sequence[Envelope]
    game: Game


@dataclass(frozen=True, slots=True)
class Scribe:
    """Writes felix's letters. Without the server's `secret` nobody can make their Message-IDs.

    `operator` is the host's own address, who is told when a player no longer gets mail; '' where nobody is.
    """

    clock: Clock
    mailbox: str
    secret: bytes = field(repr=False)
    operator: str = ""

    def owing(self, reader: Reader) -> list[str]:
        """The games in which somebody is owed something now, the one that has waited longest first."""
        return list(dict.fromkeys(notice.game_id for notice in reader.owed(text_of(self.clock()))))

    def claim(self, tx: Tx, game_id: str) -> int:
        """Turn what a game owes now into letters, one for each seat, and drop what is stale; how many."""
        now = text_of(self.clock())
        owed: dict[int, list[Notice]] = {}
        for notice in tx.owed(now, game_id):
            owed.setdefault(notice.seat, []).append(notice)
        return self._claim_game(tx, game_id, owed, now)

    def named(self, *what: object) -> str:
        """A Message-ID that is always the same for this, and tells nobody what it is for."""
        name = b32encode(self.digest(*what)[:20]).decode("ascii").lower()
        return f"<{name}@{self.mailbox.rpartition('@')[2]}>"

    def digest(self, *what: object) -> bytes:
        """Bytes that nobody without the server's secret can know."""
        return hmac.digest(self.secret, canonical(what), "sha256")

    def _claim_game(self, tx: Tx, game_id: str, by_seat: dict[int, list[Notice]], now: str) -> int:
        try:
            case = case_of(tx, game_id)
        except (LookupError, ValueError):
            log.exception("nobody can be written to about game %s; what is owed stays owed", game_id)
            return 0
        in_order = sorted(by_seat.items())
        return sum(self._claim_seat(tx, case, seat, notices, now) for seat, notices in in_order)

    def _claim_seat(self, tx: Tx, case: Case, seat: int, notices: Sequence[Notice], now: str) -> int:
        """A letter for what can be told together, and one for each question and each word to the host."""
        alone = [notice for notice in notices if notice.kind in ("question", "unreachable", *ADDRESSED)]
        letters = [[notice for notice in notices if notice not in alone], *([notice] for notice in alone)]
        return sum(self._claim_letter(tx, case, seat, folded, now) for folded in letters if folded)

    def _claim_letter(self, tx: Tx, case: Case, seat: int, notices: Sequence[Notice], now: str) -> int:
        fresh = [notice for notice in notices if not is_done_with(tx, notice, case.game)]
        to_host = notices[0].kind == "unreachable"
        if to_host:
            log.warning("seat %d of game %s no longer gets mail: its address bounces", seat, case.row.game_id)
        to = case.seats[seat]
        if notices[0].kind in ADDRESSED:
            to = replace(to, address=orjson.loads(notices[0].payload).get(ADDRESSED[notices[0].kind]))
        if to.address is None and any(notice.kind in SAID_BACK for notice in fresh):
            # Who writes is answered, also when the answer is that no more mail will come.
            reachable = (row.address for row in tx.addresses(to.player_id) if row.stopped in ("", "asked"))
            to = replace(to, address=next(reachable, None))
        if not fresh or not (self.operator if to_host else to.address):
            tx.settle([notice.notice_id for notice in notices], None)
            return 0
        try:
            write = self._to_host if to_host else self._to_player
            if notices[0].kind in ADDRESSED:
                write = self._courtesy
            letter = write(tx, case, to, fresh, now)
        except Exception:
            # One letter that cannot be written must not hold up all the others.
            log.exception(
                "seat %d of game %s cannot be written to; what is owed stays owed", seat, case.row.game_id
            )
            if to_host:
                # The line above tells the same, once; the operator's address may well be none.
                tx.settle([notice.notice_id for notice in notices], None)
            return 0
        tx.settle([notice.notice_id for notice in notices if notice not in fresh], None)
        tx.settle([notice.notice_id for notice in fresh], tx.freeze(letter))
        return 1

    def _to_player(self, tx: Tx, case: Case, to: SeatRow, notices: Sequence[Notice], now: str) -> Letter:
        assert to.address is not None, "a seat without an address gets no letter"
        game_id, seat = to.game_id, to.seat
        names = [row.name for row in case.seats]
        answers = [Answer.from_json(notice.payload) for notice in notices if notice.kind == "answer"]
        answer = Answer.folded(answers) if answers else None
        asked = orjson.loads(notices[0].payload) if notices[0].kind == "question" else {}
        turn = case.game.seats[seat].turn
        if answer is not None and not _is_open(tx, to, answer.asks, case.game):
            answer = answer.model_copy(update={"asks": 0, "asks_text": ""})
        question: int = asked["number"] if asked else answer.asks if answer is not None else 0
        for_moves = self._address(to, "move", turn)
        table = view(case.game, seat)
        occasions = {notice.kind for notice in notices}
        if answer is not None and "resend" in answer.show:
            occasions |= occasions_now(table, seat)
        reply_address = self._address(to, "question", question) if question else for_moves
        composed = compose(
            Sheet(
                game_id=game_id,
                table_name=case.row.table_name,
                names=names,
                table=table,
                occasions=occasions,
                answer=answer,
                history=since_last_move(case.envelopes, names, seat),
                reply_address=reply_address,
                claimed=asked["address"] if asked else "",
                claims_own=bool(asked) and asked["address"] in to.addresses,
                blocks=[] if answer is None else self._asked(tx, case, to, answer.show),
            )
        )
        thread_id = self.named("thread", game_id, seat)
        # The first letter is the root of its thread, so that the others refer to a mail that there is.
        is_first = tx.letter_with(thread_id) is None
        key = self.named("letter", game_id, seat, [notice.notice_id for notice in notices])
        message_id = thread_id if is_first else key
        raw = build(
            composed,
            sender_mailbox=self.mailbox,
            to_name=to.name,
            to_address=to.address,
            reply_to=reply_address,
            message_id=message_id,
            thread_id=thread_id,
            in_reply_to="" if answer is None else answer.in_reply_to,
            at=time_of(now),
            kind="auto-generated" if answer is None else "auto-replied",
            unsubscribe=mailto(for_moves, STOP, STOP),
        )
        # Nobody answers an answer, a bounce neither (RFC 3834, section 4).
        sender = self._address(to, "bounce", 0) if answer is None else ""
        return Letter(game_id, seat, to.address, message_id, raw, created_at=now, next_at=now, sender=sender)

    def _asked(self, tx: Tx, case: Case, to: SeatRow, show: Sequence[Section]) -> list[Block]:
        """What the reader asked for beside the table."""
        blocks: list[Block] = []
        if "history" in show:
            names = [row.name for row in case.seats]
            sayings = tx.sayings(to.game_id)
            blocks += asked_for.history(case.envelopes, sayings, names, to.seat)
        if "games" in show:
            blocks += asked_for.games(self._tables_of(tx, to.player_id))
        if "rules" in show:
            blocks += asked_for.rules()
        return blocks

    def _tables_of(self, tx: Tx, player_id: str) -> list[asked_for.Seated]:
        """The tables at which a player sits, the newest first; those that are over come last."""
        tables = []
        for seat in tx.seats_of(player_id):
            row = tx.game(seat.game_id)
            if row is None or row.kind != "played":
                continue
            case = case_of(tx, seat.game_id)
            own = case.game.seats[seat.seat]
            if own.answer not in ("invited", "joined") or own.gone:
                continue
            names = [one.name for one in case.seats]
            address = self._address(seat, "move", own.turn)
            table = view(case.game, seat.seat)
            tables.append(asked_for.Seated(seat.game_id, row.table_name, names, table, seat.seat, address))
        return sorted(tables, key=lambda seated: seated.table.is_over)

    def _courtesy(self, tx: Tx, case: Case, to: SeatRow, notices: Sequence[Notice], now: str) -> Letter:
        """To the address that the notice names, about the player's mail itself."""
        (notice,) = notices
        payload = orjson.loads(notice.payload)
        assert to.address is not None, "the notice names an address"
        reply_to, in_reply_to, to_name = "", "", ""
        if notice.kind == "farewell":
            composed, in_reply_to = courtesy.farewell(), payload["in_reply_to"]
        else:
            reply_to, to_name = self._address(to, "move", case.game.seats[to.seat].turn), to.name
            composed = courtesy.moved(
                game_id=to.game_id,
                table_name=case.row.table_name,
                name=to.name,
                old=to.address,
                address=payload["address"],
                reply_address=reply_to,
            )
        message_id = self.named("letter", to.game_id, to.seat, [notice.notice_id])
        raw = build(
            composed,
            sender_mailbox=self.mailbox,
            to_name=to_name,
            to_address=to.address,
            reply_to=reply_to,
            message_id=message_id,
            in_reply_to=in_reply_to,
            at=time_of(now),
            kind="auto-replied" if in_reply_to else "auto-generated",
        )
        return Letter(to.game_id, to.seat, to.address, message_id, raw, created_at=now, next_at=now)

    def _to_host(self, tx: Tx, case: Case, about: SeatRow, notices: Sequence[Notice], now: str) -> Letter:
        (notice,) = notices
        payload = orjson.loads(notice.payload)
        composed = host.unreachable(
            game_id=about.game_id,
            table_name=case.row.table_name,
            seat=about.seat,
            name=about.name,
            address=payload["address"],
            why=payload["why"],
            other=about.address,
            phase=case.game.phase,
        )
        message_id = self.named("letter", about.game_id, about.seat, [notice.notice_id])
        raw = build(
            composed,
            sender_mailbox=self.mailbox,
            to_name="",
            to_address=self.operator,
            message_id=message_id,
            at=time_of(now),
            kind="auto-generated",
        )
        return Letter(about.game_id, about.seat, self.operator, message_id, raw, created_at=now, next_at=now)

    def _address(self, seat: SeatRow, purpose: Purpose, turn: int) -> str:
        return address_of(
            self.mailbox, encode_token(Token(seat.game_id, seat.seat, purpose, turn), seat.secret)
        )


def case_of(reader: Reader, game_id: str) -> Case:
    """A game as its letters need it. LookupError or ValueError where it cannot be read."""
    row = reader.game(game_id)
    if row is None:
        raise LookupError(f"there is no game {game_id}")
    envelopes = check_envelopes(reader.bodies(game_id))
    return Case(row, reader.seats(game_id), envelopes, fold(envelope.data for envelope in envelopes))


def is_stale(notice: Notice, game: Game) -> bool:
    """Whether a notice asks for what the seat has done already, or can do no more."""
    if notice.kind in ("turn", "reminder"):
        return notice.seat not in game.asked or notice.turn != game.seats[notice.seat].turn
    if notice.kind == "invitation":
        return game.phase != "inviting" or notice.seat not in game.asked
    return False


def _is_open(reader: Reader, seat: SeatRow, number: int, game: Game) -> bool:
    """Whether YES to this question would still do something: it is open, and about the turn that is now.

    An order about the player, and not about the table, waits for no turn.
    """
    turn, is_asked = game.seats[seat.seat].turn, seat.seat in game.asked
    asked = reader.questions(seat.game_id, seat.seat) if number else []
    return any(
        (one.number, one.state, one.turn) == (number, "open", turn)
        and (is_asked or one.text in _FINAL_ORDERS)
        for one in asked
    )


def is_done_with(reader: Reader, notice: Notice, game: Game) -> bool:
    """Whether nobody needs to be told any more: the notice is stale, or its question was answered."""
    if notice.kind != "question":
        return is_stale(notice, game)
    number = orjson.loads(notice.payload).get("number")
    asked = reader.questions(notice.game_id, notice.seat)
    return any(question.number == number and question.state != "open" for question in asked)
