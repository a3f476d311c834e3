"""An export in a page comes out of it to the byte, whatever is in it, and a changed byte is found there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.test_export import EXAMPLE, GAME_ID, NAMED, flips
from felix_events.embedded import embed, embedded_in, export_in
from felix_events.export import NotAnExport, read_export, write_export
from felix_events.lines import Damaged

BEFORE, AFTER = b"<!doctype html>\n<title>100 % felix</title>\n", b"\n<p>The end</p>\n"
HOSTILE = '</script><img src=x onerror=alert(1)>%3C%253C<!--<script type="application/felix-export">'


def a_page(export: bytes) -> bytes:
    return BEFORE + embed(export) + AFTER


@given(
    st.binary() | st.lists(st.sampled_from([b"%", b"<", b"25", b"3C", b"%3C", b"</script>"])).map(b"".join)
)
def test_whatever_is_put_into_a_page_comes_out_of_it(data: bytes) -> None:
    assert embedded_in(a_page(data)) == data
    assert embed(data).count(b"<") == 2


def test_no_name_ends_the_block_or_begins_another() -> None:
    data = write_export(GAME_ID, [HOSTILE, "Ben", "Cara"], HOSTILE, [])
    block = embed(data)
    assert (block.count(b"<"), block.count(b"<script")) == (2, 1)
    assert read_export(export_in(a_page(data))).header.table == HOSTILE
    assert embedded_in(data) is None


def test_a_page_with_other_line_ends_holds_the_same_export() -> None:
    """A browser reads it so, and shows the page as sound."""
    page = a_page(EXAMPLE)
    mixed = page.replace(b"\n", b"\r", 3)
    for changed in (page.replace(b"\n", b"\r\n"), page.replace(b"\n", b"\r"), mixed, b"\xef\xbb\xbf" + page):
        assert export_in(changed) == EXAMPLE


def test_a_page_without_an_export_says_so() -> None:
    for page in (BEFORE + AFTER, b"\n <html>", a_page(b"").replace(b'"felix-export"', b'"other"')):
        assert embedded_in(page) is None
        with pytest.raises(NotAnExport, match="there is no felix export in this page"):
            export_in(page)


def test_a_page_with_two_exports_is_not_read() -> None:
    """Not even with one in a comment, which a browser passes over, or spelt as only a browser reads it."""
    one, other = embed(EXAMPLE), embed(EXAMPLE)
    for page in (
        a_page(EXAMPLE) + one,
        b"<!-- " + one + b" -->" + a_page(EXAMPLE),
        b"<!-- " + one + b" -->" + other.replace(b"<script", b"<SCRIPT"),
        one.replace(b"\n", b"\r", 1) + other,
        one.replace(b">\n", b" >\n", 1) + other,
        b"<script id='felix-export' type='application/felix-export'>\n</script>" + other,
    ):
        with pytest.raises(NotAnExport, match="there is more than one felix export in this page"):
            export_in(page)


def test_any_other_file_is_what_it_is() -> None:
    for data in (EXAMPLE, b"", b"1. e4 e5"):
        assert export_in(data) == data


@pytest.mark.parametrize("rest", [b"<b>", b"<!-- x -->", b"<!--<script>", b"</script", b"</SCRIPT>"])
def test_what_follows_the_log_in_its_block_is_not_left_out(rest: bytes) -> None:
    """A browser reads it with the log, and calls the page not sound."""
    page = a_page(EXAMPLE).replace(b"\n</script>", b"\n" + rest + b"</script>")
    with pytest.raises(Damaged, match="a line that ends with a line feed"):
        read_export(export_in(page))


@pytest.mark.slow
def test_every_changed_byte_of_the_block_is_damage_on_its_line() -> None:
    """A line of the export, the header's is 1; at its ends the two may accuse each other."""
    export = write_export(*NAMED[:2], "50 % <b>club</b>", read_export(EXAMPLE).bodies[:2])
    block = embed(export)
    opening = block.index(b"\n") + 1
    inner = block[opening : -len(b"</script>")]
    for line, changed in flips(inner):
        with pytest.raises(Damaged) as caught:
            read_export(export_in(BEFORE + block[:opening] + changed + b"</script>" + AFTER))
        if 1 < line < 4:
            assert caught.value.line == line, changed


def test_a_page_that_was_cut_off_is_damage() -> None:
    page = a_page(EXAMPLE)
    for size in range(page.index(b"\n", len(BEFORE)) + 20, page.rindex(b"\n</script>"), 97):
        with pytest.raises(Damaged):
            read_export(export_in(page[:size]))
    assert read_export(export_in(page[: page.rindex(b"</script>")])) == read_export(EXAMPLE)


def test_a_hostile_page_costs_no_more_than_its_length() -> None:
    """A megabyte of each: in one pass, not in one for each sign."""
    for inner in (b"%" * 2**20, b"%3C" * 2**18, b"%2" * 2**19):
        assert embedded_in(BEFORE + embed(b"")[:-9] + inner) is not None
