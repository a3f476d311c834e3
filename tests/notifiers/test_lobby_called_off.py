"""Why a game will not happen, told alike to all; and how to try again with the same rules and clock."""

from __future__ import annotations

from itertools import permutations

import pytest

from felix_async.game.folding import fold
from felix_async.game.state import Game
from felix_events import model as m
from inbox.hosting import game_at, names_at, opened
from notifiers.friends import ANNA, BEN, CARA, who_meet
from notifiers.sheets import Html, mail
from table import SEED, a_hosted_invitation


def called_off(
    *events: m.Event, joined: tuple[int, ...] = (0,), seats: int = 4, reason: str = "declined"
) -> Game:
    """A table of Anna's that came to nothing."""
    end = [m.GameAbandoned.model_validate({"reason": reason}), m.SeedRevealed(seed=SEED.hex())]
    return fold([*a_hosted_invitation(seats, list(joined)), *events, *end])


def words(game: Game, seat: int = 0) -> str:
    return " ".join(mail(game, seat, {"cancelled"}).text.split())


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ([m.PlayerDeclined(seat=1), m.PlayerDeclined(seat=2)], "Ben and Cara declined, so the game"),
        ([m.PlayerDeclined(seat=1), m.InvitationExpired(seat=2)],
         "Ben declined, and Cara and Dan did not answer in time, so the game"),
        ([m.PlayerUninvited(seat=1), m.PlayerUninvited(seat=2)],
         "Ben and Cara are no longer invited, so the game"),
        ([m.PlayerUninvited(seat=1), m.PlayerDeclined(seat=2)],
         "Cara declined, and Ben is no longer invited, so the game"),
    ],
)  # fmt: skip
def test_the_host_hears_who_did_not_come_and_why(events: list[m.Event], why: str) -> None:
    assert why in words(called_off(*events))


@pytest.mark.parametrize("order", list(permutations([1, 2, 3], 2)))
def test_whose_time_was_looked_at_first_makes_no_difference(order: tuple[int, int]) -> None:
    game = called_off(*(m.InvitationExpired(seat=seat) for seat in order), reason="expired")
    assert "Ben, Cara and Dan did not answer in time, so the game" in words(game)
    (left,) = {1, 2, 3} - set(order)
    assert "Your invitation was not answered in time, and the game is off." in words(game, left)


def test_a_table_that_was_full_and_not_begun_was_not_started_in_time() -> None:
    game = called_off(m.PlayerDeclined(seat=3), joined=(0, 1, 2), reason="expired")
    assert "The game was not started in time" in words(game)


# ---- another try ------------------------------------------------------------------------------------
def test_the_link_of_the_host_opens_the_same_game_again() -> None:
    options = ("rules 2007", "12 hours a move and a week in reserve, no weekends in Europe/Berlin")
    circle = who_meet("Ben", "Cara", *options, joining=[BEN])
    circle.write(ANNA, "CANCEL")
    circle.tap(ANNA, "NEW")
    first, second = opened(circle.bag)
    old, new = game_at(circle.bag, first), game_at(circle.bag, second)
    assert (new.ruleset, new.clock, new.host) == ("felix-2007", old.clock, old.host)
    assert old.clock is not None
    assert names_at(circle.bag, second) == names_at(circle.bag, first)
    with circle.bag.room.store.read() as reader:
        assert {row.table_name for row in reader.games()[1:]} == {"Friday cats"}


@pytest.mark.parametrize("name", ["Cats, and friends of theirs at large", "NEW", "rules 2007", "Tom & Jerry"])
def test_whatever_the_table_is_called_the_link_says_so(name: str) -> None:
    circle = who_meet("table " + name, "Ben", "Cara", joining=[BEN])
    circle.write(ANNA, "CANCEL")
    circle.tap(ANNA, "NEW")
    with circle.bag.room.store.read() as reader:
        assert [row.table_name for row in reader.games()[1:]] == [name, name]


def test_a_guest_may_try_again_with_the_others() -> None:
    circle = who_meet("Ben", "Cara", "Dan", joining=[BEN])
    circle.write(ANNA, "CANCEL")
    assert "To try again with Cara, Dan and Anna, answer REMATCH." in circle.text(BEN)
    circle.tap(BEN, "REMATCH")
    assert game_at(circle.bag, opened(circle.bag)[1]).host == 1


def test_a_late_answer_to_a_game_that_never_began_is_told_so() -> None:
    circle = who_meet("Ben", "Cara", "Dan")
    invitation = circle.newest(CARA)
    circle.tap(BEN, "DECLINE")
    circle.write(ANNA, "CANCEL")
    circle.tap(CARA, "JOIN", invitation)
    assert "This game did not take place" in circle.text(CARA)
    assert circle.offers(CARA) == ["REMATCH", "GAMES"]
    circle.write(BEN, "JOIN")
    assert "This game is over, and you had no seat in it" in circle.text(BEN)
    assert circle.offers(BEN) == ["GAMES"]


def test_one_who_is_left_makes_no_game() -> None:
    game = called_off(m.PlayerDeclined(seat=2), joined=(0, 1), seats=3)
    composed = mail(game, 0, {"cancelled"})
    assert Html(composed.html).links == []
    assert "To try again with" not in composed.text
    assert "To try again, write NEW, and below it your friends" in composed.text
