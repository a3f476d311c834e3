"""Letters, written: each kind with its addresses, its place in a thread and its bytes."""

from __future__ import annotations

import hmac
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from felix_async.address import Purpose, Token, address_of, encode_token
from felix_async.clock import time_of
from felix_async.follow_up.answer import Answer, Section
from felix_async.game.state import Game
from felix_async.game.views import view
from felix_async.language.grammar import Order, read_line
from felix_async.language.phrases import phrase
from felix_async.language.words import AT_A_TABLE, WORD_OF
from felix_async.time.zones import DEFAULT_ZONE, zone_for
from felix_events.envelope import canonical
from felix_events.store.base import Reader
from felix_events.store.rows import GameRow, Letter, Notice, SeatRow, Tidings
from felix_notifiers.content import asked
from felix_notifiers.content.harmless import seat_names, table_label
from felix_notifiers.content.moves import mailto
from felix_notifiers.content.sheet import Block, Composed
from felix_notifiers.content.subjects import reply_subject, subject_of
from felix_notifiers.mails import courtesy, host, substitutes
from felix_notifiers.mails.case import Case, case_of, export_for, is_empty, sheet_of, tidings_of
from felix_notifiers.mails.digest import digest_of, turn_first
from felix_notifiers.mails.mime import Attachment, Kind, build
from felix_notifiers.mails.staleness import ADDRESSED, is_apart
from felix_notifiers.pages.compose import compose, rendered

STOP: Final = WORD_OF["STOP"]
_MOST_RUNNING: Final = 200
"""Tables of one player of which it is found out whose turn it is."""
_NDJSON: Final = ("application", "x-ndjson")


@dataclass(frozen=True, slots=True)
class Part:
    """What is to be told to one seat about one game."""

    case: Case
    to: SeatRow
    notices: Sequence[Notice]


@dataclass(frozen=True, slots=True)
class Written:
    """A letter, and what it tells of each of its games."""

    letter: Letter
    tidings: Sequence[Tidings] = ()


@dataclass(frozen=True, slots=True)
class Pen:
    """Writes felix's letters. Without the server's `secret` nobody can make their Message-IDs."""

    mailbox: str
    secret: bytes = field(repr=False)
    operator: str = ""
    zone: str = DEFAULT_ZONE
    """Where the clock hangs for players of whom no zone is known."""

    def named(self, *what: object) -> str:
        """A Message-ID that is always the same for this, and tells nobody what it is for."""
        name = b32encode(self.digest(*what)[:20]).decode("ascii").lower()
        return f"<{name}@{self.mailbox.rpartition('@')[2]}>"

    def digest(self, *what: object) -> bytes:
        """Bytes that nobody without the server's secret can know."""
        return hmac.digest(self.secret, canonical(what), "sha256")

    def to_player(self, reader: Reader, part: Part, now: str) -> Written | None:
        """A letter about one game; None where there is nothing to tell after all."""
        case, to, notices = part.case, part.to, part.notices
        if notices[0].kind == "claim":
            return Written(self._to_claimed(reader, part, now))
        if notices[0].kind in ADDRESSED:
            return Written(self._courtesy(part, now))
        if is_apart(notices[0]):
            return Written(self._about_no_game(reader, part, now))
        answers = [Answer.from_json(notice.payload) for notice in notices if notice.kind == "answer"]
        answer = Answer.folded(answers) if answers else None
        question_asked = orjson.loads(notices[0].payload) if notices[0].kind == "question" else {}
        if answer is not None and not _is_open(reader, to, answer.asks, case.game):
            answer = answer.unasked()
        question: int = answer.asks if answer is not None else 0
        if question_asked:
            question = question_asked["number"]
        for_moves = self._for_moves(part)
        reply_to = self._address(to, "question", question) if question else for_moves
        blocks = [] if answer is None else self._asked(reader, part, answer.show)
        aside = self._aside(reader, part, answer, now)
        sheet = sheet_of(reader, case, to, notices, reply_to, answer, blocks, aside, self.zone, now)
        if is_empty(sheet):
            return None
        data = export_for(reader, case, sheet)
        letter = self._letter(
            reader,
            part,
            compose(sheet),
            now,
            reply_to=reply_to,
            in_reply_to="" if answer is None else answer.in_reply_to,
            kind="auto-generated" if answer is None else "auto-replied",
            attachments=[] if data is None else [_attached(case, data)],
        )
        return Written(letter, [tidings_of(reader, case, to, sheet)])

    def to_player_of_many(
        self, reader: Reader, parts: Sequence[Part], now: str, number: int = 1, count: int = 1
    ) -> Written | None:
        """One letter about several games, of `count` on that day. The answer to it is about one in which
        it is the reader's turn; the first says in a line how it stands at each other table.
        """
        made = [
            (
                part,
                sheet_of(
                    reader, part.case, part.to, part.notices, self._for_moves(part), zone=self.zone, now=now
                ),
            )
            for part in parts
        ]
        made = [(part, sheet) for part, sheet in made if not is_empty(sheet)]
        if not made:
            return None
        made = [made[place] for place in turn_first([sheet for _, sheet in made])]
        others = self._others(reader, parts) if number == 1 else []
        page = digest_of([sheet for _, sheet in made], now, others, number, count)
        exports = [(part.case, export_for(reader, part.case, sheet)) for part, sheet in made]
        letter = self._letter(
            reader,
            made[0][0],
            rendered(page),
            now,
            reply_to=self._for_moves(made[0][0]),
            attachments=[_attached(case, data) for case, data in exports if data is not None],
            about=[notice.notice_id for part, _ in made for notice in part.notices],
        )
        return Written(letter, [tidings_of(reader, part.case, part.to, sheet) for part, sheet in made])

    def to_host(self, part: Part, now: str) -> Letter:
        """To the operator: a player no longer gets mail."""
        case, about = part.case, part.to
        (notice,) = part.notices
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

    def _to_claimed(self, reader: Reader, part: Part, now: str) -> Letter:
        """To an address that a player has named: whoever reads it learns no address that could move."""
        to = part.to
        (notice,) = part.notices
        payload = orjson.loads(notice.payload)
        # Nothing is asked of the player whose address it is already.
        reply_to = self._address(to, "question", payload["number"]) if "number" in payload else ""
        message_id = self.named("letter", to.game_id, to.seat, [notice.notice_id])
        raw = build(
            compose(sheet_of(reader, part.case, to, part.notices, reply_to)),
            sender_mailbox=self.mailbox,
            to_name="",
            to_address=payload["address"],
            reply_to=reply_to,
            message_id=message_id,
            at=time_of(now),
            kind="auto-generated",
        )
        sender = self._address(to, "bounce", 0)
        return Letter(to.game_id, to.seat, payload["address"], message_id, raw, now, now, sender=sender)

    def _about_no_game(self, reader: Reader, part: Part, now: str) -> Letter:
        """The question about a mail that is about no game; it stands in the thread of that mail."""
        to = part.to
        assert to.address is not None, "a seat without an address gets no letter"
        payload = orjson.loads(part.notices[0].payload)
        reply_to = self._address(to, "question", payload["number"])
        message_id = self.named("letter", to.game_id, to.seat, [part.notices[0].notice_id])
        raw = build(
            compose(sheet_of(reader, part.case, to, part.notices, reply_to)),
            sender_mailbox=self.mailbox,
            to_name=to.name,
            to_address=to.address,
            reply_to=reply_to,
            message_id=message_id,
            in_reply_to=payload["in_reply_to"],
            at=time_of(now),
            kind="auto-replied",
        )
        return Letter(to.game_id, to.seat, to.address, message_id, raw, created_at=now, next_at=now)

    def _courtesy(self, part: Part, now: str) -> Letter:
        """To the address that the notice names, about the player's mail itself."""
        case, to = part.case, part.to
        (notice,) = part.notices
        payload = orjson.loads(notice.payload)
        assert to.address is not None, "the notice names an address"
        reply_to, in_reply_to, to_name = "", "", ""
        if notice.kind == "farewell":
            composed, in_reply_to = courtesy.farewell(), payload["in_reply_to"]
        elif notice.kind in ("substitute", "seat_closed", "seat_lost"):
            if notice.kind == "substitute":
                reply_to = self._address(to, "question", payload["number"])
            composed, to_name = self._about_seat(part, payload, reply_to), payload.get("name", "")
        elif notice.kind == "unreadable":
            to_name = to.name
            label = table_label(payload["table"], payload["game"])
            composed = courtesy.unreadable(label=label, name=to.name, wrote=payload["wrote"])
        else:
            to_name, number = to.name, payload.get("number", 0)
            reply_to = self._address(to, "question", number) if number else ""
            composed = courtesy.moved(
                game_id=to.game_id,
                table_name=case.row.table_name,
                name=to.name,
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

    def _about_seat(self, part: Part, payload: dict[str, Any], reply_to: str) -> Composed:
        """To somebody who does not sit there: not yet, or not any more."""
        case, to = part.case, part.to
        label = table_label(case.row.table_name, to.game_id)
        match part.notices[0].kind:
            case "substitute":
                return substitutes.offer(
                    game=case.game,
                    names=case.names,
                    label=label,
                    seat=to.seat,
                    payload=payload,
                    reply_address=reply_to,
                    zone=self.zone,
                )
            case "seat_lost":
                who = seat_names(case.names)[to.seat]
                return substitutes.lost(label=label, who=who, payload=payload)
            case _:
                return substitutes.closed(label=label, payload=payload)

    def _asked(self, reader: Reader, part: Part, show: Sequence[Section]) -> list[Block]:
        """What the reader asked for beside the table."""
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
        """The question where the reader is, unless they have said so meanwhile."""
        choice = reader.choice(part.to.player_id)
        if answer is None or "zone" not in answer.show or choice.zone or not choice.offset:
            return None
        label = table_label(part.case.row.table_name, part.to.game_id)
        subject = reply_subject(subject_of(label, phrase("mails.subjects.table")))
        return asked.zone(choice.offset, now, self._for_moves(part), subject)

    def _others(self, reader: Reader, parts: Sequence[Part]) -> list[str]:
        """How it stands where the player waits for others and a digest tells nothing: a line for a table."""
        told = {part.to.game_id for part in parts}
        tables, _ = self._tables_of(reader, parts[0].to.player_id)
        return [
            asked.standing_line(one)
            for one in tables
            if one.game_id not in told and one.seat not in one.table.asked and not one.table.is_over
        ]

    def _tables_of(self, reader: Reader, player_id: str) -> tuple[list[asked.Seated], int]:
        """The tables at which a player sits, as many as are shown, and how many there may be besides.

        Those where it is the player's turn come first, by when the time is up, and those that are over last;
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

    def _seated(self, reader: Reader, seat: SeatRow, row: GameRow) -> asked.Seated | None:
        """A table of a player, None where they have no more to do with it, or it cannot be read now."""
        if reader.trouble(seat.game_id):
            return None
        case = case_of(reader, seat.game_id)
        own = case.game.seats[seat.seat]
        if not case.game.is_in(seat.seat):
            return None
        address = self._address(seat, "move", own.turn)
        zone = zone_for(reader.choice(seat.player_id), self.zone)
        table = view(case.game, seat.seat)
        return asked.Seated(seat.game_id, row.table_name, case.names, table, seat.seat, address, zone)

    def _letter(
        self,
        reader: Reader,
        part: Part,
        composed: Composed,
        now: str,
        *,
        reply_to: str,
        in_reply_to: str = "",
        kind: Kind = "auto-generated",
        attachments: Sequence[Attachment] = (),
        about: Sequence[int] = (),
    ) -> Letter:
        """A letter in the thread of a seat; `about` are its notices, where not those of `part`."""
        to = part.to
        assert to.address is not None, "a seat without an address gets no letter"
        # Who took a seat over has not got the letters of the thread before.
        before = sum(row.seat == to.seat for row in reader.former(to.game_id))
        thread_id = self.named("thread", to.game_id, to.seat, *([before] if before else []))
        # The first letter is the root of its thread, so that the others refer to a mail that there is.
        is_first = not reader.has_letter(thread_id)
        notices = list(about) or [notice.notice_id for notice in part.notices]
        message_id = thread_id if is_first else self.named("letter", to.game_id, to.seat, notices)
        raw = build(
            composed,
            sender_mailbox=self.mailbox,
            to_name=to.name,
            to_address=to.address,
            reply_to=reply_to,
            message_id=message_id,
            thread_id=thread_id,
            in_reply_to=in_reply_to,
            at=time_of(now),
            kind=kind,
            unsubscribe=mailto(self._for_moves(part), STOP, STOP),
            attachments=attachments,
        )
        # Nobody answers an answer, a bounce neither (RFC 3834, section 4).
        sender = self._address(to, "bounce", 0) if kind == "auto-generated" else ""
        return Letter(
            to.game_id, to.seat, to.address, message_id, raw, created_at=now, next_at=now, sender=sender
        )

    def _for_moves(self, part: Part) -> str:
        """The address to which the seat sends its orders now."""
        return self._address(part.to, "move", part.case.game.seats[part.to.seat].turn)

    def _address(self, seat: SeatRow, purpose: Purpose, turn: int) -> str:
        token = encode_token(Token(seat.game_id, seat.seat, purpose, turn), seat.secret)
        return address_of(self.mailbox, token)


def _attached(case: Case, data: bytes) -> Attachment:
    return Attachment(f"felix-{case.row.game_id}.jsonl", _NDJSON, data)


def _is_open(reader: Reader, seat: SeatRow, number: int, game: Game) -> bool:
    """Whether YES to this question would still do something: it is open, and the game has not gone on.

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
    return not (game.is_over and order.word in AT_A_TABLE)
