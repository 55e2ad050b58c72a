"""The story of the sample world in a real browser: search, ask, evidence, entity, document; dark and narrow; axe finds nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Site, served, site_of

sync_api = pytest.importorskip("playwright.sync_api", reason="needs the Python package playwright to drive a browser")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian's package chromium)"),
]
ROTATION = "Which on-call rotation owns the tax dependency of Checkout?"
WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def site(read_world_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    data = tmp_path_factory.mktemp("site") / "kgdata"
    shutil.copytree(read_world_once, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGPLATFORM_NOW", "2025-11-01")
        return site_of(data)


@pytest.fixture(scope="module")
def url(site: Site) -> Iterator[str]:
    with served(site.app) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        yield opened
        opened.close()


class Tab:
    """A page in a context of its own, with what went wrong in it."""

    def __init__(self, browser: Any, url: str, **options: Any) -> None:
        self.context = browser.new_context(base_url=url, **options)
        self.page = self.context.new_page()
        self.faults: list[str] = []
        self.page.on("console", lambda m: self.faults.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda r: self.faults.append(f"asks {r.url}") if not r.url.startswith((url, "data:")) else None)

    def sign_in(self, token: str) -> None:
        self.page.goto("/sign-in")
        self.page.fill("#token", token)
        self.page.click("main button[type=submit]")


@pytest.fixture
def tab(browser: Any, url: str, request: pytest.FixtureRequest) -> Iterator[Tab]:
    made = Tab(browser, url, viewport=WIDE, **getattr(request, "param", {}))
    yield made
    made.context.close()


def test_the_story_from_search_to_the_evidence(tab: Tab) -> None:
    page = tab.page
    page.goto("/")
    page.fill("#q", "Chekout")
    page.get_by_role("button", name="Search").click()
    assert page.locator(".hits a", has_text="Checkout").is_visible()

    page.fill("#q", ROTATION)
    page.keyboard.press("Enter")
    assert "R7 is on call for Platform" in page.locator(".sentence").inner_text()
    page.wait_for_selector(".canvas[data-drawn='4'] canvas")

    page.locator(".hops a", has_text="Tax").first.click()
    assert "Tax" == page.locator("h1").inner_text()
    assert page.url.endswith("/id/component/tax")

    page.locator("li", has=page.locator("a", has_text="Platform")).locator("summary").first.click()
    page.locator(".evidence a", has_text="memos/handover.md").first.click()
    assert "Commerce owned Tax from June 2022 until 1 March 2024" in page.locator("#focus").inner_text()
    assert page.locator("#focus").is_visible()
    assert [] == tab.faults


def test_neighbours_unfold_on_a_click(tab: Tab) -> None:
    page = tab.page
    page.goto("/id/component/tax")
    page.wait_for_selector(".canvas[data-drawn]")
    before = int(page.locator(".canvas").get_attribute("data-drawn"))
    box = page.locator(".canvas").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)  # the entity itself is unfolded already
    assert before == int(page.locator(".canvas").get_attribute("data-drawn"))
    with page.expect_response("**/neighbours?*"):
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 40)  # the first of the ring
    page.wait_for_timeout(500)
    assert before < int(page.locator(".canvas").get_attribute("data-drawn"))
    assert page.locator(".picked a").inner_text().startswith("Open ")
    assert [] == tab.faults


@pytest.mark.parametrize("tab", [{"java_script_enabled": False}], indirect=True)
def test_reading_and_asking_work_without_javascript(tab: Tab) -> None:
    page = tab.page
    page.goto("/")
    page.fill("#q", "Who owns Tax?")
    page.get_by_role("button", name="Ask").click()
    assert "Platform owns Tax" in page.locator(".sentence").inner_text()
    assert page.locator(".hops li").first.is_visible() and not page.locator(".drawing").first.is_visible()
    page.fill("#day", "2023-06-15")
    page.click(".day button")
    assert "Commerce owns Tax" in page.locator(".sentence").inner_text()
    page.click("text=Back to now")
    assert "Platform owns Tax" in page.locator(".sentence").inner_text()


def test_everything_is_reached_with_the_keyboard(tab: Tab) -> None:
    page = tab.page
    page.goto("/ask?q=Where+does+Alex+Kim+work%3F")
    page.keyboard.press("Tab")
    assert "Skip to the content" == page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    for _ in range(4):  # the question, both buttons, the first candidate
        page.keyboard.press("Tab")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert "button" == page.evaluate("document.activeElement.className")
    page.keyboard.press("Enter")
    page.wait_for_selector(".verdict.answered")


PAGES = (
    *("/", "/search?q=tax", "/ask?q=Which+on-call+rotation+owns+the+tax+dependency+of+Checkout%3F", "/ask?q=Who+owns+Notify%3F"),
    *("/ask?q=Where+does+Alex+Kim+work%3F", "/ask?q=What+does+Tax+depend+on%3F", "/id/component/tax", "/document/memos/handover.md"),
    *("/document/catalogue/catalog.yaml", "/documents", "/ontology", "/class/sc:Component", "/relation/sc:owned_by", "/me", "/nothing"),
    *("/steward/report", "/steward/quarantine", "/steward/conflicts", "/steward/history", "/entity?name=Alex+Kim"),
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, url: str, site: Site, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the Python package axe-playwright-python").Axe()
    tab = Tab(browser, url, viewport=WIDE, color_scheme=scheme, bypass_csp=True)
    tab.sign_in(site.tokens["steward"])
    found = []
    for path in PAGES:
        tab.page.goto(path)
        tab.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        results = axe.run(tab.page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
        found += [(path, v["id"], v["nodes"][0]["html"][:120]) for v in results.response["violations"]]
    tab.context.close()
    assert [] == found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_a_narrow_screen(browser: Any, url: str, site: Site, scheme: str) -> None:
    tab = Tab(browser, url, viewport=NARROW, color_scheme=scheme)
    tab.sign_in(site.tokens["steward"])
    wider = []
    for path in PAGES:
        tab.page.goto(path)
        if tab.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            wider.append(path)
    tab.context.close()
    assert [] == wider
    assert [] == [fault for fault in tab.faults if "404" not in fault]


def test_a_steward_discards_and_brings_back_in_the_browser(browser: Any, url: str, site: Site) -> None:
    tab = Tab(browser, url, viewport=WIDE)
    tab.sign_in(site.tokens["plain-steward"])
    tab.page.goto("/steward/quarantine?reason=swapped")
    tab.page.click("text=Discard")
    assert "Discarded." in tab.page.locator(".note").inner_text()
    tab.page.click("text=Bring back")
    assert tab.page.locator(".figures a", has_text="swapped").is_visible()
    tab.context.close()
    assert [] == tab.faults
