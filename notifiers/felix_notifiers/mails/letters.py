"""Letters, written: each kind with its addresses, its place in a thread and its bytes."""

from __future__ import annotations

import hmac
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from felix_async.address import Purpose, Token, address_of, encode_token
from felix_async.clock import time_of
from felix_async.follow_up import kinds
from felix_async.follow_up.answer import Answer, Section
from felix_async.follow_up.kinds import (
    Claim,
    Farewell,
    Moved,
    Offer,
    Question,
    SeatClosed,
    SeatLost,
    Unreachable,
    Unreadable,
    Whose,
)
from felix_async.follow_up.notice import Addressed, Notice
from felix_async.game.state import Game
from felix_async.game.views import view
from felix_async.language.grammar import Order, read_line
from felix_async.language.phrases import phrase
from felix_async.language.words import WORD_OF
from felix_async.orders.registry import ORDERS
from felix_async.text import Harmless
from felix_async.time.zones import DEFAULT_ZONE, zone_for
from felix_events.envelope import canonical
from felix_events.store.base import Reader
from felix_events.store.rows import Delivered, GameRow, Letter, SeatRow
from felix_notifiers.content import asked
from felix_notifiers.content.block import Block
from felix_notifiers.content.harmless import seat_names, table_label
from felix_notifiers.content.mail import Mail
from felix_notifiers.content.moves import ReplyTo, mailto
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.content.subjects import reply_subject, subject_of
from felix_notifiers.mails import courtesy, operator, seat
from felix_notifiers.mails.case import (
    Case,
    case_of,
    delivered_by,
    export_for,
    is_empty,
    occasion_of,
    snapshot_of,
)
from felix_notifiers.mails.digest import digest_of, turn_first
from felix_notifiers.mails.game import mail_of
from felix_notifiers.mails.mime import Attachment, build
from felix_notifiers.mails.question import is_this_you, was_that_you
from felix_notifiers.mails.recent import Recent
from felix_notifiers.mails.render import rendered

STOP: Final = WORD_OF["STOP"]
_MOST_RUNNING: Final = 200
"""Tables of one player of which it is found out whose turn it is."""
_NDJSON: Final = ("application", "x-ndjson")


@dataclass(frozen=True, slots=True)
class Part:
    """The notices to one seat about one game."""

    case: Case
    to: SeatRow
    notices: Sequence[Notice]


@dataclass(frozen=True, slots=True)
class Written:
    """A letter, and what it tells of each of its games."""

    letter: Letter
    delivered: Sequence[Delivered] = ()


@dataclass(frozen=True, slots=True)
class Pen:
    """Writes felix's letters. Their Message-IDs follow from the server's `secret`."""

    mailbox: str
    secret: bytes = field(repr=False)
    operator: str = ""
    zone: str = DEFAULT_ZONE
    """The time zone of players of whom no other is known."""
    recent: Recent = field(default_factory=Recent, repr=False, compare=False)

    def named(self, *what: object) -> str:
        """Return a Message-ID that is always the same for this, and does not tell what it is for."""
        name = b32encode(self.digest(*what)[:20]).decode("ascii").lower()
        return f"<{name}@{self.mailbox.rpartition('@')[2]}>"

    def digest(self, *what: object) -> bytes:
        """Return bytes that only the server's secret gives."""
        return hmac.digest(self.secret, canonical(what), "sha256")

    def snapshot(self, reader: Reader, game_id: str) -> Case:
        """Return a game as its letters need it. Raises LookupError or Damaged."""
        return case_of(reader, game_id, self.recent)

    def to_player(self, reader: Reader, part: Part, now: str) -> Written | None:
        """Write a letter about one game; None if there is nothing to tell after all."""
        first = part.notices[0]
        if isinstance(first, Addressed):
            return Written(self._courtesy(part, first, now))
        if isinstance(first, Question):
            asked = self._question(reader, part, first, now)
            return Written(asked, [Delivered(part.to.game_id, part.to.seat)])
        case, to, notices = part.case, part.to, part.notices
        answers = [notice.answer for notice in notices if isinstance(notice, kinds.Answer)]
        answer = Answer.folded(answers) if answers else None
        if answer is not None and not _is_open(reader, to, answer.asks, case.game):
            answer = answer.unasked()
        asks = 0 if answer is None else answer.asks
        reply_to = self._address(to, "question", asks) if asks else self._for_moves(part)
        blocks = [] if answer is None else self._asked(reader, part, answer.show)
        aside = self._aside(reader, part, answer, now)
        game = snapshot_of(reader, case, to, reply_to, zone=self.zone, now=now)
        occasion = occasion_of(reader, case, to, notices, game, answer, blocks, aside)
        if is_empty(occasion):
            return None
        data = export_for(reader, case, occasion)
        letter = self._in_thread(
            reader,
            part,
            mail_of(occasion),
            now,
            reply_to=reply_to,
            in_reply_to="" if answer is None else answer.in_reply_to,
            is_answer=answer is not None,
            attachments=[] if data is None else [_attached(case, data)],
        )
        return Written(letter, [delivered_by(reader, case, to, occasion)])

    def to_player_of_many(
        self, reader: Reader, parts: Sequence[Part], now: str, number: int = 1, count: int = 1
    ) -> Written | None:
        """One letter about several games, of `count` on that day. The answer to it is about one in which
        it is the reader's turn; the first has a line about each other table.
        """
        made = [(part, self._occasion(reader, part, now)) for part in parts]
        made = [(part, occasion) for part, occasion in made if not is_empty(occasion)]
        if not made:
            return None
        made.sort(key=lambda one: turn_first(one[1]))
        others = self._others(reader, parts) if number == 1 else []
        mail = digest_of([occasion for _, occasion in made], now, others, number, count)
        exports = [(part.case, export_for(reader, part.case, occasion)) for part, occasion in made]
        letter = self._in_thread(
            reader,
            made[0][0],
            mail,
            now,
            reply_to=self._for_moves(made[0][0]),
            attachments=[_attached(case, data) for case, data in exports if data is not None],
            about=[notice for part, _ in made for notice in part.notices],
        )
        return Written(letter, [delivered_by(reader, one.case, one.to, occasion) for one, occasion in made])

    def _occasion(self, reader: Reader, part: Part, now: str) -> Occasion:
        """Return what there is to tell about one game."""
        reply_to = self._for_moves(part)
        game = snapshot_of(reader, part.case, part.to, reply_to, zone=self.zone, now=now)
        return occasion_of(reader, part.case, part.to, part.notices, game)

    def to_host(self, part: Part, now: str) -> Letter | None:
        """Write to the operator that a player no longer gets mail; None if there is no operator."""
        if not self.operator:
            return None
        case, to, (notice,) = part.case, part.to, part.notices
        assert isinstance(notice, Unreachable), "the operator is told of nothing else"
        mail = operator.unreachable(
            game_id=to.game_id,
            label=_label(part),
            seat=to.seat,
            name=to.name,
            address=notice.address,
            why=notice.why,
            other=to.address,
            phase=case.game.phase,
        )
        return self._letter(mail, replace(to, name="", address=self.operator), part.notices, now)

    def _question(self, reader: Reader, part: Part, asked: Question, now: str) -> Letter:
        """Ask whether a mail was the reader's; if it is about no game, in the thread of that mail."""
        to = part.to
        reply_to = self._address(to, "question", asked.question_number)
        mail = was_that_you(
            asked,
            whose=_whose(asked.address, asked.whose, to),
            label=_label(part),
            name=seat_names(part.case.names)[to.seat],
            reply_address=reply_to,
            zone=zone_for(reader.choice(to.player_id), self.zone),
        )
        if asked.guests is None:
            return self._in_thread(reader, part, mail, now, reply_to=reply_to)
        theirs = asked.in_reply_to
        return self._letter(
            mail, to, part.notices, now, reply_to=reply_to, in_reply_to=theirs, is_answer=True
        )

    def _courtesy(self, part: Part, notice: Addressed, now: str) -> Letter:
        """Write to the address that the notice names: about mail itself, or a seat that changes hands."""
        case, to, label = part.case, part.to, _label(part)
        in_reply_to, name, sender = "", to.name, ""
        number = notice.question_number
        reply_to = self._address(to, "question", number) if number else ""
        match notice:
            case Claim():
                # Whoever reads it learns no address that could move, and may be a stranger.
                name, sender = "", self._address(to, "bounce", 0)
                whose = _whose(notice.to, notice.whose, to)
                mail = is_this_you(label=label, whose=whose, reply_address=reply_to)
            case Farewell():
                name, in_reply_to, mail = "", notice.in_reply_to, courtesy.farewell()
            case Unreadable():
                about = table_label(notice.table, notice.game)
                mail = courtesy.unreadable(label=about, name=to.name, wrote=notice.wrote)
            case Moved():
                mail = courtesy.moved(
                    label=label, name=to.name, address=notice.address, reply_address=reply_to
                )
            case Offer():
                name = notice.name
                mail = seat.offer(
                    game=case.game,
                    names=case.names,
                    label=label,
                    seat=to.seat,
                    told=notice,
                    reply_address=reply_to,
                    zone=self.zone,
                )
            case SeatLost():
                name = notice.name
                mail = seat.lost(label=label, who=seat_names(case.names)[to.seat], name=notice.name)
            case SeatClosed():
                name, mail = "", seat.closed(label=label, why=notice.why)
            case _:
                raise TypeError(f"no letter is known for {notice.kind}")
        return self._letter(
            mail,
            replace(to, name=name, address=notice.to),
            part.notices,
            now,
            reply_to=reply_to,
            in_reply_to=in_reply_to,
            is_answer=bool(in_reply_to),
            sender=sender,
        )

    def _asked(self, reader: Reader, part: Part, show: Sequence[Section]) -> list[Block]:
        """Return what the reader asked for beside the table."""
        case, to = part.case, part.to
        blocks: list[Block] = []
        if "history" in show:
            choice = reader.choice(to.player_id)
            came = case.story.came(to.seat)
            sayings = [
                one for one in case.sayings if one.version > came and (choice.hears or one.seat == to.seat)
            ]
            where = zone_for(choice, self.zone)
            blocks += asked.history(case.story, sayings, case.names, to.seat, where, case.former)
        if "games" in show:
            blocks += asked.games(*self._tables_of(reader, to.player_id))
        if "rules" in show:
            blocks += asked.rules(view(case.game, to.seat))
        return blocks

    def _aside(self, reader: Reader, part: Part, answer: Answer | None, now: str) -> Block | None:
        """Ask where the reader is, unless they have said so meanwhile."""
        choice = reader.choice(part.to.player_id)
        if answer is None or "zone" not in answer.show or choice.zone or not choice.offset:
            return None
        subject = reply_subject(subject_of(_label(part), phrase("mails.subjects.table")))
        return asked.zone(choice.offset, now, ReplyTo(self._for_moves(part), subject))

    def _others(self, reader: Reader, parts: Sequence[Part]) -> list[str]:
        """Return a line about each table that waits for others and that a digest does not tell of."""
        told = {part.to.game_id for part in parts}
        tables, _ = self._tables_of(reader, parts[0].to.player_id)
        return [
            asked.standing_line(one)
            for one in tables
            if one.game_id not in told and one.seat not in one.table.asked and not one.table.is_over
        ]

    def _tables_of(self, reader: Reader, player_id: str) -> tuple[list[Snapshot], int]:
        """The tables at which a player sits, as many as are shown, and how many there may be besides.

        Those that wait for the player come first, by when the time is up, and those that are over last;
        else the newest first.
        """
        sat = [(seat, reader.game(seat.game_id)) for seat in reader.seats_of(player_id)]
        played = [(seat, row) for seat, row in sat if row is not None and row.kind == "played"]
        running = [(seat, row) for seat, row in played if not row.is_over]
        looked_at = [one for at in running[:_MOST_RUNNING] if (one := self._seated(reader, *at)) is not None]
        tables = sorted(looked_at, key=asked.urgency)
        rest = [*running[_MOST_RUNNING:], *((seat, row) for seat, row in played if row.is_over)]
        while rest and len(tables) < asked.MOST_GAMES:
            one = self._seated(reader, *rest.pop(0))
            tables += [] if one is None else [one]
        shown = tables[: asked.MOST_GAMES]
        return shown, len(tables) - len(shown) + len(rest)

    def _seated(self, reader: Reader, seat: SeatRow, row: GameRow) -> Snapshot | None:
        """Return a table of a player, None if they have left it, or it cannot be read now."""
        if reader.trouble(seat.game_id):
            return None
        case = case_of(reader, seat.game_id)
        own = case.game.seats[seat.seat]
        if not case.game.is_in(seat.seat):
            return None
        return Snapshot(
            game_id=seat.game_id,
            table_name=row.table_name,
            kept_names=case.names,
            table=view(case.game, seat.seat),
            reply_address=self._address(seat, "move", own.turn),
            zone=zone_for(reader.choice(seat.player_id), self.zone),
        )

    def _in_thread(
        self,
        reader: Reader,
        part: Part,
        mail: Mail,
        now: str,
        *,
        reply_to: str,
        in_reply_to: str = "",
        is_answer: bool = False,
        attachments: Sequence[Attachment] = (),
        about: Sequence[Notice] = (),
    ) -> Letter:
        """Write a letter in the thread of a seat; `about` are its notices, if not those of `part`."""
        to = part.to
        # Who took a seat over has not got the letters of the thread before.
        before = sum(row.seat == to.seat for row in reader.former(to.game_id))
        thread_id = self.named("thread", to.game_id, to.seat, *([before] if before else []))
        return self._letter(
            mail,
            to,
            about or part.notices,
            now,
            # The first letter is the root of its thread, so that the others refer to a mail that there is.
            message_id="" if reader.has_letter(thread_id) else thread_id,
            thread_id=thread_id,
            reply_to=reply_to,
            in_reply_to=in_reply_to,
            is_answer=is_answer,
            # Nobody answers an answer, a bounce neither (RFC 3834, section 4).
            sender="" if is_answer else self._address(to, "bounce", 0),
            unsubscribe=mailto(self._for_moves(part), STOP, STOP),
            attachments=attachments,
        )

    def _letter(
        self,
        mail: Mail,
        to: SeatRow,
        notices: Sequence[Notice],
        now: str,
        *,
        is_answer: bool = False,
        message_id: str = "",
        sender: str = "",
        **headers: Any,
    ) -> Letter:
        """Freeze a mail to the name and address of `to`; `headers` are those that `build` takes."""
        assert to.address is not None, "a seat without an address gets no letter"
        numbers = [notice.notice_id for notice in notices]
        message_id = message_id or self.named("letter", to.game_id, to.seat, numbers)
        raw = build(
            rendered(mail),
            sender_mailbox=self.mailbox,
            to_name=to.name,
            to_address=to.address,
            message_id=message_id,
            at=time_of(now),
            kind="auto-replied" if is_answer else "auto-generated",
            **headers,
        )
        return Letter(to.game_id, to.seat, to.address, message_id, raw, now, now, sender=sender)

    def _for_moves(self, part: Part) -> str:
        """The address to which the seat sends its orders now."""
        return self._address(part.to, "move", part.case.game.seats[part.to.seat].turn)

    def _address(self, seat: SeatRow, purpose: Purpose, turn: int) -> str:
        token = encode_token(Token(seat.game_id, seat.seat, purpose, turn), seat.secret)
        return address_of(self.mailbox, token)


def _whose(address: str, whose: Whose | None, to: SeatRow) -> Whose:
    """Return what is known of the address that a question is about."""
    return whose or ("own" if address in to.addresses else "other")


def _label(part: Part) -> Harmless:
    return table_label(part.case.row.table_name, part.to.game_id)


def _attached(case: Case, data: bytes) -> Attachment:
    return Attachment(f"felix-{case.row.game_id}.jsonl", _NDJSON, data)


def _is_open(reader: Reader, seat: SeatRow, number: int, game: Game) -> bool:
    """Return True if YES to this question would still do something: it is open, and the game has not gone on.

    It would have been done as the question was put.
    """
    questions = reader.questions(seat.game_id, seat.seat) if number else []
    question = next((one for one in questions if (one.number, one.state) == (number, "open")), None)
    order = read_line(question.text) if question is not None else None
    if question is None or not isinstance(order, Order):
        return False
    state = game.seats[seat.seat]
    move = order.move(seat.seat)
    if move is not None:
        return question.turn == state.turn and view(game, seat.seat).welcome(move)
    if question.turn != state.turn and order.word != "FORGET":
        # What else that letter offers would go to an address for the turn that is over.
        return False
    return not game.is_over or ORDERS[order.word].when in ("over", "always")
