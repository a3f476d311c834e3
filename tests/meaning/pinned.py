"""`make grammar`: keep how every text of the corpora reads, beside the number of the reader.

`corpora/*.jsonl` hold texts in situations, as `felix mail explain --situations` takes them. `readings.txt`
holds the number and, for each text, a hash of it in its situation and a hash of how it reads.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from felix_async.meaning.meaning import GRAMMAR
from felix_cli.heard import heard, said_in
from felix_cli.situations import Case, cases_in

FOLDER: Final = Path(__file__).parent / "corpora"
KEPT: Final = Path(__file__).parent / "readings.txt"
_DIGITS: Final = 16
RAISE: Final = (
    "Some texts read otherwise than by grammar {number}: raise GRAMMAR in felix_async/meaning/meaning.py "
    "and run `make grammar`. The first one: {text!r}"
)
WRITE: Final = "There are texts or a grammar number that nothing is kept of: run `make grammar`."


@dataclass(frozen=True, slots=True)
class Pinned:
    """What is kept: the number of a reader, and by the hash of each text the hash of how it read it."""

    grammar: int
    readings: Mapping[str, str]


def corpora(folder: Path = FOLDER) -> list[Case]:
    """Every text of the corpora, in its situation."""
    return [
        case for file in sorted(folder.glob("*.jsonl")) for case in cases_in(file.read_bytes().splitlines())
    ]


def pin(cases: Iterable[Case], grammar: int = GRAMMAR) -> Pinned:
    """Read the texts; by which words they are read as they are counts for nothing."""
    return Pinned(grammar, {name_of(case): _reading(case) for case in cases})


def name_of(case: Case) -> str:
    """The hash by which a text in its situation is kept."""
    seen = case.situation
    more = [why for why, is_so in (("early", seen.is_early), ("placed", seen.placed is not None)) if is_so]
    return _hash(seen.decision, seen.plays, seen.mice, seen.high, case.text, *more)


def _reading(case: Case) -> str:
    found = heard(said_in(case.text), case.situation)
    meant = found.meaning
    orders = ([*map(str, found.ask)], str(found.do), [*map(str, found.beside)])
    return _hash(*orders, meant.info, meant.say, meant.talk, meant.doubt, meant.reply)


def trouble(kept: Pinned, now: Pinned, texts: Mapping[str, str]) -> str:
    """Return the sentence that says what to do about readings; '' if they are as they are kept."""
    changed = [name for name, reading in now.readings.items() if kept.readings.get(name, reading) != reading]
    if changed and kept.grammar >= now.grammar:
        return RAISE.format(number=kept.grammar, text=texts[changed[0]])
    return WRITE if kept != now else ""


def kept_in(file: Path = KEPT) -> Pinned:
    """What is kept in this file."""
    head, *lines = file.read_text("utf-8").splitlines()
    return Pinned(int(head.removeprefix("grammar ")), dict(line.split() for line in lines))


def keep(now: Pinned, file: Path = KEPT) -> None:
    """Write what is to be kept, in an order that a comparison of two versions can be read in."""
    lines = [f"{name} {reading}" for name, reading in sorted(now.readings.items())]
    file.write_text("\n".join([f"grammar {now.grammar}", *lines, ""]), "utf-8")


def _hash(*values: object) -> str:
    return sha256(repr(values).encode()).hexdigest()[:_DIGITS]


def main() -> None:
    """Keep how everything reads now, unless some texts read otherwise and the number is as it was."""
    cases = corpora()
    now = pin(cases)
    if KEPT.exists():
        told = trouble(kept_in(), now, {name_of(case): case.text for case in cases})
        if told not in ("", WRITE):
            sys.exit(told)
    keep(now)
    print(f"grammar {now.grammar}: {len(now.readings)} texts")


if __name__ == "__main__":
    main()
