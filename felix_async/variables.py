"""Names of environment variables that every command knows before it reads any settings."""

from typing import Final

DATABASE_VARIABLE: Final = "FELIX_DB"
CONFIG_VARIABLE: Final = "FELIX_CONFIG"
