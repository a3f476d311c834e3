"""A player's kept mails against a log that tells another story: each lie is named, with both sides."""

from __future__ import annotations

import re
import time
from base64 import encodebytes
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from cli.terminal import Terminal
from felix_async.audit.audit import audit
from felix_async.audit.evidence import Kept as OnServer
from felix_async.audit.evidence import evidence_in
from felix_async.audit.kept.log import Log
from felix_async.audit.kept.mailboxes import KeptMail
from felix_async.audit.kept.witness import held
from felix_async.game.names import Names
from felix_events.export import read_export
from kept_mails import (
    Data,
    Kept,
    a_kept_game,
    dearer,
    log_in,
    neomutt,
    rewritten,
    witnessed,
)


@pytest.fixture
def kept() -> Kept:
    return a_kept_game()


def test_a_game_rewritten_by_the_rules_is_sound_without_mails_and_not_with_any_box(kept: Kept) -> None:
    data = rewritten(kept.data, dearer)
    assert audit(evidence_in(read_export(data))).sound
    for seat in range(3):
        findings = witnessed(data, kept.letters[seat]).findings
        assert findings, seat
        assert all(finding.check == "mails" for finding in findings)


def test_the_result_mail_names_the_first_version_that_differs_and_both_sides(kept: Kept) -> None:
    version = 0

    def change(events: list[Data], records: dict[int, Data]) -> None:
        nonlocal version
        version = dearer(events, records)

    finding, *_ = witnessed(rewritten(kept.data, change), [kept.result]).findings
    assert finding.version == version
    assert "bid_placed" in finding.expected
    assert "Message-ID <" in finding.message
    assert "bid_placed" in finding.found
    assert finding.expected.split(" at ")[0] != finding.found.split(" at ")[0]


def test_a_sent_mail_convicts_a_record_of_other_words(kept: Kept) -> None:
    def change(events: list[Data], records: dict[int, Data]) -> None:
        version = next(v for v, one in records.items() if (one["line"] or "").startswith("PLAY"))
        records[version]["line"] = "PLAY 99"

    own = [raw for seat in range(3) for raw in kept.sent[seat]]
    data = rewritten(kept.data, change)
    (finding,) = witnessed(data, own).findings
    assert '"PLAY 99"' in finding.found
    assert finding.expected.startswith("PLAY ")
    (attached,) = witnessed(data, [kept.result]).findings
    assert attached.found == 'the record: line "PLAY 99"'


def test_of_a_record_that_differs_its_words_are_told_and_not_its_hashes(kept: Kept) -> None:
    version, named = a_record(kept, b'"line":"BID')
    other = {"cause": "desk/9", "channel": "desk", "mail_sha256": None, "message_id": None, "order": "BID 1"}
    data = rewritten(kept.data, lambda _, records: records[version].update(other))
    (attached,) = witnessed(data, [kept.result]).findings
    assert attached.expected.endswith(f', channel "mail", message_id "{named.decode()}" (attached)')
    assert attached.found == 'the record: order "BID 1", channel "desk", message_id null'


def test_a_sent_mail_convicts_a_record_that_has_a_part_of_its_line(kept: Kept) -> None:
    """As `BID 1` is the beginning of `BID 13`."""

    def change(events: list[Data], records: dict[int, Data]) -> None:
        version = next(v for v, one in records.items() if len((one["line"] or "").partition("BID ")[2]) > 1)
        records[version]["line"] = records[version]["line"][:-1]

    own = [raw for seat in range(3) for raw in kept.sent[seat]]
    (finding,) = witnessed(rewritten(kept.data, change), own).findings
    assert finding.expected.startswith("BID ")


@pytest.mark.parametrize(("line", "findings"), [("NEXT 3", 0), ("NEXT 5", 1)])
def test_an_order_on_two_lines_of_a_mail_is_one_line_of_its_record(
    kept: Kept, line: str, findings: int
) -> None:
    version = next(v for v, one in kept.export.private_records.items() if b'"line":"PASS"' in one)
    data = rewritten(kept.data, lambda _, records: records[version].update(line=f"PASS; {line}"))
    own = [raw.replace(b"PASS\n", b"PASS\n\nNEXT 3\n", 1) for seat in range(3) for raw in kept.sent[seat]]
    assert len(witnessed(data, own).findings) == findings


def test_a_sent_mail_whose_move_is_there_by_another_one_is_named(kept: Kept) -> None:
    """The bid, and the message that it came by, were changed; an honest player may have written twice."""
    version = 0

    def change(events: list[Data], records: dict[int, Data]) -> None:
        nonlocal version
        version = dearer(events, records)
        records[version] |= {"message_id": "x@players.test", "mail_sha256": "ab" * 32}

    data = rewritten(kept.data, change)
    own = [raw for seat in range(3) for raw in kept.sent[seat]]
    told = witnessed(data, own)
    (why,) = told.not_checked
    assert told.findings == []
    bid = int(log_in(data).evidence.private_records[version].split(b'"order":"BID ')[1].split(b'"')[0])
    assert f"it holds BID {bid - 1}, for which version {version} has BID {bid} by another message" in why


def a_record(kept: Kept, holding: bytes) -> tuple[int, bytes]:
    """The version of the first private record that holds this, and the Message-ID in it."""
    version, record = next(one for one in kept.export.private_records.items() if holding in one[1])
    return version, (orjson.loads(record)["message_id"] or "").encode()


BY_DESK: Data = {"channel": "desk", "mail_sha256": None, "message_id": None, "line": None, "grammar": None}


@pytest.mark.parametrize(
    ("change", "by"),
    [
        (BY_DESK, "from the desk"),
        (BY_DESK | {"channel": "computer"}, "by the computer"),
        (BY_DESK | {"channel": "mail"}, "by a message without an id"),
        ({"message_id": "x@players.test"}, "by another message"),
    ],
)
def test_a_sent_mail_whose_move_came_another_way_is_named(kept: Kept, change: Data, by: str) -> None:
    """The move is the same: only who made it was changed."""
    version, _ = a_record(kept, b'"order":"BID')
    data = rewritten(kept.data, lambda _, records: records[version].update(change))
    own = [raw for seat in range(3) for raw in kept.sent[seat]]
    told = witnessed(data, own)
    (why,) = told.not_checked
    assert f", for which version {version} has the same {by}; was it written twice, or refused?" in why
    assert (told.findings, told.in_log) == ([], witnessed(kept.data, own).in_log - 1)


def test_a_sent_mail_whose_move_the_rules_made_is_named(kept: Kept) -> None:
    def change(events: list[Data], records: dict[int, Data]) -> None:
        del records[version], events[version - 1]["private"]

    version, _ = a_record(kept, b'"line":"PASS"')
    own = [raw for seat in range(3) for raw in kept.sent[seat]]
    (why,) = witnessed(rewritten(kept.data, change), own).not_checked
    assert f"it holds PASS, for which version {version} has the same by the rules" in why


def test_what_stands_in_no_record_is_listed_with_its_orders(kept: Kept, terminal: Terminal) -> None:
    """As are orders that were refused, and those that no event comes of; a vote has a record, but no line."""
    place = next(place for place, raw in enumerate(kept.sent[0]) if b"\nBID " in raw)
    own = [kept.sent[0][place].replace(b"\nBID ", b"\nRECEIPTS ON\n\nHELP\n\nx") for _ in range(5)]
    own = [raw.replace(b"Message-ID: <", b"Message-ID: <%d" % number) for number, raw in enumerate(own)]
    told = witnessed(kept.data, own)
    assert (told.in_log, told.sent, told.not_checked, told.findings) == (0, 5, [], [])
    assert [one.rpartition(": ")[2] for one in told.idle] == ["RECEIPTS ON, HELP"] * 5
    Path("game.jsonl").write_bytes(kept.data)
    Path("box").write_bytes(neomutt(own))
    printed = terminal.run("audit", "game.jsonl", "--mail", "box")
    assert "5 messages to felix, 0 of them in the log;" in printed
    assert printed.count(">: RECEIPTS ON, HELP\n") == 3
    assert "  not in the log: 2 more (--json has them all)\n" in printed
    version, named = a_record(kept, b'"line":"BID')
    lineless = rewritten(kept.data, lambda _, records: records[version].update(line=None, grammar=None))
    (raw,) = (raw for seat in range(3) for raw in kept.sent[seat] if named in raw.partition(b"\n\n")[0])
    assert (witnessed(lineless, [raw]).in_log, witnessed(lineless, [raw]).idle) == (1, [])


def test_a_sent_mail_from_before_a_restore_is_told_to_be_that(kept: Kept) -> None:
    """It is asked about no move that came in place of its own."""

    def change(events: list[Data], records: dict[int, Data]) -> None:
        events[60] |= {"type": "server_restored", "data": {}, "actor": "host"}
        events[60].pop("private", None)
        del events[61:]
        for version in [one for one in records if one > 60]:
            del records[version]

    told = witnessed(rewritten(kept.data, change), kept.sent[0])
    assert (told.findings, told.idle) == ([], [])
    assert len(told.not_checked) == told.sent - told.in_log > 5
    assert all("from before the server was set back to a backup" in one for one in told.not_checked)


def test_a_subject_in_plain_bytes_is_told(kept: Kept) -> None:
    raw = re.sub(rb"(?m)^Subject: .*$", "Subject: Re: Katzen für Zoë".encode(), kept.sent[0][3])
    (why,) = witnessed(kept.data, [raw.replace(b"Message-ID: <", b"Message-ID: <x")]).not_checked
    assert why.startswith('"Re: Katzen für Zoë", Message-ID <x')


def test_a_mail_to_another_game_with_the_same_message_id_convicts_nobody(kept: Kept) -> None:
    _, named = a_record(kept, b'"line":"BID')
    other = next(raw for raw in a_kept_game(seed=8).sent[0] if b"\nPASS\n" in raw)
    mail = re.sub(rb"(?m)^Message-ID: .*$", b"Message-ID: <" + named + b">", other)
    told = witnessed(kept.data, [mail])
    assert (told.sent, told.other_games, told.findings, told.not_checked) == (0, 1, [], [])


def test_a_finding_names_the_players_and_nobody_in_what_it_quotes(kept: Kept) -> None:
    version, _ = a_record(kept, b'"line":"PASS"')
    quoting = rewritten(kept.data, lambda _, records: records[version].update(line="seat 1 passes"))
    own = [raw for seat in range(3) for raw in kept.sent[seat]]
    for data, mails, says in (
        (rewritten(kept.data, dearer), [kept.result], "bid_placed of seat 1 (Ben): amount 8"),
        (quoting, own, '"seat 1 passes" as its line'),
    ):
        log = Log.of(evidence_in(read_export(data)), Names(["Anna", "Ben", "Cara"]))
        (finding,) = held(log, [KeptMail("x", raw) for raw in mails]).findings
        assert finding.found == says


def seal(events: list[Data], records: dict[int, Data]) -> None:
    events[0]["data"]["commitment"] = "ab" * 32


def share(events: list[Data], records: dict[int, Data]) -> None:
    joined = next(event for event in events if event["type"] == "player_joined")
    joined["data"]["contribution"] = "cd" * 32


def a_card(events: list[Data], records: dict[int, Data]) -> None:
    """Another card in the row of the first round, as if the player had put that there."""
    place = next(number for number, event in enumerate(events) if event["type"] == "card_placed")
    old, new = events[place]["data"]["card"], 15 if events[place]["data"]["card"] != 15 else 11
    events[place]["data"]["card"] = new
    turned = next(
        event for event in events[place:] if event["type"] == "cards_turned" and old in event["data"]["cards"]
    )
    turned["data"]["cards"] = [new if card == old else card for card in turned["data"]["cards"]]


def a_price(events: list[Data], records: dict[int, Data]) -> None:
    next(event for event in events if event["type"] == "sack_sold")["data"]["price"] += 1


def a_pass(events: list[Data], records: dict[int, Data]) -> None:
    next(event for event in events if event["type"] == "player_passed")["data"]["mice"] += 1


def another_turn(events: list[Data], records: dict[int, Data]) -> None:
    """A week later, all of it."""
    for event in events:
        event["at"] = event["at"].replace("-20T", "-28T").replace("-21T", "-29T")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (seal, "the seal "),
        (share, "the share "),
        (another_turn, "a moment of "),
        (a_card, "face down"),
        (a_price, "round 1: "),
        (a_pass, "cats +0,"),
    ],
)
def test_letters_without_a_log_convict(
    kept: Kept, change: Callable[[list[Data], dict[int, Data]], None], says: str
) -> None:
    data = rewritten(kept.data, change)
    findings = [one for seat in range(3) for one in witnessed(data, kept.letters[seat][:-1]).findings]
    assert any(says in one.expected for one in findings), findings


def test_a_price_in_a_letter_convicts_at_the_version_of_the_sale(kept: Kept) -> None:
    data = rewritten(kept.data, a_price)
    (sale, *_) = [one.version for one in log_in(data).envelopes if one.type == "sack_sold"]
    for seat in range(3):
        found = [
            one for one in witnessed(data, kept.letters[seat][:-1]).findings if "mice for" in one.expected
        ]
        assert [one.version for one in found] == [sale]
        assert found[0].expected.partition(" mice for")[0] != found[0].found.partition(" mice for")[0]


def test_the_result_convicts_without_its_log(kept: Kept) -> None:
    """Points, and the last row: what the letters tell in words."""
    letters = [raw.replace(b'filename="felix-', b'filename="') for raw in kept.letters[0]]
    told = witnessed(rewritten(kept.data, dearer), letters)
    assert told.logs == 0
    (end,) = [one.version for one in log_in(kept.data).envelopes if one.type == "game_ended"]
    assert any(one.version == end for one in told.findings)


def test_an_end_that_came_sooner_is_convicted(kept: Kept) -> None:
    """The tail is gone, and the log says that this was all: no letter may be of a moment after it."""

    def change(events: list[Data], records: dict[int, Data]) -> None:
        del events[80:-1]
        events[80]["version"] = 81
        for version in [one for one in records if one > 80]:
            del records[version]

    data = rewritten(kept.data, change)
    assert witnessed(data, kept.letters[1][:-1]).findings
    assert witnessed(data, [kept.result]).findings


def test_a_made_up_letter_learns_nothing_of_a_running_game(kept: Kept) -> None:
    """One that brings another log along, with another hand."""

    def change(events: list[Data], records: dict[int, Data]) -> None:
        next(one for one in events if one["type"] == "hand_dealt")["data"]["cards"].reverse()

    lie = encodebytes(rewritten(kept.data, change, size=60)).replace(b"\n", b"\r\n")
    at = kept.result.index(b"\r\n\r\n", kept.result.index(b'.jsonl"')) + 4
    mail = kept.result[:at] + lie + kept.result[kept.result.index(b"\r\n--", at) :]
    (finding,) = witnessed(rewritten(kept.data, lambda *_: None, size=60), [mail]).findings
    assert "hand_dealt" in finding.expected
    assert finding.found == "something else (hidden while the game runs)"


def test_a_letter_that_nobody_wrote_costs_no_time(kept: Kept) -> None:
    """A paragraph in which a line below a row could end at thousands of places; parts within parts."""
    head, _, body = kept.letters[0][5].partition(b"\r\n\r\n")
    boundary = body.partition(b"\r\n")[0]
    below = f"is the table {kept.export.header.game_id}".encode()
    words = b"Hello\n\nOpen +3, x " + b"You have 7 mice, a 1b " * 11_000 + b"\n\n" + below
    deep = b"".join(
        b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (one, one) for one in range(3000)
    )
    for part in (b"Content-Type: text/plain\r\n\r\n" + words, deep):
        begun = time.process_time()
        mail = b"\r\n".join([head, b"", boundary, part, boundary + b"--", b""])
        told = witnessed(kept.data, [mail])
        assert (told.letters, told.findings, told.not_usable) == (1, [], [])
        assert time.process_time() - begun < 4


def test_a_tail_cut_off_in_the_servers_own_database_is_convicted(kept: Kept) -> None:
    """No newer file can explain it."""
    half = evidence_in(read_export(rewritten(kept.data, lambda *_: None, size=60)))
    own = replace(half, kept=OnServer([], [], size=60, state="running", clock="", seed=None))
    for seat in range(3):
        told = held(Log.of(own), [KeptMail("x", raw) for raw in kept.letters[seat]])
        assert told.findings
        assert max(finding.version for finding in told.findings) > 60
