"""The SQL of the tables is such as other databases take: what is SQLite's alone stands in few modules."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from felix_events.store import sqlite
from felix_events.store.base import Store
from felix_events.store.rows import Question

TABLES = ("log", "mail", "people", "erase", "packing", "remembering")
FORBIDDEN = {
    "or_replace": r"INSERT OR|REPLACE INTO",
    "rowid": r"\browid\b",
    "function": r"\b(?:iif|ifnull|group_concat|instr|json_\w+|printf|total|typeof)\s*\(",
    "largest of two": r"\b(?:max|min)\s*\([^()]*,",
    "order of a join": r"CROSS JOIN|INDEXED BY",
    "case": r"\b(?:lower|upper)\s*\(|COLLATE|GLOB",
    "blob": r"\b[xX]'",
    "pragma": r"PRAGMA|sqlite_|WITHOUT ROWID|STRICT",
    "everything": r"SELECT \*",
    "unnamed columns": r"INSERT INTO \w+ (?:VALUES|SELECT)",
}


def texts_in(module: str) -> list[str]:
    """The string literals of a module that hold SQL."""
    tree = ast.parse((Path(sqlite.__file__).parent / f"{module}.py").read_text())
    found = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return [text for text in found if isinstance(text, str) and re.search(r"\b[A-Z]{4,}\b", text)]


@pytest.mark.parametrize("module", TABLES)
def test_nothing_of_sqlite_stands_in_the_sql(module: str) -> None:
    found = [
        (what, text)
        for text in texts_in(module)
        for what, pattern in FORBIDDEN.items()
        if re.search(pattern, text)
    ]
    assert found == []


def test_each_module_of_tables_has_sql() -> None:
    assert [module for module in TABLES if not texts_in(module)] == []


def test_no_nul_and_no_half_character_is_kept(store: Store) -> None:
    with store.write() as tx:
        mail_id = tx.keep_mail("\0", "a\0b", "a\udcffb", b"\0\xff")
        tx.settle_mail(mail_id, "done", note="line\n\0\udcff")
        tx.ask(Question("k7m2p", 0, "order", 1, mail_id, "PLAY \0 7", "now"))
    with store.read() as reader:
        (mail,) = reader.mails()
        (question,) = reader.questions("k7m2p", 0)
    assert (mail.recipient, mail.sender, mail.raw) == ("a\ufffdb", "a?b", b"\0\xff")
    assert (mail.note, question.text) == ("line\n\ufffd?", "PLAY \ufffd 7")
