"""The modules of the page keep to the form in which Python joins them into one script."""

from __future__ import annotations

import re
from collections import Counter

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
