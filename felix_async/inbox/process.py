"""From an inbox row to the game: all that a mail does in one transaction, each line in a part of its own.

A mail is read before (`readings`), and dealt with once, in the order of receipt. What it did, the answer that
is owed for it, and that it is done are committed together; a crash in between leaves the row as it was, and
it is picked up again. Under load a few mails share a transaction; each is whole in it, or not there.
A mail that fails three times goes to quarantine, so that no mail can stop the server.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import thread_time
from typing import Any, Final

from felix_async.address import Token, token_in
from felix_async.clock import later, text_of
from felix_async.deliverability import alive
from felix_async.follow_up import kinds
from felix_async.follow_up.answer import Answer, AnsweredLine
from felix_async.follow_up.kinds import enqueue
from felix_async.inbox.bounces import handle_bounce
from felix_async.inbox.doubts import check_writer, doubted
from felix_async.inbox.lines import answer_to, answers_to, context_of, do_lines, orders_for_a_table
from felix_async.inbox.no_token import invitation_of, wish_of
from felix_async.inbox.patience import Patience, answers_since
from felix_async.inbox.waiting import Readings, Stuck, Unread, put_aside
from felix_async.language.phrases import phrase
from felix_async.language.words import (
    KEY_CHANGED,
    MISUNDERSTOOD,
    NO_MORE_ANSWERS,
    OWN_YES,
    WHICH_GAME,
    WORD_OF,
)
from felix_async.orders.context import CHANGED, DAY, Reply
from felix_async.orders.leaving import erase
from felix_async.orders.offers import answer_offer, offer_named
from felix_async.orders.preferences import ask_zone_once, note_offset
from felix_async.orders.questions import UNKEYED, ask_about_sender, is_asked_about
from felix_async.reading.budget import TooCostly, limited
from felix_async.reading.reader import Reading
from felix_async.reading.sender import (
    ByAMachine,
    InDoubt,
    Writer,
    attribute,
    check_person,
    has_left,
    key_of,
    seat_in,
    seat_of,
)
from felix_async.service import Service
from felix_async.settings import Bounces
from felix_async.time.times import moment
from felix_async.time.zones import zone_for
from felix_async.trouble import check_readable, readable
from felix_events.store.base import Damaged, StoreError, Tx
from felix_events.store.rows import Mail, MailState, SeatRow

log = logging.getLogger(__name__)

MAX_TRIES: Final = 3
MAX_REFUSALS: Final = 3
"""Answers within a day to mails for a table of which nobody knows who wrote them, and which were not done."""
TOO_COSTLY: Final = "it takes too long to read; `felix mail quarantine retry` takes ten times as long"
"""The note of a mail that is over its budget."""
_LONGEST: Final = 0.1
"""Seconds of processor time in one transaction after which no further mail is begun in it."""
"""How the `about` of an answer begins that was owed for a mail without a token."""


@dataclass(frozen=True, slots=True)
class Processor:
    """Deals with received mail, one or a few at a time, in transactions that the caller opens.

    With an `authserv_id`, the mail server of that name must vouch for a mail's sender; `limits` say how
    many bounces stop the mail to an address.
    """

    service: Service
    mailbox: str
    authserv_id: str = ""
    limits: Bounces = field(default_factory=Bounces)

    def process_next(self, tx: Tx, readings: Readings) -> bool:
        """Deal with the oldest new mail; False where there is none, or it is not among these readings.

        Trouble with the disk or the memory is raised: the mail is not to blame, and waits. Stuck where what
        it needs cannot be read.
        """
        mail = tx.next_mail()
        # Another process may have put an older one before those that were read.
        read = None if mail is None else readings.read.get(mail.mail_id)
        if mail is None or read is None:
            return False
        try:
            try:
                with tx.savepoint(), limited(read.left):
                    self._process(tx, mail, read, readings)
            except TooCostly:
                with tx.savepoint():
                    self._process(tx, mail, read.given_up(), readings)
        except Unread as older:
            readings.missing.add(older.mail_id)
            return False
        except Damaged as trouble:
            raise Stuck(mail.mail_id, trouble) from trouble
        except (StoreError, sqlite3.Error, OSError, MemoryError):
            raise
        except Exception as error:
            # Whatever it was, the mail is kept, the others go on, and the operator is told.
            log.exception("mail %d could not be dealt with", mail.mail_id)
            self._count_failure(tx, mail, f"failed: {type(error).__name__}")
        return True

    def process_some(self, tx: Tx, readings: Readings) -> int:
        """Deal with the mails that were read in one transaction, none behind a costly one; how many."""
        until = thread_time() + _LONGEST
        for count in range(len(readings.read)):
            if (count and thread_time() > until) or not self.process_next(tx, readings):
                return count
        return len(readings.read)

    def recover(self, tx: Tx) -> None:
        """After a crash: the mail that was next may be what stopped the server."""
        mail = tx.next_mail()
        if mail is not None:
            self._count_failure(tx, mail, "the server crashed when it was next")

    def _count_failure(self, tx: Tx, mail: Mail, note: str) -> None:
        tx.try_mail(mail.mail_id, note)
        if mail.tries + 1 >= MAX_TRIES:
            _settle(tx, mail, "quarantined", note=f"{note}, {MAX_TRIES} times")

    def _process(self, tx: Tx, mail: Mail, letter: Reading, readings: Readings) -> None:
        if letter.trouble is not None:
            raise letter.trouble
        addressed = seat_of(tx, mail.recipient, self.mailbox)
        if addressed is not None and addressed.token.purpose == "bounce":
            tx.attribute_mail(mail.mail_id, addressed.seat.player_id)
            assert letter.report is not None, "the address says that it is for bounces"
            now = text_of(self.service.clock())
            note = handle_bounce(tx, letter.report, addressed.seat, now, self.limits)
            _settle(tx, mail, "ignored", note=note)
            return
        if letter.from_nobody:
            if addressed is not None:
                tx.attribute_mail(mail.mail_id, addressed.seat.player_id)
            note = "the envelope has no sender: a bounce, or an automatic answer"
            _settle(tx, mail, "ignored", note=note)
            return
        writer = addressed or seat_in(tx, self.mailbox, letter)
        attribute(tx, mail, letter, writer)
        try:
            check_person(letter)
        except ByAMachine as reason:
            _settle(tx, mail, "ignored", note=str(reason))
            return
        # A token that is void by now still tells that it is the same mail again.
        key = key_of(
            writer.token_text if writer is not None else token_in(mail.recipient, self.mailbox) or "", letter
        )
        if self._is_repeated(tx, mail, letter, key, readings):
            return
        if letter.is_too_costly and (writer is None or offer_named(tx, writer) is not None):
            _settle(tx, mail, "quarantined", key=key, note=TOO_COSTLY)
            return
        if writer is None:
            self._without_token(tx, mail, letter, key)
            return
        check_readable(tx, writer.seat.game_id)
        if offer_named(tx, writer) is not None:
            self._answer_offer(tx, mail, letter, writer, key)
            return
        try:
            check_writer(tx, writer, letter)
        except InDoubt as reason:
            if not tx.is_confirmed(mail.mail_id):
                self._in_doubt(tx, mail, letter, writer, key, str(reason))
                return
        alive(tx, letter.sender)
        if letter.is_too_costly:
            self._ask_for_less(tx, mail, letter, writer, key)
            return
        self._deal_with(tx, mail, letter, writer, key)

    def _ask_for_less(self, tx: Tx, mail: Mail, letter: Reading, writer: Writer, key: str) -> None:
        """Quarantine a mail that takes too long to read, and tell its writer to write a shorter one."""
        line = AnsweredLine(text="", verdict="not understood", why=MISUNDERSTOOD["mail/too_costly"])
        answer = answer_to(letter, Reply((line,)))
        if not Patience(tx, writer.seat, text_of(self.service.clock())).is_over(answer):
            self._enqueue(tx, writer.seat, answer, mail, "too costly")
        _settle(tx, mail, "quarantined", key=key, note=TOO_COSTLY)

    def _is_repeated(self, tx: Tx, mail: Mail, letter: Reading, key: str, readings: Readings) -> bool:
        """Whether this mail was dealt with before; if so it is settled now."""
        earlier = tx.mail_with(key)
        if earlier is None:
            return False
        # An earlier mail that was erased is empty, and cannot be compared.
        is_same = not earlier.raw or earlier.sha256 == mail.sha256
        if is_same or readings.content_of(earlier) == letter.content_sha256:
            _settle(tx, mail, "duplicate", note=f"the same as mail {earlier.mail_id}")
        else:
            note = f"has the Message-ID of mail {earlier.mail_id} and says something else"
            _settle(tx, mail, "quarantined", note=note)
        return True

    def _deal_with(
        self,
        tx: Tx,
        mail: Mail,
        letter: Reading,
        writer: Writer,
        key: str,
        said: Sequence[AnsweredLine] = (),
    ) -> None:
        """Do what the mail asks for; `said` are lines that stand above its own in the answer."""
        # Whoever answers for an address that the player has named may be somebody else, and elsewhere.
        if letter.sender in writer.seat.addresses:
            note_offset(tx, writer.seat.player_id, letter.headers.get("date", ""))
        patience = Patience(tx, writer.seat, text_of(self.service.clock()))
        ctx = context_of(tx, self.service, mail, letter, writer, self.mailbox)
        reply = do_lines(ctx, letter, key, may_ask=lambda: not patience.is_over())
        answer = answer_to(letter, reply)
        if "forgets" in reply.effects:
            erase(ctx)
            _settle(tx, mail, "done", key=key, note="its writer was forgotten")
            return
        if "told_elsewhere" in reply.effects and len(reply.lines) == 1:
            _settle(tx, mail, "done", key=key, note="the answer to the mail that was asked about tells of it")
            return
        if not answer.changed:
            if patience.is_over(answer):
                _settle(tx, mail, "ignored", key=key, note="too many mails that change nothing")
                return
            until = patience.silent_until(answer)
            if until is not None:
                answer = self._last_for_now(tx, answer, writer.seat.player_id, until)
        answers = [(writer.seat, answer)] if not reply.opened else answers_to(letter, reply, writer.seat)
        if ask_zone_once(tx, writer.seat.player_id, reply):
            (seat, first), *others = answers
            answers = [(seat, first.model_copy(update={"show": [*first.show, "zone"]})), *others]
        (seat, first), *others = answers
        answers = [(seat, first.model_copy(update={"lines": [*said, *first.lines]})), *others]
        for seat, told in answers:
            self._enqueue(tx, seat, told, mail)
        # Where a mail server vouches for senders, nobody else can use what they read there.
        if "shows_key" in reply.effects and not self.authserv_id:
            self._change_key(tx, mail, letter, writer.seat)
        _settle(tx, mail, "done", key=key)

    def _answer_offer(self, tx: Tx, mail: Mail, letter: Reading, writer: Writer, key: str) -> None:
        """Deal with a mail to the address of an offered seat; the player of that seat has no part in it."""
        offer = offer_named(tx, writer)
        assert offer is not None, "the caller has looked"
        try:
            dealt = answer_offer(tx, self.service, mail, letter, writer, offer, key)
        except InDoubt as reason:
            _settle(tx, mail, "quarantined", key=key, note=str(reason))
            return
        alive(tx, letter.sender)
        _settle(tx, mail, "done" if dealt.good else "ignored", key=key, note=dealt.note)

    def _change_key(self, tx: Tx, mail: Mail, letter: Reading, seat: SeatRow) -> None:
        """Make the address void that guests could read, and write to the player from a new one."""
        tx.rotate_secret(seat.game_id, seat.seat, self.service.entropy(32))
        line = AnsweredLine(text="", verdict="done", why=KEY_CHANGED)
        answer = answer_to(letter, Reply((line,), show=("resend",)) + CHANGED)
        self._enqueue(tx, seat, answer, mail, "a new key")

    def _in_doubt(self, tx: Tx, mail: Mail, letter: Reading, writer: Writer, key: str, reason: str) -> None:
        """Do nothing, and ask the player, at an address of theirs, whether they wrote this."""
        owner = tx.player_at(letter.sender)
        # To a host's NEW everybody in To and Cc may answer, also to the address that it was sent to.
        if owner not in (None, writer.seat.player_id) and self._help_guest(
            tx, mail, letter, owner or "", key
        ):
            return
        doubt = doubted(tx, self.service, mail, letter, writer, self.mailbox)
        if doubt.told is not None:
            self._enqueue(tx, writer.seat, doubt.told, mail, "in doubt")
        _settle(tx, mail, "quarantined", key=key, note=reason + doubt.note)

    def _without_token(self, tx: Tx, mail: Mail, letter: Reading, key: str) -> None:
        """Open the table that a registered player asks for, else help them once a day.

        To anybody else say nothing. Nobody but the player can know a token; without one the mail server must
        vouch for the sender, or the player is asked.
        """
        player = tx.player_at(letter.sender) if letter.sender else None
        if player is not None and orders_for_a_table(letter):
            seat = _newest_seat(tx, player, running=False)
            if seat is not None:
                check_readable(tx, seat.game_id)
                self._without_key(tx, mail, letter, seat, key)
                return
        seat = None if player is None else _newest_seat(tx, player, running=True)
        if player is None or seat is None:
            _settle(tx, mail, "quarantined", key=key, note="the address holds no valid token")
            return
        check_readable(tx, seat.game_id)
        line = AnsweredLine(text="", verdict="not understood", why=WHICH_GAME)
        answer = answer_to(letter, Reply((line,), show=("help",)))
        if not self._help_guest(tx, mail, letter, player, key):
            self._help(tx, mail, seat, answer, key)

    def _help_guest(self, tx: Tx, mail: Mail, letter: Reading, player: str, key: str) -> bool:
        """Tell who is invited to one table, and wrote elsewhere, how to join; False for anybody else."""
        invited = invitation_of(tx, self.service, player)
        if invited is None:
            return False
        line = AnsweredLine(text="", verdict="ignored", why=phrase("people.keyless.invited"))
        self._help(tx, mail, invited, answer_to(letter, Reply((line,))), key)
        return True

    def _help(self, tx: Tx, mail: Mail, seat: SeatRow, answer: Answer, key: str, most: int = 1) -> None:
        """Answer a mail of which it is not sure whose it is, so many times a day and seat."""
        since = later(text_of(self.service.clock()), -DAY)
        if sum(one.reason == "no token" for one in answers_since(tx, seat, since)) >= most:
            note = "the address holds no valid token, and its sender got help today"
            _settle(tx, mail, "ignored", key=key, note=note)
            return
        self._enqueue(tx, seat, answer, mail, "no token")
        _settle(tx, mail, "done", key=key, note="without a token: its sender was helped")

    def _without_key(self, tx: Tx, mail: Mail, letter: Reading, seat: SeatRow, key: str) -> None:
        """Deal with a mail about no game, for the player of this seat; one that nobody vouches for is asked
        about, unless it could not be done anyway.
        """
        turn = self.service.load(tx, seat.game_id).seats[seat.seat].turn
        writer = Writer(seat, Token(seat.game_id, seat.seat, "move", turn), "")
        vouched = letter.vouching.is_given and not has_left(tx, seat.player_id, letter.sender)
        confirmed = tx.is_confirmed(mail.mail_id)
        if vouched or confirmed:
            alive(tx, letter.sender)
            said = [AnsweredLine(text=WORD_OF["YES"], verdict="done", why=OWN_YES)] if confirmed else []
            self._deal_with(tx, mail, letter, writer, key, said)
            return
        wish = wish_of(context_of(tx, self.service, mail, letter, writer, self.mailbox), letter)
        if isinstance(wish, AnsweredLine):
            answer = answer_to(letter, Reply((wish,)))
            self._help(tx, mail, seat, answer, key, MAX_REFUSALS)
            return
        more = wish.told(letter)
        number = ask_about_sender(
            tx, writer, mail, letter, turn, text_of(self.service.clock()), UNKEYED, more
        )
        if number is None:
            # Anybody can write a mail without a token: a YES does the one that was asked about, and no other.
            stands = is_asked_about(tx, seat, letter.sender)
            why = phrase("people.keyless.asked") if stands else phrase("people.keyless.here")
            line = AnsweredLine(text=WORD_OF["NEW"], verdict="ignored", why=why)
            answer = answer_to(letter, Reply((line,)))
            self._help(tx, mail, seat, answer, key, MAX_REFUSALS)
            return
        tx.hold(mail.mail_id, seat.player_id, letter.sender, UNKEYED)
        tx.note_keyless(mail.mail_id)
        note = f"no token, and nobody vouches for the sender; the player was asked, question {number}"
        _settle(tx, mail, "quarantined", key=key, note=note)

    def _last_for_now(self, tx: Tx, answer: Answer, player_id: str, until: str) -> Answer:
        zone = zone_for(tx.choice(player_id), self.service.hours.zone)
        line = AnsweredLine(text="", verdict="ignored", why=NO_MORE_ANSWERS.format(time=moment(until, zone)))
        return answer.model_copy(update={"lines": [*answer.lines, line]})

    def _enqueue(self, tx: Tx, seat: SeatRow, answer: Answer, mail: Mail, reason: kinds.Reason = "") -> None:
        game = self.service.load(tx, seat.game_id)
        notice = kinds.Answer(
            game_id=seat.game_id,
            version=game.version,
            seat=seat.seat,
            due_at=text_of(self.service.clock()),
            turn=game.seats[seat.seat].turn,
            mail_id=mail.mail_id,
            reason=reason,
            answer=answer,
        )
        enqueue(tx, notice)


def process_all(do: Callable[[Callable[[Tx], Any]], Any], processor: Processor) -> int:
    """Deal with everything that has come in, each mail in a transaction that `do` opens; how many."""
    count = 0
    readings = Readings(processor.mailbox, processor.authserv_id)
    while readings.begin(do, 1):
        try:
            count += do(partial(processor.process_next, readings=readings))
        except Stuck as stuck:
            count += put_aside(do, stuck, processor.mailbox, text_of(processor.service.clock()))
    return count


def _newest_seat(tx: Tx, player_id: str, *, running: bool) -> SeatRow | None:
    """The seat of a player in their newest game: one that is open, if there is any, or must be; in a game
    that cannot be read only if there is no other.
    """
    own = tx.seats_of(player_id)
    return _newest_of(tx, readable(tx, own), running) or _newest_of(tx, own, running)


def _newest_of(tx: Tx, own: Sequence[SeatRow], running: bool) -> SeatRow | None:
    seats = []
    for seat in own:
        game = tx.game(seat.game_id)
        if game is not None and game.kind == "played" and seat.secret:
            if not game.is_over:
                return seat
            seats.append(seat)
    return seats[0] if seats and not running else None


def _settle(tx: Tx, mail: Mail, state: MailState, *, key: str | None = None, note: str = "") -> None:
    """Say what became of a mail, to the operator too."""
    tx.settle_mail(mail.mail_id, state, key=key, note=note)
    level = logging.WARNING if state == "quarantined" else logging.INFO
    log.log(level, "mail %d: %s%s", mail.mail_id, state, f", {note}" if note else "")
