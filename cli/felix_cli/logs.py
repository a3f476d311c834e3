"""The log of a running server: one line for each record, in UTC, with nothing in it that is a player's.

    2026-11-20T21:00:00.000Z INFO felix_notifiers.outbox.marks: letter 12 to seat 2 of k7m2p: sent to a.test

Whoever reads a log must not be able to move or to see a hand, and no stranger may write a line of it. So
tokens are blanked, of addresses only the first letter and the domain are left, control characters and
changes of direction are gone, and of an exception there are its kind and the places that it went through.
What it says is told only for the kinds of which we know that they carry nothing of a game. This holds for
the libraries' records as well.
"""

from __future__ import annotations

import logging
import re
import sqlite3
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import PurePath
from traceback import walk_tb
from types import TracebackType
from typing import Final, TextIO

from felix_async.address import without_tokens
from felix_async.settings import SettingsError
from felix_async.text import plain
from felix_events.store.base import StoreError, VersionConflict

FELIX: Final = ("felix_async", "felix_cli", "felix_events", "felix_notifiers")
_LIMIT: Final = 1000
_PLACES: Final = 12
_CAUSES: Final = 3
_TELLABLE: Final = (StoreError, SettingsError, VersionConflict, OSError, sqlite3.Error)
"""What these say is about files, hosts and tables. A validation error, for one, quotes what it looked at."""
_ADDRESS: Final = re.compile(r"([^\s@<>\"'(),:;\[\]])[^\s@<>\"'(),:;\[\]]{0,200}@")


class OneLine(logging.Formatter):
    """A record as one harmless line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end; whatever the record is, this does not raise."""
        at = (
            datetime.fromtimestamp(record.created, UTC)
            .replace(tzinfo=None)
            .isoformat(timespec="milliseconds")
        )
        try:
            said = record.getMessage()
        except Exception:  # noqa: BLE001 - a library's wrong arguments; logging would print them as they are
            said = "(a message that does not fit its arguments)"
        error = record.exc_info[1] if record.exc_info else None
        what = harmless(said) if error is None else f"{harmless(said)} | {told(error)}"
        return f"{at}Z {record.levelname} {plain(record.name)}: {what}"


def harmless(text: str) -> str:
    """A text as it may stand in a log."""
    line = without_tokens(plain(text[: 2 * _LIMIT], 2 * _LIMIT))
    return plain(_ADDRESS.sub(r"\1…@", line), _LIMIT)


def told(error: BaseException) -> str:
    """The kind of an exception, where it was and what it came from, without any value that it carries."""
    return " | because of ".join(_one(cause) for cause in _causes(error))


def _causes(error: BaseException) -> Iterator[BaseException]:
    current: BaseException | None = error
    for _ in range(_CAUSES):
        if current is None:
            return
        yield current
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)


def _one(error: BaseException) -> str:
    kind = type(error).__name__
    said = f"{kind}: {harmless(str(error))}" if isinstance(error, _TELLABLE) else kind
    places = [
        f"{PurePath(frame.f_code.co_filename).name}:{line} {frame.f_code.co_name}"
        for frame, line in walk_tb(error.__traceback__)
    ][-_PLACES:]
    return plain(f"{said} | at {' > '.join(places)}" if places else said, 2 * _LIMIT)


def set_up(stream: TextIO, level: int = logging.INFO) -> None:
    """Write this process's log to a stream, and what ends a thread or the process too.

    The level is that of felix's own loggers. The libraries' tell of trouble only: in detail they would tell
    whole mails.
    """
    handler = logging.StreamHandler(stream)
    handler.setFormatter(OneLine())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in FELIX:
        logging.getLogger(name).setLevel(level)
    # A job that fails or hangs is told by felix itself, once and in its own words.
    logging.getLogger("apscheduler.executors").setLevel(logging.CRITICAL)
    logging.getLogger("apscheduler.scheduler").setLevel(logging.ERROR)
    logging.captureWarnings(True)
    sys.excepthook = _uncaught
    threading.excepthook = lambda args: _uncaught(args.exc_type, args.exc_value, args.exc_traceback)


def _uncaught(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
    if not issubclass(kind, SystemExit):
        logging.getLogger(__name__).critical(
            "something went wrong that felix does not know", exc_info=(kind, error or kind(), trace)
        )
