"""No planted secret is anywhere after an ingest: in the data directory, in what the commands print, in a backup; what only looks like one
stays."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import openpyxl
import pytest
from support.commandline import done, kg
from support.ingesting import Desk, facts

from kgplatform.model import Notice
from kgplatform.terms import SC

SETTINGS = """
exclude = ["map.yaml", "kgdata"]
[collections.all]
kind = "snapshot"
mapping = "map.yaml"
paths = ["{id}"]
"""
MAPPING = """
[subject]
column = "name"
scheme = "component"
class = "Component"
"""


def spoken(n: int) -> str:
    return f"zq{n:02}Kx-Planted{n * 7919 % 9973}"


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


FILES = {
    "k8s/secret.yaml": f"apiVersion: v1\nkind: Secret\nmetadata: {{name: db}}\ndata: {{password: {b64(spoken(1))}, user: {b64(spoken(2))}}}\nstringData:\n  x: {spoken(3)}\n",
    "k8s/app.yaml": f"""apiVersion: apps/v1
kind: Deployment
metadata: {{name: api}}
spec:
  template:
    spec:
      containers:
      - name: api
        args: [--token, {spoken(4)}, --db-password={spoken(5)}]
        env:
        - {{name: DB_PASSWORD, value: {spoken(6)}}}
        - {{name: DATABASE_URL, value: "postgres://u:{spoken(7)}@orders-db:5432/x"}}
        - {{name: TOKEN_URL, value: "https://auth.example.com/token"}}
        - {{name: FOO_SERVICE_ADDR, value: "foo:8080"}}
""",
    "k8s/config.yaml": f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n  redis-password: {spoken(8)}\n  app.properties: |\n    db.password={spoken(9)}\n    # apiKey: {spoken(10)}\n",
    "k8s/kustomization.yaml": f"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nsecretGenerator:\n- name: x\n  literals: [a={spoken(11)}]\n",
    "k8s/broken.yaml": f"password: {spoken(12)}\nx: [\n{spoken(12)} : }}\n",
    "k8s/double.yaml": f"apiVersion: v1\nkind: Thing\n'{spoken(13)}': a\n'{spoken(13)}': b\npassword: {spoken(13)}\n",
    "catalogue.yaml": f"""apiVersion: backstage.io/v1alpha1
kind: Component
metadata:
  name: tax
  annotations: {{example.com/api-token: {spoken(14)}, example.com/token-url: "https://x.example"}}
  links: [{{url: "https://bob:{spoken(15)}@x.example/a", title: x}}]
spec: {{type: service, lifecycle: production, owner: team-a}}
""",
    "table.csv": f"name,api_key,dsn,password_policy\ncart,{spoken(16)},redis://:{spoken(17)}@cache:6379,strict-2024a\n\"ad\",\"{spoken(18)},\"\"x\",,\n",
    "pairs.csv": f"name,value\nDB_PASSWORD,{spoken(19)}\nTOKEN_URL,https://auth9.example.com\n",
    "rows.json": f'[{{"name": "web", "clientSecret": "{spoken(20)}", "env": [{{"name": "X_TOKEN", "value": "{spoken(21)}"}}], "keyword": "k3y-word-9x"}}]',
    "rows.jsonl": f'{{"name": "one", "auth": {{"password": "{spoken(22)}"}}}}\n{{"name": "two", "password": "{spoken(23)}\n',
    "a.ttl": f'@prefix ex: <http://x.example/> .\nex:a ex:password "{spoken(24)}" ; ex:p [ ex:name "API_TOKEN" ; ex:value "{spoken(25)}" ] .\nex:b ex:u "ftp://u:{spoken(26)}@h/x" .\n',
    "b.nt": f'<http://x.example/a> <http://x.example/accessToken> "{spoken(27)}" .\n',
    "c.rdf": f'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://x.example/"><e:A rdf:about="http://x.example/c" e:apiKey="{spoken(28)}"><e:password>{spoken(29)}</e:password></e:A></rdf:RDF>',
    "d.jsonld": f'{{"@context": {{"e": "http://x.example/"}}, "@id": "http://x.example/d", "e:password": {{"@value": "{spoken(30)}"}}}}',
    "notes.md": f"""---
title: Notes
password: {spoken(31)}
---
# Access
Log in with password: {spoken(32)}. The password is stored in the vault.

    export TOKEN={spoken(33)}

- **API key:** {spoken(34)}

| user | password |
|---|---|
| bob | {spoken(35)} |

curl -H "Authorization: Bearer {spoken(36)}" https://x.example/?access_token={spoken(37)}
Encoded: {b64("DB_PASSWORD=" + spoken(38))}, and once more {b64(spoken(32))}.
""",
    "README": f"Server=tcp:h;User ID=bob;Password={spoken(39)};Encrypt=True\n<password>{spoken(40)}</password>\n",
    "key.txt": f"-----BEGIN RSA PRIVATE KEY-----\n{spoken(41)}\n-----END RSA PRIVATE KEY-----\n",
}  # fmt: skip
HARMLESS = (
    "https://auth.example.com/token",
    "strict-2024a",
    "https://auth9.example.com",
    "k3y-word-9x",
    "The password is stored in the vault",
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path / "work")
    desk.lay("kgplatform.toml", SETTINGS)
    desk.lay("map.yaml", MAPPING)
    for name, text in FILES.items():
        desk.lay(f"in/{name}", text)
    return desk


def contents(*folders: Path) -> Iterator[tuple[Path, bytes]]:
    for folder in folders:
        yield from ((path, path.read_bytes()) for path in folder.rglob("*") if path.is_file())


def leaked(content: bytes) -> list[str]:
    planted = [spoken(n) for n in range(1, 42)]
    return [text for text in planted if text.encode() in content or b64(text)[:-4].encode() in content]


def test_every_planted_secret_stands_in_the_files(desk: Desk) -> None:
    assert 41 == len({text for _, content in contents(desk.root / "in") for text in leaked(content)})


def test_no_byte_of_a_planted_secret_is_kept_or_told(desk: Desk, tmp_path: Path) -> None:
    data, kept, progress = tmp_path / "data", tmp_path / "kept", tmp_path / "progress"
    done("--config", desk.root / "kgplatform.toml", "init", "--data", data)
    said = [kg("--data", data, "ingest", desk.root / "in", "--progress", progress, *more) for more in ((), ("--json",))]
    said += [
        kg("--data", data, *command) for command in (("quarantine", "list"), ("backup", kept), ("doctor",), ("export", "-"), ("validate",))
    ]

    assert [] == [(str(path), leaked(content)) for path, content in contents(data, kept) if leaked(content)]
    assert [] == leaked("".join(each.out + each.err for each in said).encode() + progress.read_bytes())
    assert set() == {text for text in HARMLESS if not any(text.encode() in content for _, content in contents(data / "originals"))}


def test_one_line_a_file_counts_them(desk: Desk) -> None:
    (reading,), _ = desk.read("in/k8s/secret.yaml")

    assert (Notice("masked", "what looks like a secret", 3, f"{desk.root}/in/k8s/secret.yaml:4"),) == tuple(
        notice for notice in reading.notices if notice.kind == "masked"
    )


def test_no_claim_is_made_of_a_mask(desk: Desk) -> None:
    readings, _ = desk.read("in")
    claims = {(c.fact.relation.rpartition("/")[2], c.fact.object) for reading in readings for c in reading.claims}

    assert set() == {claim for claim in claims if claim[1].strip('"').startswith("_-_-")}
    assert {"password_policy"} == {field for field, _ in claims} & {"password_policy", "api_key", "password", "clientSecret"}


def test_a_workbook_is_kept_without_secrets(desk: Desk) -> None:
    book = openpyxl.Workbook()
    for row in (("name", "db_password", "note"), ("cart", spoken(1), "postgres://u:hunter2@db/x"), ("web", 12345678, "TOKEN_URL")):
        book.active.append(row)
    content = BytesIO()
    book.save(content)
    desk.lay("in/book.xlsx", content.getvalue())
    (reading,), _ = desk.read("in/book.xlsx")

    assert [] == [each for each in (spoken(1), "hunter2", "12345678") if each in reading.text or each.encode() in reading.content]
    assert "TOKEN_URL" in reading.text
    assert [3] == [notice.count for notice in reading.notices if notice.kind == "masked"]


def test_a_host_stays_readable_beside_a_masked_password(desk: Desk) -> None:
    (reading,), _ = desk.read("in/k8s/app.yaml")

    assert "postgres://u:_-_-_-_-_-_-_-_-_-@orders-db:5432/x" in reading.text
    assert ("component:api", SC.depends_on, "component:foo") in facts(reading)


def test_another_secret_of_the_same_length_is_no_new_version(desk: Desk) -> None:
    first, second = (desk.one("in/x.md", f"The password: {text}\n") for text in ("hunter2aa", "hunter3bb"))

    assert first.content == second.content
