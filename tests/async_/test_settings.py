"""The operator's settings: defaults, where they are looked for, and errors that name the key."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from felix_async.settings import Settings, SettingsError, read_settings, sample


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, and nothing in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FELIX_DB", raising=False)
    monkeypatch.delenv("FELIX_CONFIG", raising=False)


def written(text: str, name: str = "felix.toml") -> Path:
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def complaint(text: str) -> str:
    with pytest.raises(SettingsError) as caught:
        read_settings(written(text))
    return str(caught.value)


# ---- what is read -----------------------------------------------------------------------------------


def test_without_a_file_everything_has_its_default() -> None:
    assert read_settings() == Settings()


def test_an_empty_file_changes_nothing() -> None:
    assert read_settings(written("")) == Settings()


def test_the_sample_is_read_and_is_what_the_defaults_are() -> None:
    assert read_settings(written(sample(Path("felix.db"), "felix@localhost"))) == Settings()


def test_the_sample_has_every_key() -> None:
    keys = tomllib.loads(sample(Path("felix.db"), "felix@localhost"))
    assert keys == Settings().model_dump(mode="json")


def test_the_sample_holds_any_path() -> None:
    odd = Path('we"ird\\ folder/felix.db')
    assert read_settings(written(sample(odd, "felix@localhost"))).database == odd


def test_every_key_is_read() -> None:
    read = read_settings(
        written(
            """
            database = "/srv/felix/games.db"
            mailbox = "cats@mail.example.org"
            [listen]
            protocol = "lmtp"
            host = "0.0.0.0"
            port = 24
            max_bytes = 100000
            [send]
            channel = "console"
            host = "mail.example.org"
            port = 587
            timeout_seconds = 2.5
            [time]
            remind_after_hours = 0.5
            """
        )
    )
    assert read.model_dump() == {
        "database": Path("/srv/felix/games.db"),
        "mailbox": "cats@mail.example.org",
        "listen": {"protocol": "lmtp", "host": "0.0.0.0", "port": 24, "max_bytes": 100000},
        "send": {"channel": "console", "host": "mail.example.org", "port": 587, "timeout_seconds": 2.5},
        "time": {"remind_after_hours": 0.5},
    }


# ---- where it is looked for -------------------------------------------------------------------------


def test_felix_toml_in_the_working_folder_is_read() -> None:
    written('mailbox = "here@example.org"')
    assert read_settings().mailbox == "here@example.org"


def test_a_file_named_in_the_environment_is_read_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    written('mailbox = "here@example.org"')
    monkeypatch.setenv("FELIX_CONFIG", str(written('mailbox = "there@example.org"', "other/there.toml")))
    assert read_settings().mailbox == "there@example.org"


def test_a_file_that_is_given_comes_before_both(monkeypatch: pytest.MonkeyPatch) -> None:
    written('mailbox = "here@example.org"')
    monkeypatch.setenv("FELIX_CONFIG", str(written('mailbox = "there@example.org"', "there.toml")))
    assert read_settings(written('mailbox = "given@example.org"', "g.toml")).mailbox == "given@example.org"


def test_an_empty_variable_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FELIX_CONFIG", "")
    monkeypatch.setenv("FELIX_DB", "")
    assert read_settings() == Settings()


def test_a_database_is_found_beside_the_file_that_names_it() -> None:
    assert read_settings(written('database = "games.db"', "etc/felix.toml")).database == Path("etc/games.db")


def test_a_database_with_a_whole_path_stays_there() -> None:
    assert read_settings(written('database = "/srv/games.db"', "etc/felix.toml")).database == Path(
        "/srv/games.db"
    )


def test_the_environment_has_the_last_word_about_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FELIX_DB", "mine.db")
    assert read_settings(written('database = "games.db"', "etc/felix.toml")).database == Path("mine.db")
    assert read_settings().database == Path("mine.db")


# ---- what cannot be used ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("databse = 'x.db'", "databse"),
        ("database = 5", "database"),
        ("mailbox = 'felix'", "mailbox"),
        ("mailbox = 'felix+x@example.org'", "mailbox"),
        ("mailbox = 'Felix <felix@example.org>'", "mailbox"),
        ("mailbox = 'a-name-that-is-long@example.org'", "mailbox"),
        ("mailbox = 'felix@example.org\\r\\nBcc: x'", "mailbox"),
        ('mailbox = "felix@example.org\\nBcc: x"', "mailbox"),
        ("listen = 5", "listen"),
        ("[listen]\nport = 70000", "listen.port"),
        ("[listen]\nport = -1", "listen.port"),
        ("[listen]\nport = 'smtp'", "listen.port"),
        ("[listen]\nprotocol = 'pop3'", "listen.protocol"),
        ("[listen]\nmax_bytes = 10", "listen.max_bytes"),
        ("[listen]\ntls = true", "listen.tls"),
        ("[send]\nport = 1.5", "send.port"),
        ("[send]\ntimeout_seconds = 0", "send.timeout_seconds"),
        ("[send]\ntimeout_seconds = nan", "send.timeout_seconds"),
        ("[send]\ntimeout_seconds = inf", "send.timeout_seconds"),
        ("[time]\nremind_after_hours = 0", "time.remind_after_hours"),
        ("[time]\nremind_after_hours = 100000", "time.remind_after_hours"),
    ],
)
def test_a_wrong_key_is_named_in_one_sentence(text: str, key: str) -> None:
    told = complaint(text)
    assert told.startswith(f"felix.toml: {key}: ")
    assert told.endswith("; correct this key.")
    assert "\n" not in told


def test_a_file_that_is_no_toml_is_named() -> None:
    assert complaint("mailbox: felix@example.org").startswith("felix.toml is not valid TOML: ")


def test_a_file_that_is_no_text_is_named() -> None:
    Path("felix.toml").write_bytes(b"mailbox = '\xff'")
    with pytest.raises(SettingsError, match=r"^felix\.toml is not valid TOML: "):
        read_settings()


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(SettingsError, match=r"^nowhere\.toml cannot be read: No such file or directory\.$"):
        read_settings(Path("nowhere.toml"))


def test_a_missing_file_named_in_the_environment_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FELIX_CONFIG", "nowhere.toml")
    with pytest.raises(SettingsError, match=r"^nowhere\.toml cannot be read"):
        read_settings()


def test_a_folder_is_no_file() -> None:
    Path("felix.toml").mkdir()
    with pytest.raises(SettingsError, match=r"^felix\.toml cannot be read: Is a directory\.$"):
        read_settings()
