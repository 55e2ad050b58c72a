"""Whether the files of an embedded store are sound: every index is read to its end, and all of them agree."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pyoxigraph as ox


def damage(directory: Path) -> str:
    """What is wrong with the files of a checkpoint, or of a store that nobody writes; '' if nothing.

    Where nothing can be written, a copy is looked at: RocksDB keeps a log beside what it opens.
    """
    if os.access(directory, os.W_OK, effective_ids=True):
        return _damage(directory)
    with tempfile.TemporaryDirectory(prefix="kgplatform-store-") as folder:
        return _damage(Path(shutil.copytree(directory, Path(folder) / "store")))


def _damage(directory: Path) -> str:
    try:
        counts = _counts(ox.Store.read_only(str(directory)))
    except (OSError, RuntimeError, ValueError, SyntaxError) as error:
        return " ".join(str(error).split()) or type(error).__name__
    return "" if len(set(counts)) == 1 else f"its indexes hold {', '.join(map(str, sorted(set(counts))))} quads"


def _counts(store: ox.Store) -> list[int]:
    """How many quads each index has. Each pattern is answered by another one; a number can be found by an equal one too, hence sets."""
    subjects, predicates, objects, graphs = set[Any](), set[Any](), set[Any](), set[Any]()
    in_graph: tuple[set[Any], ...] = (set(), set(), set())
    whole = 0
    for quad in store.quads_for_pattern(None, None, None, None):
        whole += 1
        parts = (quad.subject, quad.predicate, quad.object)
        for terms, term in zip((subjects, predicates, objects, graphs), (*parts, quad.graph_name), strict=True):
            terms.add(term)
        for pairs, part in zip(in_graph, parts, strict=True):
            pairs.add((part, quad.graph_name))
    list(store.named_graphs())
    return [
        whole,
        len({quad for term in subjects for quad in store.quads_for_pattern(term, None, None, None)}),
        len({quad for term in predicates for quad in store.quads_for_pattern(None, term, None, None)}),
        len({quad for term in objects for quad in store.quads_for_pattern(None, None, term, None)}),
        len({quad for graph in graphs for quad in store.quads_for_pattern(None, None, None, graph)}),
        len({quad for term, graph in in_graph[0] for quad in store.quads_for_pattern(term, None, None, graph)}),
        len({quad for term, graph in in_graph[1] for quad in store.quads_for_pattern(None, term, None, graph)}),
        len({quad for term, graph in in_graph[2] for quad in store.quads_for_pattern(None, None, term, graph)}),
    ]
