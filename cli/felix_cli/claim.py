"""The one server of a database: one `felix serve` at a time, on this machine.

The claim is an `flock` on a file beside the database. It ends with its process, however that ends, so
nothing has to be cleared away after a crash. Two paths to one database, as by a symbolic link, are one claim.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import Final

from felix_events.store.base import StoreError
from felix_events.store.sqlite import SqliteStore

_TRIES: Final = 5
_PAUSE_SECONDS: Final = 0.05


def claim(database: Path) -> int:
    """Be the only server on this database: an open file, to be closed in the end.

    StoreError if there is no felix database, or another server has claimed it. It waits for no lock of
    the store: the other server may hang in the middle of a transaction.
    """
    SqliteStore.open_to_copy(database).close()
    try:
        file = os.open(place_of(database), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(f"{database} cannot be used: {error.strerror}.") from error
    for tries in range(_TRIES, 0, -1):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            # Whoever asks `is_served` holds it as well, for a moment.
            if tries > 1:
                time.sleep(_PAUSE_SECONDS)
        else:
            return file
    os.close(file)
    raise StoreError(f"Another felix server works on {database}; stop it first.")


def is_served(database: Path) -> bool:
    """Return True if a server works on this database now."""
    try:
        file = os.open(place_of(database), os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(file)


def place_of(database: Path) -> str:
    """The file whose lock is the claim."""
    return f"{os.path.realpath(database)}.serve.lock"
