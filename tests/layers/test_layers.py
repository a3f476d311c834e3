"""Every module is in one of the layers that import-linter watches, so that none is left out by mistake."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Any, Final

from each import each

ROOT: Final = Path(__file__).parents[2]
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES: Final = [ROOT / path for path in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]]
CONTRACTS: Final[dict[str, dict[str, Any]]] = {
    contract["name"]: contract for contract in PROJECT["tool"]["importlinter"]["contracts"]
}
LAYERS: Final = [re.split(r" [|:] ", layer) for layer in CONTRACTS["layers"]["layers"]]


def modules() -> list[str]:
    """All modules of the four packages, by their full names."""
    names = []
    for package in PACKAGES:
        for file in sorted(package.rglob("*.py")):
            parts = file.relative_to(package.parent).with_suffix("").parts
            names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def layers_of(module: str) -> list[int]:
    """The numbers of the layers that a module is in, top down."""
    return [
        number
        for number, layer in enumerate(LAYERS)
        if any(module == name or module.startswith(f"{name}.") for name in layer)
    ]


def test_there_are_four_packages() -> None:
    names = [package.name for package in PACKAGES]
    assert sorted(names) == ["felix_async", "felix_cli", "felix_events", "felix_notifiers"]
    assert sorted(PROJECT["tool"]["importlinter"]["root_packages"]) == sorted(names)
    assert all(package.is_dir() for package in PACKAGES)


def test_what_is_in_no_layer_imports_nothing() -> None:
    """Two packages are split over the layers; they themselves are no module that does anything."""
    split = [package for package in PACKAGES if not layers_of(package.name)]
    assert [package.name for package in split] == ["felix_async", "felix_events"]
    for package in split:
        tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


@each("module", [name for name in modules() if "." in name])
def test_every_module_is_in_one_layer(module: str) -> None:
    assert len(layers_of(module)) == 1, f"{module}: add it to [tool.importlinter] in pyproject.toml"


@each("module", [name for name in modules() if name.startswith("felix_notifiers.")])
def test_every_notifier_is_in_one_room(module: str) -> None:
    rooms = CONTRACTS["the way out: what is said, how it looks, who writes it, how it goes"]["layers"]
    assert ".".join(module.split(".")[:2]) in rooms, f"{module}: it belongs into one of {', '.join(rooms)}"


@each("name", [name for layer in LAYERS for name in layer])
def test_every_layer_is_there(name: str) -> None:
    assert name in modules() or any(module.startswith(f"{name}.") for module in modules())


def test_the_order_of_the_layers_is_the_houses() -> None:
    order = [
        "felix_cli.main",
        "felix_notifiers.mails.render",
        "felix_async.service",
        "felix_async.audit.audit",
        "felix_async.game.rules",
        "felix_events.store.sqlite",
        "felix_events.export",
        "felix_events.model",
    ]
    numbers = [layers_of(module)[0] for module in order]
    assert numbers == sorted(set(numbers))


def test_the_pure_modules_may_not_reach_the_world() -> None:
    forbidden = CONTRACTS["the game does no I/O"]
    assert {"felix_async.game", "felix_async.draw", "felix_async.clock"} <= set(forbidden["source_modules"])
    assert {"felix_events.store", "sqlite3", "smtplib", "socket", "random"} <= set(
        forbidden["forbidden_modules"]
    )


def test_strangers_text_is_made_harmless_in_two_modules_only() -> None:
    """A type says which text has been through it; only these two give text that type."""
    made: dict[str, set[str]] = {"Harmless": set(), "Name": set()}
    for package in PACKAGES:
        for file in package.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in made:
                    made[node.func.id].add(file.name)
    assert made == {"Harmless": {"text.py"}, "Name": {"people.py"}}
