"""What no letter about a running game lays open: hidden cards, and what the others own.

That no byte of it depends on what its reader may not know is tested over whole evenings, next door.
"""

from __future__ import annotations

import pytest

from felix_async.game.story import Story
from felix_async.game.views import view
from felix_notifiers.content.ending import ending_of
from felix_notifiers.content.occasion import Occasion
from games import a_game_played
from notifiers.sheets import an_answer, compose, snapshot
from table import for_every_table

ALL = an_answer(("HAND", "done", "."), ("STATUS", "done", "."), show=["hand", "status", "help"])


@for_every_table
def test_nothing_is_laid_open_before_the_end(seats: int) -> None:
    played = a_game_played(seats)
    for version in range(1, played.size - 1, 7):
        with pytest.raises(ValueError, match="a running game has hidden cards"):
            ending_of(Story.of(played.envelopes[:version]))


@for_every_table
def test_the_mice_of_others_are_in_no_mail_of_a_running_game(seats: int) -> None:
    played = a_game_played(seats)
    version = next(v for v in played.step_ends() if played.game(v).round == 4)
    game = played.game(version)
    rich = [game.copy() for _ in range(2)]
    for seat in range(1, seats):
        rich[1].seats[seat].mice += 100
        rich[1].seats[seat].won.append(15)
    mails = [
        compose(Occasion(game=snapshot(view(table, 0), played.names), kinds={"answer", "turn"}, answer=ALL))
        for table in rich
    ]
    assert mails[0] == mails[1]
