"""A game as a file comes back as it was, and a changed byte is found, named, and never a stranger's file."""

from __future__ import annotations

import base64
import json
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from each import each, one_in
from events.filling import example
from felix_async.audit.audit import audit
from felix_async.audit.evidence import evidence_in
from felix_async.draw import commit
from felix_events import model as m
from felix_events.envelope import Actor, Private, PrivateV2, encode_envelope, encode_private
from felix_events.export import (
    MOST_LINES,
    Export,
    NotAnExport,
    OtherFormat,
    OwnLog,
    read_export,
    write_export,
)
from felix_events.lines import Damaged, Leaf, Said, Seen, Told, ToldHidden, line_of
from felix_events.tree import EMPTY_ROOT, leaf, tree_root

GAME_ID = "k7m2p"
SEED = bytes(range(32))
AT = "2026-11-20T21:05:00.000000Z"


def the_example() -> bytes:
    """The file in `events/README.md`: three are invited, and the second declines."""
    opening = m.GameCreated(
        ruleset="felicity-2017",
        seats=["anna", "ben", "cara"],
        options=m.Options(),
        commitment=commit(GAME_ID, SEED),
    )
    caused: list[tuple[m.Event, Actor, Private | None]] = [
        (opening, "host", _caused_by("desk", "new/1", None)),
        *[(m.PlayerInvited(seat=seat), "rules", None) for seat in range(3)],
        (m.PlayerDeclined(seat=1), "seat", _caused_by("mail", "decline/1", "DECLINE")),
        (m.GameAbandoned(reason="declined"), "rules", None),
        (m.SeatLogsClosed(roots=[EMPTY_ROOT.hex()] * 3), "rules", None),
        (m.SeedRevealed(seed=SEED.hex()), "rules", None),
    ]
    bodies: list[bytes] = []
    records: dict[int, bytes] = {}
    for version, (event, actor, private) in enumerate(caused, 1):
        at = f"2026-11-20T21:0{1 if version < 5 else 5}:00.000000Z"
        record, record_hash = encode_private(private) if private else (b"", None)
        if private:
            records[version] = record
        bodies.append(
            encode_envelope(event, game_id=GAME_ID, version=version, at=at, actor=actor, private=record_hash)
        )
    return write_export(GAME_ID, ["Anna", "Ben", "Cara"], "Thursday club", bodies, records)


def _caused_by(channel: str, cause: str, order: str | None) -> Private:
    mail = None if order is None else sha256(order.encode()).hexdigest()
    salt = sha256(cause.encode()).hexdigest()[:32]
    return PrivateV2.model_validate(
        {
            "schema": 2,
            "salt": salt,
            "channel": channel,
            "cause": cause,
            "mail_sha256": mail,
            "message_id": mail and "decline-1@players.test",
            "line": mail and "Decline, sorry!",
            "order": order,
            "grammar": mail and 2,
            "inferred": mail is not None,
        }
    )


EXAMPLE = the_example()
OLD = (Path(__file__).parent / "format-1.jsonl").read_bytes()
"""The same game as it was written before there were sayings in a file."""
LINES = EXAMPLE.splitlines(keepends=True)
HEADER, EVENTS, RECORDS, TRAILER = LINES[0], LINES[1:9], LINES[9:11], LINES[11]
SAID = [encode_private(_caused_by("desk", f"order/{one}", "UP TO 9")) for one in range(3)]
OWN = {
    seat: OwnLog(
        [
            b'{"game_id":"k7m2p/seat/%d","private":"%s","version":%d}' % (seat, named.encode(), version)
            for version, (_, named) in enumerate(SAID, 1)
        ],
        {version: SAID[version - 1][0] for version in (1, 3)[:seat]},
    )
    for seat in (0, 2)
}
NAMED = (GAME_ID, ["Anna", "Ben", "Cara"], "Thursday club")
BODIES, OPENED = [line[:-1] for line in EVENTS], read_export(EXAMPLE).private_records
EXPLAINED = write_export(*NAMED, BODIES, OPENED, OWN)
UNOPENED = write_export(
    GAME_ID, ["Anna"], "", [EVENTS[0][:-1]], {}, {1: OwnLog([b'{"game_id":"k7m2p/seat/1"}'])}
)
RUNNING = write_export(*NAMED, BODIES[:4])
WORDS = {
    version: Said(said=version, text=text, salt=f"{version:032x}")
    for version, text in enumerate(["Good luck!", "Nobody <i>bids</i> \u201c7\u201d."], 2)
}
SPOKEN = write_export(
    *NAMED,
    [*BODIES[:1], *(b'{"text_hash":"%b"}' % one.hash.encode() for one in WORDS.values())],
    {},
    said=WORDS,
    former=[(2, 1, "Zoe"), (3, 1, "")],
)
LEAVES = [
    line_of(Leaf(leaf=f"{version:064x}", version=version, type="hand_dealt", seat=seat, at=AT))
    for version, seat in ((2, 0), (4, None))
]
HIDDEN = write_export(*NAMED, [BODIES[0], LEAVES[0], BODIES[2], LEAVES[1]], viewer=1)
LINES_TOLD = [
    line_of(Told(told=1, type="cards_turned", actor="rules", data={"cards": [11]})),
    line_of(ToldHidden(told=2, type="card_placed", seat=2)),
    line_of(ToldHidden(told=3, type="dummy_dealt", seat=None)),
]
TELLING = write_export(*NAMED, LINES_TOLD, former=[(2, 1, "Zoe")], viewer="spectator")


def without(lines: list[bytes], index: int) -> bytes:
    return b"".join(lines[:index] + lines[index + 1 :])


def doubled(lines: list[bytes], index: int) -> bytes:
    return b"".join(lines[: index + 1] + lines[index:])


def swapped(lines: list[bytes], index: int) -> bytes:
    return b"".join([*lines[:index], lines[index + 1], lines[index], *lines[index + 2 :]])


def damage(data: bytes) -> Damaged:
    """What is said of a damaged file."""
    with pytest.raises(Damaged) as caught:
        read_export(data)
    return caught.value


# ---- round trip
def test_an_export_comes_back_and_the_same_game_gives_the_same_bytes(ended_game: Export) -> None:
    header, bodies = ended_game.header, ended_game.bodies
    one = write_export(header.game_id, header.names, header.table, bodies, ended_game.private_records)
    assert read_export(one) == ended_game
    backwards = dict(reversed(ended_game.private_records.items()))
    assert write_export(header.game_id, tuple(header.names), header.table, tuple(bodies), backwards) == one


def test_a_running_game_has_no_private_records() -> None:
    export = read_export(RUNNING)
    assert (len(export.bodies), export.private_records) == (4, {})


def test_the_seats_own_logs_come_back_by_seat_without_those_that_are_empty() -> None:
    assert read_export(EXPLAINED).seat_logs == OWN
    assert write_export(*NAMED, BODIES, OPENED, dict(reversed(OWN.items()))) == EXPLAINED
    assert write_export(*NAMED, BODIES, OPENED, {1: OwnLog([])}) == EXAMPLE


def test_what_was_said_and_who_sat_there_before_come_back() -> None:
    export = read_export(SPOKEN)
    assert export.said == WORDS
    assert export.header.former == [(2, 1, "Zoe"), (3, 1, "")]


def test_lines_in_place_of_events_come_back_as_they_were() -> None:
    assert read_export(HIDDEN).bodies == [BODIES[0], LEAVES[0], BODIES[2], LEAVES[1]]
    assert read_export(TELLING).bodies == LINES_TOLD


def test_the_root_is_over_the_hidden_events_as_well() -> None:
    leaves = [leaf(BODIES[0]), (2).to_bytes(32), leaf(BODIES[2]), (4).to_bytes(32)]
    assert json.loads(HIDDEN.splitlines()[-1])["root"] == b64encode(tree_root(leaves)).decode()
    assert json.loads(TELLING.splitlines()[-1])["root"] is None


def test_a_file_of_format_1_is_read_as_one_of_today() -> None:
    assert read_export(OLD) == read_export(EXAMPLE)


def test_a_file_of_another_format_says_so() -> None:
    for number in (3, 10, 999_999):
        data = EXAMPLE.replace(b'"felix":2', b'"felix":%d' % number)
        data = data.replace(b'"trailer":2', b'"trailer":%d' % number)
        for changed in (data, data[: data.rindex(b"\n", 0, -1) + 1]):
            with pytest.raises(OtherFormat, match=f"of format {number}; this felix reads 1 and 2"):
                read_export(changed)


@each(
    ("bodies", "viewer", "line"),
    [
        ([BODIES[0], LEAVES[0]], "all", 3),
        (LINES_TOLD, "all", 2),
        ([BODIES[0], BODIES[1], LEAVES[0]], 1, 4),
        ([BODIES[0], LEAVES[0].replace(b"hand_dealt", b"bid_placed")], 1, 3),
        ([BODIES[0], LEAVES[0].replace(b'"seat":0', b'"seat":5')], 1, 3),
        ([BODIES[0], b'{"leaf":"beef"}'], 1, 3),
        ([BODIES[0], LINES_TOLD[1]], 1, 2),
        ([LINES_TOLD[0], LEAVES[0]], 1, 3),
        ([LINES_TOLD[0], LINES_TOLD[0]], 1, 3),
        ([LINES_TOLD[0], LINES_TOLD[1].replace(b"2}", b'2,"seat":1}')], 1, 3),
        ([LINES_TOLD[0].replace(b"cards_turned", b"no_such_event")], 1, 2),
        ([LINES_TOLD[0].replace(b"[11]", b"[4]")], 1, 2),
        ([LINES_TOLD[0].replace(b"[11]", b'["11"]')], 1, 2),
        ([LINES_TOLD[0].replace(b'"cards":[11]', b"")], 1, 2),
    ],
)
def test_lines_that_cannot_stand_in_place_of_an_event_are_damage(
    bodies: list[bytes], viewer: Seen, line: int
) -> None:
    assert damage(write_export(*NAMED, bodies, viewer=viewer)).line == line


def test_a_line_of_the_seats_logs_dropped_doubled_or_swapped_is_damage() -> None:
    lines = EXPLAINED.splitlines(keepends=True)
    marks = (b'{"seat_log":', b'{"trailer":')
    first, second, end = (number for number, line in enumerate(lines) if line.startswith(marks))
    for index in range(first, end):
        assert damage(without(lines, index))
        assert damage(doubled(lines, index))
        assert index == end - 1 or damage(swapped(lines, index))
    exchanged = lines[:first] + lines[second:end] + lines[first:second] + lines[end:]
    assert damage(b"".join(exchanged)).line == first + end - second + 1


def test_the_events_stand_in_the_file_as_they_were_written() -> None:
    """The reader gives back the same bytes, whatever they say: not its business."""
    for bodies in ([], [b"{not canonical}", b""]):
        assert read_export(write_export(GAME_ID, ["Anna"], "T", bodies)).bodies == bodies


@each(
    "name",
    [
        "", "Ann\r\nBcc: ben@example.org", '"},{"trailer":2,', "\x1b[2J\x00", "<script>",
        "\\n\\u000a", "a" * 1000, "Zoë 🐈 \u2028\u2029\u0085\x0b\x0c",
    ],
)  # fmt: skip
def test_odd_names_neither_break_the_lines_nor_change(name: str) -> None:
    data = write_export(GAME_ID, [name, "Ben", "Cara"], name, BODIES)
    assert data.count(b"\n") == 1 + len(EVENTS) + 1
    header = read_export(data).header
    assert (header.names, header.table) == ([name, "Ben", "Cara"], name)


# ---- one changed byte

MASKS = [0x01, 0x02, 0x20, 0x80, 0xFF]


def flips(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Every byte, changed in several ways, a line feed among them; and the line on which it stands."""
    line = 1
    for place, byte in enumerate(data):
        for other in {*(byte ^ mask for mask in MASKS), 0x0A} - {byte}:
            yield line, data[:place] + bytes([other]) + data[place + 1 :]
        line += byte == 0x0A


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    one_in(4, [EXAMPLE, RUNNING, EXPLAINED, UNOPENED, SPOKEN, HIDDEN, TELLING, OLD]),
    ids=["ended", "running", "explained", "unopened", "spoken", "hidden", "telling", "old"],
)
def test_every_changed_byte_is_damage_on_a_named_line(data: bytes) -> None:
    """In an event or a private record that line is named; a header and a trailer may accuse each other."""
    last = data.count(b"\n")
    for line, changed in flips(data):
        error = damage(changed)
        if 1 < line < last:
            assert error.line == line, f"{error}\n{changed!r}"
        else:
            assert error.line in (1, last, last + 1), f"{error}\n{changed!r}"
            assert f"line {line}" in str(error) or error.line == line, f"{error}\n{changed!r}"


def test_changed_bytes_of_a_long_game_are_damage_on_their_line(ended_game: Export) -> None:
    header, records = ended_game.header, ended_game.private_records
    data = write_export(header.game_id, header.names, header.table, ended_game.bodies, records)
    for place in range(data.index(b"\n") + 1, data.rindex(b"\n", 0, -1), 211):
        changed = data[:place] + bytes([data[place] ^ 0x01]) + data[place + 1 :]
        assert damage(changed).line == data.count(b"\n", 0, place) + 1


# ---- lines dropped, swapped, doubled, put in, cut off

INNER = range(1, len(LINES) - 1)


@each("index", range(len(LINES)))
def test_a_dropped_line_is_damage_and_an_event_is_missed_where_it_stood(index: int) -> None:
    error = damage(without(LINES, index))
    if 1 <= index <= len(EVENTS):
        assert (error.line, f"version {index} as it was exported" in error.expected) == (index + 1, True)


@each("index", INNER[:-1])
def test_two_swapped_lines_are_damage(index: int) -> None:
    assert damage(swapped(LINES, index)).line in (index + 1, index + 2)


@each("index", INNER)
def test_a_doubled_line_is_damage_at_the_copy(index: int) -> None:
    assert damage(doubled(LINES, index)).line == index + 2


@each("index", range(1, len(LINES)))
@each("line", [b"\n", b"{}\n", EVENTS[0].replace(b"21:01", b"21:02"), EXAMPLE])
def test_a_line_put_in_is_damage_there(line: bytes, index: int) -> None:
    error = damage(b"".join([*LINES[:index], line, *LINES[index:]]))
    assert error.line == index + 1


@each(("opens", "place"), [(2, 1), (8, 2)])
def test_a_private_record_put_in_for_an_event_that_has_none_or_for_none_is_damage_there(
    opens: int, place: int
) -> None:
    line = RECORDS[0].replace(b'"opens":1', b'"opens":%d' % opens)
    lines = [HEADER, *EVENTS, *RECORDS[:place], line, *RECORDS[place:], TRAILER]
    assert damage(b"".join(lines)).line == 10 + place


def test_a_file_cut_off_anywhere_is_damage_and_after_a_line_misses_the_next() -> None:
    telling = len(b'{"felix":2,')
    for size in range(telling, len(EXAMPLE)):
        assert damage(EXAMPLE[:size])
    for kept in range(1, len(LINES)):
        assert damage(b"".join(LINES[:kept])).line == kept + 1


def test_a_file_with_something_after_it_is_damage() -> None:
    assert damage(EXAMPLE + b"\n").line == len(LINES) + 1
    assert damage(EXAMPLE + b"more").line == len(LINES) + 1
    assert damage(EXAMPLE + EXAMPLE).line > len(LINES)


@each(
    "data",
    [
        EXAMPLE.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + EXAMPLE,
        EXAMPLE.replace(b'{"felix":2,', b'{"felix":2, '),
        EXAMPLE.replace(b'{"felix":2,', b'{"felix":2,"felix":2,'),
        EXAMPLE.replace(b'{"felix":2,', b'{"felix":1,'),
        EXAMPLE.replace(b'{"felix":2,', b'{"felix":3,'),
        EXAMPLE.replace(b'{"felix":2,', b'{"felix":2.0,'),
        OLD.replace(b'{"felix":1,', b'{"felix":2,'),
        EXAMPLE.replace(b'"names":["Anna"', b'"names":["\\u0041nna"'),
    ],
)
def test_a_header_that_felix_would_not_write_is_damage_on_line_1(data: bytes) -> None:
    assert damage(data).line == 1


def test_a_consistent_lie_about_the_size_is_damage() -> None:
    assert damage(EXAMPLE.replace(b'"size":8', b'"size":7')).line == len(LINES)


def test_a_file_with_neither_a_header_nor_a_trailer_is_known_by_its_first_event() -> None:
    data = EXAMPLE.replace(b'{"felix"', b'{"FELIX"').replace(b'{"trailer"', b'{"TRAILER"')
    assert damage(data).line == 1


@each(
    "data",
    [
        EXAMPLE.replace(b'"size":8', b'"size":%d' % 10**30),
        EXPLAINED.replace(b'"size":3', b'"size":%d' % 10**30),
        TELLING.replace(b'"cards":[11]', b'"cards":%d' % 10**30),
        TELLING.replace(b"[11]", b"[" * 99_999),
        TELLING.replace(b"[11]", b"[" * 180 + b"]" * 180),
        TELLING.replace(b"[11]", b"NaN"),
        SPOKEN.replace(b"Good luck", b"\\ud800"),
    ],
)
def test_numbers_and_nests_that_felix_cannot_write_are_damage(data: bytes) -> None:
    assert damage(data)


def test_the_damage_is_told_in_a_sentence() -> None:
    error = damage(EXAMPLE.replace(b'"player_declined"', b'"player_invited"'))
    root = base64.b64decode(json.loads(TRAILER)["root"])[:4].hex()
    assert str(error).startswith(
        f"line 6: expected version 5 as it was exported (root {root}…, 8 events), found other bytes (root "
    )


# ---- somebody else's file
@each(
    "data",
    [
        b"",
        b"\n",
        b"\n\n",
        b'[Event "Hoogovens"]\n\n1. e4 e5\n',
        b"{}\n{}\n",
        b'{"felix":"the cat"}\n',
        b"SQLite format 3\x00" + bytes(100),
        b"\xff\xfe{\x00\n\x00",
        b"".join(EVENTS),
        EVENTS[0],
    ],
)
def test_a_foreign_file_is_told_apart(data: bytes) -> None:
    with pytest.raises(NotAnExport, match="not a felix export"):
        read_export(data)


def test_a_file_of_lines_without_end_is_refused_before_it_is_read() -> None:
    data = HEADER + b"\n" * MOST_LINES + TRAILER
    with pytest.raises(NotAnExport, match="this file has more than 200,000 lines"):
        read_export(data)
    assert damage(data.replace(b"\n", b"", 2))


# ---- the example in the documentation
def test_the_documented_file_is_real_output() -> None:
    assert example("file").encode() == EXAMPLE


def test_the_documented_file_is_a_sound_game() -> None:
    report = audit(evidence_in(read_export(EXAMPLE)))
    assert (report.findings, report.not_checked) == ([], {})
