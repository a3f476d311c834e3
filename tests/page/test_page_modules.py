"""The modules of the page keep to the form in which Python joins them into one script."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from felix_events.model import EVENTS, SEAT_EVENTS
from page.node import MODULES

DECLARED = re.compile(r"^(?:export )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)
IMPORT = re.compile(r'import \{\w+(?:, \w+)*\} from "\./\w+\.mjs";')


def test_no_name_is_declared_twice_in_all_modules_together() -> None:
    names = Counter(
        name for path in MODULES.glob("*.mjs") for name in DECLARED.findall(path.read_text("utf-8"))
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_an_import_is_one_line_of_names() -> None:
    lines = [line for path in MODULES.glob("*.mjs") for line in path.read_text("utf-8").splitlines()]
    assert [line for line in lines if line.startswith("import") and not IMPORT.fullmatch(line)] == []


def test_only_declarations_are_exported() -> None:
    lines = [line for path in MODULES.glob("*.mjs") for line in path.read_text("utf-8").splitlines()]
    kinds = re.compile(r"export (function\*?|const|class) \w")
    assert [line for line in lines if line.startswith("export") and not kinds.match(line)] == []


@pytest.mark.parametrize("module", ["shapes.mjs", "fold.mjs"])
def test_every_event_of_a_game_is_known(module: str) -> None:
    text = (MODULES / module).read_text("utf-8")
    assert [event.type for event in EVENTS if not re.search(rf"\b{event.type}(:|\()", text)] == []


def test_every_event_of_a_seats_own_log_has_its_shape() -> None:
    text = (MODULES / "shapes.mjs").read_text("utf-8")
    assert [event.type for event in SEAT_EVENTS if f"{event.type}: " not in text] == []


def test_old_schemas_are_brought_up_to_date_as_in_python() -> None:
    """The verifier has an upcaster of its own: another new schema wants another one there, and then here."""
    later = {
        event.type: event.schema_version for event in (*EVENTS, *SEAT_EVENTS) if event.schema_version > 1
    }
    assert later == {"game_created": 2}
