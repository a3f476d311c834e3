"""A turn mail as its reader gets it: the text part, printed. The README shows it, too.

A seat's mail is made from the log and from that seat's view of it, and from nothing else. The chance of this
game is fixed, so that the same mail comes out every time.

    .venv/bin/python examples/5_turn_mail.py
"""

from __future__ import annotations

from typing import Final

from felix_async.draw import contribution
from felix_async.game.commands import Bid, Join, Pass, Play, SeatCommand
from felix_async.service import Origin, Player, Service
from felix_cli.simulate import SeededEntropy, SteppingClock
from felix_events.envelope import check_envelopes
from felix_events.model import Options
from felix_events.store.sqlite import SqliteStore
from felix_notifiers.mails.preview import preview

NAMES: Final = ("Anna", "Ben", "Cara", "Dan")
TABLE: Final = "Thursday club"
BEN: Final = 1
MOVES: Final[tuple[SeatCommand, ...]] = (
    *(Join(seat=seat, contribution=contribution("id", name)) for seat, name in enumerate(NAMES)),
    Play(seat=0, card=11),
    Play(seat=1, card=-5),
    Play(seat=3, card="small_dog"),
    Play(seat=2, card=0),
    Bid(seat=0, amount=3),
    Bid(seat=1, amount=4),
    Pass(seat=2),
    Bid(seat=3, amount=6),
    Pass(seat=0),
)


def main() -> None:
    """Play up to Ben's turn, and print his mail."""
    store = SqliteStore.in_memory()
    service = Service(SteppingClock(), SeededEntropy("turn mail"))
    with store.write() as tx:
        game_id, outcome = service.open_table(
            tx,
            [Player(name.lower(), name) for name in NAMES],
            origin=Origin("open", "host", "desk"),
            table_name=TABLE,
            ruleset="felicity-2017",
            options=Options(start_seat=0, seeded=True),
        )
        assert outcome.refusal is None
        for number, command in enumerate(MOVES):
            outcome = service.handle(tx, game_id, command, Origin(f"order-{number}", "host", "desk"))
            assert outcome.refusal is None, outcome.refusal
        envelopes = check_envelopes(tx.bodies(game_id))
    mail = preview(envelopes, NAMES, TABLE, BEN, "felix@example.org")
    print(f"Subject: {mail.subject}\n\n{mail.text}", end="")


if __name__ == "__main__":
    main()
