"""An editor brings in a file: it is read by a process of its own, and the job's page says how it stands."""

from __future__ import annotations

import io
import re
import time
from pathlib import Path

import pytest
from browsing import Site, post, site_of, words

from kgplatform.errors import UsageError
from kgplatform_web.uploads import file_name

MEMO = "---\ntitle: Search\n---\n\n# Search\n\nWeb has owned Search since 1 February 2025.\n"


@pytest.fixture
def site(own_world: Path) -> Site:
    return site_of(own_world)


def upload(site: Site, text: str, *, name: str = "search.md", collection: str = "memos") -> str:
    """The path of the job's page."""
    client = site.client("editor")
    answer = post(client, "/upload", {"file": (io.BytesIO(text.encode()), name), "collection": collection})
    assert 303 == answer.status_code, answer.text
    return str(answer.headers["Location"])


def ended(site: Site, job: str) -> str:
    """The words of a job's page once it has ended, as an editor sees it who came back later."""
    client = site.client("editor")
    for _ in range(300):
        if client.get(f"{job}/state").get_json()["state"] != "running":
            return words(client.get(job))
        time.sleep(0.2)
    raise AssertionError("the job did not end")


@pytest.mark.long
def test_a_file_is_read_in_the_background_and_answers(site: Site) -> None:
    assert "No source" not in words(site.client().get("/ask?q=Who+owns+Search%3F"))
    page = ended(site, upload(site, MEMO))

    assert "accepted" in page and "1 read, 1 new" in page
    assert "Web owns Search, since 1 February 2025" in words(site.client().get("/ask?q=Who+owns+Search%3F"))
    assert 200 == site.client().get("/document/memos/search.md").status_code


@pytest.mark.long
def test_a_file_that_cannot_be_read_says_why_without_a_path_of_the_server(site: Site) -> None:
    page = ended(site, upload(site, "kind: [", name="broken.yaml", collection="catalogue"))

    assert "broken.yaml" in page and str(site.data) not in page


@pytest.mark.long
def test_what_was_uploaded_is_kept_in_the_ledger_alone(site: Site) -> None:
    ended(site, upload(site, MEMO))
    time.sleep(0.5)

    assert [] == [path for path in (site.data / "jobs").rglob("*") if path.is_file() and b"1 February 2025" in path.read_bytes()]


@pytest.mark.long
def test_a_job_is_seen_by_who_began_it(site: Site) -> None:
    job = upload(site, MEMO)

    assert 404 == site.client("steward").get(job).status_code or 403 == site.client("steward").get(job).status_code
    assert re.search(job, site.client("editor").get("/upload").text)
    ended(site, job)


def test_a_collection_that_the_editor_may_not_see_does_not_exist(site: Site) -> None:
    client = site.client("editor")
    answers = [
        post(client, "/upload", {"file": (io.BytesIO(b"x"), "a.md"), "collection": name}) for name in ("finance", "no-such-collection")
    ]

    assert [400, 400] == [answer.status_code for answer in answers]
    assert words(answers[0]) == words(answers[1])


@pytest.mark.parametrize("name", ["", "..", "/", "a\nb", "x" * 300])
def test_a_name_that_no_file_may_have_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        file_name(name)


@pytest.mark.parametrize("name", ["../../etc/passwd", "C:\\memos\\passwd", "/etc/passwd"])
def test_a_path_in_a_name_is_dropped(name: str) -> None:
    assert "passwd" == file_name(name)
