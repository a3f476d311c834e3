"""Letters, written: each kind with its addresses, its place in a thread and its bytes."""

from __future__ import annotations

import hmac
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final

from felix_async.address import Purpose, Token, address_of, encode_token
from felix_async.clock import time_of
from felix_async.follow_up import kinds
from felix_async.follow_up.answer import Answer
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
from felix_async.game.moment import NOT_SAID, Row, coming, row_of
from felix_async.game.state import Game
from felix_async.language.words import WORD_OF
from felix_async.orders.replaying import file_name
from felix_async.text import Harmless
from felix_async.time.zones import DEFAULT_ZONE, zone_for
from felix_events.envelope import canonical
from felix_events.store.base import Reader
from felix_events.store.rows import Delivered, Letter, SeatRow
from felix_notifiers.content.harmless import seat_names, sender_name, table_label
from felix_notifiers.content.mail import Mail
from felix_notifiers.content.moves import mailto
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.threads import thread_of
from felix_notifiers.mails import courtesy, operator, replayed, seat
from felix_notifiers.mails.answer import Address, aside_of, blocks_of, other_tables, still_asking
from felix_notifiers.mails.case import (
    Case,
    case_of,
    delivered_by,
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
from felix_notifiers.mails.welcome import welcome

STOP: Final = WORD_OF["STOP"]
_NDJSON: Final = ("application", "x-ndjson")
_BYTES: Final = ("application", "octet-stream")
_HTML: Final = ("text", "html")


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
class Letters:
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

    def case(self, reader: Reader, game_id: str) -> Case:
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
        answers = [still_asking(reader, to, answer, case.game) for answer in answers]
        answer = Answer.folded(answers) if answers else None
        asks = 0 if answer is None else answer.asks
        reply_to = self._address(to, "question", asks) if asks else self._for_moves(part)
        game = snapshot_of(reader, case, to, reply_to, zone=self.zone, now=now)
        blocks = [] if answer is None else blocks_of(reader, case, to, game, answer.show, *self._asking)
        aside = aside_of(reader, game, to, answer, self._for_moves(part))
        files: list[Attachment] = []
        if replayed.is_asked_for(answer, case):
            file = replayed.file_of(reader, case)
            blocks.append(replayed.block_of(case.row.game_id, file))
            files += [] if file is None else [Attachment(file_name(case.row.game_id), _HTML, file)]
        files += [] if answer is None else _own_mails(reader, to, answer)
        occasion = occasion_of(reader, case, to, notices, game, answer, blocks, aside)
        if is_empty(occasion):
            return None
        letter = self._in_thread(
            reader,
            part,
            mail_of(occasion),
            now,
            reply_to=reply_to,
            in_reply_to="" if answer is None else answer.in_reply_to,
            is_answer=answer is not None,
            attachments=[*_attached([occasion]), *files],
            shown_as=sender_name(case.row.table_name) if case.game.round else sender_name(),
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
        player_id, told = parts[0].to.player_id, {part.to.game_id for part in parts}
        others = other_tables(reader, player_id, told, *self._asking) if number == 1 else []
        mail = digest_of([occasion for _, occasion in made], now, others, number, count)
        first = made[0][0]
        letter = self._letter(
            mail,
            first.to,
            [notice for part, _ in made for notice in part.notices],
            now,
            reply_to=self._for_moves(first),
            attachments=_attached([occasion for _, occasion in made]),
            sender=self._address(first.to, "bounce", 0),
            unsubscribe=mailto(self._for_moves(first), STOP, STOP),
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

    def to_stranger(self, address: str, why: str, mail_id: int, in_reply_to: str, now: str) -> Letter:
        """Write to somebody who plays nowhere, about no game; no bounce of this letter comes back."""
        mail = welcome(why, self.mailbox)
        to = SeatRow("", 0, "", "", address, b"")
        message_id = self.named("stranger", mail_id)
        return self._letter(mail, to, (), now, is_answer=True, message_id=message_id, in_reply_to=in_reply_to)

    def _question(self, reader: Reader, part: Part, asked: Question, now: str) -> Letter:
        """Ask whether a mail was the reader's; if it is about no game, in the thread of that mail."""
        to = part.to
        reply_to = self._address(to, "question", asked.question_number)
        mail = was_that_you(
            asked,
            whose=_whose(asked.address, asked.whose, to),
            label=_label(part),
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
                mail = courtesy.unreadable(label=about, wrote=notice.wrote)
            case Moved():
                mail = courtesy.moved(label=label, address=notice.address, reply_address=reply_to)
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
                mail = seat.lost(label=label, who=seat_names(case.names)[to.seat])
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

    def _in_thread(
        self,
        reader: Reader,
        part: Part,
        mail: Mail,
        now: str,
        *,
        is_answer: bool = False,
        **headers: Any,
    ) -> Letter:
        """Write a letter in the thread of a seat and of the round that is played."""
        thread_id, is_begun = self._thread(reader, part)
        # The first letter is the root of its thread, so that the others refer to a mail that there is. An
        # answer is in the thread of the mail that it answers, and none begins with it.
        begins = not is_begun and not is_answer
        return self._letter(
            mail,
            part.to,
            part.notices,
            now,
            message_id=thread_id if begins else self._unused(reader, part.to, part.notices),
            thread_id=thread_id if is_begun else "",
            is_answer=is_answer,
            # Nobody answers an answer, a bounce neither (RFC 3834, section 4).
            sender="" if is_answer else self._address(part.to, "bounce", 0),
            unsubscribe=mailto(self._for_moves(part), STOP, STOP),
            **headers,
        )

    def _thread(self, reader: Reader, part: Part) -> tuple[str, bool]:
        """Return the Message-ID of the letter that begins the thread, and True if there is that letter."""
        to = part.to
        # A player who took a seat over has not got the letters of the thread before.
        before = sum(row.seat == to.seat for row in reader.former(to.game_id))
        thread = thread_of(part.case.game)
        # No mail program has got a letter that was dropped, or that came back: another one begins.
        names = (self.named("thread", to.game_id, to.seat, thread, before, dropped) for dropped in count())
        found = ((name, reader.letter_lives(name)) for name in names)
        return next((name, lives is True) for name, lives in found if lives is not False)

    def _unused(self, reader: Reader, to: SeatRow, notices: Sequence[Notice]) -> str:
        """Return the Message-ID of a letter about these, which no letter has yet.

        Mails are told apart by their own Message-IDs, and two may have the same one.
        """
        what = ("letter", to.game_id, to.seat, *map(_name_of, notices))
        names = (self.named(*what, *([again] if again else [])) for again in count())
        return next(name for name in names if reader.letter_lives(name) is None)

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
        message_id = message_id or self.named("letter", to.game_id, to.seat, *map(_name_of, notices))
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
        return self._now(part.to, part.case.game)

    def _now(self, seat: SeatRow, game: Game) -> str:
        return self._address(seat, "move", coming(game, seat.seat), row_of(game))

    @property
    def _asking(self) -> tuple[Address, str]:
        """The addresses and the time zone of tables that a player asks for."""
        return self._now, self.zone

    def _address(self, seat: SeatRow, purpose: Purpose, turn: int, row: Row = NOT_SAID) -> str:
        token = encode_token(Token(seat.game_id, seat.seat, purpose, turn, row), seat.secret)
        return address_of(self.mailbox, token)


def _name_of(notice: Notice) -> tuple[str, int, int, str, str]:
    """Return what tells a notice from all others, and does not depend on those of other seats.

    Their numbers do: somebody who writes a mail more would change those of later notices.
    """
    about = notice.about
    if isinstance(notice, kinds.Answer) and notice.answer.in_reply_to:
        about = f"{notice.reason} {notice.answer.in_reply_to}"
    return notice.game_id, notice.version, notice.seat, notice.kind, about


def _whose(address: str, whose: Whose | None, to: SeatRow) -> Whose:
    """Return what is known of the address that a question is about."""
    return whose or ("own" if address in to.addresses else "other")


def _label(part: Part) -> Harmless:
    return table_label(part.case.row.table_name, part.to.game_id)


def _own_mails(reader: Reader, to: SeatRow, answer: Answer) -> list[Attachment]:
    """The messages of the reader that an answer brings, byte for byte as they came in."""
    mails = [reader.mail(mail_id) for mail_id in answer.mails]
    return [
        Attachment(f"your-message-{number}.eml", _BYTES, mail.raw)
        for number, mail in enumerate(mails, 1)
        if mail is not None and mail.raw and mail.player_id == to.player_id
    ]


def _attached(occasions: Sequence[Occasion]) -> list[Attachment]:
    """Return the exports of the games that are over."""
    return [
        Attachment(f"felix-{one.game.game_id}.jsonl", _NDJSON, one.ending.export)
        for one in occasions
        if one.ending is not None and one.ending.export is not None
    ]
