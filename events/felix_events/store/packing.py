"""The bytes of messages and letters, packed: zlib (RFC 1950) with a dictionary of what most letters say.

A row names the dictionary that its bytes were packed with. So a dictionary that was ever released stays in
this package, unchanged; a better one gets the next number. `make dictionary` writes the newest one anew.

>>> packed = pack(b"Hello Anna,\\n" * 20)
>>> len(packed.data) < 40, unpack(packed) == b"Hello Anna,\\n" * 20
(True, True)
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, Literal

from felix_events.store.errors import Damaged

NEWEST: Final = 2
"""The dictionary that is packed with."""
PLAIN: Final = 0
"""Stands for no dictionary: bytes that would not become fewer are kept as they are."""
_LEVEL: Final = 6
_QUICK: Final = 1
"""The level for messages of more bytes than `_LARGE`: they make nothing else wait."""
_LARGE: Final = 65_536
BytesTable = Literal["inbox_bytes", "letter_bytes"]
KEYS: Final[Mapping[BytesTable, str]] = MappingProxyType(
    {"inbox_bytes": "mail_id", "letter_bytes": "letter_id"}
)
"""The tables of bytes, and the column by which each names the row that they belong to."""


@dataclass(frozen=True, slots=True)
class Packed:
    """Bytes as a row keeps them, and how many they are when unpacked."""

    size: int
    dictionary: int
    data: bytes = field(repr=False)


def pack(raw: bytes) -> Packed:
    """Pack bytes."""
    packer = _packer(_LEVEL if len(raw) <= _LARGE else _QUICK).copy()
    data = packer.compress(raw) + packer.flush()
    return Packed(len(raw), NEWEST, data) if len(data) < len(raw) else Packed(len(raw), PLAIN, raw)


def unpack(packed: Packed) -> bytes:
    """Return the bytes again, never more than `size`; Damaged if they are not what was packed."""
    if packed.dictionary == PLAIN:
        return packed.data
    try:
        unpacker = zlib.decompressobj(zdict=dictionary(packed.dictionary))
        # One byte more than there may be, so that the end of the stream and its checksum are read.
        raw = unpacker.decompress(packed.data, packed.size + 1)
    except (zlib.error, OSError) as error:
        raise Damaged(f"The bytes of a mail are damaged ({error}); restore a backup.") from None
    if len(raw) != packed.size or not unpacker.eof:
        raise Damaged("The bytes of a mail are damaged (they have another length); restore a backup.")
    return raw


def raw_of(row: Sequence[Any] | None) -> bytes:
    """Return the bytes of a row of (size, dictionary, data); b"" if it is missing or empty."""
    return b"" if row is None or row[0] is None else unpack(Packed(*row))


def keep_bytes(sql: Callable[..., object], table: BytesTable, row_id: int, raw: bytes) -> None:
    """Keep the bytes of a row in place of those that it had; of no bytes nothing is kept."""
    if not raw:
        sql(f"DELETE FROM {table} WHERE {KEYS[table]} = ?", (row_id,))  # noqa: S608 - constants
        return
    packed = pack(raw)
    sql(
        f"INSERT INTO {table} ({KEYS[table]}, size, dictionary, data) VALUES (?, ?, ?, ?)"  # noqa: S608 - constants
        f" ON CONFLICT ({KEYS[table]}) DO UPDATE"
        " SET size = excluded.size, dictionary = excluded.dictionary, data = excluded.data",
        (row_id, packed.size, packed.dictionary, packed.data),
    )


@cache
def dictionary(number: int) -> bytes:
    """Return a dictionary; OSError if there is none of this number."""
    return files(__package__).joinpath("dictionaries", f"{number}.zdict").read_bytes()


@cache
def _packer(level: int) -> zlib._Compress:
    """A packer that has read the dictionary; a copy of it costs a twentieth of a new one."""
    return zlib.compressobj(level, zdict=dictionary(NEWEST))
