"""The examples for a server can be used: settings load, units are sound, the wrapper calls felix."""

from __future__ import annotations

import grp
import os
import pwd
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from felix_async.audit.kept.letters import ONCE
from felix_async.settings import Settings, read_settings
from real.daemons import short_folder

DEPLOY: Final = Path(__file__).parents[2] / "examples" / "deploy"
UNITS: Final = ("felix.service",)
FELIX: Final = "/opt/felix/bin/felix"
WRAPPER: Final = "/usr/local/bin/felix"
OLDEST_SYSTEMD: Final = 250
"""`security --offline` came with it."""


def settings_in(name: str, folder: Path) -> Settings:
    """An example as it is read on a server, with passwords where it says."""
    text = (DEPLOY / name).read_text("utf-8")
    for file in re.findall(r'password_file = "/etc/felix/([^"]+)"', text):
        (folder / file).write_text("only-tests-know\n")
    file = folder / "felix.toml"
    file.write_text(text.replace("/etc/felix/", f"{folder}/"), encoding="utf-8")
    return read_settings(file)


# ---- settings
def test_the_settings_behind_a_postfix_load(tmp_path: Path) -> None:
    settings = settings_in("postfix/felix.toml", tmp_path)
    assert settings.listen.protocol == "lmtp"
    assert settings.database == Path("/var/lib/felix/felix.db")


def test_the_settings_with_a_mailbox_load(tmp_path: Path) -> None:
    settings = settings_in("mailbox/felix.toml", tmp_path)
    assert (settings.listen.protocol, settings.fetch.security, settings.send.security) == (
        "off",
        "tls",
        "tls",
    )
    assert settings.fetch.password.get_secret_value() == "only-tests-know"
    assert settings.send.password.get_secret_value() == "only-tests-know"


def test_postfix_and_felix_speak_of_the_same_place(tmp_path: Path) -> None:
    listen = settings_in("postfix/felix.toml", tmp_path).listen
    transport = (DEPLOY / "postfix/transport").read_text("utf-8")
    assert f"  {listen.protocol}:inet:{listen.host}:{listen.port}\n" in transport


def test_postfix_and_felix_speak_of_the_same_mailbox(tmp_path: Path) -> None:
    mailbox = settings_in("postfix/felix.toml", tmp_path).mailbox
    assert f"{mailbox} = felix" in (DEPLOY / "postfix/main.cf").read_text("utf-8")


def test_opendkim_and_postfix_have_the_name_that_felix_may_be_told(tmp_path: Path) -> None:
    """The example believes no server yet; what it names instead is what both of them write into a mail."""
    named = re.search(r"^AuthservID +(\S+)$", (DEPLOY / "postfix/opendkim.conf").read_text("utf-8"), re.M)
    assert named is not None
    assert settings_in("postfix/felix.toml", tmp_path).receive.authserv_id == ""
    assert f'# AuthservID of opendkim.conf, "{named[1]}"' in (DEPLOY / "postfix/felix.toml").read_text(
        "utf-8"
    )
    assert f"myhostname = {named[1]}\n" in (DEPLOY / "postfix/main.cf").read_text("utf-8")


def test_opendkim_and_postfix_speak_of_the_same_place() -> None:
    named = re.search(
        r"^Socket +inet:(\d+)@(\S+)$", (DEPLOY / "postfix/opendkim.conf").read_text("utf-8"), re.M
    )
    assert named is not None
    milter = f"smtpd_milters = inet:{named[2]}:{named[1]}\n"
    assert milter in (DEPLOY / "postfix/main.cf").read_text("utf-8")


def test_opendkim_says_that_it_has_started_where_its_unit_looks() -> None:
    """Otherwise systemd kills it after a while, and all mail waits."""
    unit = Path("/usr/lib/systemd/system/opendkim.service")
    if not unit.exists():
        pytest.skip("needs the unit of Debian's package opendkim")
    (awaited,) = re.findall(r"^PIDFile=(.*)$", unit.read_text("utf-8"), re.M)
    assert f"PidFile              {awaited}\n" in (DEPLOY / "postfix/opendkim.conf").read_text("utf-8")


def test_opendkim_signs_all_that_a_kept_letter_is_known_by() -> None:
    """What the audit of kept messages takes from headers; RFC 6376 leaves some of them out by itself."""
    told = (DEPLOY / "postfix/opendkim.conf").read_text("utf-8")
    (added,) = re.findall(r"^SignHeaders +\*,(\S+)$", told, re.M)
    (twice,) = re.findall(r"^OversignHeaders +(\S+)$", told, re.M)
    assert {"+message-id", "+mime-version", "+content-type"} <= set(added.split(","))
    assert set(ONCE) <= set(twice.split(","))


@pytest.mark.parametrize("example", ["postfix/felix.toml", "mailbox/felix.toml"])
def test_both_examples_make_backups_in_the_folder_that_the_page_makes(example: str, tmp_path: Path) -> None:
    backup = settings_in(example, tmp_path).backup
    assert (backup.folder, backup.every_hours, backup.keep) == (Path("/var/lib/felix/backups"), 24, 30)
    page = (DEPLOY.parents[1] / "docs" / "hosting.md").read_text("utf-8")
    assert "install -d -o felix -g felix -m 700 /var/lib/felix /var/lib/felix/backups\n" in page


# ---- units
@pytest.fixture
def units(tmp_path: Path) -> list[str]:
    """The units in a folder, calling a program that is there; systemd looks for it."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze, which comes with systemd")
    for name in UNITS:
        text = (DEPLOY / name).read_text("utf-8")
        (tmp_path / name).write_text(text.replace(FELIX, "/bin/true"))
    return [str(tmp_path / name) for name in UNITS]


def analyze(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", *words], capture_output=True, text=True, timeout=60, check=False
    )


def test_systemd_finds_nothing_wrong_with_the_units(units: list[str]) -> None:
    done = analyze("verify", *units)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("name", "exposure"), [("felix.service", 1.5)])
def test_a_unit_can_do_little_harm(units: list[str], name: str, exposure: float) -> None:
    """systemd's own measure: 0 is harmless, 9.6 a service without any of these settings."""
    version = int(analyze("--version").stdout.split()[1])
    if version < OLDEST_SYSTEMD:
        pytest.skip(f"needs systemd {OLDEST_SYSTEMD}; this one is {version}")
    (unit,) = [unit for unit in units if unit.endswith(f"/{name}")]
    done = analyze("security", "--offline=true", f"--threshold={exposure * 10:.0f}", unit)
    assert done.returncode == 0, done.stdout[-200:]


def test_the_units_and_the_wrapper_name_the_same_program_and_settings() -> None:
    for name in ("felix", "felix.service"):
        text = (DEPLOY / name).read_text("utf-8")
        assert f"{FELIX} " in text
        assert "/etc/felix/felix.toml" in text


def test_the_server_waits_for_the_clock_to_be_set() -> None:
    """Deadlines hang on it, and a machine without a battery starts in another year."""
    lines = dict(re.findall(r"^(After|Wants)=(.*)$", (DEPLOY / "felix.service").read_text("utf-8"), re.M))
    assert "time-sync.target" in lines["After"].split()
    assert "time-sync.target" in lines["Wants"].split()


# ---- a line for cron
def test_cron_mails_what_the_doctor_says_and_only_where_something_is_wrong(tmp_path: Path) -> None:
    """cron runs the line with a shell and a short PATH, and mails what it prints."""
    (line,) = re.findall(r"^17 \* \* \* \* root (.*)$", (DEPLOY / "felix.cron").read_text("utf-8"), re.M)
    doctor = tmp_path / "felix"
    line = line.replace(WRAPPER, str(doctor))
    for script, said in (("exit 0", ""), ("echo WRONG; exit 1", "WRONG\n")):
        doctor.write_text(f"#!/bin/sh\n{script}\n")
        doctor.chmod(0o755)
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            env={"PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout == said


# ---- the wrapper
def test_the_wrapper_hands_its_words_on_and_says_where_the_settings_are() -> None:
    """As root it becomes the user that is named in it; here that is one whom every system has."""
    group = grp.getgrgid(pwd.getpwnam("nobody").pw_gid).gr_name
    with short_folder() as folder:
        program = folder / "felix-itself"
        program.write_text('#!/bin/sh\necho "$(id -un) $HOME $FELIX_CONFIG $FELIX_DB $*"\n')
        program.chmod(0o755)
        text = (DEPLOY / "felix").read_text("utf-8").replace(FELIX, str(program))
        text = text.replace("--reuid=felix --regid=felix", f"--reuid=nobody --regid={group}")
        done = subprocess.run(
            ["/bin/sh", "-c", text, "felix", "show", "k7m2p"],
            env={"PATH": os.environ["PATH"], "HOME": "/home/me", "FELIX_DB": "another felix.db"},
            capture_output=True,
            text=True,
            check=True,
        )
    me = "nobody /var/lib/felix" if os.geteuid() == 0 else f"{pwd.getpwuid(os.geteuid()).pw_name} /home/me"
    assert done.stdout == f"{me} /etc/felix/felix.toml another felix.db show k7m2p\n"
