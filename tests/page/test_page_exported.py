"""The page reads a file as Python does: both formats, and what was said."""

from __future__ import annotations

import pytest

from events.test_export import EXAMPLE, OLD
from felix_async.audit.evidence import evidence_of, exported
from felix_events.export import MOST_LINES, NotAnExport, read_export
from felix_events.lines import Damaged
from felix_events.store.sqlite import SqliteStore
from games import NAMES
from page.node import asked, base64, needs_node
from spoken import ANNA_SAID, BEN_SAID, NORA_SAID, a_spoken_game

pytestmark = needs_node
READ = """return questions.map((data) => {
  try {
    const {bodies, said, records} = m.readExport(bytes(data));
    return {size: bodies.length, said: [...said.values()], records: [...records.keys()]};
  } catch (error) {
    return {line: error.line ?? 0, said: error.message};
  }
})"""
ENGINE = ("exported.mjs",)


def test_the_page_reads_both_formats_alike() -> None:
    new, old = asked(READ, [base64(EXAMPLE), base64(OLD)], ENGINE)
    assert (new["size"], new["records"]) == (old["size"], old["records"]) == (8, [1, 5])


def test_the_page_reads_what_was_said() -> None:
    (found,) = asked(READ, [base64(spoken_file())], ENGINE)
    assert [one["text"] for one in found["said"]] == [ANNA_SAID, BEN_SAID, NORA_SAID]


def spoken_file() -> bytes:
    """A whole game in which people talked."""
    store = SqliteStore.in_memory()
    game_id, *_ = a_spoken_game(store)
    with store.read() as reader:
        evidence = evidence_of(reader, game_id)
    assert evidence is not None
    return exported(evidence, NAMES[:4], "", is_over=True)


def test_the_page_knows_no_other_format() -> None:
    data = EXAMPLE.replace(b'"felix":2', b'"felix":3').replace(b'"trailer":2', b'"trailer":3')
    (found,) = asked(READ, [base64(data)], ENGINE)
    assert found == {"line": 0, "said": "this file is of format 3; this page reads 1 and 2"}


def test_the_page_reads_as_many_lines_as_python() -> None:
    most = EXAMPLE.splitlines(keepends=True)[0] + b"\n" * (MOST_LINES - 1) + b"no line feed"
    with pytest.raises(Damaged) as damaged:
        read_export(most)
    with pytest.raises(NotAnExport):
        read_export(most + b"\n")
    found, more = asked(READ, [base64(most), base64(most + b"\n")], ENGINE)
    assert found["line"] == damaged.value.line == MOST_LINES + 1
    assert more == {"line": 0, "said": f"this file has more than {MOST_LINES} lines"}
