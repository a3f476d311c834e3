"""What an operator sets, from `felix.toml`; every key has a default, a wrong one is named in one sentence.

`SAMPLE` is such a file, with all the keys; `sample` fills it in.
"""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

DATABASE_VARIABLE: Final = "FELIX_DB"
CONFIG_VARIABLE: Final = "FELIX_CONFIG"
DEFAULT_CONFIG: Final = Path("felix.toml")

SAMPLE: Final = """\
# The settings of a felix server. Every key has a default; what stands here is what you want to look at.

database = {database}
mailbox = {mailbox}          # players write to this address, with +token in it

[listen]                       # where mail for felix comes in; hand it over from your mail server
protocol = "smtp"              # or "lmtp"
host = "127.0.0.1"
port = 8025
max_bytes = 262144             # larger mails are not taken

[send]                         # the mail server that takes felix's mail
channel = "smtp"               # or "console": print mails, to try felix out without a server
host = "127.0.0.1"
port = 25
timeout_seconds = 30

[time]
remind_after_hours = 24        # a seat that is waited for is reminded once
"""


def sample(database: Path, mailbox: str) -> str:
    """What `felix init` writes. A JSON string, its characters as they are, is a TOML string too."""
    paths = json.dumps(str(database), ensure_ascii=False)
    return SAMPLE.format(database=paths, mailbox=json.dumps(mailbox))


Port = Annotated[int, Field(ge=0, le=65535)]
Mailbox = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9._-]{1,16}@[a-z0-9](?:[a-z0-9.-]{0,200}[a-z0-9])?$")
]


class SettingsError(Exception):
    """The settings cannot be used; `str()` names the key and what to do."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Listen(_Section):
    """Where mail comes in; port 0 takes any free one."""

    protocol: Literal["smtp", "lmtp"] = "smtp"
    host: str = "127.0.0.1"
    port: Port = 8025
    max_bytes: Annotated[int, Field(ge=1024, le=100_000_000)] = 262_144


class Send(_Section):
    """The mail server that takes felix's mail; the console shows it where there is none."""

    channel: Literal["smtp", "console"] = "smtp"
    host: str = "127.0.0.1"
    port: Port = 25
    timeout_seconds: Annotated[float, Field(gt=0, le=600)] = 30


class Time(_Section):
    """When felix comes back to something."""

    remind_after_hours: Annotated[float, Field(gt=0, le=24 * 365)] = 24


class Settings(_Section):
    """All settings of one server."""

    database: Path = Path("felix.db")
    mailbox: Mailbox = "felix@localhost"
    listen: Listen = Listen()
    send: Send = Send()
    time: Time = Time()


def read_settings(path: Path | None = None) -> Settings:
    """The settings in a file; without one, in $FELIX_CONFIG, in ./felix.toml, or the defaults.

    A relative database path is taken from the file's folder. $FELIX_DB has the last word. Raises
    SettingsError.
    """
    named = path or (Path(os.environ[CONFIG_VARIABLE]) if os.environ.get(CONFIG_VARIABLE) else None)
    source = named or DEFAULT_CONFIG
    settings = _parse(source) if named is not None or source.exists() else Settings()
    database = os.environ.get(DATABASE_VARIABLE)
    if database:
        return settings.model_copy(update={"database": Path(database)})
    if not settings.database.is_absolute():
        return settings.model_copy(update={"database": source.parent / settings.database})
    return settings


def _parse(path: Path) -> Settings:
    try:
        return Settings.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}.") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        raise SettingsError(f"{path}: {key}: {first['msg']}; correct this key.") from None
