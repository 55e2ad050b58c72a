"""Labels, values and quotes with markup, right-to-left text and emoji come out as text, on every page that shows them."""

from __future__ import annotations

import html
import shutil
from pathlib import Path

import pytest
from support.browsing import Site, site_of, words
from support.commandline import done

EVIL = "<script>alert(1)</script><b onmouseover='x'>&amp;"
BREAKING = '"><img src=x onerror=alert(2)>'
HEBREW = "שירות"
EMOJI = "Grün 🚀 {{ 7*7 }}"

CATALOGUE = f"""apiVersion: backstage.io/v1alpha1
kind: Component
metadata:
  name: evil
  title: "{EVIL}"
  description: '{BREAKING}'
  tags: ["rtl"]
spec: {{type: service, lifecycle: production, owner: "group:hebrew", dependsOn: ["component:rocket"]}}
---
apiVersion: backstage.io/v1alpha1
kind: Group
metadata: {{name: hebrew, title: "{HEBREW}"}}
spec: {{type: team, children: []}}
---
apiVersion: backstage.io/v1alpha1
kind: Component
metadata: {{name: rocket, title: "{EMOJI}", description: "</script><!--"}}
spec: {{type: "weird<i>", lifecycle: "<u>", owner: "group:hebrew"}}
"""


@pytest.fixture(scope="module")
def site(read_world_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(read_world_once, folder / "kgdata")
    (folder / "catalog-evil.yaml").write_text(CATALOGUE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGPLATFORM_NOW", "2025-11-01")
        done("ingest", folder / "catalog-evil.yaml", "--collection", "catalogue", "--data", folder / "kgdata")
        return site_of(folder / "kgdata")


PATHS = (
    *(
        "/",
        "/id/component/evil",
        "/id/component/rocket",
        "/id/team/hebrew",
        "/search?q=script",
        "/search?q=gr%C3%BCn",
        "/class/sc:Component",
    ),
    *(
        "/relation/sc:owned_by",
        "/documents",
        "/document/catalogue/catalog-evil.yaml",
        "/ask?q=Who+owns+evil%3F",
        "/ask?q=What+does+evil+depend+on%3F",
    ),
    *("/ask?q=%3Cscript%3Ealert(1)%3C/script%3E", "/search?q=%22%3E%3Cimg+src=x%3E", "/entity?name=%3Cscript%3E", "/nothing%3Cscript%3E"),
    *(
        "/steward/quarantine",
        "/steward/report",
        "/steward/history",
        "/sign-in?next=%22%3E%3Cscript%3E",
        "/id/component/evil?format=%3Cscript%3E",
    ),
    *("/class/%3Cscript%3E", "/ask?q=Who+owns+Tax%3F&valid-at=%3Cscript%3E"),
)


@pytest.mark.parametrize("path", PATHS)
def test_no_markup_of_others_becomes_markup(site: Site, path: str) -> None:
    page = site.client("steward").get(path).get_data(as_text=True)

    assert not any(part in page for part in ("<script>", "<b onmouse", "<img", "<i>", "<u>", "</script><!--", "49 "))


def test_the_text_itself_is_shown(site: Site) -> None:
    client = site.client()

    assert html.unescape(EVIL) in html.unescape(client.get("/id/component/evil").text)
    assert EMOJI in words(client.get("/id/component/rocket"))
    page = client.get("/id/team/hebrew").text
    assert f'<h1 dir="auto">{HEBREW}</h1>' in page
    assert f"<bdi>{HEBREW}</bdi>" in client.get("/id/component/evil").text


def test_neighbours_are_json_that_no_page_takes_for_markup(site: Site) -> None:
    answer = site.client().get("/neighbours?iri=component:evil")

    assert "application/json" == answer.mimetype and "nosniff" == answer.headers["X-Content-Type-Options"]
