"""A game in which people talk, and Ben's seat changes hands."""

from __future__ import annotations

from typing import Final

from felix_async.game.commands import Leave, Say
from felix_async.service import Origin, Player
from felix_events.envelope import words_hash
from felix_events.store.base import Store
from felix_events.store.rows import Saying
from games import Room, a_room, place_all
from table import ANNA, BEN, CARA

NORA: Final = Player("nora-1", "Nora", "nora@players.test")
ANNA_SAID: Final = "Good luck, all of you!"
BEN_SAID: Final = "I must go. <i>Sorry</i> – \u201cBID 7\u201d"
NORA_SAID: Final = "Hello, I play on for Ben."


def say_aloud(room: Room, game_id: str, seat: int, text: str) -> int:
    """A player says something to the table; the version of the log that tells it."""
    salt = room.service.entropy(16)
    with room.store.write() as tx:
        command = Say(seat=seat, text_hash=words_hash(salt, text))
        version = room.service.handle(tx, game_id, command, room.by_mail(command)).version
        tx.keep_saying(Saying(game_id, version, seat, salt, text))
    return version


def a_spoken_game(store: Store, *, ends: bool = True) -> tuple[str, list[int], int]:
    """The game's id, the versions at which Anna, Ben and Nora spoke, and that at which Nora came."""
    room = a_room("spoken", store)
    game_id = room.open(4, start=ANNA)
    room.join_all(game_id)
    said = [say_aloud(room, game_id, ANNA, ANNA_SAID), say_aloud(room, game_id, BEN, BEN_SAID)]
    place_all(room, game_id)
    room.do(game_id, Leave(seat=BEN, for_good=False))
    origin = Origin("sub-1", "seat", "mail", "0" * 64, "SUBSTITUTE")
    with store.write() as tx:
        room.service.seat_substitute(tx, game_id, BEN, NORA, address=str(NORA.address), origin=origin)
        (row,) = tx.former(game_id)
    said.append(say_aloud(room, game_id, BEN, NORA_SAID))
    if ends:
        room.play(game_id)
        with store.write() as tx:
            after = room.game(game_id).version + 1
            tx.keep_saying(Saying(game_id, after, CARA, b"", "That was nice."))
    return game_id, said, row.version
