"""How the account of an ingest looks to people, and what is unread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby, islice
from pathlib import PurePath
from typing import Any, Final

import click

from ..model import SKIPPED, STATES
from ..views.unread import KINDS
from .frame import Run, printable
from .show import show_counts

Json = Mapping[str, Any]

MOST_LINES: Final = 20
"""Problems of one reason that are told one by one."""

MOST_NAMED: Final = 3
"""Members of a sum that are named."""


def show_summary(run: Run, summary: Json) -> None:
    """What an ingest did, or may be told of it: one line a figure, the reasons, and on standard error what could not be read and what
    differs."""
    _show_problems(summary["problems"])
    if run.json:
        run.emit(summary)
    else:
        _show_figures(run, summary)
    if summary["warning"]:
        click.echo(printable(summary["warning"]), err=True)
    for each in summary["differences"]:
        click.echo(printable(f"{each['what']} ({each['hint']})"), err=True)


def _show_problems(problems: Sequence[Json]) -> None:
    shown: Counter[str] = Counter()
    for problem in problems:
        shown[problem["reason"]] += 1
        if not problem["reason"] or shown[problem["reason"]] <= MOST_LINES:
            after = f" ({problem['hint']})" if problem["hint"] else ""
            click.echo(" ".join(printable(f"{problem['where']}: {problem['what']}{after}").split()), err=True)
    for reason, count in shown.items():
        if reason and count > MOST_LINES:
            click.echo(f"{count - MOST_LINES:,} more {SKIPPED[reason]}: --json lists all", err=True)


def _show_figures(run: Run, summary: Json) -> None:
    judged = f"{summary['accepted']} accepted, {summary['quarantined']} quarantined"
    if "claims_new" in summary:
        run.say(f"{summary['documents_read']} documents read, {summary['documents_new']} new, in {summary['seconds']:.1f} s")
        run.say(f"{summary['claims_read']} claims read: {summary['claims_new']} new, {summary['claims_unchanged']} unchanged")
        run.say(f"new claims: {judged}")
    else:
        run.say(f"{summary['documents_read']} documents read, in {summary['seconds']:.1f} s")
        run.say(f"{summary['claims_read']} claims read: {judged}")
    if others := [f"{count} {STATES[state]}" for state, count in summary["states"].items() if state not in ("new", "unchanged")]:
        run.say(f"of documents that were known: {', '.join(others)}, {summary['states'].get('unchanged', 0)} unchanged")
    if summary["files_skipped"]:
        run.say(f"files that were not read: {', '.join(_skipped(summary))}")
    for kind in [kind for kind in KINDS if kind in summary["notices"]]:
        run.say(f"{KINDS[kind]}: {_sum(kind, summary['notices'][kind])}")
    if summary["reasons"]:
        show_counts(run, "reason", summary["reasons"])
    next_ = ["kgplatform quarantine list"] * bool(summary["reasons"]) + ["kgplatform unread"] * bool(summary["notices"])
    if next_:
        run.say(f"next: {', '.join(next_)}")


def _skipped(summary: Json) -> list[str]:
    """`3 hidden`, `12 of no known type (.png 10, .py 2)`."""
    endings = Counter(PurePath(each["where"]).suffix or "no ending" for each in summary["problems"] if each["reason"] == "type")
    named = {"type": f" ({_named(endings)})" if endings else ""}
    return [f"{count} {SKIPPED[reason]}{named.get(reason, '')}" for reason, count in summary["files_skipped"].items()]


def _sum(kind: str, whats: Mapping[str, int]) -> str:
    """`45: spec.profile.color 30, spec.x 10, ... (12 in all)`; of documents without claims, how many for which reason."""
    named = Counter[str]()
    for what, count in whats.items():
        named[what.partition(":")[0] if kind == "silent" else what] += count
    return f"{sum(whats.values())} ({_named(named)})"


def _named(counts: Counter[str]) -> str:
    listed = [f"{what} {count}" for what, count in counts.most_common(MOST_NAMED)]
    rest = len(counts) - len(listed)
    return ", ".join(listed + [f"and {rest} more"] * bool(rest))


def show_unread(run: Run, unread: Json, *, limit: int) -> None:
    """What is unread, kind by kind, and the files."""
    items, files = unread["items"], unread["files"]
    for kind, rows in groupby(items, key=lambda row: str(row["kind"])):
        same = list(rows)
        total = sum(row["count"] for row in same)
        run.say(f"{KINDS[kind]}: {total}")
        columns = ("document", "why") if kind == "silent" else ("what", "count", "documents", "for example")
        run.table(columns, [_cells(kind, row) for row in islice(same, limit)])
        if len(same) > limit:
            run.say(f"{len(same) - limit} more: --limit N shows more, --json all")
        run.say("")
    if files:
        run.say(f"files that the last ingest of their folder did not read: {len(files)}")
        run.table(("file", "why"), [(row["where"], row["what"]) for row in islice(files, limit)])
        if len(files) > limit:
            run.say(f"{len(files) - limit} more: --limit N shows more, --json all")
    if not items and not files:
        run.say("nothing is unread")


def _cells(kind: str, row: Json) -> list[object]:
    if kind == "silent":
        return [row["document"], row["what"]]
    example = f"{row['document']}:{row['place']}" if row["place"] else row["document"]
    return [row["what"], row["count"], row["documents"], example]
