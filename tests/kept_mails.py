"""A game by mail as its players keep it: all letters and all mails of theirs, as real programs save them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import orjson

from by_mail import mails_of
from felix_async.audit.evidence import evidence_in, evidence_of, exported
from felix_async.audit.kept.log import Log
from felix_async.audit.kept.mailboxes import KeptMail
from felix_async.audit.kept.witness import Signed, Witness, held
from felix_events.envelope import canonical
from felix_events.export import Export, read_export, write_export
from felix_events.store.sqlite import SqliteStore
from felix_notifiers.content.retold import Retold

Data = dict[str, Any]
_FROM: Final = b"From felix@felix.test Fri Nov 20 21:00:00 2026"
_QUOTE: Final = re.compile(rb"^(>*From )", re.M)
_PLAIN_QUOTE: Final = re.compile(rb"^(From )", re.M)


@dataclass(frozen=True)
class Kept:
    """A game that is over: its export, felix's letters by seat, and what each seat sent."""

    data: bytes
    letters: dict[int, list[bytes]]
    sent: dict[int, list[bytes]]

    @property
    def export(self) -> Export:
        """The export, read."""
        return read_export(self.data)

    @property
    def result(self) -> bytes:
        """The last letter to the first seat: the one with the log."""
        return self.letters[0][-1]

    def mailbox(self, seat: int) -> list[bytes]:
        """All that a player has."""
        return [*self.letters[seat], *self.sent[seat]]


@cache
def a_kept_game(players: int = 3, seed: int = 7, also: str = "") -> Kept:
    """A game by mail, played once in each process of the tests."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "felix.db"
        letters, sent = mails_of(path, players=players, seed=seed, also=also)
        store = SqliteStore.open_to_read(path)
        with store.read() as reader:
            game_id = next(letter.game_id for letter in letters if letter.game_id)
            evidence = evidence_of(reader, game_id)
            seats = reader.seats(game_id)
        store.close()
    assert evidence is not None
    data = exported(evidence, [seat.name for seat in seats], "Demo table", is_over=True)
    to = {seat.address: seat.seat for seat in seats}
    mine: dict[int, list[bytes]] = {seat: [] for seat in to.values()}
    for raw in sent:
        found = re.search(rb"^From: .*?([a-z]+@players\.test)", raw, re.M)
        assert found is not None
        mine[to[found[1].decode()]].append(raw)
    return Kept(data, {seat: [one.raw for one in letters if one.seat == seat] for seat in mine}, mine)


def log_in(data: bytes) -> Log:
    """The log in an export."""
    return Log.of(evidence_in(read_export(data)))


def witnessed(data: bytes, mails: Sequence[bytes], signed: Signed | None = None) -> Witness:
    """What mails say of an export."""
    log = log_in(data)
    kept = [KeptMail(f"{number}", raw) for number, raw in enumerate(mails)]
    return held(log, kept, Retold(log), signed)


def rewritten(
    data: bytes, change: Callable[[list[Data], dict[int, Data]], object], size: int | None = None
) -> bytes:
    """The export with events and records changed as a whole: every hash is made anew, as whoever has the
    database could do. With `size` it ends there, as a game that runs.
    """
    export = read_export(data)
    events: list[Data] = [orjson.loads(body) for body in export.bodies]
    records: dict[int, Data] = {v: orjson.loads(body) for v, body in export.private_records.items()}
    change(events, records)
    bodies = {version: canonical(record) for version, record in records.items()}
    for version, body in bodies.items():
        events[version - 1]["private"] = sha256(body).hexdigest()
    return write_export(
        export.header.game_id,
        export.header.names,
        export.header.table,
        [canonical(event) for event in events[:size]],
        {} if size else bodies,
        {} if size else export.seat_logs,
        said=export.said,
    )


def dearer(events: list[Data], records: dict[int, Data]) -> int:
    """The last sack went for a mouse more, in every place that tells it; the version of the bid."""
    sale = max(place for place, event in enumerate(events) if event["type"] == "sack_sold")
    bid = max(place for place in range(sale) if events[place]["type"] == "bid_placed")
    seat, amount = events[bid]["data"]["seat"], events[bid]["data"]["amount"] + 1
    events[bid]["data"]["amount"] = events[sale]["data"]["price"] = amount
    records[bid + 1] |= {"line": f"BID {amount}", "order": f"BID {amount}"}
    scores = next(event for event in events if event["type"] == "game_ended")["data"]["scores"]
    scores[seat] |= {"mice": scores[seat]["mice"] - 1, "total": scores[seat]["total"] - 1}
    return bid + 1


# ---- what programs make of a mail ----------------------------------------------------------------------
def lf(raw: bytes) -> bytes:
    """With the line ends of a Unix file."""
    return raw.replace(b"\r\n", b"\n")


def received(raw: bytes) -> bytes:
    """Below the headers that servers on the way put on top."""
    return (
        b"Return-Path: <felix@felix.test>\r\nReceived: from felix.test by mx.test; Fri, 20 Nov 2026\r\n" + raw
    )


def neomutt(mails: Sequence[bytes]) -> bytes:
    """An mbox with the length of each mail, and nothing quoted."""
    kept = b""
    for raw in mails:
        head, _, body = lf(raw).partition(b"\n\n")
        kept += b"%s\n%s\nStatus: RO\nContent-Length: %d\n\n%s\n" % (_FROM, head, len(body), body)
    return kept


def s_nail(mails: Sequence[bytes]) -> bytes:
    """An mbox in which `From ` is quoted, and a quoted one not again."""
    return b"".join(b"%s\nStatus: RO\n%s\n" % (_FROM, _PLAIN_QUOTE.sub(rb">\1", lf(raw))) for raw in mails)


def takeout(mails: Sequence[bytes]) -> bytes:
    """An mbox with CRLF in which every `From ` is quoted once more."""
    kept = b"".join(
        b"From 18%d@xxx Fri Nov 20 21:00:00 +0000 2026\nX-GM-THRID: 18\nX-Gmail-Labels: Inbox\n%s\n"
        % (number, _QUOTE.sub(rb">\1", lf(raw)))
        for number, raw in enumerate(mails)
    )
    return kept.replace(b"\n", b"\r\n")


_HEAD: Final = (
    b"From: anna@players.test\r\nTo: judge@elsewhere.test\r\nSubject: Fwd\r\n"
    b"Message-ID: <f@players.test>\r\nMIME-Version: 1.0\r\n"
)


def forwarded(raw: bytes, boundary: bytes = b"outer") -> bytes:
    """Attached to a mail of a player's."""
    return _HEAD + (
        b'Content-Type: multipart/mixed; boundary="%b"\r\n\r\n--%b\r\n\r\nlook\r\n--%b\r\n'
        b"Content-Type: message/rfc822\r\n\r\n%b\r\n--%b--\r\n"
    ) % (boundary, boundary, boundary, raw, boundary)


def inline(raw: bytes) -> bytes:
    """Within the text of a mail of a player's."""
    return _HEAD + b"\r\n-------- Original Message --------\r\n" + raw[:4000]
