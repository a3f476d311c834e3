"""docs/hosting.md can be followed: its drill and its restore are run, on a server that works meanwhile."""

from __future__ import annotations

import os
import re
import smtplib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from cli.terminal import FELIX, environment
from cli.village import HOST, PATIENCE, Delivered, Village
from felix_events.store.sqlite import SqliteStore
from real.daemons import free_port, until

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "hosting.md"
PEOPLE: Final = ("anna", "ben", "cara")
_SYSTEMCTL: Final = """\
#!/bin/sh
# Starts and stops felix as a service manager does: a start returns at once, a stop when the process has gone.
case "$1" in
start) setsid felix serve >>"$FOLDER/felix.log" 2>&1 </dev/null & echo $! >"$FOLDER/pid" ;;
stop) kill "$(cat "$FOLDER/pid")"; while kill -0 "$(cat "$FOLDER/pid")" 2>/dev/null; do sleep 0.05; done ;;
esac
"""


def commands(heading: str) -> str:
    """What a section of the page shows to be typed."""
    section = PAGE.read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    (block,) = re.findall(r"^```console\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    lines = [line.removeprefix("$ ") for line in block.splitlines()]
    assert lines
    return "\n".join(["set -e", *lines])


@dataclass
class Machine:
    """A folder in the place of /var/lib/felix, with felix and a service manager on the path."""

    folder: Path
    village: Village
    port: int

    def type(self, text: str) -> str:
        """Commands of the page, with this folder and this user; what they print."""
        text = text.replace("/var/lib/felix", str(self.folder)).replace(" -o felix -g felix", "")
        env = environment() | {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "FOLDER": str(self.folder),
            "FELIX_CONFIG": str(self.folder / "felix.toml"),
        }
        done = subprocess.run(
            ["bash", "-c", text], env=env, capture_output=True, text=True, timeout=PATIENCE * 2, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(self) -> None:
        """As after a boot."""
        self.type("systemctl start felix")
        log = self.folder / "felix.log"
        until(lambda: "felix takes SMTP" in log.read_text("utf-8"), "felix to start")

    def write(self, recipient: str, text: str, name: str, number: int) -> int:
        """A player's mail; the status of its last step."""
        sender = f"{name}@players.test"
        raw = f"From: {sender}\r\nMessage-ID: <{number}@players.test>\r\n\r\n{text}\r\n"
        with smtplib.SMTP(HOST, self.port, "players.test", PATIENCE) as client:
            client.ehlo()
            client.mail(sender)
            status = client.rcpt(recipient)[0]
            return client.data(raw)[0] if status == 250 else status

    def mails_to(self, name: str, count: int) -> list[Delivered]:
        """All that a player has got, as soon as it is so many."""

        def got() -> list[Delivered] | None:
            mails = [mail for mail in self.village.delivered if mail.recipient == f"{name}@players.test"]
            return mails if len(mails) >= count else None

        return until(got, f"{count} mails to {name}")

    def mails_until(self, name: str, words: str) -> int:
        """How many mails a player has got, as soon as one has these words in its subject."""

        def got() -> int:
            mails = self.mails_to(name, 0)
            return len(mails) if any(words in mail.message["Subject"] for mail in mails) else 0

        return until(got, f"a mail to {name}: {words}")

    def count(self, kind: str) -> int:
        """Events of this kind in all games."""
        store = SqliteStore.open_to_read(self.folder / "felix.db")
        with store.read() as reader:
            bodies = [body for game in reader.games() for body in reader.bodies(game.game_id)]
        store.close()
        return sum(f'"type":"{kind}"'.encode() in body for body in bodies)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A server at work, with invitations to a game sent."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "backups").mkdir()
    (tmp_path / "bin" / "systemctl").write_text(_SYSTEMCTL)
    program = (
        f'#!/bin/sh\nexec {FELIX[0]} -c "from felix_cli.main import cli; cli(prog_name=\'felix\')" "$@"\n'
    )
    (tmp_path / "bin" / "felix").write_text(program)
    for path in (tmp_path / "bin").iterdir():
        path.chmod(0o755)
    port = free_port()
    with Village() as village:
        (tmp_path / "felix.toml").write_text(
            f'mailbox = "felix@felix.test"\n[listen]\nport = {port}\n[send]\nport = {village.port}\n'
        )
        made = Machine(tmp_path, village, port)
        made.type("felix init")
        players = " ".join(f'--player "{name.title()} <{name}@players.test>"' for name in PEOPLE)
        made.type(f"felix new --start 0 {players}")
        made.start()
        try:
            yield made
        finally:
            made.type("systemctl stop felix")


@pytest.mark.slow
def test_the_drill_finds_the_games_sound_and_leaves_the_server_alone(machine: Machine) -> None:
    machine.type('felix backup "/var/lib/felix/backups/felix-1.db"')
    said = machine.type(commands("A drill"))
    assert ": sound (" in said
    assert "inviting" in said
    assert not (machine.folder / "drill").exists()
    assert machine.write(machine.mails_to("anna", 1)[0].reply_to, "JOIN", "anna", 1) == 250


@pytest.mark.slow
def test_after_a_restore_players_go_on_and_lost_mails_move_nothing(machine: Machine) -> None:
    invitations = {name: machine.mails_to(name, 1)[0] for name in PEOPLE}
    machine.write(invitations["anna"].reply_to, "JOIN", "anna", 1)
    answer = machine.mails_to("anna", 2)[1]
    machine.type('felix backup "/var/lib/felix/backups/felix-1.db"')

    for number, name in enumerate(("ben", "cara"), 2):
        machine.write(invitations[name].reply_to, "JOIN", name, number)
    lost = machine.mails_to("anna", 3)[2]
    assert "pick your first card" in lost.text
    until(lambda: machine.count("player_joined") == 3, "all to have joined")
    # Each is told of the turn, so that nothing of the lost game is still on its way.
    before = {name: machine.mails_until(name, "Round 1") for name in PEOPLE}

    said = machine.type(commands("Restoring"))
    assert ": sound (" in said
    assert "Messages with new ones are waiting for 3 seats" in said
    assert (machine.folder / "lost" / "felix.db").exists()
    told = {name: machine.mails_to(name, before[name] + 1)[-1] for name in PEOPLE}
    assert machine.count("player_joined") == 1
    for mail in told.values():
        assert "The server had to go back to an earlier copy" in " ".join(mail.text.split())

    for mail in (lost, answer, *invitations.values()):
        assert machine.write(mail.reply_to, "JOIN", "anna", 10) == 550
    ids = [mail.message["Message-ID"] for mail in machine.village.delivered]
    assert len(set(ids)) == len(ids)
    for number, name in enumerate(("ben", "cara"), 20):
        assert machine.write(told[name].reply_to, "JOIN", name, number) == 250
    until(lambda: machine.count("player_joined") == 3, "all to have joined again")
    assert ": sound (" in machine.type("felix audit --all")
