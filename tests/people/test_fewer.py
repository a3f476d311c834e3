"""How many letters a game of four takes, and how many words each of its players has to read."""

from __future__ import annotations

from typing import Final

import pytest

from felix_events.model import Pace
from people.four import played

LETTERS: Final[dict[Pace, int]] = {"in turn": 130, "together": 160}
"""With a receipt for every order there were 203 and 173, now there are 119 and 157. Where everybody bids the
least they can (JUMP = 0), auctions are longer: 265 and 180 then, 149 and 162 now.
"""
WORDS: Final[dict[Pace, int]] = {"in turn": 4_000, "together": 4_570}
"""The most that anybody reads: 3,722 in turn, by somebody who asks for HELP, and 4,530 together, 55 of them
for the best moments of the game. Where JUMP is 0, whoever asks for HELP reads 4,817 and 5,026.
"""
BOTH: Final = pytest.mark.parametrize("pace", LETTERS)
pytestmark = pytest.mark.slow


@BOTH
def test_a_game_of_four_takes_no_more_letters(pace: Pace) -> None:
    assert sum(played(pace).letters) <= LETTERS[pace], played(pace).kinds


@BOTH
def test_nobody_reads_more_words(pace: Pace) -> None:
    assert max(played(pace).words) <= WORDS[pace]


@BOTH
def test_everybody_is_invited_and_told_the_result(pace: Pace) -> None:
    kinds = played(pace).kinds
    assert sum(count for kind, count in kinds.items() if "invitation" in kind) == 4
    assert sum(count for kind, count in kinds.items() if "result" in kind) == 4
