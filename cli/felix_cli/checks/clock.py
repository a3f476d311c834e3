"""The clock: that time does not run back, and what became of it if it was ahead once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import orjson

from felix_async.clock import seconds_between, system_clock, text_of
from felix_cli.checks.check import Check
from felix_cli.output import counted
from felix_events.store.base import Damaged, Reader
from felix_events.store.rows import GameRow

_GAMES: Final = 2000
_SHOWN: Final = 10


def look_at_clock(reader: Reader) -> Iterator[Check]:
    """This machine's clock, what felix last saw of it, and the games that have a time to come."""
    now, last = text_of(system_clock()), reader.last_beat()
    ahead = [game.game_id for game, at in _newest(reader) if at > now]
    is_behind = bool(ahead) or (last is not None and last > now)
    yield Check("clock", True, f"{now} (UTC)", "set it right first, if it is wrong" if is_behind else "")
    if last is None:
        yield Check("heartbeat", True, "felix serve has not been alive on this database yet")
    elif last <= now:
        yield Check("heartbeat", True, f"felix serve was last alive at {last}")
    else:
        hours = seconds_between(now, last) / 3600
        found = f"felix serve was last alive at {last}, {hours:.1f} hours from now; nothing is due until then"
        advice = f"if the clock is right now and was ahead: felix doctor --clock --today {now[:10]}"
        yield Check("heartbeat", False, found, advice)
    if not ahead:
        yield Check("logs", True, "no game has an event from a time to come")
        return
    ids = ", ".join(ahead[:_SHOWN]) + (", ..." if len(ahead) > _SHOWN else "")
    yield Check(
        "logs",
        False,
        f"{counted(len(ahead), 'game')} with an event from a time to come ({ids}): they are played on, and"
        " nobody's time is up in them before that",
        "a log is never rewritten: leave it, restore a backup from before, or start these games anew",
    )


def newest_entry(reader: Reader) -> Check:
    """Check whether this machine's time is after everything that it has written down."""
    now = text_of(system_clock())
    newest = max(_times(reader), default="")
    if newest <= now:
        return Check("clock", True, f"{now} (UTC)")
    found = f"{now} (UTC), but the newest entry is from {newest}"
    return Check("clock", False, found, "set this machine's clock; if it is right: felix doctor --clock")


def _times(reader: Reader) -> Iterator[str]:
    yield from (line.received_at for line in reader.mail_lines(1))
    yield from (at for _, at in _newest(reader))


def _newest(reader: Reader) -> Iterator[tuple[GameRow, str]]:
    """When the last event of each of the newest games was, as far as they can be read."""
    played = [game for game in reader.games() if game.kind == "played" and game.size]
    for game in played[-_GAMES:]:
        try:
            last = reader.bodies(game.game_id, after=game.size - 1)
            yield game, str(orjson.loads(last[-1])["at"])
        except (Damaged, LookupError, ValueError):
            # Other checks say what is wrong with it.
            continue
