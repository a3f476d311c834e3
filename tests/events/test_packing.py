"""Bytes are packed with a dictionary that is kept for ever, and are the same when they come back."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felix_events.store.base import StoreError
from felix_events.store.packing import NEWEST, PLAIN, Packed, dictionary, pack, unpack

SAMPLES = Path(__file__).parent / "packed"
"""Each is a letter as a row keeps it, packed with the dictionary of this number."""
KEPT = {
    # The start of its SHA-256; the size of the letter in the sample, and the start of its SHA-256.
    1: ("c7fa0e25f74a8441ccd16a911aad6edd", 39789, "68a420830900e6c5a982a80f5320080a"),
    2: ("24fef673d279493e6ba2b9ee4ab74fbb", 113456, "c9c664aa7bf9e6cc399edbab57a3566b"),
}
LETTER = b"Hello Anna,\r\n\r\nYour turn: round 5 of 9, place a card.\r\n" * 20


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:32]


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_what_is_packed_comes_back(raw: bytes) -> None:
    assert unpack(pack(raw)) == raw


def test_what_cannot_become_smaller_is_kept_as_it_is() -> None:
    raw = sha256(b"noise").digest()
    assert pack(raw) == Packed(32, PLAIN, raw)


def test_every_dictionary_that_was_released_is_here_unchanged() -> None:
    numbers = {
        int(file.name.partition(".")[0])
        for file in files("felix_events.store").joinpath("dictionaries").iterdir()
    }
    assert numbers == set(KEPT) == set(range(1, NEWEST + 1))
    assert {number: _digest(dictionary(number)) for number in KEPT} == {
        number: kept[0] for number, kept in KEPT.items()
    }


def test_what_any_of_them_packed_is_still_read() -> None:
    for number, (_, size, digest) in KEPT.items():
        packed = Packed(size, number, (SAMPLES / f"{number}.zlib").read_bytes())
        assert _digest(unpack(packed)) == digest, number


def test_damage_is_told() -> None:
    packed = pack(LETTER)
    wrong = []
    for at in range(len(packed.data)):
        damaged = packed.data[:at] + bytes([packed.data[at] ^ 1]) + packed.data[at + 1 :]
        try:
            unpack(Packed(packed.size, packed.dictionary, damaged))
        except StoreError:
            continue
        wrong.append(at)
    assert wrong == []


@pytest.mark.parametrize(
    "packed",
    [
        Packed(len(LETTER) - 1, NEWEST, pack(LETTER).data),
        Packed(len(LETTER) + 1, NEWEST, pack(LETTER).data),
        Packed(len(LETTER), NEWEST, pack(LETTER).data[:-1]),
        Packed(len(LETTER), NEWEST + 1000, pack(LETTER).data),
    ],
    ids=["larger than said", "smaller than said", "cut off", "no such dictionary"],
)
def test_bytes_that_are_not_what_the_row_says_are_not_given_out(packed: Packed) -> None:
    with pytest.raises(StoreError, match="The bytes of a mail are damaged"):
        unpack(packed)


def test_no_more_is_unpacked_than_the_row_says() -> None:
    bomb = pack(bytes(50_000_000))
    with pytest.raises(StoreError, match="another length"):
        unpack(Packed(1000, bomb.dictionary, bomb.data))
