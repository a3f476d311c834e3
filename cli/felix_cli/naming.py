"""Games and seats as people at a terminal name them.

A game is named by its id or by the beginning of it, in any case. A seat is named by its player or by the
beginning of that name; a bare number counts seats from 0, for scripts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from felix_async.text import plain
from felix_cli.output import Problem

if TYPE_CHECKING:
    from felix_async.game.state import Game
    from felix_async.game.views import Viewer
    from felix_cli.wiring import Subject
    from felix_events.store.base import Reader

_GAME_ID: Final = re.compile(r"[a-z2-9]{2,12}", re.IGNORECASE | re.ASCII)
"""An id, or the beginning of one: neither has dots or slashes."""
_USAGE: Final = 2


def is_file(target: str) -> bool:
    """Return True if a GAME|FILE argument names a file."""
    return _GAME_ID.fullmatch(target) is None or Path(target).is_file()


def games_called(reader: Reader, text: str) -> list[str]:
    """Return the ids that may be meant: this one, else those that begin so."""
    if _GAME_ID.fullmatch(text) is None:
        return []
    wanted, known = text.lower(), reader.logs()
    return [wanted] if wanted in known else [game_id for game_id in known if game_id.startswith(wanted)]


def game_named(reader: Reader, text: str) -> str:
    """Return the id of the one game that is meant; Problem if there is none, or more than one."""
    found = games_called(reader, text)
    if not found:
        raise Problem(f"There is no game {plain(text)}; `felix games` lists those there are.")
    if len(found) > 1:
        raise Problem(f"{plain(text)} may be {one_of(found)}; write more of it.")
    return found[0]


def _number(text: str) -> int | None:
    """Return the number that a text is, None if it is none, or longer than any seat's."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) else None


def seat_named(text: str, names: Sequence[str]) -> int:
    """Return the seat that is meant at a table of these names; Problem if there is none, or several."""
    from felix_async.people import NAME_LENGTH, seat_names, seats_called

    if (number := _number(text)) is not None:
        if number < len(names):
            return number
        raise Problem(f"No such seat: {plain(text)}. Use 0 to {len(names) - 1}, or a name.")
    found, known = seats_called(text, names), seat_names(names, limit=NAME_LENGTH)
    if not found:
        raise Problem(f"Nobody here is called {plain(text)}; at this table are {_and(known)}.", _USAGE)
    if len(found) > 1:
        who, numbers = one_of([known[seat] for seat in found]), one_of([str(seat) for seat in found])
        raise Problem(f"{plain(text)} may be {who}; write {numbers}.", _USAGE)
    return found[0]


def viewer_of(text: str | None, game: Game, subject: Subject) -> Viewer:
    """`--as` as a viewer who may see this game; what everybody may see if it was not given.

    A file for one viewer is shown to this one, and to a spectator. A seat may be named by somebody who sat
    there before, too.
    """
    from felix_async.game.narrate import default_viewer

    holder = subject.viewer
    default = default_viewer(game) if holder == "all" else holder
    viewer = default if text is None else _viewer_named(text, subject.people, subject.former)
    if holder != "all" and viewer not in (holder, "spectator"):
        raise for_one_viewer(holder, subject.people)
    if holder == viewer == "all" and not game.is_over:
        raise Problem(
            "The game is still running, so nobody may see everything. Use --as spectator or a player's name."
        )
    return viewer


def for_one_viewer(viewer: Viewer, names: Sequence[str]) -> Problem:
    """The problem with a file in which cards are hidden."""
    from felix_async.people import NAME_LENGTH, seat_names

    known = seat_names(names, limit=NAME_LENGTH)
    who = known[viewer] if isinstance(viewer, int) and viewer < len(known) else "a spectator"
    return Problem(f"This file holds only what {who} may know; ask for one with the whole game.", _USAGE)


def _viewer_named(text: str, names: Sequence[str], former: Sequence[tuple[int, int, str]]) -> Viewer:
    from felix_async.people import seats_called

    if (word := text.casefold()) in ("spectator", "all"):
        return "all" if word == "all" else "spectator"
    if (number := _number(text)) is not None and number >= len(names):
        last = len(names) - 1
        raise Problem(f"No such seat: {plain(text)}. Use 0 to {last}, a name, spectator or all.", _USAGE)
    left = [(seat, name) for _, seat, name in former if name]
    before = {left[place][0] for place in seats_called(text, [name for _, name in left])}
    if not before or seats_called(text, names):
        return seat_named(text, names)
    if len(before) > 1:
        seats = one_of([f"seat {seat}" for seat in sorted(before)])
        raise Problem(f"{plain(text)} left {seats}; name who plays there now.", _USAGE)
    return before.pop()


def one_of(texts: Sequence[str]) -> str:
    """`a, b or c`."""
    return " or ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def _and(texts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))
