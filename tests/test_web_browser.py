"""The story of the sample world in a real browser, as anonymous, reader and steward, by mouse and by keyboard; axe finds nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.browsing import Site, served, site_of
from support.commandline import done

from kgplatform.ledger.passwords import hashed
from kgplatform.web.callers import SETTINGS
from kgplatform.writing.writer import Writer

sync_api = pytest.importorskip("playwright.sync_api", reason="needs the Python package playwright to drive a browser")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian's package chromium)"),
]
PASSWORD = "correct horse battery"
ROTATION = "Which on-call rotation owns the tax dependency of Checkout?"
WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def site(read_world_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Site:
    data = tmp_path_factory.mktemp("site") / "kgdata"
    shutil.copytree(read_world_once, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGPLATFORM_NOW", "2025-11-01")
        made = site_of(data)
    with Writer.open(made.app.extensions[SETTINGS]) as writer:
        for name in ("steward", "finance"):
            writer.set_password(name, hashed(PASSWORD, name=name))
    return made


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
    """A page in a context of its own, with what went wrong in it: errors on the console, requests to anywhere else, refused answers."""

    def __init__(self, browser: Any, url: str, **options: Any) -> None:
        self.context = browser.new_context(base_url=url, **options)
        self.page = self.context.new_page()
        self.asked: list[str] = []
        self.faults: list[str] = []
        self.page.on("console", lambda m: self.faults.append(m.text) if m.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda r: self.asked.append(r.url))
        self.page.on("request", lambda r: self.faults.append(f"asks {r.url}") if not r.url.startswith((f"{url}/", "data:")) else None)

    def sign_in(self, token: str) -> None:
        self.page.goto("/sign-in")
        self.page.fill("#token", token)
        self.page.press("#token", "Enter")
        self.page.wait_for_url(lambda address: not address.endswith("/sign-in"))

    def step_to(self, selector: str, *, at_most: int = 60) -> None:
        """Press Tab until the element has the focus, visibly; reached, it is as a mouse would find it."""
        for _ in range(at_most):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                assert "none" != self.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                return
        raise AssertionError(f"{selector} is not reached with the Tab key")


@pytest.fixture
def tab(browser: Any, url: str, request: pytest.FixtureRequest) -> Iterator[Tab]:
    made = Tab(browser, url, viewport=WIDE, **getattr(request, "param", {}))
    yield made
    made.context.close()


def test_the_story_from_search_to_the_evidence_as_anonymous(tab: Tab) -> None:
    page = tab.page
    page.goto("/")
    page.type("#q", "check")
    page.locator("#q-names li", has_text="Checkout").first.click()
    assert page.url.endswith("/id/component/checkout") and "Checkout" == page.locator("h1").inner_text()

    page.fill("#seek", ROTATION)
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
    assert not any("avalon" in address.casefold() for address in tab.asked)
    assert [] == tab.faults


def test_the_story_from_search_to_the_evidence_as_a_reader_of_finance(tab: Tab, site: Site) -> None:
    page = tab.page
    tab.sign_in(site.tokens["finance"])
    page.type("#q", "aval")
    page.locator("#q-names li", has_text="Avalon").click()
    page.wait_for_url("**/id/text/**")
    assert "Avalon" == page.locator("h1").inner_text()
    page.fill("#seek", "Who owns Invoice, and since when?")
    page.keyboard.press("Enter")
    assert "Avalon owns Invoice, since 1 July 2025" in page.locator(".sentence").inner_text()
    page.locator(".sources a", has_text="finance/avalon.md").first.click()
    assert "Avalon" in page.locator("#focus").inner_text() and page.locator(".tag.scope", has_text="finance").is_visible()
    assert [] == tab.faults


def test_the_story_of_a_steward_from_what_was_refused_to_its_source(tab: Tab, site: Site) -> None:
    page = tab.page
    tab.sign_in(site.tokens["steward"])
    page.click("text=Quarantine")
    page.locator("td a", has_text="Tax owns Platform").first.click()
    assert "swapped" in page.locator(".outcome").inner_text()
    page.locator(".where a").click()
    assert page.url.partition("?")[0].endswith("/document/imports/bad.csv") and page.locator("#focus").is_visible()
    page.click("text=Conflicts")
    assert page.locator(".sides blockquote", has_text="Web has owned Notify").is_visible()
    page.click("text=Ingest history")
    assert page.locator("a", has_text="finance/avalon.md").is_visible()
    assert [] == tab.faults


def test_a_name_is_chosen_from_the_suggestions_with_the_keyboard(tab: Tab) -> None:
    page = tab.page
    page.goto("/")
    page.type("#q", "inc")
    page.wait_for_selector("#q-names [role=option]")
    field, options = page.locator("#q"), page.locator("#q-names [role=option]")
    assert ("combobox", "true") == (field.get_attribute("role"), field.get_attribute("aria-expanded"))
    page.keyboard.press("ArrowUp")
    assert options.last.get_attribute("id") == field.get_attribute("aria-activedescendant")
    page.keyboard.press("ArrowDown")  # off the end: the field itself again
    assert field.get_attribute("aria-activedescendant") is None
    page.keyboard.press("ArrowDown")
    assert "true" == options.first.get_attribute("aria-selected")
    page.keyboard.press("Escape")
    assert ("false", "inc") == (field.get_attribute("aria-expanded"), field.input_value())
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("#q-names [role=option]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/id/incident/INC-100")
    assert [] == tab.faults


def test_enter_without_a_choice_asks(tab: Tab) -> None:
    page = tab.page
    page.goto("/")
    page.type("#q", "Who owns Tax?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".verdict.answered")
    assert "Platform owns Tax" in page.locator(".sentence").inner_text()
    assert [] == tab.faults


def test_keys_in_a_row_are_one_request_and_a_later_one_ends_an_earlier(tab: Tab) -> None:
    page = tab.page
    ended: list[str] = []
    page.on("requestfailed", lambda r: ended.append(r.url))
    page.route("**/suggest?q=ta", lambda route: None)  # no answer comes
    page.goto("/")
    keys = (
        "texts => texts.forEach((text) => { const q = document.querySelector('#q'); q.value = text; q.dispatchEvent(new Event('input')); })"
    )
    with page.expect_request("**/suggest?q=ta"):
        page.evaluate(keys, ["t", "ta"])
    with page.expect_request("**/suggest?q=taxi"):
        page.evaluate(keys, ["tax", "taxi"])
    page.wait_for_function("() => !document.querySelector('#q-names').hidden")
    page.unroute_all(behavior="ignoreErrors")
    assert ["q=ta", "q=taxi"] == [address.partition("?")[2] for address in tab.asked if "/suggest?" in address]
    assert ["q=ta"] == [address.partition("?")[2] for address in ended]
    assert [] == tab.faults


def test_no_suggestion_names_what_is_hidden(tab: Tab) -> None:
    page = tab.page
    page.goto("/")
    with page.expect_response("**/suggest?q=aval") as reply:
        page.type("#q", "aval")
    assert {"items": []} == reply.value.json()
    assert page.locator("#q-names").is_hidden()


def test_from_the_question_to_the_document_with_the_keyboard_alone(tab: Tab) -> None:
    page = tab.page
    page.goto("/")
    page.wait_for_selector("#q:focus")  # a browser hands the focus out some time after the page is loaded
    page.keyboard.type("Who owns Tax?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".verdict.answered")
    tab.step_to(".sentence .cite")
    page.keyboard.press("Enter")
    assert page.url.endswith("#source-1")
    tab.step_to("#source-1 .where a")
    page.keyboard.press("Enter")
    page.wait_for_selector("#focus")
    tab.step_to(".claims a[href^='/id/component/tax']")
    page.keyboard.press("Enter")
    page.wait_for_selector(".direction")
    tab.step_to(".canvas")
    before = int(page.locator(".canvas").get_attribute("data-drawn"))
    page.keyboard.press("ArrowUp")  # from the thing in the middle to the first of the ring
    assert "Open Platform" == page.locator(".picked").inner_text()
    with page.expect_response("**/neighbours?*"):
        page.keyboard.press("Enter")
    page.wait_for_function("before => Number(document.querySelector('.canvas').dataset.drawn) > before", arg=before)
    tab.step_to(".picked a", at_most=1)
    page.keyboard.press("Enter")
    page.wait_for_url("**/id/team/platform")
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


def test_of_many_neighbours_the_first_are_drawn_and_the_list_has_all(browser: Any, read_world_once: Path, tmp_path: Path) -> None:
    shutil.copytree(read_world_once, tmp_path / "kgdata")
    parts = "---\n".join(
        f"apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata: {{name: part-{n}}}\n"
        "spec: {type: service, lifecycle: production, owner: group:web, dependsOn: [component:hub]}\n"
        for n in range(200)
    )
    hub = "apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata: {name: hub}\nspec: {type: service, lifecycle: production, owner: group:web}\n"
    (tmp_path / "catalog-hub.yaml").write_text(f"{hub}---\n{parts}", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGPLATFORM_NOW", "2025-11-01")
        done("ingest", tmp_path / "catalog-hub.yaml", "--collection", "catalogue", "--data", tmp_path / "kgdata")
        app = site_of(tmp_path / "kgdata").app
        with served(app) as url:
            tab = Tab(browser, url, viewport=WIDE)
            tab.page.goto("/id/component/hub")
            tab.page.wait_for_selector(".canvas[data-drawn]")
            drawn = int(tab.page.locator(".canvas").get_attribute("data-drawn"))
            listed = tab.page.locator("#to-sc-depends_on")
            open_at_first = listed.locator("li .object a:visible").count()
            listed.locator("summary", has_text="188 more").click()
            opened = listed.locator("li .object a:visible").count()
            tab.context.close()
    assert (11, 12, 200) == (drawn, open_at_first, opened)  # the hub, its owner, eight parts and the node that counts the others
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
    *("/document/catalogue/catalog.yaml", "/documents", "/ontology", "/class/sc:Component", "/relation/sc:owned_by", "/nothing"),
    *("/me", "/sign-in"),
    *("/steward/report", "/steward/quarantine", "/steward/unread", "/steward/conflicts", "/steward/history", "/entity?name=Alex+Kim"),
    *("/sign-in", "/search", "/search?q=Avalom", "/ask?q=Who+owns+Nothing%3F", "/ask?q=Tax", "/ask?q=How+many+Tax+incidents+in+2025%3F"),
    *("/ask?q=Which+nationality+has+Jack%27s+spouse%3F", "/id/incident/INC-104", "/ask?q=Who+owns+Tax%3F&valid-at=soon", "/api/docs"),
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
    assert [] == [fault for fault in tab.faults if "404" not in fault and "400" not in fault]


def test_a_steward_discards_and_brings_back_in_the_browser(browser: Any, url: str, site: Site) -> None:
    tab = Tab(browser, url, viewport=WIDE)
    tab.sign_in(site.tokens["plain-steward"])
    tab.page.goto("/steward/quarantine?reason=swapped")
    tab.page.click("text=Discard")
    assert "Discarded." in tab.page.locator(".note").inner_text()
    tab.page.click("text=Bring back")
    tab.page.locator(".outcome", has_text="Judged again").wait_for()
    tab.page.click("text=Back to the quarantine")
    assert tab.page.locator(".figures a", has_text="swapped").is_visible()
    tab.context.close()
    assert [] == tab.faults


@pytest.mark.parametrize("tab", [{}, {"java_script_enabled": False}], indirect=True, ids=["scripts", "no-scripts"])
def test_name_and_password_are_typed_with_the_keyboard_alone_and_changed(tab: Tab, site: Site) -> None:
    page = tab.page
    page.goto("/sign-in?next=/me")
    page.wait_for_selector("#name:focus")
    page.keyboard.type("finance")
    page.keyboard.press("Tab")
    page.keyboard.type("not the password")
    page.keyboard.press("Enter")
    assert "Name and password do not belong together." == page.get_by_role("alert").inner_text()
    assert ["finance", "password"] == [page.input_value("#name"), page.evaluate("document.activeElement.id")]
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    assert "a password" in page.locator(".sheet").inner_text()

    page.get_by_label("Present password").fill(PASSWORD)
    page.get_by_label("New password", exact=True).fill("staple of a donkey")
    page.get_by_label("New password, once more").fill("staple of a donkey")
    page.keyboard.press("Enter")
    assert "The password is changed." in page.get_by_role("status").inner_text()
    with Writer.open(site.app.extensions[SETTINGS]) as writer:
        writer.set_password("finance", hashed(PASSWORD, name="finance"))  # the next one signs in with it too
    assert [] == [fault for fault in tab.faults if "401" not in fault]


def test_password_managers_find_name_and_passwords(tab: Tab) -> None:
    def purposes() -> list[str]:
        return [str(each.get_attribute("autocomplete")) for each in tab.page.locator("main form input[autocomplete]").all()]

    tab.page.goto("/sign-in?next=/me")
    assert ["username", "current-password", "off"] == purposes()
    tab.page.fill("#name", "finance")
    tab.page.fill("#password", PASSWORD)
    tab.page.press("#password", "Enter")
    assert ["username", "current-password", "new-password", "new-password"] == purposes()
