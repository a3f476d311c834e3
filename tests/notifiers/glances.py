"""Glances for tests: those of each moment of games that play themselves, for each seat and kind of mail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import cache
from typing import Final, NamedTuple, get_args

from felix_async.follow_up.kinds import KINDS
from felix_async.game.folding import fold
from felix_async.game.state import Game, initial_state
from felix_async.game.views import view
from felix_async.people import seat_names
from felix_events.model import SackDiscarded, SackSold
from felix_notifiers.content.glance import Glance, glance_of
from felix_notifiers.content.public import Facts, PublicTable, Said
from games import NAMES, TABLE_NAME, a_game_played
from table import GAME_ID

OF_NO_TABLE: Final = frozenset(
    {"claim", "question", "moved", "farewell", "substitute", "seat_closed", "seat_lost", "unreadable"}
    | {"unreachable"}
)
"""Kinds whose mails are about no table, or to somebody who does not sit there."""
OF_A_TABLE: Final = [kind for kind in KINDS if kind not in OF_NO_TABLE]
AWAY: Final = (("", "the end of Fri 4 Dec"), ("Mon 30 Nov", "Fri 4 Dec, 18:00 (UTC+5:30)"), ("", ""))
"""From when and until when somebody is away."""
SAID: Final[tuple[Said, ...]] = get_args(Said)


Sold = tuple[int | None, int] | None


class Seen(NamedTuple):
    """A glance, and what it is of."""

    glance: Glance
    game: Game
    seat: int
    kind: str


def public(
    game: Game, names: Sequence[str] = NAMES, *, table_name: str = TABLE_NAME, discreet: bool = False
) -> PublicTable:
    """A table as everybody sees it."""
    shown = seat_names(names[: len(game.seats)])
    return PublicTable(
        game_id=GAME_ID, table_name=table_name, names=shown, view=view(game, "spectator"), discreet=discreet
    )


def glances(
    game: Game,
    seat: int,
    names: Sequence[str] = NAMES,
    sold: Sold = None,
    *,
    table_name: str = TABLE_NAME,
    discreet: bool = False,
) -> Iterator[Seen]:
    """The glances of all kinds of mails to a seat, whether they are sent then or not."""
    table = public(game, names, table_name=table_name, discreet=discreet)
    other, before = (seat + 1) % len(game.seats), (seat - 1) % len(game.seats)
    talk = [(table.names[other], "I smell a dog."), (table.names[before], "PASS")]
    for kind in OF_A_TABLE:
        facts = [Facts(sold=sold), Facts(), Facts(rung="90%", lapsed="placed")]
        if kind == "talk":
            facts += [Facts(talk=talk), Facts(talk=talk[:1])]
        if kind == "news":
            facts += [Facts(away=(other, *when)) for when in AWAY]
        if kind == "answer":
            facts = [Facts(said=said, mice=mice) for said in SAID for mice in (0, 4)]
            facts += [Facts(said=said, sold=sold) for said in ("passed", "bid")]
            facts.append(Facts(said="open", is_sequel=True))
        if kind == "invitation":
            facts.append(Facts(is_sequel=True))
        for one in facts:
            yield Seen(glance_of(table, seat, {kind}, one), game, seat, kind)


@cache
def moments(seats: int, seed: str = "glances") -> Sequence[tuple[Game, Sold]]:
    """A game after each of its steps, and the last sack that was sold by then."""
    played = a_game_played(seats, seed=seed)
    found: list[tuple[Game, Sold]] = []
    sold: Sold = None
    game, read = initial_state(), 0
    for version in played.step_ends():
        for event in played.events[read:version]:
            game = fold([event], game)
            if isinstance(event, SackSold):
                sold = (event.seat, event.price)
            elif isinstance(event, SackDiscarded):
                sold = (None, 0)
        read = version
        found.append((deepcopy(game), sold))
    return found


@cache
def all_seen(seats: int, seed: str = "glances", names: tuple[str, ...] = NAMES) -> Sequence[Seen]:
    """The glances of all kinds of mails to all seats at all moments of a game, each once for its words."""
    found: dict[tuple[str, Glance], Seen] = {}
    for game, sold in moments(seats, seed):
        for seat in range(seats):
            for seen in glances(game, seat, names, sold):
                found.setdefault((seen.game.phase, seen.glance), seen)
    return [*found.values()]
