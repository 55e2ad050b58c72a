"""The SHACL engine that is in force, and the gate with it. As the base IRI it stands in the ledger: readers and writers judge alike."""

from __future__ import annotations

from ..ledger.base import Ledger
from ..schema import Schema
from ..settings.tables import DEFAULT_ENGINE
from ..times import Instant
from ..validate.gate import Gate


def engine_in_force(ledger: Ledger) -> str:
    """The name of the engine that judges the claims of this ledger."""
    return ledger.meta("engine") or DEFAULT_ENGINE


def put_in_force(ledger: Ledger, engine: str, now: Instant) -> None:
    """Let that engine judge from now on; the projection is of another version then, and is rebuilt."""
    with ledger.transaction():
        ledger.set_meta("engine", engine)
        ledger.journal("engine", now, name=engine)


def gate_of(ledger: Ledger, schema: Schema) -> Gate:
    """The gate of the schema with that engine. Raises UsageError or PluginError where the engine is not installed or does not load."""
    from ..validate.engines import engine_of  # 0.2 s to load with rdflib: who only reads judges nothing

    return Gate(schema, engine_of(engine_in_force(ledger)))
