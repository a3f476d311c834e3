"""What an audit looks at: a game taken out of a store, or out of an exported file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from felix_async.text import plain
from felix_events.export import Export, write_export
from felix_events.store.base import Reader


@dataclass(frozen=True, slots=True)
class Kept:
    """What a store keeps beside the events: versions and ranges of the rows, size, state and seed."""

    versions: Sequence[int]
    ranges: Sequence[bytes]
    size: int
    state: str
    seed: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A game to be looked at: its events' bytes, its private records by version, and what a store kept.

    `records_expected` says that each event which names a private record must come with it.
    """

    game_id: str
    bodies: Sequence[bytes]
    private_records: dict[int, bytes]
    kept: Kept | None = None
    records_expected: bool = False


def evidence_of(reader: Reader, game_id: str) -> Evidence | None:
    """A game with all that the store keeps beside it; None where the store knows nothing of it."""
    rows = reader.log(game_id)
    game = reader.game(game_id)
    if game is None and not rows:
        return None
    return Evidence(
        game_id,
        [row.body for row in rows],
        {row.version: row.private_record for row in rows if row.private_record is not None},
        Kept(
            [row.version for row in rows],
            [row.range_ for row in rows],
            size=0 if game is None else game.size,
            state="unknown" if game is None else game.state,
            seed=None if game is None else game.seed,
        ),
        # A game that was exported while it ran comes without its private records.
        records_expected=game is None or game.kind != "imported" or game.state in ("ended", "abandoned"),
    )


def exported(evidence: Evidence, names: Sequence[str], table: str, *, is_over: bool) -> bytes:
    """The bytes of a game's export. Its private records are opened once the game is over.

    `names` are by seat, '' for a player who was forgotten.
    """
    shown = [plain(name) for name in names]
    records = evidence.private_records if is_over else {}
    return write_export(evidence.game_id, shown, plain(table), evidence.bodies, records)


def evidence_in(export: Export) -> Evidence:
    """A game in a file, whose trailer `read_export` has checked."""
    return Evidence(export.header.game_id, export.bodies, export.private_records)
