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
        default=None,
        validation_alias=AliasChoices("DATABASE_URL", "NEXTPAIR_DATABASE_URL", "database_url"),
        description="Your own PostgreSQL: `postgresql://user:password@host:5432/name`, with options such as "
        "`?sslmode=require`. Without it the service starts a private one.",
    )
    data_dir: Path = Field(default_factory=default_data_dir, description="Folder of the private PostgreSQL.")
    api_key: SecretStr | None = Field(
        default=None,
        min_length=16,
        description="The key that every request needs. Without it the service listens on loopback only.",
    )
    max_body_bytes: int = Field(default=64 * 2**20, gt=0, description="Largest request body, in bytes.")
    max_text_chars: int = Field(
        default=1_000_000, gt=0, description="Longest text of a candidate or an output, in characters."
    )
    max_candidates: int = Field(default=100_000, ge=2, description="Most candidates of a set.")
    live_sets: int = Field(
        default=20_000, gt=0, description="Posteriors kept in memory; one of 16 texts takes 13 to 23 KB."
    )
    live_bytes: int = Field(default=2 * 2**30, gt=0, description="Memory that these posteriors may take, in bytes.")
    client_seconds: float = Field(
        default=600.0,
        gt=0,
        description="Processor time that the computations of one client (an address) may take in ten minutes, in "
        "seconds. A client that has spent it gets 429 until enough time has passed.",
    )
