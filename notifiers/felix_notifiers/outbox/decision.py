"""What becomes of a letter when its time has come: it goes, as it is, unless something happened meanwhile.

A letter that nobody needs any more is dropped: every notice in it is stale, so whoever had been waiting for
it has moved, and what came after is told by another. One that also reminds of what was done is written anew
without it, and a reminder waits where it is a bad hour for one (`quiet.py`). A game that cannot be read
holds up no letter.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from felix_async.deliverability import is_stopped
from felix_async.follow_up.kinds import Farewell, Reminder, Turn, load_all
from felix_async.follow_up.notice import Addressed, Notice
from felix_async.game.state import Game
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import Letter, LetterLine
from felix_notifiers.mails.staleness import is_done_with, is_too_late
from felix_notifiers.outbox.claim import Cases
from felix_notifiers.outbox.quiet import held_until

log = logging.getLogger(__name__)

_LOOKED_THROUGH: Final = 50
"""Waiting letters of a game among which one is looked for that says the same."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """It is not sent, now or later."""

    why: str


@dataclass(frozen=True, slots=True)
class Held:
    """It is not sent before this time."""

    until: str


@dataclass(frozen=True, slots=True)
class Outdated:
    """Another takes its place, about those of its notices that are still worth telling."""

    fresh: Sequence[Notice]


Fate = Dropped | Held | Outdated | None
"""None: it goes."""


def fate_of(reader: Reader, letter: Letter, now: str, zone: str, cases: Cases) -> Fate:
    """What becomes of a letter that would be sent now; `zone` is the server's."""
    notices = load_all(reader.notices_in(letter.letter_id))
    if _is_unwanted(reader, letter, notices):
        return Dropped("not sent: mail to this address has stopped")
    if any(reader.trouble(game_id) for game_id in _by_game(notices)):
        # What has come to nothing meanwhile cannot be known.
        return None
    try:
        if _is_needless(reader, letter, notices, now, cases):
            return Dropped("not sent: what it asks for was done meanwhile")
        # What was never tried was written just now, and what may have arrived is what it is.
        if letter.note and not letter.maybe_arrived and (fresh := _still_fresh(reader, notices, now, cases)):
            return Outdated(fresh)
        until = held_until(reader, letter, notices, now, zone, cases)
    except (LookupError, ValueError):
        log.exception("a letter about game %s goes as it is: its game cannot be read", letter.game_id)
        return None
    return None if until is None else Held(until)


def _is_unwanted(reader: Reader, letter: Letter, notices: Sequence[Notice]) -> bool:
    if any(isinstance(notice, Addressed) for notice in notices):
        return False
    said_back = any(notice.policy.said_back for notice in notices)
    return is_stopped(reader, letter.recipient, also_asked=not said_back)


def _is_needless(reader: Reader, letter: Letter, notices: Sequence[Notice], now: str, cases: Cases) -> bool:
    """Whether everything in a letter is stale by now, whichever games it is about, or said by another one."""
    if not notices or not all(notice.goes_stale() for notice in notices):
        return False
    if all(_is_past(reader, game_id, about, now, cases) for game_id, about in _by_game(notices).items()):
        return True
    return _is_said_by_another(reader, letter, notices)


def _is_said_by_another(reader: Reader, letter: Letter, notices: Sequence[Notice]) -> bool:
    """Whether it is a reminder, and the turn mail itself, or a later reminder, waits to be sent as well."""
    decisions = {notice.decision for notice in notices}
    if len(decisions) > 1 or not all(isinstance(notice, Reminder) for notice in notices):
        return False
    newest = max(notice.notice_id for notice in notices)
    others = reader.letter_lines(_LOOKED_THROUGH, "ready", game_id=letter.game_id)
    return any(
        isinstance(notice, Turn) or (isinstance(notice, Reminder) and notice.notice_id > newest)
        for line in others
        if line.letter_id != letter.letter_id
        for notice in load_all(reader.notices_in(line.letter_id))
        if notice.decision in decisions
    )


def _is_past(reader: Reader, game_id: str, notices: Sequence[Notice], now: str, cases: Cases) -> bool:
    """Whether nobody needs these any more; where nothing happened since, the game is not read."""
    if all(is_too_late(reader, notice, now) for notice in notices):
        return True
    version, _ = reader.head(game_id)
    if all(notice.version == version and not notice.policy.asks for notice in notices):
        return False
    game = cases(reader, game_id).game
    return all(is_done_with(reader, notice, game, now) for notice in notices)


def _still_fresh(reader: Reader, notices: Sequence[Notice], now: str, cases: Cases) -> list[Notice]:
    """What a letter still tells, where it reminds of something that was done; else none."""
    games: Mapping[str, Game] = {game_id: cases(reader, game_id).game for game_id in _by_game(notices)}
    fresh = [one for one in notices if not is_done_with(reader, one, games[one.game_id], now)]
    return [] if all(one in fresh for one in notices if isinstance(one, Reminder)) else fresh


def _by_game(notices: Sequence[Notice]) -> dict[str, list[Notice]]:
    by_game: dict[str, list[Notice]] = {}
    for notice in notices:
        by_game.setdefault(notice.game_id, []).append(notice)
    return by_game


def forget_again(tx: Tx, letter: Letter | LetterLine) -> None:
    """A letter that waited while one of its people was forgotten goes the way of all that names them, once
    it is out of the house, or will never be.

    That is the last letter to them, and those to others that waited, or were owed, then.
    """
    notices = tx.notices_in(letter.letter_id)
    games = dict.fromkeys([letter.game_id, *(one.game_id for one in notices)])
    is_farewell = any(one.kind == Farewell.kind for one in notices)
    nameless: list[tuple[str, str, int]] = []
    for game_id in games:
        nameless += [(row.player_id, game_id, row.seat) for row in tx.seats(game_id) if not row.name]
        nameless += [(row.player_id, game_id, row.seat) for row in tx.former(game_id) if not row.name]
    for player_id, game_id, seat in nameless:
        # Somebody else may get letters in that seat by now.
        is_theirs = is_farewell and (game_id, seat) == (letter.game_id, letter.seat)
        if is_theirs or tx.is_left_over(player_id, letter.letter_id):
            tx.forget_letter(letter.letter_id, player_id, is_theirs=is_theirs)
