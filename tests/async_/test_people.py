"""Players as people write them: names and addresses out of strangers' text."""

from __future__ import annotations

import pytest

from felix_async.people import NAME_LENGTH, Named, distinct, matching, name_for, name_of, named


@pytest.mark.parametrize(
    ("text", "name", "address"),
    [
        ("Ben", "Ben", ""),
        ("Ben <BEN@Example.org>", "Ben", "ben@example.org"),
        ('"Smith, Ben" <ben@example.org>', "Smith, Ben", "ben@example.org"),
        ("ben@example.org", "ben", "ben@example.org"),
        ("<ben@example.org>", "ben", "ben@example.org"),
        ("mailto:ben@example.org", "ben", "ben@example.org"),
        ("Ben <mailto:ben@example.org>", "Ben", "ben@example.org"),
        ("ben@example.org <ben@example.org>", "ben", "ben@example.org"),
        ("Ben Smith ben@example.org", "Ben Smith", "ben@example.org"),
        ("Ben: ben@example.org", "Ben", "ben@example.org"),
        ("Ben (Ben@example.org)", "Ben", "ben@example.org"),
        ("Ben Smith(mailto:ben@example.org)", "Ben Smith", "ben@example.org"),
    ],
)
def test_a_name_an_address_or_both(text: str, name: str, address: str) -> None:
    assert named(text) == Named(name_of(name), address)


@pytest.mark.parametrize(
    "text",
    [
        "Ben <ben@>",
        "Ben <@example.org>",
        "Ben <b e n@example.org>",
        "Ben <bän@example.org>",
        "eve@evil.test <ben@example.org>",
        "Ben <ben@example.org>, Eve <eve@evil.test>",
        "Ben <ben@example.org>\r\nBcc: <eve@evil.test>",
        "ben@example.org eve@evil.test",
        "Ben (home) (ben@example.org)",
        "Ben (ben@example.org) Smith",
        "Ben (ben@example.org, eve@evil.test)",
        "eve@evil.test (ben@example.org)",
        "Ben [ben@example.org]",
        f"{'x' * 500} <ben@example.org>",
    ],
)
def test_what_holds_no_address_that_is_clear(text: str) -> None:
    assert named(text) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("  Ben\r\n Smith ", "Ben Smith"),
        ("<b>Ben</b>", "Ben"),
        ("Ben <", "Ben"),
        ("\u202eneB\u202c", "neB"),
        ("'Ben'", "Ben"),
        ("\x1b[2J", "[2J"),
        ("", ""),
    ],
)
def test_a_name_is_harmless(text: str, name: str) -> None:
    assert name_of(text) == name


@pytest.mark.parametrize(
    ("wanted", "whole_words", "found"),
    [
        ("ben", False, [0]),
        ("BENN", False, [1]),
        ("b", False, [0, 1, 2]),
        ("bob", True, [2]),
        ("bo", True, []),
        ("Bob.", False, [2]),
        ("zoe", False, []),
        ("", False, []),
    ],
)
def test_a_name_or_its_beginning(wanted: str, whole_words: bool, found: list[int]) -> None:
    assert matching(wanted, ["Ben", "Benno", "Bob Smith", "Cara"], whole_words=whole_words) == found


def test_names_that_are_alike_get_a_number() -> None:
    long = "x" * NAME_LENGTH
    for names, told in [
        (["Ben", "ben", "Ben 2", "BEN"], ["Ben", "ben 2", "Ben 2 2", "BEN 3"]),
        ([long, long], [long, f"{long[:-2]} 2"]),
        (["", ""], ["", ""]),
    ]:
        assert distinct([name_of(name) for name in names]) == told


def test_an_address_is_no_name_that_others_see() -> None:
    assert name_for("ben@work.test", "ben.smith@example.org") == "ben smith"
