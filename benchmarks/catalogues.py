"""How much of a folder of Backstage files the product answers, with the settings that `init` writes.

    python benchmarks/catalogues.py DIR [--questions 40] [--json]        make catalogues DIR=path

A plain scan of the YAML (see `catalogue_scan`) finds the owners and relations. The folder is read by `kgplatform ingest`, then each
of them is asked for by a plan, and some owners by a question. Told are the shares, each miss with its reason, and what waits in
quarantine by its cause.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from catalogue_scan import Name, Scan, Statement, scanned

from kgplatform.answer.ask import ask, run_plan
from kgplatform.cli import main as command_line
from kgplatform.curation.review import RefusedEvidence, quarantined
from kgplatform.model import CompiledQuery
from kgplatform.query.algebra import EntityTerm, Hop, Plan, Var, Variable
from kgplatform.settings.load import load_settings
from kgplatform.terms import KG, PP, SC, curie, entity_iri
from kgplatform.views.opening import open_view
from kgplatform.views.view import View

SCHEMES: Final = {"group": "team", "user": "person"}
"""The schemes of keys where they are not the kind's own name (docs/data-model.md)."""


@dataclass(frozen=True)
class Measured:
    """`missed` says why; `questions` are (question, outcome, whether the owner is the answer); `refused` counts by cause."""

    scan: Scan
    missed: dict[Statement, str]
    questions: tuple[tuple[str, str, bool], ...]
    claims: int
    refused: Counter[str]

    def share(self, relation: str = "") -> float:
        wanted = [s for s in self.scan.statements if relation in ("", s.relation)]
        return 1 - sum(s in self.missed for s in wanted) / len(wanted) if wanted else 1.0


def measured(folder: Path, *, questions: int = 40) -> Measured:
    """Read the folder into a data directory that is thrown away, and ask for all that the scan finds."""
    scan = scanned(folder)
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch) / "kgdata"
        with redirect_stdout(sys.stderr):
            for line in (["init"], ["ingest", str(folder)]):
                command_line([*line, "--data", str(data)])
        with open_view(load_settings(data)) as view:
            answered = _answered(view, scan)
            missed = [statement for statement in scan.statements if statement not in answered]
            asked = tuple(_asked(view, statement, scan) for statement in _sample(scan, questions))
            refused = quarantined(view)
            claims = _claims(view)
    return Measured(scan, {each: _reason(each, refused) for each in missed}, asked, claims, Counter(map(_cause, refused)))


# -- asking


def key_of(name: Name) -> str:
    return f"{SCHEMES.get(name.kind, name.kind)}:{name.name if name.namespace == 'default' else f'{name.namespace}/{name.name}'}"


def _iri(relation: str) -> str:
    return (PP if relation == "member_of" else SC)[relation]


def _answered(view: View, scan: Scan) -> frozenset[Statement]:
    """The statements that plans answer: all objects of a subject and relation by one plan."""
    wanted: dict[tuple[Name, str], list[Name]] = defaultdict(list)
    for statement in scan.statements:
        wanted[statement.subject, statement.relation].append(statement.object)
    answered: set[Statement] = set()
    for (subject, relation), objects in wanted.items():
        plan = Plan("", (Variable("x"),), (Hop(EntityTerm(key_of(subject)), _iri(relation), Var("x")),), select=("x",))
        iris = {item.iri for item in run_plan(view, plan).answers}
        answered |= {Statement(subject, relation, each) for each in objects if entity_iri(view.base, key_of(each)) in iris}
    return frozenset(answered)


def _sample(scan: Scan, number: int) -> list[Statement]:
    """Owners of entities whose name no other bears, evenly over all."""
    things = {*scan.titles, *(end for s in scan.statements for end in (s.subject, s.object))}
    bearers = Counter(word for thing in things for word in {thing.name, scan.titles.get(thing, thing.name).casefold()})
    owners = [s for s in scan.statements if s.relation == "owned_by" and bearers[scan.titles.get(s.subject, "").casefold()] == 1]
    return owners[:: max(1, len(owners) // number)] if number else []


def _asked(view: View, statement: Statement, scan: Scan) -> tuple[str, str, bool]:
    question = f"Who owns {scan.titles[statement.subject]}?"
    answer = ask(view, question)
    return question, answer.outcome, entity_iri(view.base, key_of(statement.object)) in {item.iri for item in answer.answers}


# -- what is missing


def _claims(view: View) -> int:
    text = f"SELECT (COUNT(DISTINCT ?claim) AS ?n) WHERE {{ GRAPH ?g {{ ?claim a <{KG.Claim}> }} }}"
    return int(view.select(CompiledQuery(text, ("n",)))[0]["n"].value)


def _cause(one: RefusedEvidence) -> str:
    return f"{one.claim.reason} {curie(one.fact.relation)}"


def _reason(statement: Statement, refused: list[RefusedEvidence]) -> str:
    """The gate's reason if the claim waits in quarantine; else it was not claimed, or not answered."""
    fact = (key_of(statement.subject), _iri(statement.relation), key_of(statement.object))
    return next((one.claim.message for one in refused if one.fact[:3] == fact), "no claim says so, or it is not answered")


# -- telling


def as_json(found: Measured) -> dict[str, object]:
    relations = Counter(statement.relation for statement in found.scan.statements)
    return {
        "relations": {name: {"found": number, "answered": round(number * found.share(name))} for name, number in sorted(relations.items())},
        "share": round(found.share(), 4),
        "owners": round(found.share("owned_by"), 4),
        "questions": {"asked": len(found.questions), "answered": sum(is_answered for *_, is_answered in found.questions)},
        "passed over": dict(found.scan.passed),
        "missed": [
            {
                "subject": str(s.subject),
                "relation": s.relation,
                "object": str(s.object),
                "reason": reason,
                "file": str(found.scan.statements[s]),
            }
            for s, reason in found.missed.items()
        ],
        "unanswered": [{"question": question, "outcome": outcome} for question, outcome, is_answered in found.questions if not is_answered],
        "claims": found.claims,
        "quarantined": {cause: {"claims": n, "share": round(n / found.claims, 4)} for cause, n in found.refused.most_common()},
    }


def told(found: Measured) -> list[str]:
    relations = Counter(statement.relation for statement in found.scan.statements)
    lines = [f"{name}\t{number} found\t{found.share(name):.1%} answered" for name, number in sorted(relations.items())]
    lines.append(f"all\t{len(found.scan.statements)} found\t{found.share():.1%} answered")
    lines.append(f"questions\t{len(found.questions)} asked\t{sum(ok for *_, ok in found.questions)} answered")
    lines += [f"passed over\t{what}\t{number}" for what, number in found.scan.passed.most_common()]
    lines += [f"missed\t{s.subject} {s.relation} {s.object}\t{reason}\t{found.scan.statements[s]}" for s, reason in found.missed.items()]
    lines += [f"unanswered\t{question}\t{outcome}" for question, outcome, is_answered in found.questions if not is_answered]
    number = sum(found.refused.values())
    lines.append(f"claims\t{found.claims}\t{number / found.claims if found.claims else 0:.1%} in quarantine")
    lines += [f"quarantined\t{cause}\t{n}\t{n / found.claims:.1%}" for cause, n in found.refused.most_common()]
    return lines


def run(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=int, default=40, help="how many owners are asked for by a question")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    if not given.folder.is_dir():
        parser.error(f"{given.folder}: no such folder")
    found = measured(given.folder, questions=given.questions)
    print(json.dumps(as_json(found), indent=1) if given.json else "\n".join(told(found)))
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
