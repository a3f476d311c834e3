"""The settings of an operator: `felix.toml`, the environment above it, and files with secrets beside it.

Every key has a default; a wrong one is named in one sentence. An environment variable is the key in
capitals, with two underscores for each dot: `FELIX_SEND__HOST` has the last word over `host` under `[send]`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from difflib import get_close_matches
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

from felix_async.time.zones import DEFAULT_ZONE, Unknown, is_zone, zone_named
from felix_async.variables import (
    CONFIG_VARIABLE,
    DATABASE_VARIABLE,
    DEFAULT_CONFIG,
    DEFAULT_DATABASE,
    PREFIX,
    environment_has_settings,
)

if TYPE_CHECKING:
    from felix_events.timing import Terms


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
    """The mailbox that felix reads by IMAP; an empty host: none. A message once kept is moved or marked."""

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
    """The people to whom felix writes who never wrote to it, and those who write and play nowhere here."""

    open: bool = False
    """These get one answer, and may open a table, if our own mail server vouches for them."""
    strangers_a_day: Annotated[int, Field(ge=0, le=1_000_000)] = STRANGERS_A_DAY
    """Of those who never wrote to felix, so many are invited by mail within a day."""


class Backup(_Section):
    """Copies that a running server makes of its database; without a folder, none."""

    folder: Annotated[Path | None, BeforeValidator(lambda value: None if value == "" else value)] = None
    every_hours: Annotated[float, Field(ge=0.1, le=24 * 365)] = 24
    keep: Annotated[int, Field(ge=1, le=10_000)] = 14


LEAST_DAYS: Final = 60
"""For which a message is kept after its game: until then somebody may ask what it said."""


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
    """For how many days after the end of its game the bytes of a message are kept; 0: for ever.

    Of what strangers send, the newest messages keep theirs: so many, megabytes, and days.
    """

    letters_days: Days = 0
    inbox_days: Days = 0
    strangers: Annotated[int, Field(ge=0, le=1_000_000)] = 1000
    strangers_mb: Annotated[int, Field(ge=0, le=1_000_000)] = 50
    strangers_days: Annotated[int, Field(ge=1, le=36_500)] = 30


class Settings(_Section):
    """All settings of one server. `alerts`: a player's address -> where a short notice goes, too."""

    database: Path = DEFAULT_DATABASE
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
        settings = Settings(**_below_environment(values))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = _where(first["loc"], source)
        fault = _FAULTS.get(first["type"], first["msg"])
        if first["type"] == "extra_forbidden":
            fault = f"{fault}{_meant(first['loc'])}"
        raise SettingsError(f"{where}: {fault}; correct this key.") from None
    if settings.invitations.open and not settings.receive.authserv_id:
        where = _where(("invitations", "open"), source)
        raise SettingsError(
            f"{where}: this needs receive.authserv_id, because anybody can write somebody else's address into"
            " From; set both, or neither."
        )
    return settings


def _below_environment(values: dict[str, Any]) -> dict[str, Any]:
    """Return a file's values with the environment above them."""
    if not environment_has_settings():
        return values
    # Only here: it takes as long to load as all the rest of the settings together.
    from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
    from pydantic_settings import SettingsError as SourceError

    class FromAllPlaces(Settings, BaseSettings):
        model_config = SettingsConfigDict(
            env_prefix=PREFIX,
            env_nested_delimiter="__",
            extra="forbid",
            frozen=True,
            hide_input_in_errors=True,
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
            return env_settings, init_settings

    try:
        read = FromAllPlaces(**values)
    except SourceError as error:
        raise SettingsError(f"A variable of the environment cannot be read: {error}.") from None
    return {name: getattr(read, name) for name in Settings.model_fields}


_FAULTS: Final = {
    "extra_forbidden": "unknown setting",
    "string_pattern_mismatch": "this is no mail address that felix can use",
    "int_parsing": "this must be a whole number",
    "float_parsing": "this must be a number",
    "dataclass_type": "this must be a section with keys of its own",
    "model_type": "this must be a section with keys of its own",
    "model_attributes_type": "this must be a section with keys of its own",
}
"""What is wrong, for people; all else in the words of pydantic."""


def _meant(key: Sequence[int | str]) -> str:
    """The setting of this section that a misspelt key may mean, as a question; '' for none."""
    section: Any = Settings
    for part in key[:-1]:
        section = section.model_fields[part].annotation
    near = get_close_matches(str(key[-1]), section.model_fields, n=1, cutoff=0.7)
    return f" (did you mean {near[0]}?)" if near else ""


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
