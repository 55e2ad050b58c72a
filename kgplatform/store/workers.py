"""Callers' own SPARQL runs in worker processes that can be killed and whose memory is capped.

The engine has no timeout and no limit of its own, and a deeply nested text overflows its stack (measured: 10,000
brackets end the process). So even the parsing happens in a worker, which may be lost. It reads a checkpoint, or
sends the text to a remote store once the guard has passed it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import Pipe
from pathlib import Path
from queue import Empty, LifoQueue
from typing import IO, Final, Self, cast

from ..errors import KgError, QueryAbandoned, QueryRefused, QueryTimeout, StoreError
from .opening import Place
from .results import Kind, QueryResult

GIB: Final = 1024**3

_STARTING: Final = 60.0
"""Seconds that a worker may take to start, on a busy machine."""
_GLANCE: Final = 0.1
"""Seconds between two looks whether anybody still waits for the result."""


class QueryWorkers:
    """A pool of workers for one or many checkpoints. Use it in a `with` block, or call `close`.

    `memory` caps the memory that a worker may write to and `result_size` what one query may write, both in bytes.
    `is_gone` is asked again and again, in the thread that waits for a query, whether its result is wanted no more.
    """

    def __init__(self, *, workers: int = 2, memory: int = 2 * GIB, result_size: int = GIB, is_gone: Callable[[], bool] = bool) -> None:
        self._limits = (memory, result_size)
        self._is_gone = is_gone
        self._started: set[_Worker] = set()
        self._is_closed = False
        self._changing = threading.Lock()
        self._places: LifoQueue[_Worker | None] = LifoQueue()  # where there is no worker, one is started when it is needed
        for _ in range(workers):
            self._places.put(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(
        self, place: Place, text: str, *, default_graphs: Sequence[str], named_graphs: Sequence[str] = (), timeout: float
    ) -> QueryResult:
        """The result of a caller's text on a checkpoint or a remote store, over exactly these graphs.

        Raises what `GraphStore.query` raises, and QueryTimeout where the worker had to be ended:
        after `timeout` seconds (counted from when a worker takes the query up) or at its limits; QueryAbandoned where the result is
        wanted no more.
        """
        with _result_file() as (file, path):
            kind, variables = self._answered((place, text, tuple(default_graphs), tuple(named_graphs), path, timeout), timeout)
            return QueryResult(kind, variables, os.fdopen(os.dup(file.fileno()), "rb"))

    def _answered(self, task: tuple[object, ...], timeout: float) -> tuple[Kind, tuple[str, ...]]:
        worker = self._waited_for()
        try:
            worker = worker if worker is not None and worker.is_alive else self._start()
            return worker.ask(task, timeout, self._is_gone)
        finally:
            if worker is not None and not worker.is_alive:
                self._started.discard(worker)
                worker = None
            self._places.put(worker)

    def _waited_for(self) -> _Worker | None:
        """What is in the next place that comes free."""
        while not self._is_gone():
            with contextlib.suppress(Empty):
                return self._places.get(timeout=_GLANCE)
        raise _abandoned()

    def _start(self) -> _Worker:
        with self._changing:
            if self._is_closed:
                raise StoreError("the workers for queries are closed", hint="open the graph again")
            worker = _Worker(*self._limits)
            self._started.add(worker)
            return worker

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        with self._changing:
            self._is_closed = True
            for worker in self._started:
                worker.end()
            self._started.clear()


class _Worker:
    """One worker process, which answers one task at a time."""

    def __init__(self, memory: int, result_size: int) -> None:
        self._is_ready = False
        self._is_ended = False
        self._pipe, theirs = Pipe()
        folder = str(Path(__file__).parents[2])  # of this package, which need not be installed
        paths = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
        command = [sys.executable, "-P", "-m", f"{__package__}.worker", *map(str, (theirs.fileno(), memory, result_size))]
        try:
            self._process = subprocess.Popen(
                command,
                env={**os.environ, "PYTHONPATH": paths},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            raise StoreError(f"no worker for the query could be started: {error.strerror}", where=sys.executable) from error
        finally:
            theirs.close()

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, task: tuple[object, ...], timeout: float, is_gone: Callable[[], bool]) -> tuple[Kind, tuple[str, ...]]:
        """What was found, or the error that the worker met.

        Raises QueryTimeout if it has not answered in time, QueryAbandoned if nobody waits for it any more; both end the worker.
        """
        try:
            if not self._is_ready:
                self._receive(_STARTING, is_gone)
                self._is_ready = True
            self._pipe.send(task)
            is_answer, reply = self._receive(timeout, is_gone)
        except BaseException:
            self.end()  # it may still work at this task
            raise
        if is_answer:
            return cast("tuple[Kind, tuple[str, ...]]", reply)
        raise cast(KgError, reply)

    def _receive(self, timeout: float, is_gone: Callable[[], bool]) -> tuple[bool, object]:
        deadline = time.monotonic() + timeout
        try:
            while (left := deadline - time.monotonic()) > 0:
                if self._pipe.poll(min(left, _GLANCE)):
                    return cast("tuple[bool, object]", self._pipe.recv())
                if is_gone():
                    raise _abandoned()
        except (EOFError, OSError) as error:  # the worker has ended; its exit code says why
            raise _ending(self._process.wait(), is_ended=self._is_ended) from error
        raise _late(timeout)

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._is_ended = True
        self._process.kill()
        self._process.wait()


def run_query(
    place: Place,
    text: str,
    *,
    default_graphs: Sequence[str],
    named_graphs: Sequence[str] = (),
    timeout: float = 30.0,
    memory: int = 2 * GIB,
) -> QueryResult:
    """One query in a worker of its own, which ends with it."""
    with QueryWorkers(workers=1, memory=memory) as workers:
        return workers.run(place, text, default_graphs=default_graphs, named_graphs=named_graphs, timeout=timeout)


@contextlib.contextmanager
def _result_file() -> Iterator[tuple[IO[bytes], str]]:
    """A file and its path. It loses its name when the block ends, and its space when the last reader closes it."""
    with tempfile.NamedTemporaryFile(prefix="kgplatform-result-", delete=False) as file:
        try:
            yield file, file.name
        finally:
            os.unlink(file.name)


def _abandoned() -> QueryAbandoned:
    return QueryAbandoned("the query was ended: nobody waits for its result any more")


def _late(timeout: float) -> QueryTimeout:
    return QueryTimeout(f"the query was ended after {timeout:g} s", hint="ask for less: more bound terms, a LIMIT")


def _ending(code: int, *, is_ended: bool) -> KgError:
    if is_ended:
        return StoreError("the query was ended with its workers", hint="ask again")
    if code == -signal.SIGSEGV:
        return QueryRefused("the query is nested too deeply for the engine", hint="write it flatter")
    if code in (-signal.SIGABRT, -signal.SIGKILL, -signal.SIGBUS):
        return QueryTimeout("the query needed more memory than it may have", hint="ask for less: sort and group fewer rows")
    return StoreError(f"the worker of the query ended with code {code}")
