"""Two served games that differ only in what a seat must not know: its mails are the same, byte for byte,
and come at the same moments.
"""

from __future__ import annotations

import re

import pytest

from cli.twins import Twins
from each import one_in
from felix_events.model import Terms


@pytest.fixture(autouse=True)
def one_commitment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The commitment is a hash over the seed, which says nothing and differs; here it is masked."""
    monkeypatch.setattr("felix_async.service.commit", lambda _game_id, _seed: "c" * 64)


CASES = [(3, 0, 2), (3, 2, 2), (4, 0, 3), (4, 3, 2), (5, 1, 2)]


def masked(raw: bytes) -> bytes:
    """A letter without its Message-ID and the boundary that is made from it."""
    return re.sub(rb"(?m)^Message-ID: .*|felix-[0-9a-f]{32}", b"-", raw)


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "viewer", "rounds"), one_in(3, CASES))
def test_hidden_cards_change_no_byte_of_a_seats_mails(seats: int, viewer: int, rounds: int) -> None:
    twins = Twins(seats, viewer, rounds)
    twins.play(lambda: None)
    one, two = (served.letters_to(viewer) for served in twins.games)
    assert len(one) > 4 * rounds
    assert one == two


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "viewer", "rounds"), one_in(3, CASES))
def test_what_others_ask_and_are_refused_shows_in_no_mail_of_a_seat(
    seats: int, viewer: int, rounds: int
) -> None:
    """Message-IDs count the mails of the server, and tell nobody what they count."""
    twins = Twins(seats, viewer, rounds)
    other = (viewer + 1) % seats
    twins.play(lambda: twins.write(other, "BID 99\nPLAY 7\nHAND\nHELP\nnonsense", only=1))
    one, two = (list(map(masked, served.letters_to(viewer))) for served in twins.games)
    assert one == two
    assert len(twins.games[1].letters_to(other)) > len(twins.games[0].letters_to(other))


def a_long_week(twins: Twins) -> None:
    """A purse that is emptied, a seat that the computer plays for, votes, absences, lapses; one letter a day,
    about two tables.
    """
    poor, slow, gone = ((twins.viewer + step) % twins.seats for step in (1, 2, 3))
    for served in twins.games:
        served.open()
    twins.join()
    twins.join(table=1)
    twins.place_all(hidden=False)
    while (to_move := twins.public.to_move) is not None:
        twins.write(to_move, "BID 15" if to_move == poor else "PASS")
    twins.write(gone, "STOP")
    twins.write(twins.viewer, "NOTIFY DAILY")
    for seat in {*range(twins.seats)} - {poor, slow, gone}:
        twins.place(seat)
    twins.write(slow, "AWAY 5 days")
    # Here the clock draws a card by lot, another one in each game, which is exchanged before it is seen.
    twins.wait(hours=60)
    twins.place(poor)
    twins.write(poor, "PAUSE")
    twins.write(slow, "BACK")
    twins.place(slow)
    for _ in range(twins.seats):
        to_move = twins.public.to_move
        if to_move in (twins.viewer, poor):
            twins.write(to_move, "PASS")
        elif to_move is not None:
            twins.wait(hours=60)
    twins.wait(hours=30)


@pytest.mark.parametrize(("seats", "viewer"), [(4, 0), pytest.param(5, 2, marks=pytest.mark.slow)])
def test_hidden_cards_change_neither_a_byte_nor_a_moment(
    seats: int, viewer: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of letters and short notices, also where the clock and the computer move, and letters are gathered."""
    twins = Twins(seats, viewer, 4, Terms(move=2 * 86400, away=21 * 86400))
    monkeypatch.setattr("felix_async.game.sensible.sensible_player", twins.alike)
    a_long_week(twins)
    one, two = (served.told(viewer) for served in twins.games)
    assert one == two
    notes = {note for _, _, note in one if isinstance(note, str)}
    for words in ("your games", "Your time was up", "a vote"):
        assert any(words in note for note in notes)
    assert any(state.computer for state in twins.public.seats)


def test_the_games_are_not_the_same_to_the_others() -> None:
    """Else the tests above would prove nothing."""
    twins = Twins(4, 0, 2)
    twins.play(lambda: None)
    for seat in (1, 2, 3):
        one, two = (served.letters_to(seat) for served in twins.games)
        assert len(one) == len(two)
        assert one != two
