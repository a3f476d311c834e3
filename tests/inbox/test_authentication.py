"""Whether our own mail server vouches for a sender: only its own word counts, and only for that domain."""

from __future__ import annotations

import pytest
from authres import AuthenticationResultsHeader
from hypothesis import given
from hypothesis import strategies as st

from each import each
from felix_async.reading.authentication import MAX_HEADERS, MAX_LENGTH, is_vouched_for, results_of

MX = "mx.felix.test"
ANNA = "anna@players.test"


def vouched(*headers: str, sender: str = ANNA) -> bool:
    return is_vouched_for(headers, MX, sender)


@pytest.mark.parametrize("results", [
    "dmarc=pass (p=none) header.from=players.test", "dmarc=pass",
    "dkim=pass (2048-bit key) header.d=players.test header.i=@players.test",
    'dkim=pass header.d="players.test"', "spf=pass smtp.mailfrom=anna@players.test",
    "spf=pass smtp.mailfrom=players.test", "dkim=fail header.d=list.test; dkim=pass header.d=players.test",
    "dkim=none; spf=pass smtp.mailfrom=bounce@players.test", "DKIM=PASS header.d=Players.Test",
])  # fmt: skip
def test_a_pass_for_the_senders_domain_is_enough(results: str) -> None:
    assert vouched(f"{MX}; {results}")


@pytest.mark.parametrize("results", [
    "none", "dmarc=fail header.from=players.test", "dkim=fail header.d=players.test",
    "dkim=pass header.d=evil.test", "dkim=pass header.d=test", "dkim=pass header.d=sub.players.test",
    "dkim=pass header.d=layers.test", "dkim=pass", "spf=pass smtp.mailfrom=mallory@evil.test",
    "spf=pass smtp.helo=players.test", "spf=softfail smtp.mailfrom=anna@players.test",
    "dmarc=pass header.from=evil.test", "auth=pass smtp.auth=anna@players.test",
])  # fmt: skip
def test_anything_else_is_not(results: str) -> None:
    assert not vouched(f"{MX}; {results}")


def test_a_signature_of_the_domain_above_is_aligned() -> None:
    assert vouched(f"{MX}; dkim=pass header.d=players.test", sender="anna@mail.players.test")


PASSED = "dmarc=pass header.from=players.test"


@each(("headers", "is_vouched"), [
    ([f"MX.Felix.Test; {PASSED}"], True),
    ([f"{MX}; dmarc=fail header.from=players.test; dkim=pass header.d=players.test"], False),
    *(([f"{other}; {PASSED}"], False) for other in ("mx.evil.test", "felix.test", "mx.felix.test.evil.test")),
    # One that came with the mail stands below the one that our server added.
    ([f"{MX}; dkim=none", f"{MX}; dkim=pass header.d=players.test"], False),
    ([f"{MX}; dkim=pass header.d=players.test", f"{MX}; dkim=none"], True),
    ([f"{MX}; none", f"{MX}; {PASSED}"], False),
    ([f"{MX}; spf=fail smtp.mailfrom=players.test", f"{MX}; {PASSED}"], False),
    # What cannot be read vouches for nobody; another server's hides nothing, and ours leaves nothing open.
    *(([value], False) for value in ("", ";", "(" * 5000, f"{MX}; dkim", "\x00", f'"{MX}')),
    ([f"{MX}; dkim=pass ("], False),
    (["((((", f"{MX}; {PASSED}"], True),
    ([f"{MX}; dkim=pass (", f"{MX}; {PASSED}"], False),
])  # fmt: skip
def test_the_topmost_header_of_our_own_server_decides(headers: list[str], is_vouched: bool) -> None:
    assert vouched(*headers) == is_vouched


def test_what_another_server_writes_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    monkeypatch.setattr(AuthenticationResultsHeader, "parse", parsed.append)
    assert not results_of(["evil.test; dkim=pass header.d=x.test"] * MAX_HEADERS, MX)
    assert not any(parsed)


def test_a_header_that_is_too_long_vouches_for_nobody() -> None:
    """Its beginning could say `players.test` of `players.test.evil.test`."""
    start, end = f"{MX}; dkim=none (", "); dkim=pass header.d=players.test"
    value = start.ljust(MAX_LENGTH - len(end), "x") + end
    assert vouched(value)
    assert not vouched(f"{value}.evil.test")


@given(st.text())
def test_nothing_in_a_header_raises(text: str) -> None:
    assert not vouched(f"{MX}; {text} dmarc=fail")
