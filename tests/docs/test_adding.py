"""Adding things is as small as CONTRIBUTING.md shows: its diffs are applied to a copy and tried."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("felix_async", "events", "notifiers", "cli")
MOST_FILES: Final = 4
"""Product files that one thing may touch, besides its words, and the page's own rules."""


def diff_of(heading: str) -> str:
    """Return the diff below a heading of CONTRIBUTING.md."""
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = page.partition(f"### {heading}\n")[2].partition("\n### ")[0]
    return section.partition("```diff\n")[2].partition("```")[0]


def files_of(diff: str) -> list[str]:
    return re.findall(r"^\+\+\+ b/(\S+)", diff, re.MULTILINE)


def tree_with(diffs: Iterable[str], folder: Path) -> Path:
    """Return a copy of the product to which the diffs were applied."""
    for package in PACKAGES:
        # With what Python has compiled: what is not changed is not compiled again.
        shutil.copytree(ROOT / package, folder / package)
    for diff in diffs:
        apply_to(folder, diff)
    return folder


def apply_to(folder: Path, diff: str) -> None:
    """Change the files of a tree as the diff says."""
    for part in re.split(r"^\+\+\+ b/", diff, flags=re.MULTILINE)[1:]:
        name, *hunks = part.split("\n@@\n")
        file = folder / name
        text = file.read_text("utf-8") if file.exists() else ""
        for hunk in hunks:
            lines = hunk.splitlines()
            before = "\n".join(line[1:] for line in lines if line[:1] != "+")
            after = "\n".join(line[1:] for line in lines if line[:1] != "-")
            assert text.count(before) == 1 or not text, (
                f"{name} has these lines {text.count(before)} times:\n{before}"
            )
            text = text.replace(before, after, 1) if text else after + "\n"
        file.write_text(text, "utf-8")


def said_by(tree: Path, code: str) -> str:
    """Return what a program prints that imports the product from that tree."""
    path = os.pathsep.join([*(str(tree / folder) for folder in ("", *PACKAGES[1:])), str(ROOT / "tests")])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert not done.returncode, done.stderr
    return done.stdout


PLAY: Final = """
from click.testing import CliRunner
from felix_cli.main import cli

def felix(*words):
    done = CliRunner().invoke(cli, [*words, "--db", "g.db"], catch_exceptions=False)
    assert not done.exit_code, done.output
    return done.stdout
"""

TRIED: Final = {
    "A new event": (
        """
(game_id,) = felix("simulate", "--players", "3", "--seed", "7").split()[:1]
told = " ".join(felix("replay", game_id).split())
print("The bank is empty." in told, ": sound" in felix("audit", game_id))
from pathlib import Path
from page.node import NODE, asked, base64
felix("export", game_id, "-o", "g.jsonl")
file = base64(Path("g.jsonl").read_bytes())
print(NODE is None or asked("return m.verify(bytes(questions)).sound;", file))
""",
        "True True\nTrue\n",
    ),
    "A new order": (
        """
from inbox.postbag import a_first_round
(line,) = a_first_round().send(1, "Wave!").lines
print(line.verdict, line.why)
""",
        "done Hello.\n",
    ),
    "A new notice": (
        """
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.marks import Outbox
from games import a_room
from notifiers.office import Post
room = a_room()
post = Post(room, Outbox(room.clock, Letters("felix@felix.test", bytes(32))))
game_id = post.started(3)
for number in (8, 9):
    room.play(game_id, until=lambda game: game.round == number)
    post.claim()
    print(sum(b"This is the last round." in letter.raw for letter in post.letters()))
""",
        "0\n3\n",
    ),
    "A new section of a message": (
        """
from felix_notifiers.mails.preview import preview
from games import a_game_played
played = a_game_played(4)
cut = played.until(played.versions("cards_turned")[8])
seat = cut.game().to_move
mail = preview(cut.envelopes, cut.names, "Thursday club", seat, "felix@felix.test")
told = "Rounds after this one: 6."
print(f"\\n{told}\\n" in mail.text, f">{told}</p>" in mail.html)
""",
        "True True\n",
    ),
    "A new way to say something": (
        """
from felix_async.meaning.meaning import meaning_of
from felix_async.meaning.situation import Situation
print(meaning_of(["the carrot muncher, please"], Situation("placing", plays=(0, 5))).do)
""",
        "PLAY RABBIT\n",
    ),
}
"""A program for each heading, and what it prints."""


@pytest.mark.slow
@pytest.mark.parametrize("heading", TRIED)
def test_what_is_added_works(heading: str, tmp_path: Path) -> None:
    code, told = TRIED[heading]
    assert said_by(tree_with([diff_of(heading)], tmp_path), PLAY + code) == told


@pytest.mark.slow
def test_all_that_is_added_works_together(tmp_path: Path) -> None:
    """In one tree and one process, where each alone takes a second."""
    tree = tree_with(map(diff_of, TRIED), tmp_path)
    code = "\n".join([PLAY, *(code for code, _ in TRIED.values())])
    assert said_by(tree, code) == "".join(told for _, told in TRIED.values())


@pytest.mark.parametrize("heading", TRIED)
def test_it_touches_few_files(heading: str) -> None:
    files = [file for file in files_of(diff_of(heading)) if not file.endswith(".mjs")]
    words = [file for file in files if file.startswith("felix_async/language/en/")]
    assert len(words) <= 2
    assert files
    assert len(files) - len(words) <= MOST_FILES
