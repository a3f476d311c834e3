"""The operator's settings: defaults, where they are looked for, and errors that name the key."""

from __future__ import annotations

import os
import re
import tomllib
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from pydantic import SecretStr

from each import each
from felix_async.language.clock_terms import DAY
from felix_async.sample import sample
from felix_async.settings import Settings, SettingsError, read_settings
from felix_events.model import Terms


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, and nothing in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("FELIX_")]:
        monkeypatch.delenv(name)


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
    """The keys that few servers need stand there as comments, and are right, too."""
    commented = re.compile(r'^# (?=\[|\w+ = |"\w+@)', re.MULTILINE)
    keys = tomllib.loads(commented.sub("", sample(Path("felix.db"), "felix@localhost")))
    for section in ("fetch", "send"):
        assert keys[section].pop("password_file")
    wanted = Settings().model_dump(mode="json")
    rare = {"password", "password_file", "ca_file", "timeout_seconds", "poll_seconds"}
    assert keys.keys() == wanted.keys()
    for section, values in wanted.items():
        if isinstance(values, dict) and section != "alerts":
            assert values.keys() - rare <= keys[section].keys() <= values.keys()


def test_the_sample_holds_any_path() -> None:
    odd = Path('we"ird\\ folder/felix.db')
    assert read_settings(written(sample(odd, "felix@localhost"))).database == odd


def test_every_key_is_read() -> None:
    Path("secret").write_text("open sesame\n", encoding="utf-8")
    read = read_settings(
        written(
            """
            database = "/srv/felix/games.db"
            mailbox = "cats@mail.example.org"
            operator = "ops@example.org"
            [listen]
            protocol = "lmtp"
            host = "0.0.0.0"
            port = 24
            max_bytes = 100000
            peers = ["192.0.2.7"]
            [fetch]
            host = "imap.example.org"
            port = 143
            security = "starttls"
            user = "cats"
            password_file = "secret"
            ca_file = "ca.pem"
            timeout_seconds = 5
            folder = "Felix"
            done_folder = "Felix/done"
            poll_seconds = 30
            [receive]
            authserv_id = "mx.example.org"
            pause = 30
            [send]
            channel = "console"
            host = "mail.example.org"
            port = 587
            security = "starttls"
            user = "cats"
            password = "open sesame"
            ca_file = "ca.pem"
            timeout_seconds = 2.5
            [bounces]
            threshold = 3
            half_life_days = 1
            [alerts]
            "anna@example.org" = ["ntfy://localhost/anna"]
            [time]
            clock = "12 hours a move and a week in reserve"
            reminders = [0.9, 0.25]
            away_days = 7
            rest_days = 3.5
            zone = "Europe/Berlin"
            remind_after_hours = 0.5
            invitation_days = 3
            digest_at = "06:30"
            [invitations]
            open = true
            strangers_a_day = 12
            [backup]
            folder = "copies"
            every_hours = 6
            keep = 30
            [keep]
            letters_days = 60
            inbox_days = 365
            strangers = 10
            strangers_mb = 1
            strangers_days = 2
            """
        )
    )
    login = {"user": "cats", "password": SecretStr("open sesame"), "ca_file": Path("ca.pem")}
    assert read.model_dump() == {
        "database": Path("/srv/felix/games.db"),
        "mailbox": "cats@mail.example.org",
        "operator": "ops@example.org",
        "listen": {
            "protocol": "lmtp",
            "host": "0.0.0.0",
            "port": 24,
            "max_bytes": 100000,
            "peers": (IPv4Address("192.0.2.7"),),
        },
        "fetch": login
        | {
            "host": "imap.example.org",
            "port": 143,
            "security": "starttls",
            "password_file": Path("secret"),
            "timeout_seconds": 5,
            "folder": "Felix",
            "done_folder": "Felix/done",
            "poll_seconds": 30,
        },
        "receive": {"authserv_id": "mx.example.org", "pause": 30},
        "send": login
        | {
            "channel": "console",
            "host": "mail.example.org",
            "port": 587,
            "security": "starttls",
            "password_file": None,
            "timeout_seconds": 2.5,
        },
        "bounces": {"threshold": 3, "half_life_days": 1},
        "alerts": {"anna@example.org": [SecretStr("ntfy://localhost/anna")]},
        "time": {
            "clock": "12 hours a move and a week in reserve",
            "reminders": (0.25, 0.9),
            "away_days": 7,
            "rest_days": 3.5,
            "zone": "Europe/Berlin",
            "remind_after_hours": 0.5,
            "invitation_days": 3,
            "digest_at": "06:30",
        },
        "invitations": {"open": True, "strangers_a_day": 12},
        "backup": {"folder": Path("copies"), "every_hours": 6.0, "keep": 30},
        "keep": {
            "letters_days": 60,
            "inbox_days": 365,
            "strangers": 10,
            "strangers_mb": 1,
            "strangers_days": 2,
        },
    }


# ---- whoever writes to felix
def test_strangers_are_let_in_only_where_somebody_vouches_for_them() -> None:
    for text in ("[invitations]\nopen = true", "[receive]\nauthserv_id = ''\n[invitations]\nopen = true"):
        with pytest.raises(SettingsError, match=r"invitations\.open: this needs receive\.authserv_id"):
            read_settings(written(text))
    text = "[receive]\nauthserv_id = 'mx.example.org'\n[invitations]\nopen = true"
    assert read_settings(written(text)).invitations.open
    assert not read_settings(written("")).invitations.open


# ---- the clock of games ------------------------------------------------------------------------------
def test_games_get_three_days_a_move_where_nobody_says_otherwise() -> None:
    assert Settings().time.terms == Terms(move=3 * DAY, away=21 * DAY)


@pytest.mark.parametrize("text", ["no clock", "none", "clock: none", "without a clock"])
def test_games_may_have_no_clock(text: str) -> None:
    assert read_settings(written(f"[time]\nclock = '{text}'")).time.terms is None


def test_the_clock_takes_its_zone_and_absences_from_the_other_keys() -> None:
    text = "[time]\nclock = '2 days a move, no weekends'\nzone = 'Europe/Berlin'\naway_days = 5"
    assert read_settings(written(text)).time.terms == Terms(
        move=2 * DAY, weekends=False, zone="Europe/Berlin", away=5 * DAY
    )


def test_the_clock_may_name_another_zone_for_its_weekends() -> None:
    text = "[time]\nclock = '2 days a move, no weekends in Asia/Tokyo'\nzone = 'Europe/Berlin'"
    assert read_settings(written(text)).time.terms == Terms(move=2 * DAY, weekends=False, zone="Asia/Tokyo")


def test_there_may_be_no_reminders() -> None:
    assert read_settings(written("[time]\nreminders = []")).time.reminders == ()


def test_a_clock_that_cannot_be_is_told_what_to_write_instead() -> None:
    assert complaint("[time]\nclock = '30 minutes a move'") == (
        "felix.toml: time.clock: That is too little time: a clock gives an hour or more. "
        'Write for example "3 days a move", or "no clock"; correct this key.'
    )


# ---- the environment --------------------------------------------------------------------------------
def test_the_environment_has_the_last_word_about_every_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FELIX_SEND__PORT", "587")
    monkeypatch.setenv("FELIX_MAILBOX", "there@example.org")
    text = 'mailbox = "here@example.org"\n[send]\nhost = "mail.example.org"\nport = 25'
    read = read_settings(written(text))
    assert (read.mailbox, read.send.host, read.send.port) == ("there@example.org", "mail.example.org", 587)


def test_a_wrong_value_from_the_environment_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FELIX_SEND__PORT", "smtp")
    assert complaint("[send]\nport = 25").startswith("$FELIX_SEND__PORT: ")


def test_a_section_that_is_no_json_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FELIX_SEND", "{")
    assert "send" in complaint("")


def test_settings_made_by_hand_are_not_touched_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FELIX_MAILBOX", "there@example.org")
    assert Settings().mailbox == "felix@localhost"


# ---- passwords --------------------------------------------------------------------------------------
def test_a_password_is_read_from_a_file_beside_the_settings() -> None:
    written("open sesame\r\n", "etc/secret")
    read = read_settings(written('[send]\npassword_file = "secret"', "etc/felix.toml"))
    assert read.send.password.get_secret_value() == "open sesame"


@pytest.mark.parametrize("section", ["fetch", "send"])
def test_certificates_are_found_beside_the_settings(section: str) -> None:
    read = read_settings(written(f'[{section}]\nca_file = "ca.pem"', "etc/felix.toml"))
    assert getattr(read, section).ca_file == Path("etc/ca.pem")


def test_a_password_file_that_is_not_there_is_named_with_its_key() -> None:
    told = complaint('[fetch]\npassword_file = "nowhere"')
    assert told.startswith("felix.toml: fetch.password_file: nowhere cannot be read: No such file")


def test_a_password_does_not_show_in_what_is_printed() -> None:
    read = read_settings(written('[send]\npassword = "open sesame"'))
    assert "sesame" not in f"{read!r} {read}"


def test_a_wrong_value_is_not_repeated_it_may_be_a_secret() -> None:
    assert "sesame" not in complaint('[send]\npassword = ["open sesame"]')


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
@each(
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
        ("[listen]\npeers = ['mx.example.org']", "listen.peers.0"),
        ("[listen]\ntls = true", "listen.tls"),
        ("[send]\nport = 1.5", "send.port"),
        ("[send]\ntimeout_seconds = 0", "send.timeout_seconds"),
        ("[send]\ntimeout_seconds = nan", "send.timeout_seconds"),
        ("[send]\ntimeout_seconds = inf", "send.timeout_seconds"),
        ("[time]\nremind_after_hours = 0", "time.remind_after_hours"),
        ("[time]\nzone = 'Berlin'", "time.zone"),
        ("[time]\nzone = '../../etc/passwd'", "time.zone"),
        ("[time]\nzone = 1", "time.zone"),
        ("[keep]\nletters_days = 59", "keep.letters_days"),
        ("[keep]\ninbox_days = -1", "keep.inbox_days"),
        ("[time]\nremind_after_hours = 100000", "time.remind_after_hours"),
        ("[time]\nclock = 'soon'", "time.clock"),
        ("[time]\nclock = ''", "time.clock"),
        ("[time]\nclock = '0 days a move'", "time.clock"),
        ("[time]\nclock = 'no weekends'", "time.clock"),
        ("[time]\nclock = 3", "time.clock"),
        ("[time]\nreminders = [0.5, 1]", "time.reminders.1"),
        ("[time]\nreminders = [0]", "time.reminders.0"),
        ("[time]\nreminders = [nan]", "time.reminders.0"),
        ("[time]\nreminders = [0.5, 0.501]", "time.reminders"),
        ("[time]\nreminders = 0.5", "time.reminders"),
        ("[time]\naway_days = -1", "time.away_days"),
        ("[time]\naway_days = 61", "time.away_days"),
        ("[time]\nrest_days = 0", "time.rest_days"),
        ("[time]\nzone = 'Berlln'", "time.zone"),
    ],
)
def test_a_wrong_key_is_named_in_one_sentence(text: str, key: str) -> None:
    told = complaint(text)
    assert told.startswith(f"felix.toml: {key}: ")
    assert told.endswith("; correct this key.")
    assert "\n" not in told


@pytest.mark.parametrize(
    ("zone", "example"), [("Tokio", "Asia/Tokyo"), ("berlin", "Europe/Berlin"), ("the moon", "Europe/Berlin")]
)
def test_a_zone_that_is_none_is_answered_with_one_that_is(tmp_path: Path, zone: str, example: str) -> None:
    path = tmp_path / "felix.toml"
    path.write_text(f"[time]\nzone = '{zone}'")
    with pytest.raises(SettingsError, match=f"no time zone that felix knows; write for example {example};"):
        read_settings(path)


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
