"""The settings file that `felix init` writes.

`SAMPLE` has the keys that most servers need, and `sample` fills it in.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

IMAP_PASSWORD: Final = "imap-password"
"""The file beside the settings that the sample names for the mailbox's password."""

SAMPLE: Final = """\
# The settings of a felix server. Every key has a default; what stands here is what you want to look at.

database = {database}
mailbox = {mailbox}          # players write to this address, with +token in it

# operator = "you@example.org"   # is told when a player's mail keeps coming back

[listen]                       # where mail for felix comes in; hand it over from your mail server
protocol = "smtp"              # or "lmtp"; "off" where mail is fetched (see [fetch]) or piped in
host = "127.0.0.1"
port = 8025
max_bytes = 262144             # larger messages are not taken
# peers = ["192.0.2.7"]        # mail servers on other machines, for which connections are kept free

# [fetch]                      # or: a mailbox that felix reads, by IMAP
# host = "imap.example.org"
# port = 993
# security = "tls"             # or "starttls"; "none" only on this machine
# user = "felix@example.org"
# password_file = "imap-password"   # a file with nothing else in it, readable to felix alone
# folder = "INBOX"
# done_folder = ""             # read messages are moved there; empty: they are marked

[receive]
authserv_id = ""               # your mail server's name in its Authentication-Results; empty: not looked at
pause = 120                    # seconds for which a move in plain words can be corrected before it is made

[send]                         # the mail server that takes felix's mail
channel = "smtp"               # or "console": print messages, to try felix out without a server
host = "127.0.0.1"
port = 25
security = "none"              # or "starttls" (mostly port 587), "tls" (465)
# user = "felix@example.org"
# password_file = "smtp-password"
timeout_seconds = 30

[bounces]                      # a lasting failure counts 2, a passing one 1, and they fade
threshold = 3                  # from here on no more mail goes to that address
half_life_days = 7

[time]
clock = "3 days a move"        # for games whose host says nothing else; "no clock": nobody is hurried
reminders = [0.5, 0.8, 0.95]   # after these shares of that time a seat is reminded
remind_after_hours = 24        # without a clock, a seat that is waited for is reminded once
away_days = 21                 # so long a player may be absent, in all, in one game
rest_days = 14                 # a game to which nobody comes back is closed
invitation_days = 7            # an invitation expires; twice as long, and an unstarted table is closed
zone = "UTC"                   # or as in "Europe/Berlin": for players of whom no other is known
digest_at = "17:00"            # when those get their mail who want one a day, by their own clock

[invitations]                  # players invite others with NEW; felix is no way to write to strangers
strangers_a_day = 60           # of people who never wrote to it, so many are invited within a day
# open = true                  # whoever writes to felix may open a table; needs receive.authserv_id

# [backup]                     # or use `felix backup` and a timer, see docs/hosting.md
# folder = "backups"           # copies of the database go there, best on another disk
# every_hours = 24
# keep = 14                    # older ones are removed

# [keep]                       # mail is kept for ever; or, at least 60 days after the end of its game:
# letters_days = 365           # what felix wrote
# inbox_days = 365             # what players wrote
# strangers = 1000             # so many messages of strangers keep their text in quarantine, the newest,
# strangers_mb = 50            # and no more than so many megabytes of them
# strangers_days = 30          # and for no longer than so many days

# [alerts]                     # short notices by other ways; needs felix-async[channels]
# "anna@example.org" = ["ntfys://ntfy.example.org/annas-games"]
"""


def sample(database: Path, mailbox: str, imap: str = "") -> str:
    """Return the text that `felix init` writes; with an IMAP host, mail is fetched and nothing listens.

    A JSON string, its characters as they are, is a TOML string too.
    """
    paths = json.dumps(str(database), ensure_ascii=False)
    return (_fetching(imap, mailbox) if imap else SAMPLE).format(database=paths, mailbox=json.dumps(mailbox))


def _fetching(imap: str, mailbox: str) -> str:
    """The sample with `[fetch]` instead of `[listen]`."""
    start, end = SAMPLE.index("# [fetch]"), SAMPLE.index("[receive]")
    section = SAMPLE[start:end].replace("# [fetch]", "[fetch]  ").replace("\n# ", "\n")
    section = section.replace("imap.example.org", imap).replace("felix@example.org", mailbox)
    return SAMPLE[:start].replace('protocol = "smtp" ', 'protocol = "off"  ') + section + SAMPLE[end:]
