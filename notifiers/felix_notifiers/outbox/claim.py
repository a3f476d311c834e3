"""From what is owed to letters: one for each seat, nothing stale, frozen as bytes.

They are drafted from a view of the store, then frozen and settled in one short transaction.

Who wants one letter a day gets one about all their games.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from felix_async.clock import Clock, text_of
from felix_async.follow_up.kinds import Answer, Reminder, Turn, Unreachable, Unreadable, load, load_all
from felix_async.follow_up.notice import Addressed, Notice
from felix_async.time.zones import DEFAULT_ZONE
from felix_async.trouble import tell
from felix_events.store.base import Damaged, Reader, Tx
from felix_events.store.rows import Letter, NoticeRow, SeatRow
from felix_notifiers.mails.case import Case, case_of, case_without_log
from felix_notifiers.mails.digest import MOST_GAMES
from felix_notifiers.mails.letters import Part, Pen, Written
from felix_notifiers.mails.staleness import is_done_with
from felix_notifiers.outbox.draft import Asked, Draft, Kept, Settlement

log = logging.getLogger(__name__)

Cases = Callable[[Reader, str], Case]
"""Reads a game as its letters need it; LookupError, ValueError or Damaged where it cannot be read."""


class Hand(Protocol):
    """Who writes the letters: a `Pen`, or for games without readers something quicker."""

    def to_player(self, reader: Reader, part: Part, now: str) -> Written | None: ...

    def to_player_of_many(
        self, reader: Reader, parts: Sequence[Part], now: str, number: int = 1, count: int = 1
    ) -> Written | None: ...

    def to_host(self, part: Part, now: str) -> Letter: ...

    def digest(self, *what: object) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Scribe:
    """Has felix's letters written. Without the server's `secret` nobody can make their Message-IDs.

    `operator` is the host's own address, who is told when a player no longer gets mail; '' where nobody is.
    `zone` is the server's time zone; without a `hand` of their own, letters are written with a `Pen`.
    """

    clock: Clock
    mailbox: str
    secret: bytes = field(repr=False)
    operator: str = ""
    zone: str = DEFAULT_ZONE
    hand: Hand | None = None
    cases: Cases = case_of

    @property
    def pen(self) -> Hand:
        """What writes the letters."""
        return self.hand or Pen(self.mailbox, self.secret, self.operator, self.zone)

    def owing(self, reader: Reader) -> list[str]:
        """The games in which somebody is owed something now, the one that has waited longest first."""
        return list(dict.fromkeys(notice.game_id for notice in reader.owed(text_of(self.clock()))))

    def draft(self, reader: Reader, game_id: str) -> Draft | None:
        """Write what a game owes now, one letter for each seat at the most; None if it owes nothing.

        Nothing is kept of it until `keep`; the reader may be a view in which nobody is held up.
        """
        asked, now = Asked(reader), text_of(self.clock())
        owed: dict[int, list[Notice]] = {}
        for notice in _readable(asked.reader.owed(now, game_id)):
            owed.setdefault(notice.seat, []).append(notice)
        if not owed:
            return None
        in_trouble = asked.reader.trouble(game_id) is not None
        try:
            if in_trouble:
                case, owed = case_without_log(asked.reader, game_id), _about_trouble(owed)
            else:
                case = self.cases(asked.reader, game_id)
        except (LookupError, ValueError):
            log.exception("nobody can be written to about game %s; what is owed stays owed", game_id)
            return Draft(game_id, asked)
        seats = [self._draft_seat(asked.reader, case, *of_seat, now) for of_seat in sorted(owed.items())]
        settlements = [one for settled, _ in seats for one in settled]
        is_all = all(is_all for _, is_all in seats)
        return Draft(game_id, asked, settlements, is_all, in_trouble)

    def keep(self, tx: Tx, draft: Draft) -> list[Kept] | None:
        """Freeze the letters of a draft, and settle what they tell; None, and nothing is done, if what they
        were written from is not so any more.
        """
        if not draft.asked.still_holds(tx):
            return None
        kept = [_settle(tx, one) for one in draft.settlements]
        return [one for one in kept if one is not None]

    def tell_trouble(self, tx: Tx, game_id: str) -> None:
        """Owe the word that a game cannot be read to who is owed an answer in it."""
        now, seats = text_of(self.clock()), {row.seat: row for row in tx.seats(game_id)}
        for notice in tx.owed(now, game_id):
            if notice.kind == Answer.kind:
                tell(tx, game_id, seats[notice.seat], now, notice.about)

    def claim(self, tx: Tx, game_id: str) -> list[Kept]:
        """Turn what a game owes now into letters, and drop what is stale, in one transaction."""
        if tx.trouble(game_id):
            self.tell_trouble(tx, game_id)
        letters: list[Kept] = []
        is_all = False
        while not is_all and (draft := self.draft(tx, game_id)) is not None:
            kept = self.keep(tx, draft)
            assert kept is not None, "within a transaction nothing changes but by it"
            letters += kept
            is_all = draft.is_all
        return letters

    def rewrite(self, tx: Tx, letter: Letter, fresh: Sequence[Notice]) -> None:
        """Put a letter in the place of one that has not left, about those of its notices that are `fresh`."""
        now, notices = text_of(self.clock()), load_all(tx.notices_in(letter.letter_id))
        parts = self._parts(tx, self.cases(tx, fresh[0].game_id), fresh, now)
        # What stands in it was told to nobody.
        tx.end_letter(letter.letter_id, "dropped", "not sent: written anew, without what was done meanwhile")
        pen = self.pen
        one = pen.to_player(tx, parts[0], now) if len(parts) == 1 else pen.to_player_of_many(tx, parts, now)
        _settle(tx, Settlement(notices, fresh, one))

    def _draft_seat(
        self, reader: Reader, case: Case, seat: int, notices: Sequence[Notice], now: str
    ) -> tuple[list[Settlement], bool]:
        """A letter for what can be told together, and one for each question and each word to the host; and
        whether that is all. What comes after a letter is written once that is kept, because it follows it.
        """
        settled = self._draft_digest(reader, case, seat, notices, now)
        gathered = {notice.notice_id for one in settled for notice in one.notices}
        rest = [notice for notice in notices if notice.notice_id not in gathered]
        alone = [notice for notice in rest if notice.is_alone()]
        letters = [[notice for notice in rest if notice not in alone], *([notice] for notice in alone)]
        for folded in filter(None, letters):
            if any(one.written is not None for one in settled):
                return settled, False
            settled += self._draft_letter(reader, case, seat, folded, now)
        return settled, True

    def _draft_letter(
        self, reader: Reader, case: Case, seat: int, notices: Sequence[Notice], now: str
    ) -> list[Settlement]:
        """What becomes of these; nothing if a letter about them cannot be written."""
        fresh = [notice for notice in notices if not is_done_with(reader, notice, case.game, now)]
        to_host = isinstance(notices[0], Unreachable)
        if to_host:
            log.warning("seat %d of game %s no longer gets mail: its address bounces", seat, case.row.game_id)
        part = Part(case, _reachable(reader, case.seats[seat], fresh), fresh)
        written: Written | None = None
        if fresh and (self.operator if to_host else part.to.address):
            try:
                if any(notice.is_erased for notice in fresh):
                    raise ValueError("what a notice tells was erased")
                if to_host:
                    written = Written(self.pen.to_host(part, now))
                else:
                    written = self.pen.to_player(reader, part, now)
            except Damaged:
                raise
            except Exception:
                # One letter that cannot be written must not hold up all the others.
                log.exception(
                    "seat %d of game %s cannot be written to; what is owed stays owed", seat, case.row.game_id
                )
                # The line above tells the host the same, once; the operator's address may well be none.
                return [Settlement(notices)] if to_host else []
        return [Settlement(notices, fresh, written)]

    def _draft_digest(
        self, reader: Reader, case: Case, seat: int, notices: Sequence[Notice], now: str
    ) -> list[Settlement]:
        """The letter of who wants one a day, about all their games.

        More games than one letter holds are told in several, and where there is something to tell about one
        game only, that is told as it is to others.
        """
        to = case.seats[seat]
        wanted = any(notice.policy.in_digest for notice in notices)
        if not wanted or to.address is None or reader.choice(to.player_id).notify != "daily":
            return []
        owed = [notice for notice in _readable(reader.owed_to(to.player_id, now)) if notice.policy.in_digest]
        parts = sorted(self._parts(reader, case, owed, now), key=_asks_nothing)
        batches = [parts[place : place + MOST_GAMES] for place in range(0, len(parts), MOST_GAMES)]
        batches = [batch for batch in batches if len(batch) > 1]
        settled: list[Settlement] = []
        for number, batch in enumerate(batches, 1):
            try:
                letter = self.pen.to_player_of_many(reader, batch, now, number, len(batches))
            except Damaged:
                raise
            except Exception:
                log.exception("the digest for seat %d of game %s cannot be written", seat, case.row.game_id)
                return settled
            told = {part.case.row.game_id for part in batch}
            dealt = [notice for notice in owed if notice.game_id in told]
            fresh = [notice for part in batch for notice in part.notices]
            settled.append(Settlement(dealt, fresh, letter))
        return settled

    def _parts(self, reader: Reader, case: Case, owed: Sequence[Notice], now: str) -> list[Part]:
        """What there is to tell about each of these games, those that cannot be read left out."""
        by_game: dict[str, list[Notice]] = {}
        for notice in owed:
            by_game.setdefault(notice.game_id, []).append(notice)
        parts: list[Part] = []
        for game_id, notices in by_game.items():
            if reader.trouble(game_id):
                continue
            try:
                other = case if game_id == case.row.game_id else self.cases(reader, game_id)
            except (LookupError, ValueError):
                log.exception("nobody can be written to about game %s; what is owed stays owed", game_id)
                continue
            fresh = [notice for notice in notices if not is_done_with(reader, notice, other.game, now)]
            if fresh:
                parts.append(Part(other, other.seats[fresh[0].seat], fresh))
        return parts


def _readable(rows: Iterable[NoticeRow]) -> list[Notice]:
    """Return the notices of rows; one that cannot be read stays where it is, and holds up no other."""
    notices: list[Notice] = []
    for row in rows:
        try:
            notices.append(load(row))
        except ValueError:
            log.exception("notice %d about game %s cannot be read", row.notice_id, row.game_id)
    return notices


def _about_trouble(owed: Mapping[int, Sequence[Notice]]) -> dict[int, list[Notice]]:
    """What can be told of a game that cannot be read: that alone."""
    told: dict[int, list[Notice]] = {
        seat: [one for one in notices if isinstance(one, Unreadable)] for seat, notices in owed.items()
    }
    return {seat: notices for seat, notices in told.items() if notices}


def _asks_nothing(part: Part) -> bool:
    return not any(isinstance(notice, Turn | Reminder) for notice in part.notices)


def _settle(tx: Tx, one: Settlement) -> Kept | None:
    """Keep the letter about what is fresh, if there is one; all else came to nothing."""
    if one.written is None:
        tx.settle([notice.notice_id for notice in one.notices], None)
        return None
    tx.settle([notice.notice_id for notice in one.notices if notice not in one.fresh], None)
    letter_id = tx.freeze(one.written.letter)
    tx.settle([notice.notice_id for notice in one.fresh], letter_id)
    for tidings in one.written.tidings:
        tx.keep_tidings(letter_id, tidings)
    # All others were found to be wanted now while they were written.
    may_wait = any(isinstance(notice, Reminder | Unreachable) for notice in one.fresh)
    return Kept(replace(one.written.letter, letter_id=letter_id), may_wait)


def _reachable(reader: Reader, to: SeatRow, notices: Sequence[Notice]) -> SeatRow:
    """The seat with the address that this letter goes to.

    Who writes is answered, also when the answer is that no more mail will come; an address that is asked
    whether it is a player's may be anybody's.
    """
    if notices and isinstance(notices[0], Addressed):
        return replace(to, address=notices[0].to)
    if to.address is None and any(notice.policy.said_back for notice in notices):
        rows = reader.addresses(to.player_id)
        return replace(to, address=next((row.address for row in rows if row.stopped in ("", "asked")), None))
    return to
