"""Non-interference of what players ask for: other people's secrets change, and the answers stay the same."""

from __future__ import annotations

from random import Random

import pytest

from felix_async.game.fold import fold
from felix_async.game.view import view
from felix_events.envelope import Envelope
from felix_notifiers.content import asked
from felix_notifiers.pages.compose import Composed, Sheet, compose
from games import TABLE_NAME, Played, a_game_played
from notifiers.sheets import REPLY_ADDRESS, an_answer
from notifiers.test_mail_secrets import with_other_secrets
from table import for_every_table

ALL = an_answer(
    ("HISTORY", "done", "."), show=["history", "games", "rules", "help", "resend", "hand", "status"]
)


def shown(envelopes: list[Envelope], played: Played, seat: int) -> Composed:
    """The answer to a mail that asks for all there is."""
    table = view(fold(envelope.data for envelope in envelopes), seat)
    seated = asked.Seated(played.game_id, TABLE_NAME, played.names, table, seat, REPLY_ADDRESS)
    blocks = [
        *asked.history(envelopes, [], played.names, seat),
        *asked.games([seated]),
        *asked.rules(table),
    ]
    return compose(
        Sheet(
            game_id=played.game_id,
            table_name=TABLE_NAME,
            names=played.names,
            table=table,
            occasions={"answer"},
            answer=ALL,
            history=(),
            reply_address=REPLY_ADDRESS,
            blocks=blocks,
        )
    )


@for_every_table
@pytest.mark.parametrize("seed", ["one", "two"])
def test_an_answer_does_not_depend_on_what_its_reader_may_not_know(seats: int, seed: str) -> None:
    played = a_game_played(seats, seed=seed)
    random = Random(f"asked{seats}{seed}")
    differed = 0
    for version in random.sample(range(1, played.size), 12):
        envelopes = played.envelopes[:version]
        for seat in range(seats):
            other = with_other_secrets(envelopes, seat, random)
            differed += other != envelopes
            assert shown(envelopes, played, seat) == shown(other, played, seat)
    assert differed > 9 * seats, "hardly anything was changed"


@for_every_table
def test_nobody_is_shown_an_address_of_another(seats: int) -> None:
    played = a_game_played(seats)
    for seat in range(seats):
        mail = shown(played.envelopes, played, seat)
        assert "@players.test" not in mail.text + mail.html
