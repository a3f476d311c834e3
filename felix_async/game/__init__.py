"""The game of Felix, pure: no store, no clock, no mail; all chance comes from a seed.

A round at the prompt, by the paragraphs of `docs/rules.md`:

    >>> import felix_async.game as felix
    >>> game, dice = felix.deal(["anna", "ben", "cara", "dan"], seed=bytes(32), start_seat=0)

Setup 1 and 2: a set of ten cards each, one of it in the box; 15 mice each, and the mouse cards are filled.

    >>> anna = game.seats[0]
    >>> anna.hand, anna.boxed, anna.mice
    ([-8, -5, 0, 5, 8, 11, 15, 'large_dog', 'small_dog'], 3, 15)
    >>> game.mice_on_cards, game.bank
    ([2, 4, 6], 15)

Round 1: every seat puts one card face down, all at the same time. Round 2: the first one is turned over.

    >>> row = [felix.Play(seat=seat, card=card) for seat, card in enumerate([11, -5, 8, "small_dog"])]
    >>> game = felix.play(game, dice, *row)
    >>> game.turned, felix.view(game, "spectator").row[1]
    ([11], RowCard(owner=1, placed=True, card=None))

Round 3: the start player speaks first. A bid is more than the highest bid so far, and not more than the
bidder owns.

    >>> game = felix.play(game, dice, felix.Bid(seat=0, amount=13))
    >>> felix.legal(game, 1)
    [Bid(seat=1, amount=14), Bid(seat=1, amount=15), Pass(seat=1)]
    >>> print(felix.decide(felix.Bid(seat=1, amount=13), game, felix.Context(dice)))
    A bid of 13 is too low. Bid 14 or more, or PASS.

Who passes takes the mice on the lowest mouse card, and the next card is turned over.

    >>> game = felix.play(game, dice, felix.Pass(seat=1))
    >>> for event in felix.decide(felix.Pass(seat=2), game, felix.Context(dice)):
    ...     print(felix.describe(event, ["Anna", "Ben", "Cara", "Dan"]))
    Cara passed and took 4 mice.
    The 8 was turned over.

Round 4 and 6: the one who is left pays the bid to the bank. The small dog takes the lowest cat, −5, with it,
and the buyer keeps the rest and starts the next round.

    >>> game = felix.play(game, dice, felix.Pass(seat=2), felix.Pass(seat=3))
    >>> game.seats[0].won, game.seats[0].mice, game.round, game.start_seat
    ([11, 8], 2, 2, 0)

A computer player sees the view of its seat, and no more. So a game plays itself to its end.

    >>> numbers = felix.Stream(bytes(32), "players")
    >>> while not game.is_over:
    ...     seat = game.asked[0]
    ...     game = felix.play(game, dice, felix.sensible_player(felix.view(game, seat), seat, numbers).move)
    >>> game.winners
    [3]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from felix_async.draw import Dice, Stream, commit
    from felix_async.game.cards import MATERIAL, PET_CARDS, card_text
    from felix_async.game.commands import Bid, Command, Create, Join, Leave, Move, Pass, Play, Return, Vote
    from felix_async.game.folding import evolve, fold
    from felix_async.game.narrate import describe
    from felix_async.game.players import random_player, share_player
    from felix_async.game.prompt import deal, play
    from felix_async.game.rules import Context, Refusal, decide, why_not
    from felix_async.game.sensible import sensible_player
    from felix_async.game.state import Game
    from felix_async.game.views import View, legal, view
    from felix_events.model import Card, Event, Options

_HOMES: Final = {
    "felix_async.draw": "Dice Stream commit",
    "felix_async.game.cards": "MATERIAL PET_CARDS card_text",
    "felix_async.game.commands": "Bid Command Create Join Leave Move Pass Play Return Vote",
    "felix_async.game.folding": "evolve fold",
    "felix_async.game.narrate": "describe",
    "felix_async.game.players": "random_player share_player",
    "felix_async.game.prompt": "deal play",
    "felix_async.game.rules": "Context Refusal decide why_not",
    "felix_async.game.sensible": "sensible_player",
    "felix_async.game.state": "Game",
    "felix_async.game.views": "View legal view",
    "felix_events.model": "Card Event Options",
}
"""The same names at run time. Each is loaded when it is first asked for, so reading a mail loads no rules."""


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(home), name)
    raise AttributeError(f"felix_async.game has no {name}")
