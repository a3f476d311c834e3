"""A chain of bids by what two players said in advance, beside the same bids mailed one by one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

from bench.games import Table, open_table
from bench.measure import Round, Rounds, seconds
from felix_async.game.commands import Bid, Give, Move, Pass, Play
from felix_async.game.state import Game
from felix_async.service import Origin
from felix_events.envelope import decode_events
from felix_events.model import SackSold
from felix_events.store.sqlite import SqliteStore

BIDS: Final = 20
_POOR, _ONE, _OTHER = range(3)
"""The first buys every sack for a mouse until the others own more than twenty."""
_LAST_WORD: Final = Give(seat=_ONE, kind="bid", limit=BIDS - 1)
_MOVES: Final[Sequence[Move]] = [
    *(Bid(seat=_ONE if amount % 2 else _OTHER, amount=amount) for amount in range(1, BIDS + 1)),
    Pass(seat=_ONE),
]


def chain_rounds(folder: Path) -> Rounds:
    """Rounds of the row, an auction each: seconds for all of its bids, and the pass that ends it."""
    with (
        closing(SqliteStore.create(folder / "chains.db")) as ours,
        closing(SqliteStore.create(folder / "chains-by-hand.db")) as theirs,
    ):
        for number in count():
            chain, by_hand = (
                _at_the_auction(open_table(store, f"chain-{number}")) for store in (ours, theirs)
            )
            _say(chain, Give(seat=_OTHER, kind="bid", limit=BIDS))
            work = {"felix": partial(_say, chain, _LAST_WORD), "yardstick": partial(_make, by_hand, _MOVES)}
            used = {name: seconds(work[name]) for name in sorted(work, reverse=bool(number % 2))}
            assert _sold(chain).price == _sold(by_hand).price == BIDS, "the same auction"
            yield Round(**used)


def _at_the_auction(table: Table) -> Table:
    """Round 3, and two are left in the auction, who have not bid."""
    while True:
        game = _game(table)
        seat = game.asked[0]
        if game.phase == "placing":
            _make(table, [Play(seat=seat, card=game.seats[seat].hand[0])])
        elif game.round == 3 and seat == _ONE:
            return table
        elif game.round < 3 and seat == _POOR:
            _make(table, [Bid(seat=seat, amount=1)])
        else:
            _make(table, [Pass(seat=seat)])


def _game(table: Table) -> Game:
    with table.store.read() as reader:
        return table.service.load(reader, table.game_id)


def _sold(table: Table) -> SackSold:
    """The last sale."""
    with table.store.read() as reader:
        events = decode_events(reader.bodies(table.game_id))
    return [event for event in events if isinstance(event, SackSold)][-1]


def _make(table: Table, moves: Sequence[Move]) -> None:
    """A mail for each of these, and a transaction."""
    for move in moves:
        with table.store.write() as tx:
            outcome = table.service.handle(tx, table.game_id, move, _by_mail(table))
        assert outcome.events, "a legal move"


def _say(table: Table, give: Give) -> None:
    """One mail with an order in advance, and a transaction for all that follows from it."""
    with table.store.write() as tx:
        outcome = table.service.instruct(tx, table.game_id, [give], _by_mail(table))
    assert outcome.refusal is None, "a legal order"


def _by_mail(table: Table) -> Origin:
    return Origin(f"<{table.service.entropy(12).hex()}@players.test>/1", "seat", "mail", "0" * 64, "BID")
