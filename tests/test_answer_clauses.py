"""Citations stand at their clause, and the hops of a path in its order."""

from __future__ import annotations

import pytest
from support.goldens import QUESTIONS, schema, view
from support.projection import World
from support.sampleworld import sample_world

from kgplatform.answer.ask import ask
from kgplatform.answer.words.marks import before_mark, clauses_of, mark, unmarked
from kgplatform.terms import LABEL, SC, literal

SEEN = view()


@pytest.mark.parametrize(
    "question", [*sorted(QUESTIONS.values()), "Who owns Flux?", "Who owns Tax in 2030?", "Who likes Tax?", "Where does Alex Kim work?"]
)
def test_the_clauses_together_are_the_sentence_and_cite_what_the_answer_cites(question: str) -> None:
    made = ask(SEEN, question)
    cited = {number for fact in made.assertions for number in fact.citations}

    assert made.sentence == "".join(clause.text for clause in made.clauses)
    assert {number for clause in made.clauses for number in clause.citations} <= cited
    assert not set("\ue000\ue001") & set(made.sentence)


def test_each_hop_of_a_path_cites_its_own_sources() -> None:
    made = ask(SEEN, "Which on-call rotation owns the tax dependency of Checkout?")

    assert ["R7 is on call for Platform", ", which owns Tax", ", which Checkout depends on."] == [clause.text for clause in made.clauses]
    assert [tuple(fact.citations) for fact in made.assertions] == [clause.citations for clause in made.clauses]
    assert [0, 1] == [number for fact in made.assertions for number in fact.citations][:2]


def test_sources_that_disagree_are_cited_where_each_is_told() -> None:
    made = ask(SEEN, "Who owns Notify?")
    documents = [{made.citations[number].document for number in clause.citations} for clause in made.clauses]

    assert [{"memos/notify-b.md"}, {"memos/notify-a.md"}] == documents


def test_what_rests_on_no_fact_cites_nothing() -> None:
    made = ask(SEEN, "Who owns Tax in 2030?")

    assert [True, False] == [bool(clause.citations) for clause in made.clauses]


def test_several_things_of_one_clause_cite_the_sources_of_all() -> None:
    (clause,) = ask(SEEN, "What depends on Tax?").clauses

    assert (0, 1) == clause.citations


def test_a_name_with_the_characters_of_marks_marks_nothing() -> None:
    world = sample_world()
    world.says("component:odd", LABEL, literal("O\ue000dd\ue001"))
    world.says("component:odd", SC.depends_on, "component:tax")
    made = ask(world.view(schema()), "What depends on Tax?")

    assert "Checkout, Invoice and Odd depend on Tax." == made.sentence == "".join(clause.text for clause in made.clauses)


def test_marks_are_read_as_they_were_written() -> None:
    text = before_mark(f"A owns B{mark(['x', 'y'])}", ", since 2024") + f"; C owns D{mark(['z'])}."
    clauses = clauses_of(text, {"x": [0], "y": [1, 0], "z": []})

    assert [("A owns B, since 2024", (0, 1)), ("; C owns D.", ())] == [(clause.text, clause.citations) for clause in clauses]
    assert "A owns B, since 2024; C owns D." == unmarked(text)


def test_a_path_of_four_hops_is_told_in_its_order() -> None:
    world = World()
    for key in ("component:a", "component:b"):
        world.entity(key, SC.Component, key[-1].upper())
    world.entity("team:t", SC.Team, "T")
    world.entity("rotation:r", SC.Rotation, "R")
    world.says("component:a", SC.depends_on, "component:b")
    world.says("component:b", SC.owned_by, "team:t", since="2024")
    world.says("team:t", SC.on_call, "rotation:r")
    made = ask(world.view(schema()), "Which on-call rotation owns the dependency of A?")

    assert "R is on call for T, which owns B, which A depends on." == made.sentence
    assert ["sc:on_call", "sc:owned_by", "sc:depends_on"] == [fact.relation for fact in made.assertions]
