"""Outages: more time for players whom felix could not hear, or who could not hear felix.

While the server was down nobody's time ran: every deadline moves by as much of that as would have counted, as
an event. How long it was, the heartbeat tells. A clock of the machine that jumps forward looks the same, and
is taken for the same; one that went back makes felix wait until it is past the last beat again.
A turn message that could not be sent in time gives its reader more of it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from operator import methodcaller
from typing import Any, Final

from felix_async.clock import later, seconds_between, text_of, time_of
from felix_async.follow_up.notices import SOON
from felix_async.game.commands import Extend
from felix_async.game.timing import calendar_of, running
from felix_async.orders.questions import waiting_orders
from felix_async.service import Origin, Service
from felix_async.trouble import note_trouble, waiting_for
from felix_events.envelope import check_envelopes
from felix_events.store.base import Damaged, Reader, Tx
from felix_events.store.log import flaw_in
from felix_events.store.rows import LetterLine, Trouble

log = logging.getLogger(__name__)

OUTAGE: Final = 600.0
"""Seconds without a heartbeat after which felix was away, and did not only stumble."""
EVERY: Final = 30.0
"""Seconds between two heartbeats at the least: nothing is written at a look at which nothing is due."""
_HOUR: Final = 3600
_PAGE: Final = 1000
_MINUTE: Final = 60
_LONGEST_PART: Final = 180 * 24 * 3600
"""Seconds that count, of one extension; a longer outage is several: an event knows no more than a year."""
_MOVED: Final = ("reminder", "last_call", "expiry", "closing", "start", "silence")
"""Due rows that are in no event: they move along. Reminders of a deadline are then set by the new one."""


def beat(do: Callable[[Callable[[Tx], Any]], Any], service: Service) -> bool:
    """Note that felix works now; False, and nothing is noted, if its time does not follow the last beat.

    That is after an outage, whose length is known by the old beat alone, and if the clock went back.
    """
    now = text_of(service.clock())

    def note(tx: Tx) -> bool:
        last = tx.last_beat()
        if last is not None and not last <= now <= later(last, OUTAGE):
            return False
        tx.beat(now)
        return True

    return bool(do(note))


def catch_up(do: Callable[[Callable[[Tx], Any]], Any], service: Service) -> bool:
    """Deal with the time since the last heartbeat; return False if nothing may be looked at now.

    That is so while the machine's clock is behind the last heartbeat, and after an outage until every game
    has its new deadlines; what was done of that is not done again.
    """
    now = text_of(service.clock())
    last = do(lambda tx: tx.last_beat())
    if last is not None and now < last:
        service.say_once(
            last,
            "the clock says %s, and once said %s: nothing is due until then; `felix doctor --clock` says what"
            " to do",
            now,
            last,
        )
        return False
    if last is not None and now > later(last, OUTAGE):
        log.warning("felix was away from %s until %s; the deadlines of all games move by that", last, now)
        for game_id in do(partial(_open_games, service)):
            try:
                do(partial(_move, service=service, game_id=game_id, last=last, now=now))
            except Damaged as trouble:
                note_trouble(do, trouble.game_id or game_id, last, str(trouble))
            except Exception:
                # Whatever it is must not keep the others from their time.
                log.exception("the deadlines of game %s cannot be moved", game_id)
    if last is None or now > later(last, EVERY):
        do(lambda tx: tx.beat(now))
    return True


def resume(do: Callable[[Callable[[Tx], Any]], Any], service: Service) -> int:
    """Let the games go on that can be read again; how many.

    Their deadlines move by as long as they could not be, as after an outage, and their mails are dealt with.
    """
    count = 0
    for trouble in do(lambda tx: tx.troubles()):
        try:
            do(partial(_resume, service=service, trouble=trouble))
        except Damaged:
            continue
        except Exception:
            log.exception("game %s cannot go on", trouble.game_id)
        else:
            log.warning("game %s can be read again, and goes on; its mails are dealt with", trouble.game_id)
            count += 1
    return count


def _resume(tx: Tx, service: Service, trouble: Trouble) -> None:
    game_id = trouble.game_id
    rows = tx.log(game_id)
    if flaw := flaw_in((row.version, row.body, row.range_) for row in rows):
        raise Damaged(f"{flaw}.", game_id)
    check_envelopes([row.body for row in rows])
    service.load_anew(tx, game_id)
    tx.end_trouble(game_id)
    now = text_of(service.clock())
    _move(tx, service, game_id, min(trouble.since, now), now)
    before: int | None = None
    while lines := tx.mail_lines(_PAGE, "quarantined", before):
        for line in lines:
            if line.note == waiting_for(game_id):
                tx.requeue_mail(line.mail_id, f"game {game_id} can be read again")
        before = lines[-1].mail_id


def set_clock_back(do: Callable[[Callable[[Tx], Any]], Any], now: str) -> int:
    """The clock was ahead and is right now: what was put off by as much is due again; how many seconds.

    Only rows are changed that follow from it: the last heartbeat, what is due beside the log, and when
    notices and letters go. A deadline is an event, and stays. Each game has a transaction of its own, and is
    moved once, also if this is killed and done again: the heartbeat comes last.
    """
    last = do(lambda tx: tx.last_beat())
    ahead = 0 if last is None else seconds_between(now, last)
    if last is None or not ahead:
        return 0
    for game in do(lambda tx: tx.games()):
        do(partial(_set_back, game_id=game.game_id, last=last, now=now, ahead=ahead))
    for player in {row.player_id for row in do(lambda tx: tx.addresses())}:
        do(methodcaller("bring_forward", player, now))
    before: int | None = None
    while lines := do(partial(_send_now, before=before, now=now)):
        before = lines[-1].letter_id
    do(lambda tx: tx.beat(now))
    return ahead


def _set_back(tx: Tx, game_id: str, last: str, now: str, ahead: int) -> None:
    """Let what is due in a game be due so much earlier, once."""
    rows, waiting = tx.due_of(game_id), waiting_orders(tx, game_id)
    moved = [
        replace(one, due_at=max(now, later(one.due_at, -ahead)))
        if one.kind in _MOVED and one.due_at > now
        else one
        for one in rows
    ]
    if (moved != rows or waiting) and tx.made_good(game_id, "ahead", last) is None:
        tx.set_due(game_id, moved)
        for question in waiting:
            tx.put_off_question(question, min(question.due_at, max(now, later(question.due_at, -ahead))))
        tx.make_good(game_id, "ahead", last, now)


def _send_now(tx: Tx, before: int | None, now: str) -> list[LetterLine]:
    """Let some letters go that were put off; which were looked at."""
    lines = tx.letter_lines(_PAGE, "ready", before)
    for line in lines:
        if line.next_at > now:
            tx.requeue_letter(line.letter_id, now, "the clock was ahead")
    return lines


def unheard(reader: Reader, service: Service, game_id: str, seat: int) -> int:
    """By how many seconds a deadline moves, because the letter that tells of it went out late, or not yet."""
    game = service.load(reader, game_id)
    deadline = game.seats[seat].time.deadline
    to = next((row for row in reader.seats(game_id) if row.seat == seat), None)
    if deadline is None or game.clock is None or to is None or to.address is None:
        return 0
    letter = reader.telling(game_id, seat, deadline.turn)
    if letter is None:
        owed = reader.pending(deadline.at, game_id)
        is_waiting = any(
            (notice.kind, notice.seat, notice.turn) == ("turn", seat, deadline.turn) for notice in owed
        )
    else:
        is_waiting = letter.state == "ready"
    if is_waiting:
        return max(_HOUR, game.clock.move // 4)
    if letter is None or letter.state != "sent":
        return 0
    calendar = calendar_of(game, seat)
    fair = calendar.advance(time_of(letter.next_at), game.clock.move * SOON)
    # After a longer one, the next look adds the rest.
    return min(_whole_minutes(calendar.elapsed(time_of(deadline.at), fair)), _LONGEST_PART)


def extend(tx: Tx, service: Service, game_id: str, seat: int, seconds: int, why: str) -> None:
    """Give the decision that is before a seat so much more time; once for each reason."""
    deadline = service.load(tx, game_id).seats[seat].time.deadline
    if deadline is not None:
        command = Extend(seat=seat, turn=deadline.turn, seconds=seconds)
        cause = f"clock/{game_id}/extend/{seat}/{deadline.turn}/{why}"
        service.handle(tx, game_id, command, Origin(cause, "clock", "clock", order="extend"))


def _move(tx: Tx, service: Service, game_id: str, last: str, now: str) -> None:
    """Move all that is due in a game by the length of an outage, once.

    If felix went down again before all games were moved, this one may have had the first part of it.
    """
    since = last
    while (until := tx.made_good(game_id, "outage", since)) is not None:
        since = until
    if since > last and now <= later(since, OUTAGE):
        return
    seconds = _whole_minutes(seconds_between(since, now))
    rows = [
        replace(row, due_at=later(row.due_at, seconds)) if row.kind in _MOVED else row
        for row in tx.due_of(game_id)
    ]
    tx.set_due(game_id, rows)
    for question in waiting_orders(tx, game_id):
        tx.put_off_question(question, later(question.due_at, seconds))
    game = service.load(tx, game_id)
    for seat, _ in running(game):
        # Of a weekend, or an absence, nobody lost anything.
        lost = calendar_of(game, seat).elapsed(time_of(since), time_of(now))
        left, part = _whole_minutes(lost), 0
        while left > 0:
            extend(tx, service, game_id, seat, min(left, _LONGEST_PART), f"{since}/{part}" if part else since)
            left, part = left - _LONGEST_PART, part + 1
    tx.make_good(game_id, "outage", since, now)


def _open_games(service: Service, reader: Reader) -> list[str]:
    apart = {trouble.game_id for trouble in reader.troubles()}
    games = [row for row in reader.games() if row.kind in service.kinds and not row.is_over]
    return [row.game_id for row in games if row.game_id not in apart]


def _whole_minutes(seconds: float) -> int:
    """So many seconds, up to the next whole minute: deadlines are at whole minutes."""
    return int(-(-seconds // _MINUTE) * _MINUTE)
