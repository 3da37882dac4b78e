"""Decide which account the server runs as: PostgreSQL refuses root, and initdb refuses a nameless user.

Root becomes the owner of the data directory when that is somebody else. Otherwise a user namespace makes the server see
an ordinary user while its files stay root's. Where namespaces are forbidden, as in most containers, root really drops
to `postgres` or `nobody` and gives that account the directory.
"""

import os
import pwd
import shutil
import stat
import subprocess
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from app.storage.embedded.binaries import EmbeddedPostgresError

STAND_INS = ("postgres", "nobody", "daemon")


class Account(NamedTuple):
    """A way to run a program as the server's account."""

    prefix: tuple[str, ...] = ()  # put before the command
    drop_to: pwd.struct_passwd | None = None

    @property
    def name(self) -> str:
        return self.drop_to.pw_name if self.drop_to else "root stripped of its rights"


def choose_account(home: Path) -> Account:
    """The account for a server whose files live in `home`.

    Raises EmbeddedPostgresError when this user cannot run PostgreSQL at all.
    """
    me, owner = os.geteuid(), home.stat().st_uid
    if me != 0 and _named(me):
        return Account()
    if me == 0 and owner != 0 and (entry := _named(owner)):
        return Account(drop_to=entry)
    stand_in = _stand_in()
    mapping = (f"--map-user={stand_in.pw_uid}", f"--map-group={stand_in.pw_gid}")
    namespace = Account(prefix=("unshare", "--user", *mapping, "--"))
    if shutil.which("unshare") and run_as(namespace, "true").returncode == 0:
        return namespace
    if me == 0:
        return Account(drop_to=stand_in)
    raise EmbeddedPostgresError(f"user id {me} has no name here: add it to /etc/passwd or set DATABASE_URL.")


def run_as(account: Account, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `command` as `account`, in an environment that cannot redirect PostgreSQL."""
    drop = account.drop_to
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    return subprocess.run(
        [*account.prefix, *command],
        user=drop.pw_uid if drop else None,
        group=drop.pw_gid if drop else None,
        extra_groups=() if drop else None,
        env={**kept, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        cwd="/",
        start_new_session=True,
        check=False,
    )


def hand_over(account: Account, folder: Path, names: Collection[str]) -> None:
    """Give the account `folder` and, with all below, those of `names` that are in it, if run as root; else do nothing.

    Every name is looked up in a folder that is open already: no link leads outside, not even one made meanwhile.
    Raises EmbeddedPostgresError for a file with several hard links, as one of them may be anybody's file.
    """
    if os.geteuid() != 0:
        return
    uid, gid = (account.drop_to.pw_uid, account.drop_to.pw_gid) if account.drop_to else (0, 0)
    for path, folders, files, opened in os.fwalk(folder):
        if path == str(folder):
            folders[:], files[:] = ([name for name in there if name in names] for there in (folders, files))
        for name in (".", *folders, *files):
            status = os.stat(name, dir_fd=opened, follow_symlinks=False)
            if status.st_uid == uid:
                continue
            if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
                raise EmbeddedPostgresError(
                    f"{path}/{name} is another user's and has several hard links: replace it with a copy."
                )
            os.chown(name, uid, gid, dir_fd=opened, follow_symlinks=False)


def _named(uid: int) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwuid(uid)
    except KeyError:
        return None


def _stand_in() -> pwd.struct_passwd:
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    for name in STAND_INS:
        if name in known:
            return known[name]
    raise EmbeddedPostgresError("PostgreSQL refuses to run as root: run as a normal user or set DATABASE_URL.")
