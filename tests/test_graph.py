"""The graph object: one suite for `kgplatform.open` and `kgplatform.connect`, whose results are equal; what only one can do."""

from __future__ import annotations

import io
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pandas
import pyoxigraph as ox
import pytest
import rdflib
from support.kgserver import Server, serving

import kgplatform
from kgplatform import KnowledgeGraph
from kgplatform.errors import AmbiguousName, PlanError, QueryRefused, QuerySyntaxError, QueryTimeout, UnknownName, UsageError
from kgplatform.local import LocalGraph
from kgplatform.results import Answer, Conflict
from kgplatform.settings.load import load_settings

EDITOR = "finance-editor"
STEWARD = "finance-steward"
OWNER = "Who owns Tax, and since when?"
COUNT = "SELECT (COUNT(*) AS ?n) WHERE { ?incident a sc:Incident }"


@pytest.fixture(scope="module")
def shared_server(read_world_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("graph") / "kgdata"
    shutil.copytree(read_world_once, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGPLATFORM_NOW", "2025-11-01")
        with serving(data) as found:
            yield found


Opener = Callable[..., KnowledgeGraph]


@pytest.fixture(params=["open", "connect"])
def opener(request: pytest.FixtureRequest, shared_server: Server, now: None) -> Opener:
    """What makes a graph of the same world, as a principal: of its directory, or over its server."""

    def made(who: str = "", **dates: str) -> KnowledgeGraph:
        if request.param == "open":
            return kgplatform.open(shared_server.data, principal=who, **dates)
        return kgplatform.connect(shared_server.url, token=shared_server.tokens[who] if who else "", **dates)

    return made


@pytest.fixture
def graph(opener: Opener) -> Iterator[KnowledgeGraph]:
    with opener(STEWARD) as found:
        yield found


# -- asking and looking


def test_an_answer_has_its_evidence(graph: KnowledgeGraph) -> None:
    answer = graph.ask(OWNER)

    assert ("answered", ["Platform"]) == (answer.outcome, [item.label for item in answer.answers])
    assert "since 1 March 2024" in answer.sentence
    assert all("Tax" in {fact.subject.label, fact.object.label} for fact in answer.assertions)
    first = answer.citations[answer.assertions[0].citations[0]]
    assert first.document and first.quote and first.trust
    assert answer
    assert f"{answer}".startswith("Platform owns Tax")
    assert "[1]" in f"{answer}"


def test_what_is_not_found_is_an_outcome_and_not_true(graph: KnowledgeGraph) -> None:
    answer = graph.ask("Who owns Quuxly?")

    assert "no_match" == answer.outcome
    assert not answer


def test_a_graph_answers_as_its_principal_and_at_its_time(opener: Opener) -> None:
    with opener("") as public, opener("finance") as finance, opener("", valid_at="2023-06-01") as former:
        asked = "How many Tax incidents in 2025?"
        assert [5, 6] == [each.ask(asked).answers[0].value for each in (public, finance)]
        assert "Commerce" in former.ask("Who owns Tax?").sentence


def test_a_plan_of_an_answer_gives_it_again(graph: KnowledgeGraph) -> None:
    answer = graph.ask(OWNER)
    assert answer.plan is not None

    again = graph.plan(answer.plan)

    assert answer.sentence == again.sentence
    with pytest.raises(PlanError):
        graph.plan({"hops": "none"})


def test_entities_are_found_and_described(graph: KnowledgeGraph) -> None:
    (hit, *_others) = graph.search("tax")

    entity = graph.entity(hit.key)

    assert ("Tax", ("component",)) == (entity.label, entity.types) or "Tax" == entity.label
    assert "Platform" in {fact.other.label for group in entity.groups for fact in group.facts if fact.holds}
    with pytest.raises(UnknownName):
        graph.entity("component:quuxly")


def test_an_ambiguous_name_is_an_error_that_has_the_candidates(graph: KnowledgeGraph) -> None:
    with pytest.raises(AmbiguousName) as raised:
        graph.entity("Alex Kim")

    assert 2 <= len(raised.value.candidates)
    assert all(graph.entity(each.iri).iri == each.iri for each in raised.value.candidates)


def test_rows_of_sparql_are_typed(graph: KnowledgeGraph) -> None:
    rows = list(graph.sparql(COUNT).rows())
    assert isinstance(rows[0]["n"], ox.Literal)

    frame = graph.sparql("SELECT ?name ?day WHERE { ?i a sc:Incident ; rdfs:label ?name ; sc:occurred_on ?day } ORDER BY ?name").to_pandas()

    assert isinstance(frame, pandas.DataFrame)
    assert ["name", "day"] == list(frame.columns)
    assert frame["day"].notna().all()
    assert graph.sparql("ASK { ?s ?p ?o }").boolean
    triples = graph.sparql("CONSTRUCT { ?i rdfs:label ?name } WHERE { ?i a sc:Incident ; rdfs:label ?name }").to_rdflib()
    assert isinstance(triples, rdflib.Graph)
    assert len(frame) <= len(triples)
    assert "<table>" in graph.sparql(COUNT)._repr_html_()


def test_rows_go_into_a_table_of_arrow(graph: KnowledgeGraph) -> None:
    query = "SELECT ?name ?day WHERE { ?i a sc:Incident ; rdfs:label ?name ; sc:occurred_on ?day } ORDER BY ?name"
    table = graph.sparql(query).to_arrow()

    assert ["name", "day"] == table.column_names
    assert list(graph.sparql(query).to_pandas()["day"]) == table.column("day").to_pylist()
    mixed = graph.sparql('SELECT ?v WHERE { VALUES ?v { 1 "one" } }').to_arrow().column("v").to_pylist()
    assert {"1", "one"} == set(mixed)


def test_errors_of_sparql_are_the_same_everywhere(graph: KnowledgeGraph) -> None:
    with pytest.raises(QuerySyntaxError):
        graph.sparql("SELECT * WHERE {")
    with pytest.raises(QueryRefused):
        graph.sparql("DROP ALL")
    with pytest.raises(QueryTimeout):
        graph.sparql("SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }", timeout=0.5)
    with pytest.raises(UsageError):
        graph.sparql(COUNT).to_rdflib()


def test_threads_may_ask_at_once(graph: KnowledgeGraph) -> None:
    told: list[str] = []
    threads = [threading.Thread(target=lambda: told.append(graph.ask(OWNER).sentence)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 4 == len(told) and 1 == len(set(told))


def test_an_export_is_rdf(graph: KnowledgeGraph) -> None:
    out = io.BytesIO()

    graph.export(out)

    assert 100 < sum(1 for _ in ox.parse(out.getvalue(), format=ox.RdfFormat.TRIG))


# -- judging


READS: Final[tuple[Callable[[KnowledgeGraph], object], ...]] = (
    lambda graph: graph.search("tax"),
    lambda graph: graph.entity("Tax"),
    lambda graph: graph.conflicts(),
    lambda graph: graph.quarantine(),
    lambda graph: graph.unread(),
    lambda graph: graph.decisions(ended=True),
    lambda graph: graph.validate(),
    lambda graph: graph.ask(OWNER).citations,
    lambda graph: graph.ask(OWNER).assertions,
)


def test_both_makers_give_equal_values(shared_server: Server, now: None) -> None:
    with (
        kgplatform.open(shared_server.data, principal=STEWARD) as local,
        kgplatform.connect(shared_server.url, token=shared_server.tokens[STEWARD]) as remote,
    ):
        for read in READS:
            assert read(local) == read(remote)


def test_what_is_refused_says_why(graph: KnowledgeGraph) -> None:
    refused = graph.quarantine()

    assert refused and all(each.reason and each.message for each in refused)
    assert refused[0] == graph.refused(refused[0].id)
    with pytest.raises(UnknownName):
        graph.refused("f" * 64)


def test_a_report_looked_at_something(graph: KnowledgeGraph) -> None:
    report = graph.validate()

    assert any(each.focus_nodes for each in report.looked_at)
    assert report.conforms in (True, False)
    assert graph.validation(form="turtle").count("sh:ValidationReport")
    assert all(isinstance(each, Conflict) and 2 <= len(each.values) for each in graph.conflicts())


def test_a_rejection_is_taken_back(opener: Opener) -> None:
    with opener(STEWARD) as graph:
        claim = graph.ask("Who owns Tax?").citations[0]
        made = graph.reject(claim.claim, reason="a test of the graph object")
        try:
            assert made.decision in {each.decision for each in graph.decisions()}
            assert claim.claim not in {each.claim for each in graph.ask("Who owns Tax?").citations}
        finally:
            assert made.decision == graph.unreject(claim.claim).decision
        assert claim.claim in {each.claim for each in graph.ask("Who owns Tax?").citations}


# -- bringing in


def test_records_are_read_once_by_key(opener: Opener, request: pytest.FixtureRequest) -> None:
    batch = f"batch-{request.node.callspec.id}"
    rows = [{"id": f"{batch}-{n}", "component": "Tax", "occurred_on": "2025-10-0" + str(n), "severity": "major"} for n in (1, 2)]
    with opener(EDITOR) as graph:
        read = graph.ingest(rows, collection="incidents", name=batch, key="id")
        again = graph.ingest(rows[:1], collection="incidents", name=batch, key="id")

        assert (2, 0) == (read.documents_read, len(read.problems))
        assert 0 < read.accepted
        assert 1 == again.documents_read
        for row in rows:  # the second batch took nothing of the first away
            assert graph.entity(f"incident:{row['id']}").groups


def test_a_data_frame_is_read(opener: Opener, request: pytest.FixtureRequest) -> None:
    batch = f"frame-{request.node.callspec.id}"
    frame: Any = pandas.DataFrame(
        {"id": [f"{batch}-1", f"{batch}-2"], "component": ["Tax", "Tax"], "occurred_on": pandas.to_datetime(["2025-10-05", None])}
    )
    with opener(EDITOR) as graph:
        summary = graph.ingest(frame, collection="incidents", name=batch)

        assert 1 == summary.documents_read
        day = graph.sparql(f"SELECT ?day WHERE {{ ?i rdfs:label '{batch}-1' ; sc:occurred_on ?day }}").to_pandas()
        assert ["2025-10-05"] == [str(each) for each in day["day"]]


def test_files_are_read_and_accounted_for(opener: Opener, tmp_path: Path) -> None:
    (tmp_path / "reviews").mkdir()
    (tmp_path / "reviews" / "odd.md").write_text("Nothing that anybody knows.\n", encoding="utf-8")
    (tmp_path / "reviews" / "odd.bin").write_bytes(b"\0\1")
    with opener(EDITOR) as graph:
        summary = graph.ingest(tmp_path)

    assert 1 == summary.documents_read
    assert summary.warning and "no document gave a claim" in summary.warning
    assert 1 == len(summary.skipped) + len(summary.problems)
    assert summary.to_dict()["documents"][0]["notices"]


@pytest.mark.parametrize(
    ("source", "options", "said"),
    [
        ([{"id": "a"}, {"id": "a"}], {"key": "id"}, "of another record"),
        ([{"id": "a"}, {}], {"key": "id"}, "has no id"),
        ([1, 2], {}, "neither paths nor records"),
        ([{"id": "a"}], {"name": "../up"}, "no name for a document"),
        ([{"id": object()}], {}, "holds a object"),
    ],
)
def test_records_that_cannot_be_told_apart_are_refused(opener: Opener, source: list[object], options: dict[str, str], said: str) -> None:
    with opener(EDITOR) as graph, pytest.raises(UsageError, match=said):
        graph.ingest(source, collection="incidents", **options)  # type: ignore[arg-type]


def test_a_mapping_may_be_given_where_the_directory_is(own_world: Path, tmp_path: Path) -> None:
    mapping = tmp_path / "crew.toml"
    mapping.write_text(
        '[subject]\ncolumn = "no"\nscheme = "person"\nclass = "pp:Person"\n\n[[facts]]\ncolumn = "name"\nrelation = "rdfs:label"\n',
        encoding="utf-8",
    )
    with kgplatform.open(own_world) as graph:
        summary = graph.ingest([{"no": "77", "name": "Ada Quill"}], collection="reviews", mapping=mapping)

        assert (1, ()) == (summary.documents_read, summary.problems)
        assert "Ada Quill" == graph.entity("person:77").label


def test_merge_erase_and_backup_work_where_the_directory_is(own_world: Path, tmp_path: Path) -> None:
    with kgplatform.open(own_world) as graph:
        assert graph.backup(tmp_path / "kept").documents
        document = graph.ask("Who owns Tax?").citations[0].document
        (receipt,) = graph.erase(document)
        assert ("purged", document, ()) == (receipt.state, receipt.document, receipt.found)
        assert document not in {each.document for each in graph.ask("Who owns Tax?").citations}
        assert 0 < graph.merge("component:tax", "component:invoice", apart=True)


def test_a_decision_about_two_mentions_is_taken_back_where_the_directory_is(own_world: Path) -> None:
    with LocalGraph(load_settings(own_world)) as graph:
        decision = graph.merge("component:tax", "component:invoice", apart=True)

        assert [decision] == graph.unmerge("component:tax", "component:invoice")
        assert [] == [each for each in graph.decisions() if each.decision == decision]


def test_an_erasure_says_the_name_before_it_begins_and_once_nothing_speaks_of_the_document(own_world: Path) -> None:
    with LocalGraph(load_settings(own_world)) as graph:
        document = graph.ask("Who owns Tax?").citations[0].document
        told: list[tuple[str, bool]] = []

        def tell(name: str) -> None:
            told.append((name, document in {each.document for each in graph.ask("Who owns Tax?").citations}))

        graph.erase(document, before=tell, between=tell)

        assert [(document, True), (document, False)] == told


def test_three_methods_are_not_for_a_server(shared_server: Server, tmp_path: Path) -> None:
    with kgplatform.connect(shared_server.url) as graph:
        for refused in (lambda: graph.merge("a:b", "a:c"), lambda: graph.erase("a/b"), lambda: graph.backup(tmp_path / "x")):
            with pytest.raises(UsageError, match="not over a server"):
                refused()


# -- values


def test_values_are_frozen_and_come_back_from_their_json(graph: KnowledgeGraph) -> None:
    answer = graph.ask(OWNER)

    assert answer == Answer.from_dict(answer.to_dict())
    with pytest.raises(AttributeError):
        answer.sentence = "No."  # type: ignore[misc]
    assert "<ol>" in answer._repr_html_()
    assert repr(answer).startswith("<Answer answered: Platform owns Tax")
