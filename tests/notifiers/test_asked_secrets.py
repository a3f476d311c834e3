"""What players ask for shows nobody's address."""

from __future__ import annotations

from felix_async.game.folding import fold
from felix_async.game.story import Story
from felix_async.game.views import view
from felix_events.envelope import Envelope
from felix_notifiers.content import asked
from felix_notifiers.content.mail import Composed
from felix_notifiers.content.occasion import Occasion
from games import Played, a_game_played
from notifiers.sheets import an_answer, compose, snapshot
from table import for_every_table

ALL = an_answer(
    ("HISTORY", "done", "."), show=["history", "games", "rules", "help", "resend", "hand", "status"]
)


def shown(envelopes: list[Envelope], played: Played, seat: int) -> Composed:
    """The answer to a mail that asks for all there is."""
    table = view(fold(envelope.data for envelope in envelopes), seat)
    game = snapshot(table, played.names, game_id=played.game_id)
    blocks = [
        *asked.history(Story.of(envelopes), [], played.names, seat),
        *asked.games([game]),
        *asked.rules(table),
    ]
    return compose(Occasion(game=game, kinds={"answer"}, answer=ALL, blocks=blocks))


@for_every_table
def test_nobody_is_shown_an_address_of_another(seats: int) -> None:
    played = a_game_played(seats)
    for seat in range(seats):
        mail = shown(played.envelopes, played, seat)
        assert "@players.test" not in mail.text + mail.html
