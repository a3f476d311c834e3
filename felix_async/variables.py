"""What every command knows before it reads any settings: where they are, and whether there are any."""

import os
from pathlib import Path
from typing import Final

DATABASE_VARIABLE: Final = "FELIX_DB"
CONFIG_VARIABLE: Final = "FELIX_CONFIG"
LANGUAGE_VARIABLE: Final = "FELIX_LANGUAGE"
PREFIX: Final = "FELIX_"
"""How the names of environment variables with settings begin."""
_NO_SETTINGS: Final = {DATABASE_VARIABLE, CONFIG_VARIABLE, LANGUAGE_VARIABLE}
DEFAULT_CONFIG: Final = Path("felix.toml")
DEFAULT_DATABASE: Final = Path("felix.db")


def environment_has_settings() -> bool:
    """Return True if there are variables that may be settings."""
    return any(name.upper().startswith(PREFIX) and name not in _NO_SETTINGS for name in os.environ)
