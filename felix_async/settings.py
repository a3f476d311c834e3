"""The settings of an operator: `felix.toml`, the environment above it, and files with secrets beside it.

Every key has a default; a wrong one is named in one sentence. An environment variable is the key in
capitals, with two underscores for each dot: `FELIX_SEND__HOST` has the last word over `host` under `[send]`.
`SAMPLE` is a settings file with the keys that most servers need; `sample` fills it in.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    IPvAnyAddress,
    SecretStr,
    StringConstraints,
    ValidationError,
)
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings import SettingsError as SettingsSourceError

from felix_async.time.zones import DEFAULT_ZONE, Unknown, is_zone, zone_named

if TYPE_CHECKING:
    from felix_events.timing import Terms

DATABASE_VARIABLE: Final = "FELIX_DB"
CONFIG_VARIABLE: Final = "FELIX_CONFIG"
DEFAULT_CONFIG: Final = Path("felix.toml")
IMAP_PASSWORD: Final = "imap-password"
"""The file beside the settings that the sample names for the mailbox's password."""
PREFIX: Final = "FELIX_"
"""How the names of environment variables with settings begin."""

SAMPLE: Final = """\
# The settings of a felix server. Every key has a default; what stands here is what you want to look at.

database = {database}
mailbox = {mailbox}          # players write to this address, with +token in it

# operator = "you@example.org"   # is told when a player's mail keeps coming back

[listen]                       # where mail for felix comes in; hand it over from your mail server
protocol = "smtp"              # or "lmtp"; "off" where mail is fetched (see [fetch]) or piped in
host = "127.0.0.1"
port = 8025
max_bytes = 262144             # larger mails are not taken
# peers = ["192.0.2.7"]        # mail servers on other machines, for which connections are kept free

# [fetch]                      # or: a mailbox that felix reads, by IMAP
# host = "imap.example.org"
# port = 993
# security = "tls"             # or "starttls"; "none" only on this machine
# user = "felix@example.org"
# password_file = "imap-password"   # a file with nothing else in it, readable to felix alone
# folder = "INBOX"
# done_folder = ""             # read mails are moved there; empty: they are marked

[receive]
authserv_id = ""               # your mail server's name in its Authentication-Results; empty: not looked at
pause = 120                    # seconds for which a move in plain words can be corrected before it is made

[send]                         # the mail server that takes felix's mail
channel = "smtp"               # or "console": print mails, to try felix out without a server
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

# [backup]                     # or use `felix backup` and a timer, see docs/hosting.md
# folder = "backups"           # copies of the database go there, best on another disk
# every_hours = 24
# keep = 14                    # older ones are removed

# [keep]                       # mail is kept for ever; or, at least 60 days after the end of its game:
# letters_days = 365           # what felix wrote
# inbox_days = 365             # what players wrote
# strangers = 1000             # so many mails of strangers keep their text in quarantine, the newest,
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


PAUSE: Final = 120
"""Seconds until an order is done that was written in plain words, if the operator says nothing else."""
STRANGERS_A_DAY: Final = 60
"""People who never wrote to felix and are invited within a day, if the operator says nothing else."""
Port = Annotated[int, Field(ge=0, le=65535)]
Mailbox = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9._-]{1,16}@[a-z0-9](?:[a-z0-9.-]{0,200}[a-z0-9])?$")
]


Security = Literal["none", "starttls", "tls"]
"""How a connection is kept from others: not at all, from its second step on, or from the first byte on."""


OperatorAddress = Annotated[str, StringConstraints(pattern=r"^(?:[^@\s<>\"(),:;]+@[^@\s<>\"(),:;]+)?$")]


class SettingsError(Exception):
    """The settings cannot be used; `str()` names the key and what to do."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Listen(_Section):
    """The listener for mail; port 0 takes any free port, protocol "off" opens none."""

    protocol: Literal["smtp", "lmtp", "off"] = "smtp"
    host: str = "127.0.0.1"
    port: Port = 8025
    max_bytes: Annotated[int, Field(ge=1024, le=100_000_000)] = 262_144
    peers: tuple[IPvAnyAddress, ...] = ()


class _Login(_Section):
    """Somebody else's server, and who we are there; `password` is what `password_file` holds, if named."""

    host: str
    port: Port
    security: Security
    user: str = ""
    password: SecretStr = SecretStr("")
    password_file: Path | None = None
    ca_file: Path | None = None
    timeout_seconds: Annotated[float, Field(gt=0, le=600)] = 30


class Fetch(_Login):
    """The mailbox that felix reads by IMAP; an empty host: none. A mail once kept is moved or marked."""

    host: str = ""
    port: Port = 993
    security: Security = "tls"
    folder: Annotated[str, Field(min_length=1)] = "INBOX"
    done_folder: str = ""
    poll_seconds: Annotated[float, Field(ge=1, le=24 * 3600)] = 60
    """How often to look where the server does not tell by itself (IDLE)."""


class Receive(_Section):
    """The trust in mail that came in, and how quickly it is acted on."""

    authserv_id: str = ""
    """Whose Authentication-Results count (RFC 8601); empty: nobody's, and they are not asked for."""
    pause: Annotated[int, Field(ge=0, le=3600)] = PAUSE
    """For so many seconds an order in plain words waits for a correction; an exact one never does."""


class Send(_Login):
    """The mail server that takes felix's mail; the console shows it if there is none."""

    channel: Literal["smtp", "console"] = "smtp"
    host: str = "127.0.0.1"
    port: Port = 25
    security: Security = "none"


class Bounces(_Section):
    """When mail to an address stops: a lasting failure counts 2, a passing one 1, and they fade."""

    threshold: Annotated[float, Field(gt=0, le=1000)] = 3
    half_life_days: Annotated[float, Field(gt=0, le=3650)] = 7


def _known_zone(zone: str) -> str:
    """The zone, if it is one."""
    if is_zone(zone):
        return zone
    found = zone_named(zone)
    near = found.nearest[:1] if isinstance(found, Unknown) else (found,)
    example = near[0] if near else "Europe/Berlin"
    raise PydanticCustomError(
        "zone", "this is no time zone that felix knows; write for example {example}", {"example": example}
    )


def _known_clock(clock: str) -> str:
    """The clock of a game, if it is one."""
    # Here, so that no command loads the language of clocks which does not need it.
    from felix_async.language.clock_terms import Unclear, terms_named

    terms = terms_named(clock)
    if isinstance(terms, Unclear):
        raise PydanticCustomError("clock", "{why}", {"why": terms.why.rstrip(".")})
    return clock


def _ladder(shares: tuple[float, ...]) -> tuple[float, ...]:
    """The shares in order; a reminder is known by its share in percent, so no two may have the same."""
    if len({f"{share:.0%}" for share in shares}) < len(shares):
        raise PydanticCustomError("ladder", "two of these shares are less than a hundredth apart")
    return tuple(sorted(shares))


Share = Annotated[float, Field(ge=0.01, le=0.99)]


class Time(_Section):
    """When felix comes back to something, and how much time a move may take."""

    clock: Annotated[str, AfterValidator(_known_clock)] = "3 days a move"
    """For games whose host says nothing else."""
    reminders: Annotated[tuple[Share, ...], Field(max_length=10), AfterValidator(_ladder)] = (0.5, 0.8, 0.95)
    """After which shares of that time a player is reminded."""
    away_days: Annotated[int, Field(ge=0, le=60)] = 21
    """How long a player may be absent, in all, in one game."""
    rest_days: Annotated[float, Field(gt=0, le=365)] = 14
    """Until a game is closed to which nobody came back."""
    remind_after_hours: Annotated[float, Field(gt=0, le=24 * 365)] = 24
    invitation_days: Annotated[float, Field(gt=0, le=365)] = 7
    digest_at: Annotated[str, StringConstraints(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")] = "17:00"
    zone: Annotated[str, AfterValidator(_known_zone)] = DEFAULT_ZONE

    @property
    def terms(self) -> Terms | None:
        """The clock as it is played by; weekends that do not count are the server's."""
        from felix_async.language.clock_terms import DAY, Unclear, terms_named

        terms = terms_named(self.clock, zone=self.zone, away=self.away_days * DAY)
        if isinstance(terms, Unclear):
            raise SettingsError(f"time.clock: {terms.why}")
        return terms


class Invitations(_Section):
    """Limits on the people that felix writes to because somebody else asked for it."""

    strangers_a_day: Annotated[int, Field(ge=0, le=1_000_000)] = STRANGERS_A_DAY
    """Of those who never wrote to felix, so many are invited by mail within a day."""


class Backup(_Section):
    """Copies that a running server makes of its database; without a folder, none."""

    folder: Annotated[Path | None, BeforeValidator(lambda value: None if value == "" else value)] = None
    every_hours: Annotated[float, Field(ge=0.1, le=24 * 365)] = 24
    keep: Annotated[int, Field(ge=1, le=10_000)] = 14


LEAST_DAYS: Final = 60
"""For which a mail is kept after its game: until then somebody may ask what it said."""


def _long_enough(days: int) -> int:
    """The days; no days at all stand for ever."""
    if 0 < days < LEAST_DAYS:
        raise PydanticCustomError(
            "keep",
            "mail is kept for at least {least} days after its game; 0 keeps it for ever",
            {"least": LEAST_DAYS},
        )
    return days


Days = Annotated[int, Field(ge=0, le=36_500), AfterValidator(_long_enough)]


class Keep(_Section):
    """For how many days after the end of its game the bytes of a mail are kept; 0: for ever.

    Of what strangers send, the newest mails keep theirs: so many, megabytes, and days.
    """

    letters_days: Days = 0
    inbox_days: Days = 0
    strangers: Annotated[int, Field(ge=0, le=1_000_000)] = 1000
    strangers_mb: Annotated[int, Field(ge=0, le=1_000_000)] = 50
    strangers_days: Annotated[int, Field(ge=1, le=36_500)] = 30


class Settings(_Section):
    """All settings of one server. `alerts`: a player's address -> where a short notice goes, too."""

    database: Path = Path("felix.db")
    mailbox: Mailbox = "felix@localhost"
    operator: OperatorAddress = ""
    listen: Listen = Listen()
    fetch: Fetch = Fetch()
    receive: Receive = Receive()
    send: Send = Send()
    bounces: Bounces = Bounces()
    alerts: dict[str, list[SecretStr]] = Field(default_factory=dict)
    time: Time = Time()
    invitations: Invitations = Invitations()
    backup: Backup = Backup()
    keep: Keep = Keep()


class _FromAllPlaces(Settings, BaseSettings):
    """The same, filled from a file's values with the environment above them."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True, hide_input_in_errors=True
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment first, then what stood in the file."""
        return env_settings, init_settings


def read_settings(path: Path | None = None) -> Settings:
    """The settings in a file; without one, in $FELIX_CONFIG, in ./felix.toml, or the defaults.

    Relative paths are taken from the file's folder. $FELIX_DB has the last word on the database. Raises
    SettingsError.
    """
    named = path or (Path(os.environ[CONFIG_VARIABLE]) if os.environ.get(CONFIG_VARIABLE) else None)
    source = named or DEFAULT_CONFIG
    values = _values_in(source) if named is not None or source.exists() else {}
    settings = _with_files(_checked(values, source), source)
    database = os.environ.get(DATABASE_VARIABLE)
    return settings.model_copy(
        update={"database": Path(database) if database else source.parent / settings.database}
    )


def _values_in(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}.") from None


def _checked(values: dict[str, Any], source: Path) -> Settings:
    try:
        read = _FromAllPlaces(**values)
        return Settings(**{name: getattr(read, name) for name in Settings.model_fields})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = _where(first["loc"], source)
        fault = _FAULTS.get(first["type"], first["msg"])
        raise SettingsError(f"{where}: {fault}; correct this key.") from None
    except SettingsSourceError as error:
        raise SettingsError(f"A variable of the environment cannot be read: {error}.") from None


_FAULTS: Final = {
    "extra_forbidden": "there is no such key",
    "string_pattern_mismatch": "this is no mail address that felix can use",
    "int_parsing": "this must be a whole number",
    "float_parsing": "this must be a number",
    "dataclass_type": "this must be a section with keys of its own",
    "model_type": "this must be a section with keys of its own",
    "model_attributes_type": "this must be a section with keys of its own",
}
"""What is wrong, for people; all else in the words of pydantic."""


def _where(key: Sequence[int | str], source: Path) -> str:
    """`felix.toml: send.port`, or `$FELIX_SEND__PORT` if the value came from there."""
    parts = [str(part) for part in key]
    for length in range(len(parts), 0, -1):
        variable = PREFIX + "__".join(parts[:length]).upper()
        if variable in os.environ:
            return f"${variable}"
    return f"{source}: {'.'.join(parts)}"


def _with_files(settings: Settings, source: Path) -> Settings:
    """The settings with passwords out of files of their own, and paths taken from the file's folder."""
    logins: dict[str, _Login] = {"fetch": settings.fetch, "send": settings.send}
    changed: dict[str, object] = {
        name: login.model_copy(update=_files_of(login, name, source)) for name, login in logins.items()
    }
    if settings.backup.folder is not None:
        folder = source.parent / settings.backup.folder
        changed["backup"] = settings.backup.model_copy(update={"folder": folder})
    return settings.model_copy(update=changed)


def _files_of(login: _Login, section: str, source: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    if login.password_file is not None:
        found["password"] = _password_in(source.parent / login.password_file, section, source)
    if login.ca_file is not None:
        found["ca_file"] = source.parent / login.ca_file
    return found


def _password_in(path: Path, section: str, source: Path) -> SecretStr:
    where = _where((section, "password_file"), source)
    try:
        return SecretStr(path.read_text(encoding="utf-8").rstrip("\r\n"))
    except OSError as error:
        raise SettingsError(f"{where}: {path} cannot be read: {error.strerror}; correct this key.") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{where}: {path} does not hold text; put the password alone into it.") from None
