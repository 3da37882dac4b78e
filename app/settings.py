"""Settings, from NEXTPAIR_* environment variables; DATABASE_URL keeps its usual name."""

import os
from pathlib import Path

from pydantic import AliasChoices, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


def default_data_dir() -> Path:
    """A service directory for root, the user's own data directory for everyone else."""
    if os.geteuid() == 0:
        return Path("/var/lib/nextpair")
    return Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local/share")) / "nextpair"


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="NEXTPAIR_", frozen=True, populate_by_name=True)

    database_url: str | None = Field(
        default=None, validation_alias=AliasChoices("DATABASE_URL", "NEXTPAIR_DATABASE_URL", "database_url")
    )
    data_dir: Path = Field(default_factory=default_data_dir)
    api_key: SecretStr | None = Field(default=None, min_length=16)  # asked of everyone, for everything
    max_body_bytes: int = Field(default=64 * 2**20, gt=0)
    max_text_chars: int = Field(default=1_000_000, gt=0)
    max_candidates: int = Field(default=100_000, ge=2)
    live_sets: int = Field(default=20_000, gt=0)  # posteriors kept in memory; 13 KB each of 16 texts
    live_bytes: int = Field(default=2 * 2**30, gt=0)
