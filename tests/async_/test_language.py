"""Words apart from code: another language is another folder, and English has all that felix says."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from babel.core import Locale

from async_.pseudo import SPOKEN, accented, write_language
from each import each
from felix_async.language import data as language
from felix_async.language.phrases import form_for, forms_in, joined, phrase, placeholders
from felix_events.model import BY_TYPE
from games import NAMES, TABLE_NAME

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("felix_async", "events/felix_events", "notifiers/felix_notifiers", "cli/felix_cli")
LANGUAGES: Final = language.languages()
READ_WHOLE: Final = (
    "events.lists.",
    "mails.language",
    "mails.names.taken",
    "mails.verdicts.",
    "page.",
)
"""Not asked for by `phrase`, sentence by sentence."""
TELLER: Final = ("narrate.py", "_about")
"""The method that says `events.….you` or `events.….other`."""
ANY_EVENT: Final = f"(?:{'|'.join([*BY_TYPE, 'card_exchanged'])})"
UNPACKED: Final = "None"
"""The name of a mapping whose values a sentence is filled in with."""
NOT_OURS: Final = frozenset({*NAMES, *TABLE_NAME.split(), "felix", "felicity"})
"""What may stand in a mail of any language: names."""
_FOR_MACHINES: Final = re.compile(
    r"`[^`]*`|\S+@\S+|\b[0-9a-f]{64}\b"
    rf"|(?:(?<=club )|(?<=felix )|(?<={accented('game')} )|(?<={accented('Game')} ))[0-9a-z]{{5}}\b"
)
"""Commands, addresses, hashes, and the ids of games behind the names of their tables."""


def speak(name: str, few: int = 12) -> subprocess.CompletedProcess[str]:
    """Return all that felix says and reads in a language, said by another process; one in so many mails."""
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT / "tests"),
        "PYTHONIOENCODING": "utf-8",
        language.VARIABLE: name,
    }
    program = ROOT / "tests" / "async_" / "speaking.py"
    return subprocess.run(
        [sys.executable, program, str(few)],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
        encoding="utf-8",
    )


def english_in(texts: list[str]) -> set[str]:
    """The words without an accent that are neither names nor commands."""
    joined_lines = (" ".join(text.split()) for text in texts)
    words = {
        word
        for text in joined_lines
        for word in re.findall(r"\w+", _FOR_MACHINES.sub("", text))
        if word.isascii()
    }
    return {word for word in words if not word.isdigit()} - NOT_OURS


# ---- another language -------------------------------------------------------------------------------
@pytest.fixture(scope="module", params=[12, pytest.param(1, marks=pytest.mark.slow)])
def spoken(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What felix says and reads in a language that nobody speaks."""
    folder = write_language(tmp_path_factory.mktemp("languages") / "pseudo")
    done = speak(str(folder), request.param)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_an_english_word_would_be_found() -> None:
    assert english_in([f"{accented('Hello')} Ben, this is k7m2p", "[Thursday club k7m2p] Ńó"]) == {
        "this",
        "is",
        "k7m2p",
    }


@pytest.mark.slow
def test_no_mail_in_another_language_has_an_english_word(spoken: dict[str, Any]) -> None:
    assert len(spoken["texts"]) > 50
    assert english_in(spoken["texts"]) == set()


def test_no_subject_in_another_language_has_an_english_word(spoken: dict[str, Any]) -> None:
    assert any(accented("Was this you?") in subject for subject in spoken["subjects"])
    assert english_in(spoken["subjects"]) == set()


def test_what_happened_is_told_without_an_english_word(spoken: dict[str, Any]) -> None:
    assert any(accented("bought the sack") in text for text in spoken["sentences"])
    assert english_in(spoken["sentences"]) == set()


def test_the_html_says_which_language_it_is(spoken: dict[str, Any]) -> None:
    assert spoken["languages"] == [SPOKEN]


def test_orders_of_another_language_are_read(spoken: dict[str, Any]) -> None:
    read = spoken["orders"]["read"]
    assert read[accented("BID 5")].startswith("Order(word='BID', card=None, amount=5, text='', limit=None")
    assert read[accented("PLAY LARGE DOG")].startswith("Order(word='PLAY', card='large_dog', amount=None")
    assert read[accented("play: -8")].startswith("Order(word='PLAY', card=-8, amount=None")
    assert f"text='{accented('Hello')}'" in read[accented("SAY Hello")]
    assert (
        "amount=5, text='', limit=9, asks=True, next=11" in read[accented("BID 5, UP TO 9 THEN ASK, NEXT 11")]
    )
    assert [order for order in read.values() if not order.startswith("Order(")] == []


def test_english_orders_are_none_in_another_language(spoken: dict[str, Any]) -> None:
    assert all(order.startswith("Misread(") for order in spoken["orders"]["english"])


def test_the_marker_of_another_language_ends_what_is_the_players(spoken: dict[str, Any]) -> None:
    order, *rest = spoken["orders"]["answer"]
    assert order == ["order", accented("BID 7")]
    assert {verdict for verdict, _ in rest} == {"ignored"}


# ---- a language that is not as it should be ---------------------------------------------------------
def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """The last line of what went wrong."""
    assert done.returncode == 1
    return done.stderr.strip().splitlines()[-1].partition(": ")[2]


def test_an_unknown_language_is_named_in_one_sentence() -> None:
    assert last_line(speak("klingon")) == (
        "There is no language 'klingon' here; set FELIX_LANGUAGE to one of these: en; or to a folder."
    )


def test_a_language_that_lacks_a_word_says_which(tmp_path: Path) -> None:
    folder = write_language(tmp_path / "short")
    orders = folder / "orders.toml"
    lines = orders.read_text("utf-8").splitlines()
    orders.write_text("\n".join(line for line in lines if not line.startswith('"HAND"')), "utf-8")
    assert last_line(speak(str(folder))) == (
        f"{folder}/orders.toml lacks words that felix needs: done.HAND, near_orders.HAND, orders.HAND."
    )


def test_a_language_without_one_of_its_files_says_so(tmp_path: Path) -> None:
    folder = write_language(tmp_path / "short")
    (folder / "mails.toml").unlink()
    assert last_line(speak(str(folder))) == f"{folder}/mails.toml is not there, or no UTF-8 text."


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    folder = write_language(tmp_path / "torn")
    (folder / "events.toml").write_text("[lists", "utf-8")
    assert last_line(speak(str(folder))).startswith(f"{folder}/events.toml is not TOML: ")


# ---- every language that comes with felix -----------------------------------------------------------
def sentences(name: str) -> dict[str, str]:
    """All sentences of a language by their keys; lists of words are left out."""
    folder = language.folder_of(name)
    found: dict[str, str] = {}
    for file in language.TABLES:
        words = language.read_table(folder, file)
        for key in language.keys_of(words):
            value: Any = words
            for part in key.split("."):
                value = value[part]
            if isinstance(value, str):
                found[f"{file.removesuffix('.toml')}.{key}"] = value
    return found


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_language_has_the_words_that_english_has(name: str) -> None:
    assert sentences(name).keys() == sentences("en").keys()


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_sentence_needs_nothing_that_the_english_one_does_not_get(name: str) -> None:
    english = sentences("en")
    for key, sentence in sentences(name).items():
        assert placeholders(sentence).keys() <= placeholders(english[key]).keys(), key


@pytest.mark.parametrize("name", LANGUAGES)
def test_each_number_has_its_form_of_a_word(name: str) -> None:
    spoken = language.read_table(language.folder_of(name), "mails.toml")["language"]
    for key, sentence in sentences(name).items():
        assert set(placeholders(sentence).values()) <= {0, forms_in(spoken)}, key


@pytest.mark.parametrize("name", LANGUAGES)
def test_braces_stand_for_placeholders_only(name: str) -> None:
    for key, sentence in sentences(name).items():
        bare = re.sub(r"\{[a-z_]+(:[^{}]+)?\}", "", sentence)
        assert not re.search(r"[{}]", bare), key


@pytest.mark.parametrize("name", LANGUAGES)
def test_each_order_has_words_of_its_own_in_capitals(name: str) -> None:
    words = list(language.read_table(language.folder_of(name), "orders.toml")["orders"].values())
    assert len(set(words)) == len(words)
    assert all(word.replace(" ", "").isalpha() for word in words)
    assert all(word == word.upper() and word.lower().upper() == word for word in words)


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_subjects_tell_no_card_and_no_bid(name: str) -> None:
    subjects = language.read_table(language.folder_of(name), "glance.toml")["subject"]
    known = {"round", "table", "who", "day", "number", "count"}
    assert all(placeholders(subject).keys() <= known for subject in subjects.values())


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_help_has_every_order_between_two_paragraphs(name: str) -> None:
    folder = language.folder_of(name)
    _, *groups, _ = language.read_table(folder, "orders.toml")["help"].strip().split("\n\n")
    orders = "\n".join(groups)
    for word in language.read_table(folder, "orders.toml")["orders"].values():
        assert re.search(rf"^  {word}\b", orders, re.MULTILINE), word


# ---- sentences and the code that says them ----------------------------------------------------------
def asked_for() -> Iterator[tuple[str, str, set[str]]]:
    """Each place in the code that says a sentence: where, the keys as a pattern, and what it fills in."""
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if not isinstance(node, ast.Call):
                    continue
                given = {str(keyword.arg) for keyword in node.keywords}
                where = f"{file.name}:{node.lineno}"
                if isinstance(node.func, ast.Name) and node.func.id == "phrase":
                    yield where, pattern_of(node.args[0]), given
                elif isinstance(node.func, ast.Attribute) and (file.name, node.func.attr) == TELLER:
                    yield where, rf"events\.{pattern_of(node.args[0])}\.you", given
                    yield where, rf"events\.{pattern_of(node.args[0])}\.other", given | {"who"}


def pattern_of(key: ast.expr) -> str:
    """A key as a pattern; what is known only when it runs is one part of the name."""
    if isinstance(key, ast.Constant):
        return re.escape(str(key.value))
    if isinstance(key, ast.JoinedStr):
        return "".join(
            pattern_of(part.value if isinstance(part, ast.FormattedValue) else part) for part in key.values
        )
    if isinstance(key, ast.IfExp):
        return f"(?:{pattern_of(key.body)}|{pattern_of(key.orelse)})"
    return ANY_EVENT if ast.unparse(key) == "event.type" else "(?:[a-z_]+)"


INDIRECT: Final = (r"events\.(?:[a-z_]+)\.you", r"events\.(?:[a-z_]+)\.other")
"""The two lines that say a sentence for those that name it."""


@cache
def said() -> list[tuple[str, str, set[str]]]:
    """What the code says itself."""
    return [place for place in asked_for() if place[1] not in INDIRECT]


DEFINED: Final = {
    key: sentence
    for key, sentence in sentences("en").items()
    if key.startswith(
        (
            *(
                "events.",
                "glance.",
                "lobby.",
                "mails.",
                "moments.",
                "page.",
                "page.",
                "people.",
                "play.",
                "replay.",
                "result.",
                "stepper.",
                "table.",
            ),
            "answers.tables.",
        )
    )
}


@each(("where", "pattern", "given"), said)
def test_what_the_code_says_is_there_and_gets_what_it_needs(
    where: str, pattern: str, given: set[str]
) -> None:
    keys = [key for key in DEFINED if re.fullmatch(pattern, key)]
    assert keys, f"{where}: no sentence is called {pattern}"
    if ANY_EVENT in pattern:
        return  # those that need more are filled in elsewhere
    for key in keys:
        assert placeholders(DEFINED[key]).keys() <= given or UNPACKED in given, f"{where}: {key}"


def test_every_sentence_is_said_somewhere() -> None:
    patterns = re.compile("|".join(pattern for _, pattern, _ in said()))
    unsaid = [key for key in DEFINED if not patterns.fullmatch(key) and not key.startswith(READ_WHOLE)]
    assert unsaid == []


# ---- filling in -------------------------------------------------------------------------------------
def test_a_sentence_that_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError):
        phrase("mails.opening.nothing_like_that")


def test_a_table_of_sentences_is_no_sentence() -> None:
    with pytest.raises(KeyError):
        phrase("mails.opening")


def test_a_value_that_is_not_given_is_an_error() -> None:
    with pytest.raises(KeyError):
        phrase("mails.frame.about")


def test_what_is_filled_in_is_not_filled_in_again() -> None:
    assert phrase("mails.frame.about", label="{name:a|b}{other}") == "Felix, {name:a|b}{other}."


@pytest.mark.parametrize(
    ("mice", "text"), [(0, "0 mice"), (1, "1 mouse"), (2, "2 mice"), (11, "11 mice"), (21, "21 mice")]
)
def test_a_number_chooses_the_form_of_a_word(mice: int, text: str) -> None:
    assert phrase("events.words.mice", mice=mice) == text


@each(
    ("spoken", "forms"),
    [
        ("en", [1, 0, 1, 1]),
        ("fr", [0, 0, 1, 1]),
        ("pl", [2, 0, 1, 2]),
        ("ja", [0, 0, 0, 0]),
        ("pt-BR", [0, 0, 1, 1]),
        ("ar", [0, 1, 2, 3]),
    ],
)
def test_a_language_has_its_own_forms_for_numbers(spoken: str, forms: list[int]) -> None:
    assert [form_for(number, spoken) for number in (0, 1, 2, 5)] == forms
    assert form_for(-1, spoken) == forms[1]
    assert form_for(10**6, spoken) < forms_in(spoken)


def test_english_has_the_forms_that_the_cldr_gives_it() -> None:
    rule = Locale.parse("en").plural_form
    assert all(("one", "other")[form_for(number, "en")] == rule(number) for number in range(1000))


def test_a_language_that_nobody_knows_is_refused_in_a_sentence() -> None:
    with pytest.raises(language.LanguageError, match=r"'klingon' in mails\.toml is no language"):
        form_for(1, "klingon")


@pytest.mark.parametrize(
    ("parts", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_a_list_is_joined_as_the_language_joins_it(parts: list[str], text: str) -> None:
    assert joined(parts) == text
