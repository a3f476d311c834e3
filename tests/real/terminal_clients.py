"""Two mail programs of the terminal, each with settings of its own, that answer a mail in an inbox.

neomutt opens the inbox over IMAP, replies with an editor that writes above the quote, and sends. s-nail does
the same from a script, and writes below the quote. Both send through Postfix, and both find out by
themselves where an answer goes and what it is an answer to.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Final

from real.daemons import HOST, PATIENCE, found, need, short_folder, until
from real.dovecot import PASSWORD, Received
from real.town import Town

_PLAIN_ID: Final = re.compile(r"[a-z0-9]+@[a-z0-9.]+")

_NEOMUTTRC: Final = Template(
    """\
set realname = "$name"
set from = "$address"
set hostname = "$domain"
set imap_user = "$address"
set imap_pass = "$password"
set ssl_starttls = no
set ssl_force_tls = no
set folder = "imap://$host:$imap_port/"
set spoolfile = "imap://$host:$imap_port/INBOX"
set smtp_url = "smtp://$host:$smtp_port"
set user_agent = yes
set copy = no
set editor = "$folder/editor"
# As people have it who answer quickly: quote all of it, and ask nothing.
set include = yes
set fast_reply = yes
set reply_to = yes
set sleep_time = 0
set wait_key = no
set quit = yes
set header_cache = ""
set tmpdir = "$folder"
"""
)
_EDITOR: Final = Template(
    """\
#!/bin/sh
# Types the answer above what neomutt has quoted.
{ cat $folder/answer; echo; cat "$$1"; } > $folder/edited && cat $folder/edited > "$$1"
"""
)
_MAILRC: Final = Template(
    """\
set v15-compat
set from="$name <$address>"
set hostname=$domain
set mta=smtp://$host:$smtp_port smtp-auth=none
set quote
wysh set indentprefix=$$'$indent'
set reply-to-honour=yes
set sendcharsets=utf-8 sendwait
unset record save header
"""
)


@dataclass(frozen=True, slots=True)
class Neomutt:
    """neomutt in a terminal of its own (tmux). A start for each answer, as people do who come and go."""

    town: Town
    name: str
    folder: Path

    def answer(self, mail: Received, order: str) -> None:
        """Reply to this mail, the order above the quote; ended when neomutt has handed the answer in."""
        message_id = str(mail.message["Message-ID"]).strip("<>")
        # It becomes a part of keys that are pressed: nothing but letters may be in it.
        assert _PLAIN_ID.fullmatch(message_id)
        (self.folder / "answer").write_text(f"{order}\n")
        keys = f"<limit>~i {message_id}<enter><reply><send-message><quit>"
        ended = self.folder / "exit"
        ended.unlink(missing_ok=True)
        script = self.folder / "neomutt.sh"
        script.write_text(
            f"#!/bin/sh\n{found('neomutt')} -n -F {self.folder}/neomuttrc -e 'push \"{keys}\"'\n"
            f"echo $? > {ended}.new && mv {ended}.new {ended}\n"
        )
        script.chmod(0o755)
        self._tmux("new-session", "-d", "-x", "100", "-y", "40", str(script))
        try:
            until(ended.exists, "neomutt to have sent the answer")
        except AssertionError:
            screen = self._tmux("capture-pane", "-p").decode()
            self._tmux("kill-server")
            raise AssertionError(f"neomutt waits for something:\n{screen}") from None
        assert ended.read_text() == "0\n"

    def _tmux(self, *words: str) -> bytes:
        done = subprocess.run(
            [found("tmux") or "tmux", "-S", f"{self.folder}/tmux", "-f", os.devnull, *words],
            env=_environment(self.folder),
            capture_output=True,
            timeout=PATIENCE,
            check=True,
        )
        return done.stdout


@dataclass(frozen=True, slots=True)
class SNail:
    """s-nail, told by a script what to do. `indent` is what it puts before each quoted line."""

    town: Town
    name: str
    folder: Path

    def answer(self, mail: Received, order: str) -> None:
        """Reply to this mail, the order below the quote; ended when s-nail has handed the answer in."""
        user = self.town.address(self.name).replace("@", "%40")
        inbox = f"imap://{user}:{PASSWORD}@{HOST}:{self.town.dovecot.imap_port}/INBOX"
        message_id = str(mail.message["Message-ID"]).strip("<>")
        assert _PLAIN_ID.fullmatch(message_id)
        done = subprocess.run(
            [found("s-nail") or "s-nail", "-n", "-#", "-f", inbox],
            input=f"reply '(header message-id {message_id})'\n{order}\n~.\nexit\n".encode(),
            env=_environment(self.folder) | {"MAILRC": str(self.folder / "mailrc")},
            capture_output=True,
            timeout=PATIENCE,
            check=True,
        )
        assert done.stderr == b"", done.stderr


@contextmanager
def a_neomutt(town: Town, name: str) -> Iterator[Neomutt]:
    """neomutt, set up for this player."""
    need("neomutt", "tmux")
    with short_folder() as folder:
        (folder / "neomuttrc").write_text(_filled(_NEOMUTTRC, town, name, folder))
        (folder / "editor").write_text(_filled(_EDITOR, town, name, folder))
        (folder / "editor").chmod(0o755)
        yield Neomutt(town, name, folder)


@contextmanager
def an_s_nail(town: Town, name: str, indent: str = "> ") -> Iterator[SNail]:
    """s-nail, set up for this player; without Debian's settings it would quote with a tabulator."""
    need("s-nail")
    with short_folder() as folder:
        (folder / "mailrc").write_text(_filled(_MAILRC, town, name, folder, indent))
        yield SNail(town, name, folder)


def _filled(text: Template, town: Town, name: str, folder: Path, indent: str = "") -> str:
    return text.substitute(
        name=name.title(),
        address=town.address(name),
        domain=town.players_domain,
        password=PASSWORD,
        host=HOST,
        imap_port=town.dovecot.imap_port,
        smtp_port=town.postfix.port,
        folder=folder,
        indent=indent,
    )


def _environment(home: Path) -> dict[str, str]:
    """Nothing of whoever runs the tests: neither settings nor language."""
    path = os.environ.get("PATH", os.defpath)
    return {"HOME": str(home), "PATH": path, "TERM": "screen", "LANG": "C.UTF-8"}
