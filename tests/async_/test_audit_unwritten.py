"""Votes, disputes and what a host does, whose records keep no line, against the mails that they came by."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import orjson
import pytest

from club import Club, reply_to
from felix_async.audit.audit import Finding
from felix_async.audit.evidence import evidence_of
from felix_async.audit.kept.log import Log
from felix_async.audit.kept.mailboxes import KeptMail
from felix_async.audit.kept.witness import held
from felix_async.audit.received import orders_in
from felix_async.audit.unwritten import names_then, stands_among
from felix_async.clock import text_of
from felix_async.game.names import Names
from felix_async.game.scoring import DEFAULT_RULESET
from felix_async.people import Named, name_of
from felix_async.service import Origin
from felix_async.settings import Settings
from felix_cli.audit_workers import audit_one
from felix_events.envelope import canonical, check_envelopes
from felix_events.model import Options
from felix_events.store.sqlite import SqliteReader
from felix_events.tree import extend, leaf

pytestmark = pytest.mark.slow

PEOPLE: Final = ("Anna", "Ben", "Cara", "Dan")
Fields = dict[str, Any]


def a_table(club: Club, number: int = 1) -> str:
    """A table of four, with a clock, that Cara hosts, whose invitations are out."""

    def work(tx: Any) -> Any:
        return club.service.open_table(
            tx,
            club.service.identified(
                tx, [Named(name_of(one), f"{one.lower()}@players.test") for one in PEOPLE]
            ),
            origin=Origin(f"new/{number}", "host", "desk", order="NEW"),
            table_name="Thursday",
            ruleset=DEFAULT_RULESET,
            options=Options(start_seat=0),
            host=2,
            clock=Settings().time.terms,
        )

    game_id, _ = club.do(work)
    club.deal()
    return str(game_id)


def begin(club: Club, game_id: str) -> None:
    """All join and place a card, Anna bids 4, and Ben 5."""
    for name in PEOPLE:
        club.write(name.lower(), game_id, "JOIN")
    game = club.look(lambda reader: club.service.load(reader, game_id))
    for seat, name in enumerate(PEOPLE):
        card = next(one for one in game.seats[seat].hand if isinstance(one, int) and one > 0)
        club.write(name.lower(), game_id, f"PLAY {card}")
    club.write("anna", game_id, "BID 4")
    club.write("ben", game_id, "BID 5")


def a_quarrel(folder: Path) -> tuple[Club, str]:
    """Two deny a bid, one votes, the host lets one move stand, and Ben takes another dispute back."""
    club = Club(folder / "felix.db")
    game_id = a_table(club)
    begin(club, game_id)
    club.write("anna", game_id, "DISPUTE BID 4")
    club.write("ben", game_id, "DISPUTE I never made that bid of 5")
    club.write("dan", game_id, "HAND OVER Anna")
    club.write("dan", game_id, "ABANDON")
    club.write("cara", game_id, "STANDS Ben, he was there")
    club.write("ben", game_id, "DISPUTE card")
    club.write("ben", game_id, "dispute withdrawn")
    return club, game_id


def versions(club: Club, game_id: str, type_: str) -> list[int]:
    bodies = club.look(lambda reader: list(reader.bodies(game_id)))
    return [one.version for one in check_envelopes(bodies) if one.type == type_]


def forge(path: Path, game_id: str, version: int, event: Fields, record: Fields) -> None:
    """Change a step with its record, and make the tree anew, as somebody with the database can."""
    with sqlite3.connect(path) as db:
        (trigger,) = db.execute("SELECT sql FROM sqlite_master WHERE name = 'events_no_update'").fetchone()
        db.execute("DROP TRIGGER events_no_update")
        kept = b""
        for at, body, private in db.execute(
            "SELECT version, body, private_record FROM events WHERE game_id = ? ORDER BY version", (game_id,)
        ).fetchall():
            if at == version:
                private = canonical(orjson.loads(private) | record)
                fields = orjson.loads(body)
                fields["data"] |= event.pop("data", {})
                body = canonical(fields | event | {"private": sha256(private).hexdigest()})
            kept = extend(kept, at - 1, leaf(body))
            db.execute(
                "UPDATE events SET body = ?, range = ?, private_record = ? WHERE game_id = ? AND version = ?",
                (body, kept, private, game_id, at),
            )
        db.execute(trigger)
    db.close()


def findings(path: Path, game_id: str) -> list[Finding]:
    db = sqlite3.connect(path)
    report = audit_one(SqliteReader(db), game_id)
    db.close()
    return list(report.findings)


LINELESS: Final = {"line": None, "grammar": None}
FORGED: Final[dict[str, tuple[str, int, Fields, Fields]]] = {
    "another seat": ("vote_cast", 0, {"data": {"on": "seat 1"}}, {"order": "HAND OVER 1"}),
    "another vote": ("vote_cast", 0, {"data": {"on": "pause"}}, {"order": "PAUSE"}),
    "a vote without its line": ("vote_cast", 1, {"data": {"on": "pause"}}, {"order": "PAUSE", **LINELESS}),
    "a ruling that is none": (
        *("dispute_settled", 1),
        *({"actor": "host", "data": {"how": "stands"}}, {"order": "STANDS 1"}),
    ),
    "a ruling taken for Ben's own word": (
        *("dispute_settled", 0),
        *({"actor": "seat", "data": {"how": "withdrawn"}}, {"order": "DISPUTE off"}),
    ),
}
"""The step, what is changed in it, and in its record."""


@pytest.mark.parametrize("what", FORGED)
def test_a_step_that_its_mail_did_not_order_is_found(tmp_path: Path, what: str) -> None:
    club, game_id = a_quarrel(tmp_path)
    type_, place, event, record = FORGED[what]
    version = versions(club, game_id, type_)[place]
    assert findings(club.path, game_id) == []
    club.close()
    forge(club.path, game_id, version, orjson.loads(orjson.dumps(event)), record)
    found = findings(club.path, game_id)
    assert {(one.check, one.version) for one in found} == {("database", version)}
    assert all(tells_no_word(one) for one in found)


def tells_no_word(finding: Finding) -> bool:
    """Of a running game no finding tells what a mail says."""
    return not any(word in str(finding) for word in ("HAND", "PAUSE", "STANDS", "DISPUTE"))


def test_a_ruling_by_a_mail_of_who_is_no_host_is_found_by_its_address_alone(tmp_path: Path) -> None:
    """Also if that mail says the word, which only its answer refused."""
    club, game_id = a_quarrel(tmp_path)
    mail_id = club.write("dan", game_id, "STANDS Ben")
    mail = club.look(lambda reader: reader.mail(mail_id))
    version = versions(club, game_id, "dispute_settled")[0]
    club.close()
    its = {"mail_sha256": mail.sha256, "message_id": f"{club.mails}.club@players.test"}
    forge(club.path, game_id, version, {}, its)
    assert f"mail {mail_id} to seat 2" in {one.expected for one in findings(club.path, game_id)}


@pytest.mark.parametrize("what", ["another seat", "a vote without its line"])
def test_kept_mails_convict_a_vote_of_other_words(tmp_path: Path, what: str) -> None:
    club, game_id = a_quarrel(tmp_path)
    type_, place, event, record = FORGED[what]
    version = versions(club, game_id, type_)[place]
    mails = [KeptMail(str(one.mail_id), one.raw) for one in club.look(lambda reader: reader.mails())]
    assert witnessed(club, game_id, mails) == ([], [])
    club.close()
    forge(club.path, game_id, version, orjson.loads(orjson.dumps(event)), record)
    (finding,), _ = witnessed(club, game_id, mails)
    assert (finding.version, finding.found) == (version, "another one (hidden while the game runs)")
    assert (finding.message[:13], bool(finding.expected)) == ('the message "', True)


def witnessed(club: Club, game_id: str, mails: list[KeptMail]) -> tuple[list[Any], list[str]]:
    db = sqlite3.connect(club.path)
    evidence = evidence_of(SqliteReader(db), game_id)
    db.close()
    assert evidence is not None
    told = held(Log.of(evidence, Names(PEOPLE)), mails)
    return told.findings, told.not_checked


# ---- what honest people write
def html(text: str) -> Callable[[str, str], bytes]:
    def mail(to: str, sender: str) -> bytes:
        head = f"From: {sender}\r\nTo: {to}\r\nSubject: Re: felix\r\nMessage-ID: <h@players.test>\r\n"
        return f"{head}Content-Type: text/html\r\n\r\n<div>{text}</div>\r\n".encode()

    return mail


def send(club: Club, name: str, to: str, made: Callable[[str, str], bytes]) -> None:
    sender = f"{name}@players.test"
    club.do(lambda tx: tx.keep_mail(text_of(club.now), to, sender, made(to, sender)))
    club.deal()


def test_nothing_that_honest_people_write_is_a_finding(tmp_path: Path) -> None:
    club = Club(tmp_path / "felix.db")
    game_id = a_table(club)
    club.write("cara", game_id, "HOST anna@players.test")
    club.write("anna", game_id, "host to cara")
    club.write("anna", game_id, "HOST Car")
    begin(club, game_id)
    club.write("anna", game_id, "Hello all,\n\nDISPUTE, I was asleep\n\nAnna")
    club.write("dan", game_id, "HAND OVER")
    club.write("dan", game_id, "RESUME")
    club.write("ben", game_id, "DISPUTE the 5")
    send(club, "dan", reply_to(club.letter("dan", game_id)), html("I say<br>hand over <b>ann</b><br>Dan"))
    club.write("cara", game_id, "> HAND OVER Anna\n\nSTANDS Ann\nSTANDS Ben.")
    club.write("ben", game_id, "DISPUTE card")
    club.write("ben", game_id, "DISPUTE Off.")
    club.write("cara", game_id, "HOST Anna")
    club.confirm("cara", game_id, "RESIGN")
    for name in ("anna", "ben", "dan"):
        club.write(name, game_id, "ABANDON")
    other = a_table(club, 2)
    for name in ("anna", "ben", "cara"):
        club.write(name, other, "JOIN")
    club.write("cara", other, "start please")
    club.write("cara", other, "sure, go ahead")
    games = club.look(lambda reader: list(reader.logs()))
    types = {row.type for row in check_envelopes(club.look(partial(bodies, game_id)))}
    assert {"dispute_settled", "vote_cast", "host_named"} <= types
    assert ("game_started", "host") in {
        (row.type, row.actor) for row in check_envelopes(club.look(partial(bodies, other)))
    }
    mails = [KeptMail(str(one.mail_id), one.raw) for one in club.look(lambda reader: reader.mails())]
    for one in games:
        assert findings(club.path, one) == []
        assert witnessed(club, one, mails)[0] == []
    club.forget("ben")
    club.close()
    for one in games:
        assert findings(club.path, one) == []


def test_a_host_who_calls_a_table_off_is_no_finding(tmp_path: Path) -> None:
    club = Club(tmp_path / "felix.db")
    game_id = a_table(club)
    club.write("cara", game_id, "UNINVITE dan@players.test\nSAY He is away.")
    club.write("cara", game_id, "CANCEL")
    types = {row.type for row in check_envelopes(club.look(partial(bodies, game_id)))}
    assert {"player_uninvited", "game_abandoned"} <= types
    club.close()
    assert findings(club.path, game_id) == []


def bodies(game_id: str, reader: Any) -> list[bytes]:
    return list(reader.bodies(game_id))


# ---- what tells orders apart
@pytest.mark.parametrize(
    ("order", "text", "there"),
    [
        ("HAND OVER 1", "hand over b", True),
        ("HAND OVER 1", "HAND OVER Ann", False),
        ("HAND OVER 1", "HAND OVER Ben Anna", True),
        ("HAND OVER 1", "HAND OVER the one of us who sleeps", True),
        ("STANDS 0", "STANDS Ben, Anna lies", False),
        ("DISPUTE BID 5", "DISPUTE BID 4", False),
        ("DISPUTE BID 5", "DISPUTE BID 5 or BID 4", True),
        ("DISPUTE BID 5", "DISPUTE OFF", False),
        ("DISPUTE", "DISPUTE BID 4", True),
        ("DISPUTE off", "DISPUTE BID 5", False),
        ("DISPUTE off", "Dispute drop it", True),
        ("BID 6", "BID 5", False),
        ("BID 5, UP TO 7", "BID 5", True),
        ("PAUSE", "What a day", None),
        ("UNINVITE 1", "UNINVITE anna.b@players.test", True),
    ],
)
def test_only_a_clear_word_a_name_or_a_move_tells_orders_apart(
    order: str, text: str, there: bool | None
) -> None:
    orders = orders_in(f"Subject: x\n\n{text}\n".encode())
    assert stands_among(order, orders, PEOPLE) is there


def test_names_that_are_not_all_known_tell_nothing_apart() -> None:
    assert names_then(Names(["Ann", "Anna"]), (), 5) == ("Ann", "Anna")
    assert names_then(Names(["", "Anna"]), (), 5) == ()
    assert names_then(Names(["", "", "Benjamin"]), (), 5) == ()
    assert names_then(Names(["Ann", "Anna"], [(9, 0, "")]), (), 5) == ()
    assert stands_among("HAND OVER 0", orders_in(b"Subject: x\n\nHAND OVER Ann\n"), ()) is True
