"""The page of a job in a real browser: it says how far the job is while it runs, and what came out, without being loaded by hand."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from support.browsing import post, served, site_of
from test_web_browser import WIDE, Tab, browser, pytestmark

from kgplatform.settings.load import load_settings
from kgplatform.writing.writer import Writer

__all__ = ["browser", "pytestmark"]
MEMO = "Ledger is a component. Platform has owned Ledger since 3 April 2025.\n"


def test_a_job_is_followed_in_the_browser_and_goes_on_without_it(browser: Any, own_world: Path, tmp_path: Path) -> None:
    site = site_of(own_world)
    memo = tmp_path / "ledger.md"
    memo.write_text(MEMO, encoding="utf-8")
    with served(site.app) as url:
        tab = Tab(browser, url, viewport=WIDE)
        tab.sign_in(site.tokens["editor"])
        with Writer.open(load_settings(own_world)):
            tab.page.goto("/upload")
            tab.page.set_input_files("#file", memo)
            tab.page.select_option("#collection", "memos")
            tab.page.click("button >> text=Read it")
            stage = tab.page.locator("[role=status]")
            stage.filter(has_text="Waiting for another process that writes").wait_for(timeout=60_000)
            assert "claims: 4" in tab.page.locator("[data-figure=claims]").inner_text()
            address = tab.page.url
            other = Tab(browser, url, viewport=WIDE)
            other.sign_in(site.tokens["editor"])
            tab.context.close()
            other.page.goto(address)
            assert "Waiting for another process" in other.page.locator("[role=status]").inner_text()
        other.page.locator(".sentence").filter(has_text="4 accepted").wait_for(timeout=60_000)

        assert [] == [*tab.faults, *other.faults]
        other.page.click("text=See the document")
        assert "Platform has owned Ledger" in other.page.inner_text("main")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_page_of_a_job(browser: Any, own_world: Path, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the Python package axe-playwright-python").Axe()
    site = site_of(own_world)
    with served(site.app) as url:
        tab = Tab(browser, url, viewport=WIDE, color_scheme=scheme, bypass_csp=True)
        tab.sign_in(site.tokens["editor"])
        with Writer.open(load_settings(own_world)):
            sent = post(site.client("editor"), "/upload", {"file": (io.BytesIO(MEMO.encode()), "ledger.md"), "collection": "memos"})
            tab.page.goto(sent.headers["Location"])
            tab.page.locator("[data-figure=claims]").filter(has_text="claims: 4").wait_for(timeout=60_000)
            running = axe.run(tab.page).response["violations"]
        tab.page.locator(".sentence").filter(has_text="4 accepted").wait_for(timeout=60_000)

        assert [] == [each["id"] for each in (*running, *axe.run(tab.page).response["violations"])]
