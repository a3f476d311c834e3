"""What a line that was not understood may have meant: the links that an answer offers below it."""

from __future__ import annotations

import pytest

from felix_async.game.folding import fold
from felix_async.game.state import Game
from felix_async.game.views import view
from felix_notifiers.content.suggestions import ways_on
from notifiers.sheets import Html, an_answer, mail
from table import ANNA, BEN, a_game, a_hosted_invitation


@pytest.mark.parametrize(("line", "ways"), [
    ("bid", ["BID 1", "PASS"]), ("bid nine", ["BID 9"]), ("bid 99 now", ["BID 1", "PASS"]),
    ("12 mice", ["BID 12"]), ("5", ["BID 5"]), ("I pass this time", ["PASS"]), ("play", ["HELP"]),
    ("play dog", ["HELP"]), ("hlep", ["HELP"]),
    ("see you", ["HELP"]), ("I'm in", ["HELP"]), ("rematch", ["HELP"]), ("", ["HELP"]),
])  # fmt: skip
def test_what_may_have_been_meant_in_an_auction(line: str, ways: list[str]) -> None:
    assert ways_for(a_game().in_auction().game, ANNA, line) == ways


@pytest.mark.parametrize(("line", "ways"), [
    ("sorry, not 8 but the 5", ["PLAY 5"]),
    ("play dog", ["PLAY LARGE DOG"]), ("5", ["PLAY 5"]), ("play the cat", ["PLAY 5", "PLAY LARGE DOG"]),
    ("bid", ["HELP"]), ("rabbit", ["HELP"]), ("big dog", ["PLAY LARGE DOG"]),
])  # fmt: skip
def test_what_may_have_been_meant_while_cards_are_placed(line: str, ways: list[str]) -> None:
    assert ways_for(a_game().in_round(8).with_hands({ANNA: [5, "large_dog"]}).game, ANNA, line) == ways


def ways_for(game: Game, seat: int, line: str) -> list[str]:
    return [str(way) for way in ways_on(view(game, seat), seat, line)]


def test_a_host_who_names_nobody_is_offered_those_who_may_be_meant() -> None:
    game = fold(a_hosted_invitation(4, [ANNA, BEN]))
    for order, links in (
        ("UNINVITE", ["UNINVITE Cara", "UNINVITE Dan", "UNINVITE Ben"]),
        ("HOST", ["HOST Ben"]),
    ):
        composed = mail(game, ANNA, {"answer"}, answer=an_answer((order, "not understood", ".")))
        assert [link.body for link in Html(composed.html).links] == links


def test_where_felix_asks_yes_and_no_are_the_way_out() -> None:
    asked = {"asks": 1, "asks_text": "Did you mean PASS?"}
    answer = an_answer(("hlo", "not understood", "."), ("psas", "asked", ".")).model_copy(update=asked)
    composed = mail(a_game().in_auction(), BEN, {"answer"}, answer=answer)
    assert [link.body for link in Html(composed.html).links] == ["YES", "NO"]
