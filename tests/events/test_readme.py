"""`events/README.md` is true: its examples are worked out here from its text, with the standard library."""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import get_args

from events.filling import README, example
from felix_async.draw import Dice, commit
from felix_async.language.order import order_of
from felix_events.envelope import check_private, check_seat_envelopes
from felix_events.lines import Leaf, Told, ToldHidden, line_of, read_line
from felix_events.model import EVENTS, SEAT_EVENTS, Event, OrderGiven, ReasonKind

CARDS = [-8, -5, 0, 3, 5, 8, 11, 15, "large_dog", "small_dog"]
LINES = example("file").encode().split(b"\n")[:-1]
LOG = [line for line in LINES[1:-1] if not line.startswith(b'{"opens":')]
TRAILER = json.loads(LINES[-1])
LEAF = b"\x00"


def canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def tree(first: int, last: int, told: list[str]) -> bytes:
    """The hash over the events from version `first` to `last`; every hash on the way is told."""
    if first == last:
        found = sha256(b"\x00" + LOG[first - 1]).digest()
        told.append(f"leaf {first}    {found.hex()}")
        return found
    left = 1
    while left * 2 <= last - first:
        left *= 2
    halves = tree(first, first + left - 1, told) + tree(first + left, last, told)
    found = sha256(b"\x01" + halves).digest()
    told.append(f"node {first}-{last}  {found.hex()}")
    return found


def test_the_hashes_follow_from_the_file() -> None:
    told: list[str] = []
    root = base64.b64encode(tree(1, len(LOG), told)).decode()
    before = sha256(b"".join(line + b"\n" for line in LINES[:-1])).hexdigest()
    told += [f"root      {root}", f"sha256    {before}"]
    for opened in map(json.loads, LINES[1 + len(LOG) : -1]):
        told.append(f"opens {opened['opens']}   {sha256(canonical(opened['record'])).hexdigest()}")
    assert example("hashes").splitlines() == told


def test_the_trailer_says_the_same() -> None:
    assert f"root      {TRAILER['root']}" in example("hashes")
    assert f"sha256    {TRAILER['sha256']}" in example("hashes")
    assert TRAILER["size"] == len(LOG)


def test_the_checks_are_the_beginnings_of_the_leaves() -> None:
    checks = "".join(sha256(b"\x00" + line).hexdigest()[:8] for line in LOG)
    assert json.loads(LINES[0])["checks"] == checks


def test_every_event_is_what_any_json_writer_gives() -> None:
    assert [canonical(json.loads(line)) for line in LOG] == LOG


def test_a_private_record_hashes_to_what_its_event_says() -> None:
    named = {event["version"]: event["private"] for event in map(json.loads, LOG) if "private" in event}
    opened = {
        json.loads(line)["opens"]: sha256(line.partition(b'"record":')[2][:-1]).hexdigest()
        for line in LINES[1 + len(LOG) : -1]
    }
    assert opened == named


def test_what_was_said_hashes_to_what_its_event_says() -> None:
    event, said = map(json.loads, example("said").splitlines())
    words = canonical({"salt": said["salt"], "text": said["text"]})
    assert event["data"]["text_hash"] == sha256(words).hexdigest()
    assert said["said"] == event["version"]


def test_the_line_in_place_of_a_hidden_event_says_what_everybody_knows_of_it() -> None:
    event, hidden = json.loads(example("secret")), json.loads(example("hidden"))
    assert hidden == {
        "leaf": example("leaf").strip(),
        "version": event["version"],
        "type": event["type"],
        "seat": event["data"]["seat"],
        "at": event["at"],
    }


def test_felix_reads_the_lines_for_one_viewer_as_they_stand() -> None:
    (hidden,), told = example("hidden").encode().splitlines(), example("told").encode().splitlines()
    assert line_of(read_line(Leaf, hidden, 1, "a leaf")) == hidden
    kinds: list[type[Told | ToldHidden]] = [Told, ToldHidden, ToldHidden]
    for kind, line in zip(kinds, told, strict=True):
        assert line_of(read_line(kind, line, 1, "what is told")) == line


def test_the_secret_event_has_its_leaf() -> None:
    line = example("secret").strip().encode()
    assert canonical(json.loads(line)) == line
    assert example("leaf").strip() == sha256(b"\x00" + line).hexdigest()


def test_the_order_given_in_advance_has_its_leaf_and_its_record() -> None:
    line, opened = example("order").encode().splitlines()
    event = json.loads(line)
    record = opened.partition(b'"record":')[2][:-1]
    assert canonical(event) == line
    assert canonical(json.loads(record)) == record
    assert event["private"] == sha256(record).hexdigest()
    told = [f"leaf    {sha256(LEAF + line).hexdigest()}", f"record  {sha256(record).hexdigest()}"]
    assert example("order hashes").splitlines() == told


def test_felix_reads_the_order_of_the_page_as_it_stands() -> None:
    line, opened = example("order").encode().splitlines()
    (envelope,) = check_seat_envelopes([line])
    assert isinstance(envelope.data, OrderGiven)
    assert str(order_of(envelope.data)) == "UP TO 9"
    record = opened.partition(b'"record":')[2][:-1]
    assert check_private(record, envelope.private).order == "UP TO 9"


def numbers(key: bytes, label: str) -> Iterator[int]:
    index = 0
    while True:
        block = hmac.digest(key, label.encode() + b"\x00" + index.to_bytes(8, "big"), "sha256")
        yield from (int.from_bytes(block[place : place + 8], "big") for place in range(0, 32, 8))
        index += 1


def below(n: int, draw: Iterator[int]) -> int:
    number = next(draw)
    return number % n if number < 2**64 - 2**64 % n else below(n, draw)


def test_the_draws_follow_from_the_seed() -> None:
    seed = bytes(range(32))
    text = example("contributions").strip()
    assert json.loads(text) == ["k7m2p", ["a" * 64, "b" * 64, "c" * 64]]
    key = hmac.digest(seed, text.encode(), "sha256")
    told = [
        f"commitment  {sha256(b'felix-seed-1' + b'k7m2p' + seed).hexdigest()}",
        f"key         {key.hex()}",
        f"start       first number {next(numbers(key, 'start'))}, below 3: {below(3, numbers(key, 'start'))}",
    ]
    for seat in range(3):
        place = below(10, numbers(key, f"box/{seat}"))
        first = next(numbers(key, f"box/{seat}"))
        told.append(f"box/{seat}       first number {first}, below 10: {place}, which is {CARDS[place]}")
    pile, draw = CARDS.copy(), numbers(key, "dummy")
    for last in range(9, 0, -1):
        other = below(last + 1, draw)
        pile[last], pile[other] = pile[other], pile[last]
    told.append(f"dummy       {' '.join(map(str, pile))}")
    assert example("draws").splitlines() == told


def test_the_draws_of_the_page_are_felix_own() -> None:
    dice, words = Dice("k7m2p", bytes(range(32))), ["a" * 64, "b" * 64, "c" * 64]
    draws = example("draws")
    assert f"commitment  {commit('k7m2p', dice.seed)}" in draws
    assert f"below 3: {dice.stream(words, 'start').below(3)}\n" in draws
    for seat in range(3):
        assert f"which is {CARDS[dice.stream(words, f'box/{seat}').below(10)]}\n" in draws
    assert f"dummy       {' '.join(map(str, dice.stream(words, 'dummy').shuffled(CARDS)))}\n" in draws


def rows_of(events: Iterable[type[Event]]) -> list[str]:
    return [
        f"| `{event.type}` | {'yes' if event.secret else ''} "
        f"| {', '.join(f'`{name}`' for name in event.model_fields) or '–'} "
        f"| {(event.__doc__ or '').splitlines()[0]} |"
        for event in events
    ]


def test_the_tables_of_events_are_the_model() -> None:
    _, games, seats = README.split("| type | secret | data | meaning |\n|---|---|---|---|\n")
    assert games.split("\n\n")[0].splitlines() == rows_of(EVENTS)
    assert seats.split("\n\n")[0].splitlines() == rows_of(SEAT_EVENTS)


def test_the_table_of_reasons_is_the_model() -> None:
    table = README.split("| what | value |\n|---|---|\n")[1].split("\n\n")[0]
    assert [row.split("`")[1] for row in table.splitlines()] == list(get_args(ReasonKind))
