"""The draw: commitments, streams, numbers without bias, shuffles, and what a game draws.

The second half of each comparison is computed here, with `hashlib`, `hmac` and `json` alone, from the
words of the docstring of `felix_async.draw`; the fixed numbers keep both from moving together.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from felix_async.draw import Dice, Stream, commit, contribution
from felix_async.game.rules import Context
from felix_events.model import DummyDealt, GameStarted, HandDealt
from table import FULL_SET, GAME_ID, SEED, WORDS, an_invitation, for_every_table, given, joining

KEY = b"k" * 32


def numbers(key: bytes, label: str) -> Iterator[int]:
    """Block after block, four numbers in each."""
    index = 0
    while True:
        message = label.encode() + b"\0" + index.to_bytes(8, "big")
        block = hmac.new(key, message, hashlib.sha256).digest()
        for place in (0, 8, 16, 24):
            yield int.from_bytes(block[place : place + 8], "big")
        index += 1


def below(stream: Iterator[int], n: int) -> int:
    """Numbers beyond the largest multiple of n within 2^64 are left out."""
    largest = 2**64 // n * n
    for number in stream:
        if number < largest:
            return number % n
    raise AssertionError("the stream has no end")


def shuffled(stream: Iterator[int], items: Sequence[object]) -> list[object]:
    """Fisher–Yates, from the last place down to the second."""
    cards = list(items)
    for place in reversed(range(1, len(cards))):
        other = below(stream, place + 1)
        cards[place], cards[other] = cards[other], cards[place]
    return cards


def key_of(seed: bytes, game_id: str, contributions: Sequence[str | None]) -> bytes:
    message = json.dumps([game_id, list(contributions)], separators=(",", ":")).encode()
    return hmac.new(seed, message, hashlib.sha256).digest()


# ---- commitment and contribution --------------------------------------------------------------------
def test_a_commitment_is_the_hash_of_a_tag_the_game_and_the_seed() -> None:
    assert commit("k7m2p", SEED) == hashlib.sha256(b"felix-seed-1" + b"k7m2p" + SEED).hexdigest()


def test_a_commitment_that_was_written_down() -> None:
    """Like the other numbers written down here, it was made with `openssl dgst`."""
    assert commit("k7m2p", bytes(range(32))) == (
        "154eb76f9357bc7476a6d02bd589aecfc3670cc0f490485a6773f4ef5044f443"
    )


def test_the_same_seed_is_committed_to_otherwise_in_another_game() -> None:
    assert commit("k7m2p", SEED) != commit("k7m2q", SEED)


def test_a_contribution_is_the_hash_of_the_message_id_and_the_words() -> None:
    expected = hashlib.sha256("<1@example.org>Grüße, 7".encode()).hexdigest()
    assert contribution("<1@example.org>", "Grüße, 7") == expected


def test_a_contribution_that_was_written_down() -> None:
    assert contribution("<1@example.org>", "for luck") == (
        "4b0459fee02372b35ead3394c38eba2690ea0ffbf745e6d7149618833c800989"
    )


# ---- the stream -------------------------------------------------------------------------------------
def test_a_stream_reads_four_numbers_a_block() -> None:
    """Nine numbers: two blocks and the beginning of a third."""
    stream, expected = Stream(KEY, "start"), numbers(KEY, "start")
    assert [stream.below(2**64) for _ in range(9)] == [next(expected) for _ in range(9)]


def test_a_stream_that_was_written_down() -> None:
    stream = Stream(KEY, "start")
    assert [stream.below(1000) for _ in range(6)] == [380, 800, 414, 257, 455, 692]


def test_every_label_has_a_stream_of_its_own() -> None:
    labels = ["start", "dummy", "box/0", "box/1", "box/2", "box/3", "box/4"]
    assert len({Stream(KEY, label).below(2**64) for label in labels}) == len(labels)


def test_a_stream_begins_anew_each_time() -> None:
    assert Stream(KEY, "start").below(2**64) == Stream(KEY, "start").below(2**64)


# ---- below ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("n", [1, 2, 3, 5, 10, 2**32, 2**63, 2**63 + 1, 3 * 2**62, 2**64 - 1])
def test_a_number_below_n_is_the_first_within_a_multiple_of_n(n: int) -> None:
    stream, expected = Stream(KEY, "start"), numbers(KEY, "start")
    assert [stream.below(n) for _ in range(40)] == [below(expected, n) for _ in range(40)]


def test_numbers_beyond_the_largest_multiple_are_left_out() -> None:
    """For n = 2^63 + 1 that is every second number: what is left is the number itself."""
    stream, raw = Stream(KEY, "start"), numbers(KEY, "start")
    small = [number for number in (next(raw) for _ in range(40)) if number < 2**63 + 1]
    assert 10 < len(small) < 30
    assert [stream.below(2**63 + 1) for _ in small] == small


def test_the_largest_multiple_itself_is_left_out() -> None:
    """The first number of this stream is above 2^63, and so the largest multiple of itself within 2^64."""
    raw = numbers(KEY, "dummy")
    first = next(raw)
    assert first > 2**63
    assert Stream(KEY, "dummy").below(first) == next(number for number in raw if number < first)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 10])
def test_numbers_run_from_0_to_n_minus_1(n: int) -> None:
    stream = Stream(KEY, "start")
    assert {stream.below(n) for _ in range(200)} == set(range(n))


@pytest.mark.parametrize("n", [3, 5, 10])
def test_each_number_is_as_likely_as_the_others(n: int) -> None:
    """Ten thousand of a fixed stream: none is off by more than a tenth of its share."""
    stream, share = Stream(KEY, "start"), 10_000 / n
    counts = Counter(stream.below(n) for _ in range(10_000))
    assert all(0.9 * share < counts[number] < 1.1 * share for number in range(n))


# ---- shuffle ----------------------------------------------------------------------------------------
def test_a_shuffle_swaps_from_the_last_place_down() -> None:
    assert Stream(KEY, "dummy").shuffled(FULL_SET) == shuffled(numbers(KEY, "dummy"), FULL_SET)


def test_a_shuffle_that_was_written_down() -> None:
    assert Stream(KEY, "dummy").shuffled(FULL_SET) == [-5, 5, "large_dog", 8, 15, 3, "small_dog", -8, 0, 11]


@pytest.mark.parametrize("items", [[], ["one"]])
def test_nothing_and_one_thing_stay_as_they_are(items: list[str]) -> None:
    assert Stream(KEY, "dummy").shuffled(items) == items


def test_a_shuffle_leaves_its_items_alone() -> None:
    items = [1, 2, 3, 4, 5, 6]
    Stream(KEY, "dummy").shuffled(items)
    assert items == [1, 2, 3, 4, 5, 6]


def test_every_order_of_three_is_as_likely_as_the_others() -> None:
    stream = Stream(KEY, "dummy")
    counts = Counter("".join(stream.shuffled("abc")) for _ in range(6_000))
    assert sorted(counts) == ["abc", "acb", "bac", "bca", "cab", "cba"]
    assert all(900 < count < 1_100 for count in counts.values())


# ---- dice -------------------------------------------------------------------------------------------
def test_the_key_is_made_of_the_seed_the_game_and_all_contributions() -> None:
    drawn = Dice(GAME_ID, SEED).stream(WORDS[:4], "start").below(2**64)
    assert drawn == next(numbers(key_of(SEED, GAME_ID, WORDS[:4]), "start"))


def test_a_key_that_was_written_down() -> None:
    assert Dice(GAME_ID, SEED).stream(WORDS[:4], "start").below(2**64) == 16_526_431_685_785_310_798


def test_a_missing_contribution_is_null() -> None:
    drawn = Dice(GAME_ID, SEED).stream([WORDS[0], None], "start").below(2**64)
    assert drawn == next(numbers(key_of(SEED, GAME_ID, [WORDS[0], None]), "start"))


def test_every_contribution_changes_the_draw() -> None:
    mine = [[words if seat != other else "f" * 64 for seat, words in enumerate(WORDS)] for other in range(5)]
    dice = Dice(GAME_ID, SEED)
    drawn = {dice.stream(contributions, "start").below(2**64) for contributions in [list(WORDS), *mine]}
    assert len(drawn) == 6


def test_it_matters_which_seat_contributed_what() -> None:
    dice = Dice(GAME_ID, SEED)
    first = dice.stream([WORDS[0], WORDS[1], WORDS[2]], "start").below(2**64)
    assert dice.stream([WORDS[1], WORDS[0], WORDS[2]], "start").below(2**64) != first


def test_the_seed_is_in_no_text_of_the_dice() -> None:
    dice = Dice(GAME_ID, SEED)
    for text in (repr(dice), str(dice), repr(Context(dice)), f"{dice}"):
        assert SEED.hex() not in text
        assert repr(SEED)[2:-1] not in text


# ---- what a game draws ------------------------------------------------------------------------------
@for_every_table
def test_the_start_seat_is_drawn_below_the_number_of_seats(seats: int) -> None:
    happened = given(an_invitation(seats, range(seats - 1))).when(joining(seats - 1)).happened
    stream = numbers(key_of(SEED, GAME_ID, WORDS[:seats]), "start")
    assert [event for event in happened if isinstance(event, GameStarted)] == [
        GameStarted(start_seat=below(stream, seats))
    ]


@for_every_table
def test_a_boxed_card_is_drawn_for_every_seat(seats: int) -> None:
    happened = given(an_invitation(seats, range(seats - 1))).when(joining(seats - 1)).happened
    key = key_of(SEED, GAME_ID, WORDS[:seats])
    assert [event.boxed for event in happened if isinstance(event, HandDealt)] == [
        FULL_SET[below(numbers(key, f"box/{seat}"), 10)] for seat in range(seats)
    ]


def test_the_dummy_is_the_full_set_shuffled_its_last_card_boxed() -> None:
    happened = given(an_invitation(3, range(2))).when(joining(2)).happened
    (dealt,) = [event for event in happened if isinstance(event, DummyDealt)]
    stream = numbers(key_of(SEED, GAME_ID, WORDS[:3]), "dummy")
    assert [*dealt.pile, dealt.boxed] == shuffled(stream, FULL_SET)


def test_a_start_seat_named_by_the_host_leaves_the_other_draws_as_they_are() -> None:
    drawn = given(an_invitation(4, range(3))).when(joining(3)).happened
    named = given(an_invitation(4, range(3), start=2)).when(joining(3)).happened
    assert drawn[2:6] == named[2:6]
    assert named[1] == GameStarted(start_seat=2)
