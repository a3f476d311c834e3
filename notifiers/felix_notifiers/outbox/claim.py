"""Turn the due notices of a game into frozen letters, one for each seat, nothing stale.

A letter takes ten times as long to write as to keep. So letters are written from a view of the store that
holds nobody up, and kept in a short transaction that first asks all the same questions again: if one is
answered in another way now, they are written once more. Players on NOTIFY DAILY get one letter about all
their games.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any, Final, Protocol, TypeVar, cast

from felix_async.clock import Clock, text_of
from felix_async.follow_up.decisions import Reminder, Turn
from felix_async.follow_up.kinds import Answer, Unreachable, Unreadable, load_all
from felix_async.follow_up.notice import Addressed, Notice
from felix_async.trouble import note_trouble, tell
from felix_events.store.base import Damaged, Reader, Tx
from felix_events.store.rows import Letter, SeatRow
from felix_notifiers.mails.case import Case, case_without_log
from felix_notifiers.mails.digest import MOST_GAMES
from felix_notifiers.mails.letters import Part, Written
from felix_notifiers.outbox.decision import by_game, is_stale

log = logging.getLogger(__name__)

T = TypeVar("T")

Do = Callable[[Callable[[Tx], Any]], Any]
"""Opens a transaction for what it is given."""
Look = Callable[[Callable[[Reader], Any]], Any]
"""Opens a view for what it is given, in which nobody is held up."""
_IN_VIEWS: Final = 5
"""Drafts of a game's letters that are written in a view; each may hold but a part of them."""
_Question = tuple[str, tuple[Any, ...], tuple[tuple[str, Any], ...]]


class LetterWriter(Protocol):
    """Writes the letters: `mails.letters.Letters`, or for games without readers something quicker."""

    @property
    def zone(self) -> str:
        """The time zone of players of whom no other is known."""
        ...

    def case(self, reader: Reader, game_id: str) -> Case:
        """Return a game as its letters need it. Raises LookupError, ValueError or Damaged."""
        ...

    def to_player(self, reader: Reader, part: Part, now: str) -> Written | None:
        """Return a letter about one game; None if there is nothing to tell after all."""
        ...

    def to_player_of_many(
        self, reader: Reader, parts: Sequence[Part], now: str, number: int = 1, count: int = 1
    ) -> Written | None:
        """Return a letter about several games, the `number`th of `count`."""
        ...

    def to_host(self, part: Part, now: str) -> Letter | None:
        """Return a letter to the operator; None if there is none."""
        ...

    def digest(self, *what: object) -> bytes:
        """Return bytes that are always the same for this, and that nobody else can know."""
        ...


class Asked:
    """Asks a reader, each question once, and remembers the answers."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._answers: dict[_Question, Any] = {}

    @property
    def reader(self) -> Reader:
        """The reader that letters are written from."""
        return cast("Reader", self)

    def still_holds(self, reader: Reader) -> bool:
        """Return True if all the answers are the same now."""
        return all(
            getattr(reader, name)(*args, **dict(named)) == answer
            for (name, args, named), answer in self._answers.items()
        )

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def ask(*args: Any, **named: Any) -> Any:
            question = (name, args, tuple(named.items()))
            if question not in self._answers:
                self._answers[question] = getattr(self._reader, name)(*args, **named)
            return self._answers[question]

        return ask


@dataclass(frozen=True, slots=True)
class Claimed:
    """Notices that are dealt with together: the fresh ones are in the letter, if there is one; the others
    are needless by now.
    """

    notices: Sequence[Notice]
    fresh: Sequence[Notice] = ()
    written: Written | None = None

    @property
    def may_wait(self) -> bool:
        """True if it is to be decided whether the letter goes at once; the others were found to be wanted
        while they were written.
        """
        return any(isinstance(notice, Reminder | Unreachable) for notice in self.fresh)


@dataclass(frozen=True, slots=True)
class Draft:
    """The letters of a game, not kept yet; `is_all` is False if more are to be written once these are kept.

    If the game is `in_trouble`, it cannot be read, and nothing but that is told.
    """

    game_id: str
    asked: Asked = field(repr=False)
    claimed: Sequence[Claimed] = ()
    is_all: bool = True
    in_trouble: bool = False


def pending(reader: Reader, now: str) -> list[str]:
    """Return the games in which somebody is to be told something now, the one that waits longest first."""
    return list(dict.fromkeys(row.game_id for row in reader.pending(now)))


def claim(do: Do, look: Look, writer: LetterWriter, clock: Clock, game_id: str) -> list[Claimed]:
    """Turn what is due in a game into letters; return what was frozen.

    If moves are made again and again while letters are written, they are written in the transaction.
    """
    return past_damage(do, clock, partial(_claim, do, look, writer, clock, game_id), game_id)


def past_damage(do: Do, clock: Clock, work: Callable[[], T], game_id: str = "") -> T:
    """Return what work returns once the games are known that cannot be read. Raises Damaged if it is no
    game's, or still so.
    """
    seen: set[str] = set()
    while True:
        try:
            return work()
        except Damaged as trouble:
            damaged = trouble.game_id or game_id
            if not damaged or damaged in seen:
                raise
            seen.add(damaged)
            note_trouble(do, damaged, text_of(clock()), str(trouble))


def _claim(do: Do, look: Look, writer: LetterWriter, clock: Clock, game_id: str) -> list[Claimed]:
    frozen: list[Claimed] = []
    write = partial(draft, writer=writer, game_id=game_id, clock=clock)
    for attempt in count():
        written: Draft | None
        kept: list[Claimed] | None = []
        if attempt >= _IN_VIEWS:
            written, kept = do(partial(_write_and_keep, write=write))
        else:
            written = look(write)
            if written is not None and written.in_trouble and not attempt:
                do(partial(_tell_trouble, game_id=game_id, now=text_of(clock())))
                continue
            if written is not None and written.claimed:
                kept = do(partial(keep, draft=written))
        frozen += kept or []
        if written is None or not written.claimed or (kept is not None and written.is_all):
            break
    return frozen


def draft(reader: Reader, writer: LetterWriter, game_id: str, clock: Clock) -> Draft | None:
    """Write what is due in a game, one letter for each seat at the most; None if nothing is due.

    Nothing is kept of it until `keep`; the reader may be a view in which nobody is held up.
    """
    asked, now = Asked(reader), text_of(clock())
    owed: dict[int, list[Notice]] = {}
    for notice in load_all(asked.reader.pending(now, game_id)):
        owed.setdefault(notice.seat, []).append(notice)
    if not owed:
        return None
    in_trouble = asked.reader.trouble(game_id) is not None
    try:
        if in_trouble:
            case, owed = case_without_log(asked.reader, game_id), _about_trouble(owed)
        else:
            case = writer.case(asked.reader, game_id)
    except (LookupError, ValueError):
        log.exception("nobody can be written to about game %s; its notices wait", game_id)
        return Draft(game_id, asked)
    drafting = _Drafting(asked.reader, writer, case, now)
    seats = [drafting.seat(*of_seat) for of_seat in sorted(owed.items())]
    claimed = [one for of_seat, _ in seats for one in of_seat]
    return Draft(game_id, asked, claimed, all(is_all for _, is_all in seats), in_trouble)


def keep(tx: Tx, draft: Draft) -> list[Claimed] | None:
    """Freeze the letters of a draft and settle their notices; None, and nothing is done, if what they were
    written from is not so any more.
    """
    if not draft.asked.still_holds(tx):
        return None
    kept = [_settle(tx, one) for one in draft.claimed]
    return [one for one in kept if one.written is not None]


def rewrite(
    tx: Tx, writer: LetterWriter, letter: Letter, notices: Sequence[Notice], fresh: Sequence[Notice], now: str
) -> None:
    """Put a letter in the place of one that has not left, about those of its notices that are `fresh`."""
    drafting = _Drafting(tx, writer, writer.case(tx, fresh[0].game_id), now)
    parts = drafting.parts(fresh)
    # Nobody was told of it.
    tx.end_letter(letter.letter_id, "dropped", "not sent: written anew, without what was done meanwhile")
    one = writer.to_player(tx, parts[0], now) if len(parts) == 1 else writer.to_player_of_many(tx, parts, now)
    _settle(tx, Claimed(notices, fresh, one))


@dataclass(frozen=True, slots=True)
class _Drafting:
    """Writes the letters about a game."""

    reader: Reader
    writer: LetterWriter
    case: Case
    now: str

    def seat(self, seat: int, notices: Sequence[Notice]) -> tuple[list[Claimed], bool]:
        """Return a letter for what can be told together, one for each notice that is alone, and whether that
        is all. What comes after a letter is written once that is kept, because it follows it.
        """
        claimed = self._digests(seat, notices)
        gathered = {notice.notice_id for one in claimed for notice in one.notices}
        rest = [notice for notice in notices if notice.notice_id not in gathered]
        alone = [notice for notice in rest if notice.is_alone()]
        letters = [[notice for notice in rest if notice not in alone], *([notice] for notice in alone)]
        for folded in filter(None, letters):
            if any(one.written is not None for one in claimed):
                return claimed, False
            claimed += self._letter(seat, folded)
        return claimed, True

    def _letter(self, seat: int, notices: Sequence[Notice]) -> list[Claimed]:
        """Return the letter about these; nothing if it cannot be written."""
        fresh = self._fresh(notices, self.case)
        part = Part(self.case, _reachable(self.reader, self.case.seats[seat], fresh), fresh)
        to_host = isinstance(notices[0], Unreachable)
        if to_host:
            log.warning("seat %d of game %s no longer gets mail: its address bounces", seat, part.to.game_id)
        written: Written | None = None
        try:
            if any(notice.is_erased for notice in fresh):
                raise ValueError("what a notice tells was erased")
            if fresh and to_host:
                letter = self.writer.to_host(part, self.now)
                written = None if letter is None else Written(letter)
            elif fresh and part.to.address:
                written = self.writer.to_player(self.reader, part, self.now)
        except Damaged:
            raise
        except Exception:
            # One letter that cannot be written must not hold up all the others.
            log.exception("seat %d of game %s cannot be written to; its notices wait", seat, part.to.game_id)
            # The line above tells the host the same, once; the operator's address may well be none.
            return [Claimed(notices)] if to_host else []
        return [Claimed(notices, fresh, written)]

    def _digests(self, seat: int, notices: Sequence[Notice]) -> list[Claimed]:
        """Return the letters of a player on NOTIFY DAILY, about all their games.

        More games than one letter holds are told in several; a game that would be alone in one is told as it
        is to others.
        """
        to = self.case.seats[seat]
        wanted = any(notice.policy.in_digest for notice in notices)
        if not wanted or to.address is None or self.reader.choice(to.player_id).notify != "daily":
            return []
        rows = self.reader.pending_for(to.player_id, self.now)
        owed = [notice for notice in load_all(rows) if notice.policy.in_digest]
        parts = sorted(self.parts(owed), key=_asks_nothing)
        batches = [parts[place : place + MOST_GAMES] for place in range(0, len(parts), MOST_GAMES)]
        batches = [batch for batch in batches if len(batch) > 1]
        claimed: list[Claimed] = []
        for number, batch in enumerate(batches, 1):
            try:
                letter = self.writer.to_player_of_many(self.reader, batch, self.now, number, len(batches))
            except Damaged:
                raise
            except Exception:
                log.exception("the digest for seat %d of game %s cannot be written", seat, to.game_id)
                return claimed
            told = {part.to.game_id for part in batch}
            dealt = [notice for notice in owed if notice.game_id in told]
            claimed.append(Claimed(dealt, [notice for part in batch for notice in part.notices], letter))
        return claimed

    def parts(self, owed: Sequence[Notice]) -> list[Part]:
        """Return what there is to tell about each of these games; those that cannot be read are left out."""
        parts: list[Part] = []
        for game_id, notices in by_game(owed).items():
            if self.reader.trouble(game_id):
                continue
            try:
                is_this = game_id == self.case.row.game_id
                case = self.case if is_this else self.writer.case(self.reader, game_id)
            except (LookupError, ValueError):
                log.exception("nobody can be written to about game %s; its notices wait", game_id)
                continue
            if fresh := self._fresh(notices, case):
                parts.append(Part(case, case.seats[fresh[0].seat], fresh))
        return parts

    def _fresh(self, notices: Sequence[Notice], case: Case) -> list[Notice]:
        return [one for one in notices if not is_stale(self.reader, one, case.game, self.now)]


def _write_and_keep(
    tx: Tx, write: Callable[[Reader], Draft | None]
) -> tuple[Draft | None, list[Claimed] | None]:
    written = write(tx)
    return written, [] if written is None else keep(tx, written)


def _tell_trouble(tx: Tx, game_id: str, now: str) -> None:
    """Tell those who wait for an answer in a game that it cannot be read."""
    seats = {row.seat: row for row in tx.seats(game_id)}
    for row in tx.pending(now, game_id):
        if row.kind == Answer.kind:
            tell(tx, game_id, seats[row.seat], now, row.about)


def _about_trouble(owed: Mapping[int, Sequence[Notice]]) -> dict[int, list[Notice]]:
    """Return what can be told of a game that cannot be read: that alone."""
    told = {seat: [one for one in notices if isinstance(one, Unreadable)] for seat, notices in owed.items()}
    return {seat: [*notices] for seat, notices in told.items() if notices}


def _asks_nothing(part: Part) -> bool:
    return not any(isinstance(notice, Turn | Reminder) for notice in part.notices)


def _settle(tx: Tx, one: Claimed) -> Claimed:
    """Freeze the letter about what is fresh, if there is one; nobody needs the others."""
    if one.written is None:
        tx.settle([notice.notice_id for notice in one.notices], None)
        return one
    tx.settle([notice.notice_id for notice in one.notices if notice not in one.fresh], None)
    letter_id = tx.freeze(one.written.letter)
    tx.settle([notice.notice_id for notice in one.fresh], letter_id)
    for delivered in one.written.delivered:
        tx.keep_delivered(letter_id, delivered)
    frozen = replace(one.written.letter, letter_id=letter_id)
    return replace(one, written=replace(one.written, letter=frozen))


def _reachable(reader: Reader, to: SeatRow, notices: Sequence[Notice]) -> SeatRow:
    """Return the seat with the address that this letter goes to.

    Whoever writes is answered, also if the answer is that no more mail will come; an address that is asked
    whether it is a player's may be anybody's.
    """
    if notices and isinstance(notices[0], Addressed):
        return replace(to, address=notices[0].to)
    if to.address is None and any(notice.policy.said_back for notice in notices):
        rows = reader.addresses(to.player_id)
        return replace(to, address=next((row.address for row in rows if row.stopped in ("", "asked")), None))
    return to
