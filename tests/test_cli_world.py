"""The sample world's questions and their answers, through the command line: each row of the table of that world."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.commandline import done, kg

Answer = dict[str, Any]
FIELDS = (
    *(
        "question",
        "outcome",
        "conflicting",
        "sentence",
        "clauses",
        "answers",
        "assertions",
        "citations",
        "plan",
        "sparql",
        "parameters",
        "warnings",
    ),
    *("newest_source", "cost"),
)


def asked(question: str, *options: str) -> Answer:
    answer: Answer = done("ask", question, "--json", *options).json
    return answer


def labels(answer: Answer) -> list[str]:
    return sorted(str(row["label"]) for row in answer["answers"])


def documents(answer: Answer) -> set[str]:
    return {str(citation["document"]) for citation in answer["citations"]}


def test_an_answer_has_exactly_the_fields_of_the_contract(world: Path) -> None:
    answer = asked("Who owns Tax?")

    assert sorted(FIELDS) == sorted(answer)
    assert {"document", "version", "quote", "start", "end", "valid_from", "valid_to", "scope", "trust", "note", "line", "claim"} == set(
        answer["citations"][0]
    )
    assert {"model_calls", "input_tokens", "output_tokens", "milliseconds"} == set(answer["cost"])
    assert 0 == answer["cost"]["model_calls"] == answer["cost"]["input_tokens"] == answer["cost"]["output_tokens"]


def test_the_rotation_of_the_tax_dependency_is_said_as_a_path(world: Path) -> None:
    answer = asked("Which on-call rotation owns the tax dependency of Checkout?")

    assert ("answered", ["R7"]) == (answer["outcome"], labels(answer))
    assert "Platform" in answer["sentence"] and "Tax" in answer["sentence"]
    assert "R7 owns" not in answer["sentence"]
    assert 3 <= len(answer["assertions"])
    assert "catalogue/catalog.yaml" in documents(answer)


@pytest.mark.parametrize(
    ("question", "options", "expected"),
    [
        ("What depends on Tax?", (), ["Checkout", "Invoice"]),
        ("Who owns Tax?", (), ["Platform"]),
        ("Who owns Tax?", ("--valid-at", "2023-06-15"), ["Commerce"]),
        ("Who owned Tax in June 2023?", (), ["Commerce"]),
        ("Who owns Invoice?", (), ["Commerce"]),
        ("Who owns Invoice?", ("--as", "finance"), ["Avalon"]),
        ("In which country was Jack's spouse born?", (), ["United States"]),
        ("Which nationality has Amit?", (), ["Canada"]),
    ],
)
def test_a_question_is_answered(world: Path, question: str, options: tuple[str, ...], expected: list[str]) -> None:
    answer = asked(question, *options)

    assert ("answered", False, expected) == (answer["outcome"], answer["conflicting"], labels(answer))
    assert answer["citations"] and answer["assertions"] and answer["newest_source"]


@pytest.mark.parametrize(
    ("question", "outcome"),
    [
        ("What does Tax depend on?", "no_match"),
        ("Who owned Tax in 2021?", "no_match"),
        ("Where does Alex Kim work?", "ambiguous"),
        ("Which nationality has Jack's spouse?", "unsupported"),
    ],
)
def test_a_question_without_an_answer_says_why(world: Path, question: str, outcome: str) -> None:
    answer = asked(question)

    assert outcome == answer["outcome"]
    assert answer["sentence"]


def test_since_when_is_a_value_at_the_precision_that_was_stated(world: Path) -> None:
    answer = asked("Who owns Tax, and since when?")

    assert ["Platform"] == labels(answer)
    assert "since 1 March 2024" in answer["sentence"]
    assert {"memos/handover.md", "memos/runbook-tax.md"} <= documents(answer)


def test_a_question_about_a_day_before_all_sources_tells_when_it_was_first_stated(world: Path) -> None:
    assert "June 2022" in asked("Who owned Tax in 2021?")["sentence"]


def test_a_former_name_is_told(world: Path) -> None:
    answer = asked("Who owned Levy in July 2022?")

    assert ["Commerce"] == labels(answer)
    assert "Levy" in " ".join((answer["sentence"], *answer["warnings"]))


def test_a_confidential_owner_is_dated_for_those_who_see_it(world: Path) -> None:
    assert "1 July 2025" in asked("Who owns Invoice, and since when?", "--as", "finance")["sentence"]
    assert {("finance",)} == {
        tuple(c["scope"]) for c in asked("Who owns Invoice?", "--as", "finance")["citations"] if "avalon" in c["document"]
    }


def test_sources_that_disagree_are_both_shown(world: Path) -> None:
    answer = asked("Who owns Notify?")

    assert ("answered", True, ["Commerce", "Web"]) == (answer["outcome"], answer["conflicting"], labels(answer))
    assert {"memos/notify-a.md", "memos/notify-b.md"} <= documents(answer)


def test_people_of_one_name_are_told_apart_by_team_and_city(world: Path) -> None:
    said = str(asked("Where does Alex Kim work?"))

    assert all(word in said for word in ("Platform", "Lisbon", "Finance", "Toronto"))


def test_a_birthplace_is_named_where_a_nationality_was_asked(world: Path) -> None:
    assert "born" in asked("Which nationality has Jack's spouse?")["sentence"]


def test_the_country_of_birth_rests_on_three_assertions(world: Path) -> None:
    assert 3 == len(asked("In which country was Jack's spouse born?")["assertions"])


@pytest.mark.parametrize(("options", "count"), [((), "5"), (("--as", "finance"), "6")])
def test_incidents_are_counted_for_each_caller(world: Path, options: tuple[str, ...], count: str) -> None:
    answer = asked("How many Tax incidents in 2025?", *options)

    assert "answered" == answer["outcome"]
    assert [count] == [str(row["value"]) for row in answer["answers"]]


def test_erasing_leaves_what_the_other_sources_say(own_world: Path) -> None:
    done("erase", "memos/handover.md", "--yes")
    assert ["Platform"] == labels(asked("Who owned Tax on 2024-03-15?"))

    done("erase", "memos/runbook-tax.md", "--yes")
    left = asked("Who owns Tax, and since when?")
    assert ["Platform"] == labels(left)
    assert "between 10 September 2023 and 2 April 2024" in left["sentence"]

    done("erase", "catalogue/catalog.yaml", "--yes")
    assert "no_match" == asked("Who owns Tax?")["outcome"]


def test_an_outcome_is_no_error(world: Path) -> None:
    said = done("ask", "What does Tax depend on?")

    assert "no_match" in said.out and "" == said.err


def test_a_plan_that_was_printed_runs_to_the_same_answer(world: Path, tmp_path: Path) -> None:
    answer = asked("What depends on Tax?")
    (tmp_path / "plan.json").write_text(json.dumps(answer["plan"]), encoding="utf-8")

    again = done("plan", tmp_path / "plan.json", "--json").json
    assert (answer["outcome"], answer["answers"], answer["citations"]) == (again["outcome"], again["answers"], again["citations"])


def test_a_plan_that_is_none_is_one_line(world: Path, tmp_path: Path) -> None:
    for text in ("{", "[]", '{"hops": 3}', "null"):
        (tmp_path / "plan.json").write_text(text, encoding="utf-8")
        said = kg("plan", tmp_path / "plan.json")
        assert 1 == said.code and 1 == len(said.err.splitlines()), text


def test_explain_shows_plan_checks_query_and_timings(world: Path) -> None:
    said = done("ask", "What depends on Tax?", "--explain").out

    assert "SELECT" in said and "plan" in said.lower() and "check" in said.lower() and "milliseconds" in said


def test_search_finds_a_name_with_a_typing_mistake(world: Path) -> None:
    assert "Checkout" in [hit["label"] for hit in done("search", "Chekout", "--json").json]


def test_an_entity_shows_its_facts_in_both_directions(world: Path) -> None:
    said = done("entity", "Tax").out

    assert all(word in said for word in ("Tax", "Platform", "Checkout", "Invoice"))


def test_a_hidden_entity_is_as_unknown_as_one_that_does_not_exist(world: Path) -> None:
    hidden, absent = kg("entity", "INC-109"), kg("entity", "INC-999")

    assert (1, "") == (hidden.code, hidden.out) == (absent.code, absent.out)
    assert "there is no entity 'INC-109'" in hidden.err and 1 == hidden.err.count("INC-109")


def test_the_demo_answers_its_question_with_seconds_per_stage(tmp_path: Path, now: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    said = done("demo").out

    assert "R7 is on call for Platform" in said and "evidence:" in said
    assert 3 <= said.count(" s  ")
    assert (tmp_path / "demo-data/ledger.sqlite").exists()
    assert "R7" in done("demo").out


def test_a_number_is_printed_once(world: Path) -> None:
    assert "  - 5\n" in done("ask", "How many Tax incidents in 2025?").out
