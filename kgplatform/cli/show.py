"""How results look to people: answers with their evidence, entities, summaries. Reads the same JSON that --json prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ..times import parse_stated, shown_instant
from .frame import Run

Json = Mapping[str, Any]
T = TypeVar("T")


def show(run: Run, found: T, for_people: Callable[[Run, T], None]) -> None:
    """What a command found, as JSON or for people."""
    if run.json:
        run.emit(found)
    else:
        for_people(run, found)


def show_answer(run: Run, answer: Json) -> None:
    """The sentence, candidates or values, what disagrees, and every citation."""
    mark = " (sources disagree)" if answer["conflicting"] else ""
    run.say(f"{sentence_line(answer)}{mark}")
    if answer["outcome"] != "answered":
        run.say(f"outcome: {answer['outcome']}")
    for warning in answer["warnings"]:
        run.say(f"note: {warning}")
    for row in answer["answers"]:
        run.say(f"  - {answer_line(row)}")
    if answer["citations"]:
        run.say("evidence:")
    for number, citation in enumerate(answer["citations"], 1):
        run.say(f"  [{number}] {citation_line(citation)}")
    if answer["newest_source"]:
        run.say(f"newest source: {day(answer['newest_source'])}")
    if "explanation" in answer:
        run.say("")
        run.say(answer["explanation"])


def sentence_line(answer: Json) -> str:
    """The sentence, with the numbers of the sources at the clauses that rest on them."""
    return "".join(f"{clause['text']}{_numbers(clause['citations'])}" for clause in answer["clauses"])


def _numbers(citations: Sequence[int], *, most: int = 3) -> str:
    told = "".join(f" [{number + 1}]" for number in citations[:most])
    return f"{told} and {len(citations) - most} more" if len(citations) > most else told


def answer_line(row: Json) -> str:
    """One answer: a label or a value, with what of it is disputed."""
    label = row.get("label") or row.get("value") or row.get("iri") or ""
    value, disputed = row.get("value"), row.get("disputed")
    line = f"{label}: {value}" if value and str(value) != str(label) else str(label)
    return f"{line} ({f'{disputed} disputed' if isinstance(value, int) else 'disputed'})" if disputed else line


def citation_line(citation: Json) -> str:
    """Where a claim stands, its quote, and what is known of it."""
    quote = " ".join(str(citation["quote"]).split())
    valid = validity(citation.get("valid_from"), citation.get("valid_to"))
    line = f", line {citation['line']}" if citation.get("line") else ""
    where = f"{citation['document']}, version {citation['version'][:8]}{line}, characters {citation['start']} to {citation['end']}"
    parts = (valid, citation["trust"], *citation["scope"], citation.get("note"), f"claim {citation['claim'][:12]}")
    return f"{where}: “{quote}” ({', '.join(part for part in parts if part)})"


def validity(start: str | None, end: str | None) -> str:
    """`from START until END`, as far as they are known; '' where neither is."""
    return " ".join(part for part in (f"from {start}" if start else "", f"until {end}" if end else "") if part)


def day(instant: str) -> str:
    """A date at the precision of days; what is no date comes back as it is."""
    try:
        return shown_instant(parse_stated(instant).at, "day")
    except ValueError:
        return instant


def show_conflicts(run: Run, rows: Sequence[Json]) -> None:
    """Each disagreement: the subject and relation, then each value with its time and documents."""
    if not rows:
        run.say("no conflicts")
    for row in rows:
        run.say(f"{row['label']} {row['relation_label']}")
        for side in row["values"]:
            stated = "" if side["positive"] else "not "
            run.say(f"  - {stated}{side['label']}, from {side['valid_from']} until {side['valid_to']}: {', '.join(side['documents'])}")


def show_fields(run: Run, row: Json) -> None:
    """One row, a field a line."""
    run.table(("", " "), list(row.items()))


def show_counts(run: Run, title: str, counts: Mapping[str, int]) -> None:
    """Counts by name, the largest first."""
    run.table((title, "count"), [(name, counts[name]) for name in sorted(counts, key=lambda name: (-counts[name], name))])


def show_done(run: Run, done: Json, told: str) -> None:
    """What a command did, in one line or as JSON."""
    if run.json:
        run.emit(done)
    else:
        run.say(told)


def show_rows(run: Run, columns: Sequence[str], rows: Sequence[Json], *, empty: str) -> None:
    """Rows of JSON as a table of these columns, or one line where there are none."""
    if rows:
        run.table(columns, [[row.get(column, "") for column in columns] for row in rows])
    else:
        run.say(empty)


def show_entity(run: Run, found: Json) -> None:
    """One entity: its names and types, then its facts in both directions, each with its time and documents."""
    if found["outcome"] == "ambiguous":
        run.say(f"{found['asked']} can be any of these:")
        for candidate in found["candidates"]:
            told = ", ".join(f"{fact['relation']} {fact['value']}" for fact in candidate["facts"])
            run.say(f"  - {candidate['label']}{f' ({told})' if told else ''}: {candidate['iri']}")
        return
    run.say(f"{found['label']} ({', '.join(found['types'])})  {found['key']}")
    if found["redirected_from"]:
        run.say(f"  {found['redirected_from']} is another mention of it")
    if len(found["names"]) > 1:
        run.say(f"  names: {', '.join(found['names'])}")
    for group in found["groups"]:
        run.say(group["label"])
        for fact in group["facts"]:
            run.say(f"  - {_fact_line(fact)}")


def _fact_line(fact: Json) -> str:
    stated = "" if fact["positive"] else "not "
    details = [fact["validity"], *(f"{name} {value}" for name, value in fact["qualifiers"].items())]
    details += ["sources disagree"] if fact["conflicting"] else []
    details += [] if fact["holds"] else ["not at this time"]
    documents = ", ".join(dict.fromkeys(source["document"] for source in fact["sources"]))
    return f"{stated}{fact['other']['label']} ({'; '.join(part for part in details if part)}): {documents}"
