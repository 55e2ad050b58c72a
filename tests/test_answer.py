"""Answers: outcomes, evidence, and what is never said. Their sentences are in test_answer_words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.goldens import QUESTIONS, schema, view
from support.projection import Source, ViewOfWorld, World, first_seen
from support.sampleworld import sample_world

from kgplatform.answer.ask import ask, run_plan
from kgplatform.query.algebra import EntityTerm, Hop, Plan, Time, Var
from kgplatform.query.codec import from_json
from kgplatform.query.execute import Budget
from kgplatform.terms import PP, SC, literal
from kgplatform.times import OBSERVED, SUCCEEDED, Bound

SEEN = view()
FIELDS = (
    *("question", "outcome", "conflicting", "sentence", "clauses", "answers", "assertions", "citations", "plan", "sparql", "parameters"),
    *("warnings", "newest_source", "cost"),
)


def labels(question: str, seen: ViewOfWorld = SEEN) -> list[str]:
    return [item.label for item in ask(seen, question).answers]


@pytest.mark.parametrize(
    ("question", "outcome", "answers"),
    [
        ("Which on-call rotation owns the tax dependency of Checkout?", "answered", ["R7"]),
        ("What depends on Tax?", "answered", ["Checkout", "Invoice"]),
        ("What does Tax depend on?", "no_match", []),
        ("Who owns Tax, and since when?", "answered", ["Platform"]),
        ("Who owned Tax in June 2023?", "answered", ["Commerce"]),
        ("Who owned Tax in 2021?", "no_match", []),
        ("Who owned Levy in July 2022?", "answered", ["Commerce"]),
        ("Who owned Tax before Platform?", "answered", ["Commerce"]),
        ("Who owned Tax after Commerce?", "answered", ["Platform"]),
        ("Until when did Commerce own Tax?", "answered", ["1 March 2024"]),
        ("Who owns Notify?", "answered", ["Commerce", "Web"]),
        ("Where does Alex Kim work?", "ambiguous", []),
        ("In which country was Jack's spouse born?", "answered", ["United States"]),
        ("Which nationality has Jack's spouse?", "unsupported", []),
        ("Which nationality has Amit?", "answered", ["Canada"]),
        ("How many Tax incidents in 2025?", "answered", ["5"]),
        ("How many Tax incidents in 2023?", "answered", ["0"]),
        ("What is the latest Tax incident?", "answered", ["INC-105"]),
        ("Which component has the most dependencies?", "answered", ["Checkout"]),
        ("Which components have no owner?", "answered", ["Ledgerd", "Mailer", "Search"]),
        ("Does Checkout depend on Tax?", "answered", ["yes"]),
        ("Does Tax depend on Checkout?", "no_match", []),
        ("Which teams own no components?", "answered", ["Finance"]),
        ("Which teams own nothing?", "answered", ["Finance"]),
        ("How many components have no owner?", "answered", ["3"]),
        ("Where is New Jersey?", "answered", ["United States"]),
        ("When was Tax owned by Commerce?", "answered", ["from June 2022 until 1 March 2024"]),
        ("Which incidents happened in May 2025?", "answered", ["INC-104", "INC-105"]),
        ("Who works for Platform and lives in Lisbon?", "answered", ["Alex Kim"]),
        ("the owner of the dependency of Checkout", "answered", ["Commerce", "Platform"]),
        ("Who owns Flux?", "no_match", []),
        ("Who likes Tax?", "invalid", []),
    ],
)
def test_a_question_has_its_outcome_and_answers(question: str, outcome: str, answers: list[str]) -> None:
    made = ask(SEEN, question)

    assert (outcome, answers) == (made.outcome, [item.label for item in made.answers])


def test_the_json_has_exactly_its_fields() -> None:
    assert FIELDS == tuple(ask(SEEN, "Who owns Tax?").to_dict())


def test_candidates_are_in_the_json_of_an_ambiguous_answer_alone() -> None:
    assert (*FIELDS, "candidates") == tuple(ask(SEEN, "Where does Alex Kim work?").to_dict())


@pytest.mark.parametrize("question", sorted(QUESTIONS.values()))
def test_every_assertion_of_an_answer_has_a_citation(question: str) -> None:
    made = ask(SEEN, question)

    assert all(fact.citations for fact in made.assertions)
    assert "answered" != made.outcome or made.assertions or "0" == made.answers[0].label


def test_an_answer_cites_every_source_of_every_step() -> None:
    made = ask(SEEN, "In which country was Jack's spouse born?")

    assert ["pp:spouse", "pp:born_in", "pp:located_in"] == [fact.relation for fact in made.assertions]
    assert {"memos/family.md"} == {citation.document for citation in made.citations}


def test_a_citation_has_exactly_its_fields() -> None:
    citation = ask(SEEN, "Who owned Tax in June 2023?").to_dict()["citations"][0]

    assert ("document", "version", "claim", "quote", "start", "end", "valid_from", "valid_to", "scope", "trust", "note", "line") == tuple(
        citation
    )
    assert ("2022-06", "2024-03-01", ["public"], "extracted") == tuple(citation[f] for f in ("valid_from", "valid_to", "scope", "trust"))


def test_the_plan_of_an_answer_gives_the_same_answer() -> None:
    for question in QUESTIONS.values():
        one = ask(SEEN, question)
        other = run_plan(SEEN, from_json(one.to_dict()["plan"]))

        assert (one.outcome, one.sentence, one.answers, one.sparql) == (other.outcome, other.sentence, other.answers, other.sparql)


def test_sources_that_disagree_are_all_shown() -> None:
    made = ask(SEEN, "Who owns Notify?")

    assert made.conflicting
    assert {"memos/notify-a.md", "memos/notify-b.md"} == {citation.document for citation in made.citations}
    assert made.sentence.startswith("Sources disagree: Commerce owns Notify")


def test_an_answer_that_a_source_contradicts_shows_the_other_value() -> None:
    made = ask(SEEN, "Does Web own Notify?")

    assert made.conflicting
    assert {"Commerce", "Web"} == {fact.object.label for fact in made.assertions}


def test_disputed_facts_are_counted_and_told_apart() -> None:
    made = ask(SEEN, "How many components does Commerce own?")

    assert made.conflicting
    assert made.sentence.startswith("3 components are owned by Commerce, of which 1 is disputed. Sources disagree: Commerce owns Notify")
    assert [(3, 1)] == [(item.value, item.disputed) for item in made.answers]


def test_a_listed_thing_that_is_disputed_is_marked() -> None:
    answers = ask(SEEN, "Which components does Commerce own?").answers

    assert [("Cart", 0), ("Invoice", 0), ("Notify", 1)] == [(item.label, item.disputed) for item in answers]


def test_a_dispute_about_who_leads_is_told_with_those_who_lead() -> None:
    made = ask(SEEN, "Which team owns the most components?")

    assert [("Commerce", 3, 1), ("Web", 3, 1)] == [(item.label, item.value, item.disputed) for item in made.answers]
    assert (
        "3 components are owned by Web, of which 1 is disputed. What is disputed could change who has the most. Sources disagree: "
        in made.sentence
    )


def test_ties_are_all_named() -> None:
    world = World()
    for team in "ab":
        world.entity(f"team:{team}", SC.Team, team.upper())
    for number, team in enumerate("aabb"):
        world.entity(f"component:{number}", SC.Component, f"C{number}")
        world.says(f"component:{number}", SC.owned_by, f"team:{team}")
    made = ask(world.view(schema()), "Which team owns the most components?")

    assert [("A", 2), ("B", 2)] == [(item.label, item.value) for item in made.answers]
    assert "The most of any team: 2 components are owned by A; 2 components are owned by B." == made.sentence


def test_a_conflict_of_another_time_is_not_told() -> None:
    world = sample_world()
    commerce, platform = (a for a in world.facts if a.subject == "component:tax" and a.relation == SC.owned_by)
    world.conflicts.append((commerce, platform))

    assert not ask(world.view(schema()), "Who owns Tax?").conflicting


def test_a_source_that_says_no_is_an_answer() -> None:
    world = sample_world()
    world.says("component:tax", SC.depends_on, "component:cart", Source("memos/no.md", "Tax does not depend on Cart."), positive=False)
    made = ask(world.view(schema()), "Does Tax depend on Cart?")

    assert ("answered", ["no"]) == (made.outcome, [item.label for item in made.answers])
    assert ["memos/no.md"] == [citation.document for citation in made.citations]


def test_dates_that_sources_dispute_are_told_and_do_not_stop_a_count() -> None:
    world = World()
    world.entity("team:a", SC.Team, "A")
    world.entity("component:c", SC.Component, "C")
    one = world.says("component:c", SC.owned_by, "team:a", since="2020")
    other = world.says("component:c", SC.owned_by, "team:a", since="2021")
    world.conflicts.append((one, other))
    made = ask(world.view(schema()), "How many components does A own?")

    assert made.conflicting
    assert [1] == [item.value for item in made.answers]
    assert made.sentence.endswith("Sources disagree on the dates.")


def test_a_cut_list_is_truncated_and_a_cut_count_has_no_number() -> None:
    budget = Budget(rows=2)
    listed, counted = (ask(SEEN, q, budget=budget) for q in ("Which incidents affected Tax?", "How many incidents affected Tax?"))

    assert ("truncated", 2) == (listed.outcome, len(listed.answers))
    assert ("truncated", "No number is given, since not everything was read.") == (counted.outcome, counted.sentence)
    assert "only the first 2 rows were read" in listed.warnings


def test_a_deadline_is_an_outcome() -> None:
    assert "timed_out" == ask(SEEN, "Who owns Tax?", budget=Budget(seconds=0.0)).outcome


def test_what_a_caller_may_not_see_is_not_counted() -> None:
    finance = sample_world().view(schema(), scopes=["finance"])

    assert (["5"], ["6"]) == (labels("How many Tax incidents in 2025?"), labels("How many Tax incidents in 2025?", finance))


def test_an_unknown_entity_of_a_plan_and_a_hidden_one_are_refused_alike() -> None:
    def asked(key: str) -> tuple[str, str]:
        made = run_plan(SEEN, Plan(hops=(Hop(Var("c"), SC.owned_by, EntityTerm(key)),), select=("c",)))
        return made.outcome, made.sentence.replace(key.partition(":")[2], "x")

    assert asked("team:avalon") == asked("team:absent")
    assert "invalid" == asked("team:avalon")[0]


def test_a_mention_key_of_a_plan_is_its_entity() -> None:
    plan = Plan(hops=(Hop(EntityTerm("component:tax"), SC.owned_by, Var("t")),), select=("t",))

    assert ["Platform"] == [item.label for item in run_plan(SEEN, plan).answers]


def test_a_bound_below_the_least_trust_is_unknown() -> None:
    made = ask(SEEN, "Who owns Tax, and since when?", min_trust="authoritative")

    assert ["Platform"] == [item.label for item in made.answers]
    assert {"kind": "unknown", "at": None, "after": None, "shown": "unknown"} == made.assertions[0].start.to_dict()
    assert {"catalogue/catalog.yaml"} == {citation.document for citation in made.citations}


def test_an_end_is_trusted_as_much_as_the_start_of_what_followed() -> None:
    succeeded = Bound(SUCCEEDED, "2025-07-01T00:00:00Z", "day")

    def until(trust: str) -> Any:
        world = World()
        world.entity("component:a", SC.Component, "A")
        for team in ("old", "new"):
            world.entity(f"team:{team}", SC.Team, team)
        world.says("component:a", SC.owned_by, "team:old", Source("c/x", trust="authoritative"), since="2020", until=succeeded)
        world.says("component:a", SC.owned_by, "team:new", Source("m/y", trust=trust), since="2025-07-01")
        return ask(world.view(schema()), "Who owned A in 2021?", min_trust="authoritative").assertions[0].end.at

    assert ("2025-07-01", None) == (until("authoritative"), until("extracted"))


def test_a_start_that_a_catalogue_saw_between_two_versions_is_shown_as_a_range() -> None:
    world = World()
    world.entity("component:tax", SC.Component, "Tax")
    world.entity("team:platform", SC.Team, "Platform")
    between = Bound(OBSERVED, "2024-04-02T00:00:00Z", "day", "2023-09-10T00:00:00Z")
    world.says("component:tax", SC.owned_by, "team:platform", since=between)

    assert "Platform owns Tax, since between 10 September 2023 and 2 April 2024." == ask(world.view(schema()), "Who owns Tax?").sentence


def test_an_earlier_question_than_the_first_sighting_says_first_seen() -> None:
    made = ask(SEEN, "Who owned Cart in 2020?")

    assert ("no_match", True) == (made.outcome, made.sentence.endswith("first seen 10 September 2023."))


def test_a_later_question_than_the_end_says_until_when() -> None:
    world = World()
    world.entity("component:a", SC.Component, "A")
    world.entity("team:t", SC.Team, "T")
    world.says("component:a", SC.owned_by, "team:t", since="2020", until="2021-05")

    assert ask(world.view(schema()), "Who owns A?").sentence.endswith("; it was so until May 2021.")


def test_the_view_decides_what_now_is() -> None:
    assert ["Commerce"] == labels("Who owns Tax?", sample_world().view(schema(), valid_at="2023-06-15T00:00:00Z"))


def test_an_explanation_names_plan_checks_query_and_timings() -> None:
    told = ask(SEEN, "Who owned Tax in June 2023?", explain=True).explanation

    assert told.startswith("plan: Tax was owned by a group or a person in June 2023")
    for part in ("  ends: ", "  licences: ", "SELECT DISTINCT", "?_entity1 = <https://kg.example/id/component/tax>", "milliseconds: plan "):
        assert part in told


def test_a_refused_plan_says_which_check() -> None:
    made = run_plan(SEEN, Plan(hops=(Hop(EntityTerm("team:web"), SC.owned_by, Var("t")),), select=("t",)))

    assert ("invalid", ("the plan failed the check of ends",)) == (made.outcome, made.warnings)
    assert "'owned by' starts from a catalogue item, not a team" in made.sentence.lower().replace("’", "'")


@pytest.mark.parametrize(
    ("limit", "budget", "outcome", "warnings"),
    [
        (2, Budget(), "answered", ("the first 2 of 6",)),
        (6, Budget(), "answered", ()),
        (2, Budget(rows=3), "truncated", ("the first 2; there are more", "only the first 3 rows were read")),
    ],
)
def test_a_limit_is_no_cut_and_tells_how_many_there_are(limit: int, budget: Budget, outcome: str, warnings: tuple[str, ...]) -> None:
    plan = Plan(hops=(Hop(Var("i"), SC.affects, EntityTerm("component:tax")),), select=("i",), limit=limit)
    made = run_plan(SEEN, plan, budget=budget)

    assert (outcome, limit, warnings) == (made.outcome, len(made.answers), made.warnings)


def test_times_of_a_plan_are_told() -> None:
    plan = Plan(hops=(Hop(EntityTerm("component:tax"), SC.owned_by, Var("t")),), select=("t",), time=Time("during", "2024-01", "2024-04"))

    assert run_plan(SEEN, plan).sentence.startswith("From January 2024 until April 2024: Commerce owned Tax")


def test_a_principal_of_higher_trust_never_sees_lower_sources() -> None:
    strict = sample_world().view(schema())
    strict.principal = replace(strict.principal, min_trust="authoritative")
    made = ask(strict, "Who owned Tax in June 2024?")

    assert {"authoritative"} == {citation.trust for citation in made.citations}


def test_a_literal_is_found_whatever_its_case() -> None:
    world = World()
    world.entity("component:a", SC.Component, "A")
    world.entity("incident:i", SC.Incident, "I-1")
    world.says("incident:i", SC.affects, "component:a", since=first_seen("2025-01-01"))
    world.says("incident:i", SC.severity, literal("HIGH"), since=first_seen("2025-01-01"))

    assert ["I-1"] == labels("Which incidents with severity high affect A?", world.view(schema()))


def test_a_person_may_be_asked_for_by_their_team() -> None:
    world = World()
    world.entity("team:a", SC.Team, "Alpha")
    world.entity("person:p", PP.Person, "Ada")
    world.says("person:p", PP.works_for, "team:a")

    assert ["Ada"] == labels("Who works for Alpha?", world.view(schema()))
