"""The command line in tests: `program()` is `veracity` without the seconds that its imports take.

It is a small script that has a fork server (`fork_server.py`) run the command with its own folder, environment and standard streams, at a
terminal and in a pipe too, that passes on Ctrl-C and SIGTERM, and that ends as the command ends. What is about the process itself (its
number, its children, what it imports) uses `REAL`, the installed program.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

REAL = Path(sys.executable).with_name("veracity")
SHARED = "FORK_SERVER_OF_TESTS"
"""The variable with the folder of a fork server that several test processes share."""
TESTER = "tester"
"""The Python that runs tests, where several processes do."""
SERVER = Path(__file__).with_name("fork_server.py")
ASK = """\
#!{python} -IS
import os, signal, socket, sys

fields = [{name!r}, os.getcwd(), str(len(sys.argv) - 1), *sys.argv[1:], *(f"{{k}}={{v}}" for k, v in os.environ.items())]
request = os.fsencode("\\0".join(fields))
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [len(request).to_bytes(4, "big")], [0, 1, 2])
    server.sendall(request)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: server.sendall(bytes([number])))
    server.recv(4)
    code = int(server.recv(16))
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
os._exit(code)
"""
"""Standard library only, and as little of it as will do: this is started for every command."""


@dataclass(frozen=True)
class ForkServer:
    """A running fork server, and the folder with the programs that use it."""

    folder: Path
    process: subprocess.Popen[bytes]

    @classmethod
    def start(cls) -> ForkServer:
        folder = Path(tempfile.mkdtemp(prefix="veracity-forks-"))
        address = str(folder / "socket")
        for name in ("veracity", "python", TESTER):
            path = folder / name
            path.write_text(ASK.format(python=sys.executable, name=name, address=address), encoding="utf-8")
            path.chmod(0o755)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(address)
            listener.listen(64)
            number = listener.fileno()
            # In a session of its own: Ctrl-C is for whoever runs the tests, and the end of this process ends it.
            process = subprocess.Popen(
                [sys.executable, str(SERVER), str(number)],
                stdin=subprocess.PIPE,
                pass_fds=[number],
                start_new_session=True,
            )
        return cls(folder, process)

    def close(self) -> None:
        """End it, and all that it still runs."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(30)
        shutil.rmtree(self.folder)


@cache
def fork_server() -> ForkServer:
    """The fork server of this process."""
    return ForkServer.start()


def close() -> None:
    """End the fork server of this process, where there is one."""
    if fork_server.cache_info().currsize:
        fork_server().close()
        fork_server.cache_clear()


def program() -> Path:
    """A `veracity` that starts at once; a `python` that does lies beside it."""
    shared = os.environ.get(SHARED)
    return (Path(shared) if shared else fork_server().folder) / "veracity"


class Started:
    """A command that a fork server runs: as `subprocess.Popen`, for a process that starts at once."""

    def __init__(
        self,
        name: str,
        *arguments: str,
        streams: Sequence[int] = (0, 1, 2),
        cwd: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        variables = os.environ if environ is None else environ
        fields = [name, str(cwd or Path.cwd()), str(len(arguments)), *arguments]
        request = os.fsencode("\0".join([*fields, *(f"{key}={value}" for key, value in variables.items())]))
        self._server = socket.socket(socket.AF_UNIX)
        self._server.settimeout(120)
        self._server.connect(str(program().with_name("socket")))
        socket.send_fds(self._server, [len(request).to_bytes(4, "big")], streams)
        self._server.sendall(request)
        number = self._server.recv(4)
        if not number:
            self._server.close()
            raise RuntimeError("The fork server has ended.")
        self.pid = int.from_bytes(number, "big")
        self._code: int | None = None

    def wait(self, timeout: float = 120) -> int:
        """The exit code, once it has ended; or minus the signal that ended it."""
        if self._code is None:
            self._server.settimeout(timeout)
            with self._server:
                self._code = int(self._server.recv(16))
        return self._code

    def send_signal(self, number: int) -> None:
        if self._code is None:
            with suppress(ProcessLookupError):  # it may have ended
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@contextmanager
def python(code: str, *arguments: str) -> Iterator[Started]:
    """What `python -c` does, killed when the block ends."""
    process = Started("python", "-c", code, *arguments)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def run(
    *arguments: str, stdin: bytes = b"", cwd: Path | None = None, environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a command as `program()` does, without a process for the script: the fork server is asked from here."""
    with ExitStack() as stack:
        given, out, err = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        given.write(stdin)
        given.seek(0)
        streams = (given.fileno(), out.fileno(), err.fileno())
        code = Started("veracity", *arguments, streams=streams, cwd=cwd, environ=environ).wait()
        for stream in (out, err):
            stream.seek(0)
        return subprocess.CompletedProcess(["veracity", *arguments], code, out.read(), err.read())


def veracity(
    *arguments: str, stdin: str = "", cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command with text for text."""
    done = run(*arguments, stdin=stdin.encode(), cwd=cwd, environ={**os.environ, **environment})
    said, told = (io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8").read() for raw in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, said, told)
