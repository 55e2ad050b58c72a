"""What was normalised or guessed on reading stands in the evidence: dates of texts, references of catalogues, values of manifests."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commandline import done
from support.ingesting import Desk, claim_of

from kgplatform.language.dates import find_dates
from kgplatform.terms import SC

BACKSTAGE = "apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata: {{name: tax, namespace: {space}}}\nspec: {{type: service, lifecycle: x, owner: {owner}}}\n"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path / "work")
    desk.lay("kgplatform.toml", 'default_collection = "all"\n[collections.all]\nkind = "snapshot"\n')
    return desk


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("since 25/03/2024", "25/03/2024 read as 2024-03-25"),
        ("on 3/25/2024", "3/25/2024 read as 2024-03-25"),
        ("in Q2 2025", "Q2 2025 read as 2025-04-01 until 2025-07-01"),
        ("between January and March 2024", "January read as 2024-01"),
        ("since early 2024", "early 2024 read as from its beginning"),
        ("from 2024-01-01T10:00 until 2024-02-01T10:00Z", "no zone stated, taken as UTC"),
        ("on 1/2/2025", "1/2/2025 leaves the date open, and is left out"),
        ("since 1.2.25", "1.2.25 leaves the date open, and is left out"),
        ("last year", "last year leaves the date open, and is left out"),
        *(
            (text, "")
            for text in (
                "since 1 March 2024",
                "in March 2024",
                "since 2024",
                "on 2024-03-25",
                "on March 3rd, 2024",
                "until 2024-03-01T00:00+02:00",
            )
        ),
    ],
)
def test_a_date_says_how_it_was_read(text: str, note: str) -> None:
    assert [note] == [date.note for date in find_dates(text)]


@pytest.mark.parametrize(
    ("space", "owner", "note"),
    [
        ("default", "Ops", "read as group:default/Ops"),
        ("pay", "user:bob", "read as user:pay/bob"),
        ("pay", "core/ops", "read as group:core/ops"),
        ("pay", "group:core/ops", ""),
    ],
)
def test_a_reference_says_which_kind_and_namespace_were_taken(desk: Desk, space: str, owner: str, note: str) -> None:
    reading = desk.one("in/tax.yaml", BACKSTAGE.format(space=space, owner=owner))

    assert note == claim_of(reading, SC.owned_by).note


def test_a_manifest_says_what_was_looked_up(desk: Desk) -> None:
    reading = desk.one(
        "in/app.yaml",
        """apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: +3
  template:
    spec:
      containers:
      - name: web
        env:
        - {name: BASE, value: "http://cart"}
        - {name: TAX_HOST, value: tax}
        - {name: CART_URL, value: "$(BASE)/x"}
        - {name: PAY_HOST, valueFrom: {configMapKeyRef: {name: hosts, key: pay}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: hosts}
data: {pay: payments}
---
apiVersion: v1
kind: Service
metadata: {name: payments}
spec: {selector: {app: pay-v2}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: pay-v2}
spec: {template: {metadata: {labels: {app: pay-v2}}, spec: {containers: [{name: pay-v2}]}}}
""",
    )
    notes = {(claim.fact.object, claim.note) for claim in reading.claims if claim.fact.relation == SC.depends_on}

    assert ("component:tax", "") in notes
    assert ("component:cart", "the value is http://cart/x") in notes
    assert ("component:pay-v2", "the value is payments, of the ConfigMap hosts; the service payments selects pay-v2") in notes
    assert "written +3" == claim_of(reading, SC.replicas).note


def test_the_evidence_of_an_answer_and_the_claims_of_a_text_tell_it(tmp_path: Path) -> None:
    data = tmp_path / "kg"
    done("init", "--data", data)
    (tmp_path / "memo.md").write_text(
        "Ledger is a component. Platform is a group. Platform has owned Ledger since 25/03/2024. It has depended on Tax since Q2 2025.\n"
    )
    (tmp_path / "tax.yaml").write_text(BACKSTAGE.format(space="default", owner="ops"))
    done("ingest", tmp_path / "memo.md", tmp_path / "tax.yaml", "--data", data)

    assert ["25/03/2024 read as 2024-03-25"] == [
        each["note"] for each in done("ask", "Who owns Ledger?", "--data", data, "--json").json["citations"]
    ]
    assert "read as group:default/ops" in done("ask", "Who owns tax?", "--data", data).out
