"""`make dictionary`: what most letters and the answers to them say, for `felix_events.store.packing`.

    PYTHONPATH=tests python -m gallery.dictionary FILE

It is made from games between players who do not exist, and from every kind of mail. Before a release it may
be written anew; one that was released stays, and the next gets the next number (CONTRIBUTING.md).
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from by_mail import game_by_mail
from felix_events.store.packing import raw_of
from felix_notifiers.mails.mime import build
from gallery.shown import mails

SIZE: Final = 32_768 - 262
"""As far back as zlib looks, whatever it looks from."""
_GAMES: Final = ((3, 1), (4, 2), (5, 3))
"""Players and seed. The game that the tests weigh is none of these."""
_GRAIN: Final = 16
"""Bytes that must be alike in several letters to count."""
_PIECE: Final = 400
"""Bytes that are taken at a time."""
_LOOKED_AT: Final = 6
"""Letters from which the best piece is taken."""
_EVERY: Final = 3
"""Of the letters of a game, one in so many."""


def main() -> None:
    """Write the dictionary into the file that the command line names."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m gallery.dictionary FILE")
    made = dictionary_of(samples())
    Path(sys.argv[1]).write_bytes(made)
    print(f"{len(made)} bytes; now tests/events/test_packing.py needs a sample that was packed with it")


def samples() -> list[list[bytes]]:
    """Letters and answers of whole games, game by game, and every kind of mail once."""
    games: list[list[bytes]] = []
    with tempfile.TemporaryDirectory() as folder:
        for players, seed in _GAMES:
            path = Path(folder) / f"{seed}.db"
            for _ in game_by_mail(path, players=players, seed=seed):
                continue
            with closing(sqlite3.connect(path)) as connection:
                letters = connection.execute("SELECT size, dictionary, data FROM letter_bytes").fetchall()
                answers = connection.execute("SELECT size, dictionary, data FROM inbox_bytes").fetchall()
            games.append([raw_of(row) for row in (*letters[::_EVERY], *answers[:: 4 * _EVERY])])
    kinds = [
        build(
            composed,
            sender_mailbox="felix@felix.test",
            to_name="Ben",
            to_address="ben@players.test",
            message_id=f"<{number}@felix.test>",
            at=datetime(2026, 11, 20, tzinfo=UTC),
            kind="auto-generated",
        )
        for number, composed in enumerate(mails().values())
    ]
    return [*games, kinds]


def dictionary_of(games: Sequence[Sequence[bytes]]) -> bytes:
    """Choose the pieces that most letters share, the most common ones last: what is near is cheap to name.

    What stands in the letters of one game alone is its own, as the addresses of its seats.
    """
    letters = [letter for game in games for letter in game]
    in_games = Counter(grain for game in games for grain in set(_grains(b"".join(game))))
    in_letters = Counter(grain for letter in letters for grain in set(_grains(letter)))
    worth = {grain: count - 1 for grain, count in in_letters.items() if in_games[grain] > 1}
    pieces: list[tuple[float, bytes]] = []
    turn = 0
    while sum(len(piece) for _, piece in pieces) < SIZE and turn < 10 * SIZE // _PIECE:
        looked_at = [letters[(7 * turn + 13 * number) % len(letters)] for number in range(_LOOKED_AT)]
        turn += 1
        value, piece = max(_best_piece(letter, worth) for letter in looked_at)
        if piece:
            pieces.append((value / len(piece), piece))
            for grain in _grains(piece):
                worth.pop(grain, None)
    return b"".join(piece for _, piece in sorted(pieces))[-SIZE:]


def _best_piece(letter: bytes, worth: dict[bytes, int]) -> tuple[int, bytes]:
    """The piece of a letter that is worth most, without what is worth nothing at its ends."""
    values = [worth.get(grain, 0) for grain in _grains(letter)]
    width = _PIECE - _GRAIN + 1
    value = best = sum(values[:width])
    place = 0
    for start in range(1, len(values) - width + 1):
        value += values[start + width - 1] - values[start - 1]
        if value > best:
            best, place = value, start
    taken = values[place : place + width]
    if not any(taken):
        return 0, b""
    first = next(number for number, one in enumerate(taken) if one)
    last = next(number for number, one in reversed(list(enumerate(taken))) if one)
    return best, letter[place + first : place + last + _GRAIN]


def _grains(letter: bytes) -> Iterable[bytes]:
    return (letter[start : start + _GRAIN] for start in range(len(letter) - _GRAIN + 1))


if __name__ == "__main__":
    main()
