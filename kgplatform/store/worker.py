"""One worker process for callers' own SPARQL: started as `python -m`, so that it runs no script of the process that asks.

It reads tasks from the pipe whose number it is given, answers each with a pair (True, what was found) or (False, error), and ends with the
pipe.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from contextlib import closing
from io import BytesIO
from multiprocessing.connection import Connection
from shutil import copyfileobj
from typing import IO, Any, Final

from ..errors import KgError, ResultTooLarge, StoreError
from ..settings.load import REMOTE, RemoteAddress
from .guard import checked_text, portable_text
from .opening import Place, open_readable
from .oxigraph import OxigraphStore
from .results import Kind

_ORPHAN: Final = 5.0
"""Seconds past its timeout after which a worker ends itself, should the process that would end it be gone."""

_SHALLOW: Final = 2 * 1024**2
"""Bytes of stack of a worker that checks a text for a server: smaller than a server's 8 MB, so that no text that passes overflows that (measured)."""


def main(pipe: int, memory: int, result_size: int) -> None:
    """Answer tasks until the pipe ends."""
    _confine(memory, result_size)
    with Connection(pipe) as tasks:
        tasks.send((True, None))  # it is ready
        while True:
            try:
                task = tasks.recv()
            except EOFError:
                return
            tasks.send(_answer(task))


def _answer(task: tuple[Any, ...]) -> tuple[bool, object]:
    try:
        return True, _evaluate(*task)
    except KgError as error:
        return False, error
    except Exception as error:  # noqa: BLE001  a fault of ours: reported in its words, and the worker goes on
        return False, StoreError(f"the query failed: {type(error).__name__}: {error}")


def _confine(memory: int, result_size: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asks handles an interrupt of the terminal
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # a crashing engine writes there what the exit code says too
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
            if isinstance(place, RemoteAddress) and place.kind != REMOTE:
                return _evaluate_outside(place, text, out, default_graphs, named_graphs)
            if isinstance(place, RemoteAddress):
                return _evaluate_remotely(place, text, out, default_graphs, named_graphs, timeout)
            with OxigraphStore.open_read_only(place) as store:
                return store.evaluate(checked_text(text), out, default_graphs=default_graphs, named_graphs=named_graphs)
    except (OSError, StoreError) as error:
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        if os.path.getsize(path) >= limit:
            raise ResultTooLarge(
                f"the result is larger than {limit:,} bytes", hint="ask for less, or page with LIMIT and OFFSET"
            ) from error
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


def _evaluate_outside(
    address: RemoteAddress, text: str, out: IO[bytes], default_graphs: tuple[str, ...], named_graphs: tuple[str, ...]
) -> tuple[Kind, tuple[str, ...]]:
    with closing(open_readable(address)) as store:
        result = store.query(portable_text(text), default_graphs=default_graphs, named_graphs=named_graphs)
        copyfileobj(BytesIO(result.source) if isinstance(result.source, bytes) else result.source, out)
        return result.kind, result.variables


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
