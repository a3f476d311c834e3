"""A game among four people with four mail programs, felix behind Postfix, from the invitation to the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from email import message_from_bytes
from typing import Any, Final

import pytest

from felix_events.store.rows import Letter, Mail
from real.clients import Player, a_quick_choice, play, players
from real.conftest import NewTown
from real.daemons import until
from real.town import Felix, WayIn

pytestmark = pytest.mark.slow

PEOPLE: Final = {"anna": "neomutt", "ben": "s-nail", "cara": "html", "dan": "outlook"}
MARKS: Final = {"anna": "NeoMutt/", "ben": "s-nail ", "cara": "ExampleMail (HTML)", "dan": "ExampleMail (Out"}
"""How the User-Agent of each player's mail begins."""


@dataclass(frozen=True)
class Played:
    """A game, or its beginning, and all the mail that it took."""

    wanted: int
    felix: Felix
    game_id: str
    people: Sequence[Player]
    events: list[dict[str, Any]]
    mails: list[Mail]
    letters: list[Letter]

    def rounds(self) -> list[int]:
        """The rounds that were begun."""
        return [event["data"]["round"] for event in self.events if event["type"] == "round_started"]

    def sent_with(self, name: str) -> list[str]:
        """The User-Agent of each mail of this player."""
        seat = list(PEOPLE).index(name)
        address = self.felix.seats(self.game_id)[seat].address
        return [str(message_from_bytes(m.raw)["User-Agent"]) for m in self.mails if m.sender == address]


def a_game(new_town: NewTown, way_in: WayIn, rounds: int) -> Played:
    """Play so many rounds: until the next one is announced, or until everybody has been told the result."""
    town = new_town()
    felix = town.felix(way_in)
    game_id = felix.new(*PEOPLE)
    with felix.serving(), players(town, PEOPLE) as people:
        words = " win" if rounds == 9 else f"Round {rounds + 1} · "
        play(people, a_quick_choice, lambda: all(player.was_told(words) for player in people), 20 * rounds)
        # By IMAP a mail may still lie in the mailbox while felix has nothing to do.
        answers = sum(len(player.orders) for player in people)
        until(lambda: len(felix.mails()) >= answers, "felix to have got all answers")
        until(felix.at_rest, "felix to have sent all it owes")
        town.postfix.until_empty()
        for player in people:
            player.read += player.inbox.new()
    return Played(rounds, felix, game_id, people, felix.events(game_id), felix.mails(), felix.letters())


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(("lmtp", 1), id="a round by LMTP"),
        pytest.param(("imap", 1), id="a round by IMAP"),
        pytest.param(("lmtp", 9), id="a game by LMTP"),
        pytest.param(("imap", 9), id="a game by IMAP"),
    ],
)
def played(request: pytest.FixtureRequest, new_town: NewTown) -> Played:
    way_in, rounds = request.param
    return a_game(new_town, way_in, rounds)


def test_everybody_played_to_the_end_with_the_program_of_their_own(played: Played) -> None:
    for name, mark in MARKS.items():
        programs = played.sent_with(name)
        assert len(programs) >= 1 + 2 * played.wanted
        assert all(program.startswith(mark) for program in programs)


def test_every_mail_was_obeyed(played: Played) -> None:
    assert {mail.state for mail in played.mails} == {"done"}
    answers = sum(len(player.orders) for player in played.people)
    assert len(played.mails) == answers


def test_each_mail_held_one_line_and_felix_found_it(played: Played) -> None:
    """Neither a quoted line nor a signature nor a header was taken for something that a player wrote."""
    for seat, player in enumerate(played.people):
        lines = played.felix.answered(played.game_id, seat)
        assert [line.verdict for line in lines] == ["done"] * len(player.orders)
        assert [line.text for line in lines] == list(player.orders.values())


def test_every_move_is_some_players(played: Played) -> None:
    """All but the last card of each hand, which is placed by the rules."""
    by_seats = Counter(event["type"] for event in played.events if event["actor"] == "seat")
    assert by_seats["player_joined"] == 4
    # Who was told of the next round first may have placed a card in it.
    assert by_seats["card_placed"] >= 4 * min(played.wanted, 8)
    assert by_seats["bid_placed"] + by_seats["player_passed"] >= 4 * played.wanted


def test_as_many_rounds_were_played_as_wanted(played: Played) -> None:
    ended = [event["type"] for event in played.events].count("game_ended")
    assert (max(played.rounds()), ended) == ((9, 1) if played.wanted == 9 else (played.wanted + 1, 0))


def test_the_log_is_sound(played: Played) -> None:
    felix = played.felix
    assert ": sound (" in felix.terminal.run("audit", "--all", "--db", felix.database)


def test_every_letter_was_delivered_once(played: Played) -> None:
    assert {letter.state for letter in played.letters} == {"sent"}
    arrived = Counter(str(mail.message["Message-ID"]) for player in played.people for mail in player.read)
    assert arrived == {letter.message_id: 1 for letter in played.letters}


def test_felix_logged_nothing_of_the_players(played: Played) -> None:
    assert "felix+" not in played.felix.log
    assert f"@{played.felix.town.players_domain}" not in played.felix.log
