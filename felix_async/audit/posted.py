"""What felix owed and sent against a log: notices, what letters told, and the letters themselves.

A letter that was erased or retired has no bytes, and one that named who was forgotten has two header fields.
"""

from __future__ import annotations

from collections.abc import Iterable
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import getaddresses

from felix_async.address import decode_token
from felix_async.audit.beside import Looks
from felix_async.audit.evidence import Evidence, evidence_in
from felix_events import model as m
from felix_events.export import NotAnExport, read_export
from felix_events.lines import Damaged
from felix_events.store.looking import Noted
from felix_events.store.naming import field_of, is_cut
from felix_events.store.rows import Letter

_AHEAD = 2
"""So many decisions ahead of the one before a seat it is told of at most."""


def look_at_notices(looks: Looks) -> list[Noted]:
    """Hold each notice to the version that it is about; the notices."""
    notices = looks.reader.noted(looks.game_id)
    highest = [0] * len(looks.game.seats)
    turns = [tuple(highest)]
    for after in looks.turns[1:]:
        highest = [max(pair) for pair in zip(highest, after, strict=True)]
        turns.append(tuple(highest))
    for one in notices:
        if not (0 < one.version <= looks.size and 0 <= one.seat < len(looks.game.seats)):
            looks.expect(False, one.version, "a notice to a seat about a version of the log", "one beyond")
            continue
        most = turns[one.version][one.seat] + _AHEAD
        looks.expect(one.turn <= most, one.version, f"a notice of decision {most} at most", f"{one.turn}")
        if one.kind == "result":
            looks.expect(looks.row.is_over, one.version, "no notice of a result", "one of a running game")
        looks.expect(
            one.letter_id is None or one.settled, one.version, "a notice in a letter as settled", "one owed"
        )
    return notices


def look_at_tidings(looks: Looks) -> set[int]:
    """Hold what letters told to the log; the letters that told it."""
    letters = set()
    for one in looks.reader.tidings(looks.game_id):
        is_after = bool(one.said) and one.version > looks.size and looks.row.is_over
        is_there = 0 < one.version <= looks.size and 0 <= one.seat < len(looks.game.seats)
        what = f"letter {one.letter_id} telling of what the log has"
        looks.expect(is_there or is_after, one.version, what, "more")
        if is_there and one.said:
            said = isinstance(looks.at(one.version), m.PlayerSaid)
            looks.expect(said, one.version, f"letter {one.letter_id} telling what was said", "something else")
        letters.add(one.letter_id)
    return letters


def look_at_letters(looks: Looks, notices: Iterable[Noted], told: set[int]) -> None:
    """Hold each letter of the game to its row, and the log in it to this one."""
    versions = {one.letter_id: one.version for one in notices if one.letter_id is not None}
    ends = {one.letter_id for one in notices if one.kind == "result"}
    for letter_id in sorted(told | versions.keys()):
        version = versions.get(letter_id, 1)
        letter = looks.reader.letter(letter_id)
        looks.expect(letter, version, f"letter {letter_id}, which a row names", "none")
        if letter is None:
            continue
        if looks.has_text(letter.raw, "letter_bytes", letter_id, version):
            _look_at(looks, letter, version)
            if letter_id in ends:
                _look_at_log(looks, letter, version)


def _look_at(looks: Looks, letter: Letter, version: int) -> None:
    which = f"letter {letter.letter_id}"
    has_id = field_of(letter.raw, b"message-id") == letter.message_id.encode()
    looks.expect(has_id, version, f"{which} with the Message-ID of its row", "another one")
    to = field_of(letter.raw, b"to").decode("utf-8", "replace")
    is_to = not to or any(address == letter.recipient for _, address in getaddresses([to]))
    looks.expect(is_to, version, f"{which} to whom its row names", "another")
    address = field_of(letter.raw, b"reply-to").decode("ascii", "replace").partition("@")[0]
    token = decode_token(address.rpartition("+")[2])
    if token is not None:
        is_there = (token.game_id, token.seat) == (letter.game_id, letter.seat)
        looks.expect(is_there, version, f"{which} to be answered at the seat of its row", "another seat")


def _look_at_log(looks: Looks, letter: Letter, version: int) -> None:
    """Compare the log of this game that is attached to the news of its end."""
    if is_cut(letter.raw):
        looks.not_checked["letters cut down because they named who was forgotten"] += 1
        return
    message = message_from_bytes(letter.raw, policy=policy.default)
    assert isinstance(message, EmailMessage), "of that policy"
    for part in message.iter_attachments():
        data = part.get_payload(decode=True)
        if part.get_filename("") != f"felix-{looks.game_id}.jsonl" or not isinstance(data, bytes):
            continue
        try:
            attached = _all_of(evidence_in(read_export(data)))
        except (NotAnExport, Damaged):
            attached = None
        which = f"letter {letter.letter_id}"
        looks.expect(
            attached == _all_of(looks.evidence), version, f"{which} with this log attached", "another log"
        )


def _all_of(evidence: Evidence) -> tuple[object, ...]:
    """Return what is to be the same in two files of a game that is over."""
    logs = {seat: (list(log.bodies), log.private_records) for seat, log in evidence.seat_logs.items()}
    return list(evidence.bodies), evidence.private_records, logs
