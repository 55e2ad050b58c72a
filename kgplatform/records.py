"""Records of a program as the files that a mapping reads: one file for all, or a file for each record if a key names them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

from .errors import UsageError
from .graph import Frame, Input, Record, Source, paths_of

_NAME: Final = re.compile(r"[^\W_][\w.\-]{0,199}")


@contextmanager
def readable(source: Input, *, name: str, key: str) -> Iterator[list[Path]]:
    """The paths to read for a `with` block: those given, or files in a folder of its own that hold the records."""
    if isinstance(source, str | PathLike):
        yield paths_of(source)
        return
    items = _rows(source)
    if items is None or not all(isinstance(item, Mapping) for item in items):
        if items and not all(isinstance(item, str | PathLike) for item in items):
            raise UsageError(
                "is neither paths nor records", where="ingest", hint="give paths, mappings from column to value, or a DataFrame"
            )
        yield paths_of(cast("list[Source]", items or []))
        return
    with TemporaryDirectory(prefix="kgplatform-records-") as folder:
        _write(cast("list[Record]", items), Path(folder), name=name, key=key)
        yield [Path(folder)]


def _rows(source: Input) -> list[Source | Record] | None:
    if isinstance(source, Mapping):
        return [source]
    if hasattr(source, "columns"):
        return list(_table(cast(Frame, source)))
    return list(cast("Iterable[Source | Record]", source))


def _table(frame: Any) -> Iterator[Record]:
    """The rows of a DataFrame of polars or pandas, without what is missing in them."""
    rows = frame.to_dicts() if hasattr(frame, "to_dicts") else frame.astype(object).where(frame.notna(), None).to_dict(orient="records")
    for row in rows:
        yield {str(column): value for column, value in row.items() if value is not None}


def _write(records: list[Record], folder: Path, *, name: str, key: str) -> None:
    _require_name(name)
    if not key:
        (folder / f"{name}.jsonl").write_text(_lines(records), encoding="utf-8")
        return
    seen: set[str] = set()
    (folder / name).mkdir()
    for number, record in enumerate(records):
        value = record.get(key)
        if value is None or isinstance(value, Mapping | list):
            raise UsageError(
                f"has no {key}, which tells the records apart", where=f"record {number + 1}", hint="give all of them one, or leave key out"
            )
        file = _file_name(str(value))
        if file in seen:
            raise UsageError(
                f"has the {key} {value!r} of another record", where=f"record {number + 1}", hint="give each its own, or leave key out"
            )
        seen.add(file)
        (folder / name / f"{file}.jsonl").write_text(_lines([record]), encoding="utf-8")


def _require_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name for a document", where="name", hint="use letters, digits, . _ and -")


def _file_name(value: str) -> str:
    """The value as a file name: other characters than letters, digits, . _ and - as their code, so that no two are one."""
    return re.sub(r"[^\w.\-]|^\.", lambda other: f"%{ord(other[0]):x}%", value)


def _lines(records: list[Record]) -> str:
    """One JSON object a line, which a mapping reads with any value of its `records`."""
    return "".join(json.dumps(dict(record), ensure_ascii=False, default=_plain) + "\n" for record in records)


def _plain(value: object) -> object:
    """Dates and numbers of other libraries as JSON holds them."""
    if isinstance(value, datetime) and value.tzinfo is None and value.time() == time():
        return value.date().isoformat()  # a DataFrame has no days, only instants
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if hasattr(value, "item"):  # a number of numpy
        return value.item()
    raise UsageError(f"holds a {type(value).__name__}", where="ingest", hint="give texts, numbers, dates, truth values, lists and mappings")
