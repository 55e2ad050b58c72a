"""Callers' own SPARQL runs in worker processes that can be killed and whose memory is capped.

The engine has no timeout and no limit of its own, and a deeply nested text overflows its stack (measured: 10,000
brackets end the process). So even the parsing happens in a worker, which has nothing to lose. It reads a checkpoint, or
sends the text to a remote store once it is known to be harmless.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from typing import IO, Final, Self

from pebble import ProcessExpired, ProcessPool

from ..config import RemoteAddress
from ..errors import KgError, QueryRefused, QueryTimeout, StoreError
from .guard import checked_text, portable_text
from .opening import Place
from .oxigraph import OxigraphStore
from .results import Kind, QueryResult

GIB: Final = 1024**3

_ORPHAN: Final = 5.0
"""Seconds past its timeout after which a worker ends itself, should the process that would end it be gone."""

_SHALLOW: Final = 2 * 1024**2
"""The stack of a worker that checks a text for a server: what it can parse, the server can (8 MB; it would end, measured)."""


class QueryWorkers:
    """A pool of workers for one or many checkpoints. Use it in a `with` block, or call `close`.

    `memory` caps the memory that a worker may write to and `result_size` what one query may write, both in bytes.
    """

    def __init__(self, *, workers: int = 2, memory: int = 2 * GIB, result_size: int = GIB) -> None:
        # spawn: a forked child of a process with threads may hold their locks for ever
        self._pool = ProcessPool(
            max_workers=workers,
            initializer=_confine,
            initargs=(memory, result_size),
            context=multiprocessing.get_context("spawn"),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(
        self, place: Place, text: str, *, default_graphs: Sequence[str], named_graphs: Sequence[str] = (), timeout: float
    ) -> QueryResult:
        """The result of a caller's text on a checkpoint or a remote store, over exactly these graphs.

        Raises what `GraphStore.query` raises, and QueryTimeout where the worker had to be ended:
        after `timeout` seconds (counted from when a worker takes the query up) or at its limits.
        """
        with _result_file() as (file, path):
            task = (place, text, tuple(default_graphs), tuple(named_graphs), path, timeout)
            begun = time.monotonic()
            future = self._pool.schedule(_evaluate, args=task, timeout=timeout)
            try:
                kind, variables = future.result()
            except FutureTimeout as error:
                raise _late(timeout) from error
            except ProcessExpired as error:
                # the pool may see the end of a worker that it killed for being late before it says so
                is_late = error.exitcode in (-signal.SIGTERM, -signal.SIGKILL) and time.monotonic() - begun >= timeout
                raise _late(timeout) if is_late else _ending(error) from error
            return QueryResult(kind, variables, os.fdopen(os.dup(file.fileno()), "rb"))

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()


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
    """A file without a name once the worker has written it: whoever holds it open is the last to know it."""
    with tempfile.NamedTemporaryFile(prefix="kgplatform-result-", delete=False) as file:
        try:
            yield file, file.name
        finally:
            os.unlink(file.name)


def _late(timeout: float) -> QueryTimeout:
    return QueryTimeout(f"the query was ended after {timeout:g} s", hint="ask for less: more bound terms, a LIMIT")


def _ending(error: ProcessExpired) -> KgError:
    code = error.exitcode if error.exitcode is not None else 0
    if code == -signal.SIGSEGV:
        return QueryRefused("the query is nested too deeply for the engine", hint="write it flatter")
    if code in (-signal.SIGABRT, -signal.SIGKILL, -signal.SIGBUS):
        return QueryTimeout("the query needed more memory than it may have", hint="ask for less: sort and group fewer rows")
    return StoreError(f"the worker of the query ended with code {code}")


# -- inside a worker


def _confine(memory: int, result_size: int) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # Python's own handler would wait for the engine to return
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # where the engine writes its last words; the exit code says it too
    # not RLIMIT_AS: the store's threads reserve up to 1.2 GB of addresses that they never use (0.5 GB as a rule, measured)
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (result_size, result_size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _evaluate(
    place: Place, text: str, default_graphs: tuple[str, ...], named_graphs: tuple[str, ...], path: str, timeout: float
) -> tuple[Kind, tuple[str, ...]]:
    signal.setitimer(signal.ITIMER_REAL, timeout + _ORPHAN)
    try:
        with open(path, "w+b") as out:
            if isinstance(place, RemoteAddress):
                return _evaluate_remotely(place, text, out, default_graphs, named_graphs, timeout)
            with OxigraphStore.open_read_only(place) as store:
                return store.evaluate(checked_text(text), out, default_graphs=default_graphs, named_graphs=named_graphs)
    except (OSError, StoreError) as error:
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        if os.path.getsize(path) >= limit:
            raise QueryTimeout(f"the result is larger than {limit:,} bytes", hint="ask for less, or page with LIMIT and OFFSET") from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _evaluate_remotely(
    address: RemoteAddress, text: str, out: IO[bytes], default_graphs: tuple[str, ...], named_graphs: tuple[str, ...], timeout: float
) -> tuple[Kind, tuple[str, ...]]:
    from .remote import RemoteReader  # 0.1 s to load

    resource.setrlimit(resource.RLIMIT_STACK, (_SHALLOW, resource.getrlimit(resource.RLIMIT_STACK)[1]))
    with RemoteReader.at(address, timeout=timeout) as store:
        return store.evaluate(portable_text(text), out, default_graphs=default_graphs, named_graphs=named_graphs)

