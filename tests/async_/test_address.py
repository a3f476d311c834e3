"""Addresses that are capabilities: what a token says, and that nobody can make or bend one."""

from __future__ import annotations

import base64
import hmac
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each import each
from felix_async.address import (
    Token,
    address_of,
    check_token,
    decode_token,
    encode_token,
    token_in,
    without_tokens,
)
from felix_async.game.moment import NOT_SAID, Row

SECRET = bytes(range(32))
TOKEN = Token("k7m2p", 2, "move", 17, Row(3, 2))
TEXT = encode_token(TOKEN, SECRET)
BASE32 = string.ascii_lowercase + "234567"

game_ids = st.text("abcdefghjkmnpqrstuvwxyz23456789", min_size=3, max_size=12)
rows = st.builds(Row, st.integers(0, 9), st.integers(0, 5))
tokens = st.builds(Token, game_ids, st.integers(0, 4), st.just("move"), st.integers(0, 65535), rows)
secrets = st.binary(min_size=32, max_size=32)


def signed(body: bytes) -> str:
    """A token with a good mac over any body."""
    mac = hmac.digest(SECRET, body, "sha256")[:10]
    return base64.b32encode(body + mac).decode().rstrip("=").lower()


def unsigned(text: str) -> tuple[bytes, bytes]:
    """The body of a token, and its mac."""
    raw = base64.b32decode(text.upper() + "=" * (-len(text) % 8))
    return raw[:-10], raw[-10:]


# ---- round trip -------------------------------------------------------------------------------------
def test_a_token_has_the_documented_form() -> None:
    assert signed(b"\x02\x00\x02\x00\x11\x1ak7m2p") == TEXT


def test_an_address_of_the_first_version_is_still_good_and_says_nothing_of_a_row() -> None:
    text = signed(b"\x01\x00\x02\x00\x11k7m2p")
    assert (decode_token(text), check_token(text, SECRET)) == (Token("k7m2p", 2, "move", 17, NOT_SAID), True)


def test_the_addresses_of_two_cards_differ() -> None:
    texts = {encode_token(Token("k7m2p", 2, "move", 17, Row(3, turned)), SECRET) for turned in range(1, 6)}
    assert len(texts) == 5


def test_the_longest_token_has_the_documented_length() -> None:
    assert len(encode_token(Token("k" * 12, 4, "move", 65535, Row(9, 5)), SECRET)) == 45


@given(tokens, secrets)
def test_a_token_is_read_back(token: Token, secret: bytes) -> None:
    text = encode_token(token, secret)
    assert decode_token(text) == token
    assert check_token(text, secret)


@given(tokens)
def test_a_local_part_with_a_token_keeps_within_its_limit(token: Token) -> None:
    """RFC 5321 allows 64 octets; the longest mailbox name has 16."""
    assert len(f"{'x' * 16}+{encode_token(token, SECRET)}") <= 64


@given(tokens, st.randoms(use_true_random=False))
def test_a_token_survives_a_change_of_case(token: Token, random: object) -> None:
    text = encode_token(token, SECRET)
    folded = "".join(char.upper() if random.random() < 0.5 else char for char in text)  # type: ignore[attr-defined]
    assert decode_token(folded) == token
    assert check_token(folded, SECRET)


# ---- forgeries --------------------------------------------------------------------------------------
@each("place", range(len(TEXT)))
def test_a_token_with_any_other_letter_in_any_place_is_worthless(place: int) -> None:
    for char in BASE32:
        if char != TEXT[place]:
            bent = TEXT[:place] + char + TEXT[place + 1 :]
            assert not check_token(bent, SECRET)


@pytest.mark.parametrize("game_id", ["abc", "abcd", "abcdef", "abcdefg", "abcdefgh"])
def test_no_second_text_stands_for_a_token(game_id: str) -> None:
    """The last letter of a base32 text may have bits to spare; they must be 0."""
    text = encode_token(Token(game_id, 0, "move", 1), SECRET)
    accepted = [char for char in BASE32 if check_token(text[:-1] + char, SECRET)]
    assert accepted == [text[-1]]


@pytest.mark.parametrize(
    "text", [TEXT[:-1], TEXT + "a", TEXT[1:], "a" + TEXT, TEXT * 2, f" {TEXT}", f"{TEXT}\n"]
)
def test_a_token_of_another_length_is_worthless(text: str) -> None:
    assert not check_token(text, SECRET)


@given(secrets)
def test_a_new_secret_revokes_all_older_tokens(secret: bytes) -> None:
    assert check_token(TEXT, secret) == (secret == SECRET)


@pytest.mark.parametrize(
    "other",
    [
        Token("k7m2q", 2, "move", 17, Row(3, 2)),
        Token("k7m2p", 1, "move", 17, Row(3, 2)),
        Token("k7m2p", 2, "move", 18, Row(3, 2)),
        Token("k7m2p", 2, "move", 17, Row(3, 3)),
    ],
    ids=["game", "seat", "turn", "row"],
)
def test_a_mac_is_good_for_its_own_token_only(other: Token) -> None:
    mac = unsigned(TEXT)[1]
    body = unsigned(encode_token(other, SECRET))[0]
    assert not check_token(base64.b32encode(body + mac).decode().rstrip("=").lower(), SECRET)


def test_an_odd_letter_that_upper_cases_into_the_alphabet_makes_no_second_text() -> None:
    """`ı` and `ſ` become I and S, and `ß` becomes SS."""
    secret = next(
        bytes([number]) * 32
        for number in range(256)
        if {"s", "i"} <= set(encode_token(TOKEN, bytes([number]) * 32))
    )
    text = encode_token(TOKEN, secret)
    assert not check_token(text.replace("s", "ſ", 1), secret)
    assert not check_token(text.replace("i", "ı", 1), secret)


def test_padding_that_felix_never_writes_makes_no_second_text() -> None:
    text = encode_token(Token("k7m2pq", 2, "move", 17), SECRET)
    padding = "=" * (-len(text) % 8)
    assert padding
    assert not check_token(text + padding, SECRET)


# ---- what is no token -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "body",
    [
        b"\x00\x00\x02\x00\x11k7m2p",
        b"\x03\x00\x02\x00\x11\x1ak7m2p",
        b"\x02\x00\x02\x00\x11",
        b"\x02\x00\x02\x00\x11\x1a",
        b"\x02\x00\x02\x00\x11\x1a" + b"k" * 13,
        b"\x01\x03\x02\x00\x11k7m2p",
        b"\x01\xff\x02\x00\x11k7m2p",
        b"\x01\x00\x02\x00\x11",
        b"\x01\x00\x02\x00\x11k7",
        b"\x01\x00\x02\x00\x11K7M2P",
        b"\x01\x00\x02\x00\x11k7m2p\n",
        b"\x01\x00\x02\x00\x11../..",
        b"\x01\x00\x02\x00\x11k7m2\xe9",
        b"\x01\x00\x02\x00\x11" + b"k" * 13,
        b"\x01\x00\x02\x00",
        b"\x01",
    ],
    ids=["version 0", "version 3", "no row", "a row alone", "a long game with a row", "purpose 3",
         "purpose 255", "no game", "a short game", "capitals", "a line end", "a path", "not ASCII",
         "a long game", "a cut turn", "a version alone"],
)  # fmt: skip
def test_a_token_with_a_good_mac_that_says_nothing_known(body: bytes) -> None:
    assert decode_token(signed(body)) is None


@pytest.mark.parametrize(
    "text", ["", "a", "k7m2p", "+", "=", "========", "0189", "a" * 16, "ß" * 8, "\x00" * 8]
)
def test_a_text_that_is_no_token(text: str) -> None:
    assert decode_token(text) is None
    assert not check_token(text, SECRET)


@given(st.text() | st.text(BASE32) | st.binary().map(signed))
def test_nothing_that_stands_in_an_address_raises(text: str) -> None:
    decode_token(text)
    check_token(text, SECRET)
    token_in(f"felix+{text}@example.org", "felix@example.org")
    token_in(text, "felix@example.org")


# ---- addresses --------------------------------------------------------------------------------------
@given(tokens)
def test_the_token_of_an_address_is_found_again(token: Token) -> None:
    text = encode_token(token, SECRET)
    address = address_of("felix@example.org", text)
    assert address == f"felix+{text}@example.org"
    assert token_in(address, "felix@example.org") == text
    assert token_in(address.upper(), "felix@example.org") == text
    assert token_in(address, "Felix@Example.ORG") == text


@pytest.mark.parametrize("address", ["felix@example.org", "felix+@example.org", "FELIX@EXAMPLE.ORG"])
def test_our_address_without_a_token(address: str) -> None:
    assert token_in(address, "felix@example.org") == ""


@pytest.mark.parametrize(
    "address",
    ["", "felix", "@", "felix@", "@example.org", "felix@example.com", "felix@sub.example.org",
     "felixx@example.org", "+abc@example.org", "felix+abc@example.org@evil.test", "felix+abc@evil.test",
     "x felix+abc@example.org"],
)  # fmt: skip
def test_an_address_that_is_not_ours(address: str) -> None:
    assert token_in(address, "felix@example.org") is None


def test_a_second_plus_belongs_to_the_token_and_makes_it_worthless() -> None:
    token = token_in(f"felix+{TEXT}+x@example.org", "felix@example.org")
    assert token == f"{TEXT}+x"
    assert decode_token(token) is None


@given(tokens, st.booleans())
def test_no_token_is_left_in_a_text_that_is_masked(token: Token, is_old: bool) -> None:
    text = encode_token(token, SECRET)
    if is_old:
        text = signed(b"\x01\x00" + bytes((token.seat,)) + token.turn.to_bytes(2) + token.game_id.encode())
    for form in (
        f"felix+{text}@example.org",
        f"FELIX+{text.upper()}@EXAMPLE.ORG",
        f"<mailto:felix%2B{text}@example.org?body=PASS>",
        f"felix=2B{text[:20]}=\r\n{text[20:]}=40example.org",
        f"the token {text} alone",
        f"{text}{text}",
        f"felix+{text}",
    ):
        left = without_tokens(form).lower().replace("=\r\n", "")
        assert text not in left
        assert text[:20] not in left


@pytest.mark.parametrize(
    "text", ["", "felix@example.org", "anna+holidays@example.org", "ae" * 12, "f" * 64, "PLAY 11", "+" * 1000]
)
def test_what_is_no_token_stays(text: str) -> None:
    assert without_tokens(text) == text
