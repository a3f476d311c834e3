"""The documents are true: what they name is there, what they show is what comes out."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import get_args

import click
import orjson
import pytest
from pydantic import BaseModel, SecretStr

import felix_async
import felix_cli
import felix_events
import felix_notifiers
from each import each
from felix_async.audit.audit import audit
from felix_async.audit.evidence import evidence_of
from felix_async.game.cards import MATERIAL, PET_CARDS, START_MICE, card_text
from felix_async.game.scoring import open_sack
from felix_async.language.words import WORD_OF
from felix_async.settings import Settings
from felix_cli.main import COMMANDS, cli
from felix_events.export import read_export
from felix_events.model import Card, Ruleset
from felix_events.store.rows import LetterState, MailState
from felix_events.store.sqlite import SqliteStore
from games import a_game_played
from spoken import a_spoken_game

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / name
    for name in (
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/rules.md",
        "docs/commands.md",
        "docs/hosting.md",
        "docs/operating.md",
        "docs/playing.md",
        "docs/proof.md",
        "events/README.md",
    )
]
for_every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
PACKAGES = (felix_async, felix_events, felix_notifiers, felix_cli)


def modules() -> list[str]:
    """Every module of the four packages."""
    found = []
    for package in PACKAGES:
        prefix = f"{package.__name__}."
        found += [module.name for module in pkgutil.walk_packages(package.__path__, prefix)]
    return sorted(found)


def rows(page: Path, title: str) -> list[list[str]]:
    """The cells, without its head, of the first table from a heading or another text on."""
    text = page.read_text("utf-8")
    lines = text[text.index(title) :].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|"))
    table = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return table


def code_lines(page: Path) -> list[str]:
    """The lines of code blocks, fenced or indented, continued lines joined; generated parts left out."""
    text = re.sub(r"\[\[\[cog.*?\[\[\[end\]\]\]", "", page.read_text("utf-8"), flags=re.DOTALL)
    text = text.replace("\\\n", " ")
    fenced = "\n".join(re.findall(r"^```.*?\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    return fenced.splitlines() + re.findall(r"^    (.*)$", text, re.MULTILINE)


# ---- code in documents ------------------------------------------------------------------------------
def modules_with_doctests() -> list[ModuleType]:
    """The modules in which an example stands."""
    found = [importlib.import_module(name) for name in modules()]
    return [module for module in found if ">>>" in Path(str(module.__file__)).read_text("utf-8")]


@each("module", modules_with_doctests())
def test_doctests_of_a_module_hold(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_worked_cases_of_the_rules_come_out_as_they_stand_there() -> None:
    cards: dict[str, Card] = {card_text(card): card for card in PET_CARDS}
    both: list[Ruleset] = ["felicity-2017", "felix-2007"]
    cases = rows(ROOT / "docs/rules.md", "## Worked cases")
    for row, which, chased, worth in cases:
        texts = [re.sub(r" \(.*\)$", "", text) for text in row.split(", ")]
        texts[-1] = texts[-1].partition(" (")[0]
        for ruleset in both if which == "both" else [name for name in both if which == f"`{name}`"]:
            sack = open_sack([cards[text] for text in texts], ruleset)
            found = "nothing" if sack.chased is None else card_text(sack.chased)
            assert (found, sack.worth) == (chased, int(worth.replace("−", "-"))), row
    assert len(cases) == 17


def test_the_material_in_the_rules_is_what_is_played_with() -> None:
    table = rows(ROOT / "docs/rules.md", "## Material")
    for players, mouse_cards, bank, mice, _ in table:
        material = MATERIAL[int(players)]
        assert mouse_cards == ", ".join(map(str, material.mouse_cards))
        assert (int(bank), int(mice)) == (material.bank, material.bank + START_MICE * int(players))
    assert len(table) == len(MATERIAL)


def test_what_proof_shows_in_a_shell_is_what_a_shell_shows(tmp_path: Path) -> None:
    file = (ROOT / "events/README.md").read_text("utf-8").split("<!-- example: file -->")[1]
    (tmp_path / "k7m2p.jsonl").write_text(file.split("```")[1].partition("\n")[2], encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", (ROOT / "docs/proof.md").read_text("utf-8"), re.M | re.S)
    lines = "".join(blocks).splitlines()
    commands = "\n".join(line[2:] for line in lines if line.startswith("$ "))
    done = subprocess.run(["bash", "-c", commands], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [line for line in lines if not line.startswith("$ ")]
    assert done.stderr == ""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The program of docs/proof.md that makes every draw again."""
    [source] = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/proof.md").read_text("utf-8"), re.M | re.S)
    file = tmp_path / "draws.py"
    file.write_text(source, encoding="utf-8")
    return file


WITH_SEATS_LOGS = [ROOT / f"examples/games/{seats}-players.jsonl" for seats in (3, 4, 5)]
"""Games in which something was said in advance."""


def test_the_command_in_proof_finds_the_record_of_the_game_and_not_of_a_seat() -> None:
    text = (ROOT / "docs/proof.md").read_text("utf-8")
    (command,) = re.findall(r'^\$ (.*"opens":5.*)$', text, re.M)
    for file in WITH_SEATS_LOGS:
        export = read_export(file.read_bytes())
        of_seats = {v for log in export.seat_logs.values() for v in log.private_records}
        version = min(of_seats & export.private_records.keys())
        line = command.replace('"opens":5', f'"opens":{version}').replace("k7m2p.jsonl", str(file))
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
        assert done.stdout.split()[0] == orjson.loads(export.bodies[version - 1])["private"]


@pytest.mark.parametrize("file", WITH_SEATS_LOGS, ids=lambda file: str(file.stem))
def test_the_program_in_proof_reads_past_the_logs_of_seats(program: Path, file: Path) -> None:
    done = subprocess.run([sys.executable, "-I", program, file], capture_output=True, text=True, check=True)
    assert done.stdout == "every draw follows from the seed\n"


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_the_program_in_proof_finds_the_draws_of_a_game_right(program: Path, seats: int) -> None:
    game = program.with_name("game.jsonl")
    game.write_bytes(a_game_played(seats).export())
    done = subprocess.run([sys.executable, "-I", program, game], capture_output=True, text=True, check=True)
    assert done.stdout == "every draw follows from the seed\n"


def test_the_program_in_proof_notices_a_card_dealt_otherwise(program: Path) -> None:
    game = program.with_name("game.jsonl")
    lines = a_game_played(3).export().split(b"\n")
    place = next(number for number, line in enumerate(lines) if b'"dummy_dealt"' in line)
    pile = re.search(rb'"pile":\[(.*?)\]', lines[place])
    assert pile is not None
    turned = b",".join(reversed(pile.group(1).split(b",")))
    lines[place] = lines[place].replace(pile.group(1), turned)
    game.write_bytes(b"\n".join(lines))
    done = subprocess.run([sys.executable, "-I", program, game], capture_output=True, text=True)
    assert "AssertionError" in done.stderr


def test_proof_names_the_checks_of_the_audit() -> None:
    """Of a game in which people talk and the computer plays for somebody: then there are all of them."""
    store = SqliteStore.in_memory()
    game_id, *_ = a_spoken_game(store)
    with store.read() as reader:
        evidence = evidence_of(reader, game_id)
    assert evidence is not None
    report = audit(evidence)
    told = [check.strip("`") for check, _ in rows(ROOT / "docs/proof.md", "felix audit k7m2p.jsonl")]
    assert told == report.passed


# ---- what documents name ----------------------------------------------------------------------------
@for_every_page
def test_links_lead_to_files_and_headings_that_are_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text("utf-8")):
        if "://" in target:
            continue
        name, _, heading = target.partition("#")
        file = page.parent / name if name else page
        assert file.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.MULTILINE)
            assert heading in [re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles]


@for_every_page
def test_paths_that_a_page_names_are_there(page: Path) -> None:
    """A name in backticks with a slash and an ending, or with a slash at its end."""
    named = re.findall(
        r"`(\.?[A-Za-z_][\w./-]*/(?:[\w.-]+\.(?:py|md|toml|txt|json))?)`", page.read_text("utf-8")
    )
    packages = [Path(package.__path__[0]) for package in PACKAGES]
    rooms = [room for package in packages for room in package.iterdir() if room.is_dir()]
    for name in named:
        places = [ROOT, page.parent, *packages, *rooms]
        assert name == "dist/" or any((place / name).exists() for place in places), name


@for_every_page
def test_modules_that_a_page_names_can_be_imported(page: Path) -> None:
    for name in re.findall(r"`(felix_(?:async|events|notifiers|cli)[\w.]*)`", page.read_text("utf-8")):
        importlib.import_module(name)


@for_every_page
def test_felix_commands_that_a_page_shows_are_there(page: Path) -> None:
    text = page.read_text("utf-8")
    shown = [line for line in code_lines(page) if line.startswith("felix ")]
    shown += re.findall(r"`(felix [a-z][^`]*)`", text)
    for line in shown:
        words = line.partition("  #")[0].split()[1:]
        command = command_of(words)
        known = {option for param in command.params for option in param.opts}
        assert {word for word in words if word.startswith("-")} <= known | {"--help", "--version"}, line


def command_of(words: list[str]) -> click.Command:
    """The command that these words call."""
    assert words[0] in COMMANDS, words
    context = click.Context(cli)
    command = cli.get_command(context, words[0])
    for word in words[1:]:
        if not isinstance(command, click.Group):
            break
        command = command.get_command(context, word)
        assert command is not None, words
    assert command is not None
    return command


@for_every_page
def test_make_targets_that_a_page_names_are_there(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = re.findall(r"`make ([a-z][a-z -]*)", page.read_text("utf-8"))
    named += [line[5:].partition("  #")[0] for line in code_lines(page) if line.startswith("make ")]
    assert {target for line in named for target in line.split()} <= targets


def test_every_make_target_is_explained() -> None:
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert phony is not None
    told = {target.strip("`").split()[1] for target, _ in rows(ROOT / "CONTRIBUTING.md", "| target |")}
    assert told == set(phony.group(1).split()) - {"help"}


def test_every_command_is_on_the_page_of_commands() -> None:
    titles = re.findall(r"^## felix (.*)$", (ROOT / "docs/commands.md").read_text("utf-8"), re.MULTILINE)
    assert [title for title in titles if " " not in title] == list(COMMANDS)


def keys_of(section: type[BaseModel], before: str = "") -> dict[str, object]:
    """The keys of the settings with their defaults, those of sections behind their section's name."""
    keys: dict[str, object] = {}
    for name, field in section.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if isinstance(default, BaseModel):
            keys |= keys_of(type(default), f"{name}.")
        else:
            keys[f"{before}{name}"] = default
    return keys


def as_written(default: object) -> str:
    """A default as it would stand in a settings file; nothing where there is none."""
    if isinstance(default, SecretStr):
        default = default.get_secret_value()
    if default is None:
        return ""
    return f"`{json.dumps(default, default=str)}`"


def test_every_setting_is_on_the_page_for_operators_with_its_default() -> None:
    told = {key.strip("`"): default for key, default, _ in rows(ROOT / "docs/operating.md", "| key |")}
    assert told == {key: as_written(default) for key, default in keys_of(Settings).items()}


def test_every_state_of_a_mail_is_on_the_page_for_operators() -> None:
    told = [state.strip("`") for state, _ in rows(ROOT / "docs/operating.md", "| state |")]
    assert sorted(told) == sorted(get_args(MailState))
    text = (ROOT / "docs/operating.md").read_text("utf-8")
    assert all(f"`{state}`" in text for state in get_args(LetterState))


def test_every_order_is_on_the_page_of_orders() -> None:
    page = (ROOT / "docs/playing.md").read_text("utf-8")
    assert [word for word in WORD_OF.values() if not re.search(rf"\b{word}\b", page)] == []


@for_every_page
def test_no_line_of_prose_is_wider_than_120_columns(page: Path) -> None:
    # Blocks of code, what is generated, tables and HTML are as wide as what they show.
    text = re.sub(r"(?ms)^```.*?^```$|\[\[\[cog.*?\[\[\[end\]\]\]", "", page.read_text("utf-8"))
    wide = [line for line in text.splitlines() if len(line) > 120 and not line.startswith(("|", "<", "    "))]
    assert wide == []


def test_the_pictures_in_the_readme_are_there_and_small() -> None:
    named = re.findall(r'<img src="([^"]+)"', (ROOT / "README.md").read_text("utf-8"))
    assert len(named) == 2
    assert [0 < (ROOT / name).stat().st_size < 60_000 for name in named] == [True, True]


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = {*project["dependencies"], *extras["dev"], *extras["bench"], *extras["channels"]}
    page = ROOT / "CONTRIBUTING.md"
    told = [
        name
        for title in ("| runtime |", "| optional |", "| development |")
        for name, _, _ in rows(page, title)
    ]
    assert sorted(told) == sorted({re.split(r"[<>=~\[]", name)[0] for name in wanted})
