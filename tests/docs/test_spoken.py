"""The English of felix: what players and operators read speaks of messages and e-mails, not of "a mail"."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from each import each
from felix_async.sample import sample

ROOT: Final = Path(__file__).parents[2]
ENGLISH: Final = ROOT / "felix_async/language/en"
COUNTED: Final = re.compile(
    r"(?<!-)\bmails\b"
    r"|\b(?:an?|this|that|each|every|one|another|the|first|last|next|older|newest|latest|turn) mail\b"
    r"(?!\s+(?:server|program|address|provider|queue|of this domain)|[-/.])",
    re.IGNORECASE,
)
"""Mail that is counted. What has no number stays mail: a mail server, your mail, no more mail."""
PATTERNS: Final = ("meaning.toml", "questions.toml")
"""Words that players may write, in any English."""
PAGES: Final = ("operating", "hosting", "playing", "proof", "performance", "rules", "commands", "year")
OTHERS: Final = ("README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md")


def sentences(value: Any) -> Iterator[str]:
    """Return the sentences that felix says; lists hold words that players may write."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from sentences(inner)


def counted(text: str) -> list[str]:
    return [match[0] for match in COUNTED.finditer(re.sub(r"`[^`]*`", "", text))]


@each("file", [path.name for path in sorted(ENGLISH.glob("*.toml")) if path.name not in PATTERNS])
def test_players_read_of_messages(file: str) -> None:
    spoken = tomllib.loads((ENGLISH / file).read_text("utf-8"))
    assert [found for text in sentences(spoken) for found in counted(text)] == []


@each("page", [*(f"docs/{name}.md" for name in PAGES), *OTHERS])
def test_readers_of_a_page_read_of_messages(page: str) -> None:
    assert counted((ROOT / page).read_text("utf-8")) == []


def test_the_settings_speak_of_messages() -> None:
    assert counted(sample(Path("felix.db"), "felix@example.org", "")) == []
