"""An editor brings in a file: it is read by a process of its own, and the job's page says how it stands."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from openpyxl.comments import Comment
from support.browsing import Site, ended, post, site_of, words

from kgplatform.settings.load import load_settings
from kgplatform.web.problems import HttpProblem
from kgplatform.web.submit import usable_name
from kgplatform.writing.writer import Writer

MEMO = "---\ntitle: Search\n---\n\n# Search\n\nWeb has owned Search since 1 February 2025.\n"


@pytest.fixture
def site(own_world: Path) -> Site:
    return site_of(own_world)


def zip_of(content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x", content)
    return out.getvalue()


def upload(site: Site, text: str | bytes, *, name: str = "search.md", collection: str = "memos") -> str:
    """The path of the job's page."""
    client = site.client("editor")
    answer = post(
        client, "/upload", {"file": (io.BytesIO(text if isinstance(text, bytes) else text.encode()), name), "collection": collection}
    )
    assert 303 == answer.status_code, answer.text
    return str(answer.headers["Location"])


def read(site: Site, job: str) -> str:
    """The words of a job's page once it has ended, as an editor sees it who came back later."""
    return ended(site.client("editor"), job)


@pytest.mark.long
def test_a_file_is_read_in_the_background_and_answers(site: Site) -> None:
    assert "No source" not in words(site.client().get("/ask?q=Who+owns+Search%3F"))
    page = read(site, upload(site, MEMO))

    assert "Read 3 claims: 3 accepted, 0 quarantined" in page and "See the document" in page
    assert "Web owns Search, since 1 February 2025" in words(site.client().get("/ask?q=Who+owns+Search%3F"))
    assert 200 == site.client().get("/document/memos/search.md").status_code


@pytest.mark.long
def test_a_file_that_cannot_be_read_says_why_without_a_path_of_the_server(site: Site) -> None:
    page = read(site, upload(site, "kind: [", name="broken.yaml", collection="catalogue"))

    assert "Not read" in page and "broken.yaml:1" in page and str(site.data) not in page


@pytest.mark.long
def test_an_upload_that_gave_nothing_is_not_green_and_says_why(site: Site) -> None:
    job = upload(site, "Сервис оплаты принадлежит команде Атлас. Он зависит от сервиса счетов.\n", name="ru.md")
    page = read(site, job)

    assert "Read, and it gave nothing" in page and "it is written in Russian, and sentences are read in English" in page
    assert '<div class="verdict unsupported">' in site.client("editor").get(job).text
    assert "gave nothing" in words(site.client("editor").get("/upload"))


@pytest.mark.long
def test_the_page_of_an_upload_accounts_for_what_was_not_taken(site: Site) -> None:
    text = "apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata: {name: pay, nickname: x}\nspec: {type: service, lifecycle: production}\n"
    page = read(site, upload(site, text, name="pay.yaml", collection="catalogue"))

    assert "keys, columns and terms without a mapping backstage metadata.nickname first at line 3" in page


@pytest.mark.long
def test_the_page_and_the_json_of_a_job_say_what_differs(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGPLATFORM_NOW", "2001-01-01")
    job = upload(site, MEMO)

    assert "the clock went back: it says 2001-01-01T00:00:00Z" in read(site, job)
    (told,) = site.client("editor").get(f"/api{job}").get_json()["summary"]["differences"]
    assert ("clock", "nothing is lost; set the clock right") == (told["about"], told["hint"])


@pytest.mark.long
def test_what_was_uploaded_is_kept_in_the_ledger_alone(site: Site) -> None:
    read(site, upload(site, MEMO))

    assert [] == [path for path in (site.data / "jobs").rglob("*") if path.is_file() and b"1 February 2025" in path.read_bytes()]


@pytest.mark.long
def test_a_job_is_seen_by_who_began_it(site: Site) -> None:
    job = upload(site, MEMO)

    assert [404, 404] == [site.client("steward").get(path).status_code for path in (job, f"{job}/state")]
    assert "/sign-in?next=" in site.client().get(job).headers["Location"]
    assert f'href="{job}"' in site.client("editor").get("/upload").text
    read(site, job)


def test_a_secret_does_not_wait_on_disk_for_its_job(site: Site) -> None:
    upload(site, "# Search\n\nLog in with password: hunter2-topsecret\n")
    kept = b"".join(path.read_bytes() for path in (site.data / "jobs").rglob("*") if path.is_file())

    assert b"password: _-_-_-_-_-_-_-_-_" in kept
    assert b"hunter2" not in kept


def test_a_secret_of_a_workbook_does_not_wait_on_disk_for_its_job_packed_or_not(site: Site) -> None:
    """Nor what of the file is never read: comments and properties."""
    book = openpyxl.Workbook()
    book.properties.description = "password: hunter3-topsecret"
    for row in (
        ("name", "db_password", "note"),
        ("cart", "hunter2-topsecret", "x"),
        ("web", 87654321, "postgres://u:hunter4-topsecret@db/x"),
    ):
        book.active.append(row)
    book.active["A2"].comment = Comment("the password is hunter5-topsecret", "me")
    content = io.BytesIO()
    book.save(content)
    with Writer.open(load_settings(site.data)):
        upload(site, content.getvalue(), name="book.xlsx", collection="memos")
        waiting = [path for path in (site.data / "jobs").rglob("book.xlsx")]
        kept = b"".join(unzipped(path.read_bytes()) for path in site.data.rglob("*") if path.is_file())

    assert 1 == len(waiting)
    assert b"postgres://u:_-_-_-_-_-_-_-_-_@db/x" in kept
    assert not re.search(rb"hunter\d|87654321", kept)


def unzipped(content: bytes) -> bytes:
    """The bytes, with those of every part where they are an archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return content + b"".join(map(unzipped, map(archive.read, archive.namelist())))
    except zipfile.BadZipFile:
        return content


@pytest.mark.parametrize("name", ["a.md", "README", "a.csv", "a.zip", "a.xlsx"])
@pytest.mark.parametrize("pack", [zip_of, gzip.compress, bz2.compress, lzma.compress])
def test_what_nobody_can_look_into_does_not_wait(site: Site, name: str, pack: Callable[[bytes], bytes]) -> None:
    sent: dict[str, object] = {"file": (io.BytesIO(pack(b"password: hunter2-topsecret")), name), "collection": "memos"}

    assert 400 == post(site.client("editor"), "/upload", sent).status_code
    assert [] == list((site.data / "jobs").glob("open/*"))


def test_a_collection_that_the_editor_may_not_see_does_not_exist(site: Site) -> None:
    client = site.client("editor")
    answers = [
        post(client, "/upload", {"file": (io.BytesIO(b"x"), "a.md"), "collection": name}) for name in ("finance", "no-such-collection")
    ]

    assert [404, 404] == [answer.status_code for answer in answers]
    assert words(answers[0]) == words(answers[1])


@pytest.mark.long
def test_the_page_of_a_job_at_work_says_how_far_it_is_and_can_be_loaded_again_without_a_script(site: Site) -> None:
    client = site.client("editor")
    with Writer.open(load_settings(site.data)):
        job = upload(site, MEMO)
        while client.get(f"{job}/state").get_json().get("claims") != 3:
            time.sleep(0.1)
        page = client.get(job)

    assert "Read. Waiting for another process that writes" in words(page) and "claims: 3" in words(page)
    assert 'aria-live="polite"' in page.text and f'<noscript><p><a href="{job}">' in page.text and "/static/job.js" in page.text
    assert "3 accepted" in read(site, job)


@pytest.mark.parametrize(
    "name", ["", "..", "/", "a\nb.md", "x" * 300 + ".md", ".x.md", "-x.md", "a\\b.md", "a/kgplatform.toml", "mappings/x.csv"]
)
def test_a_name_that_no_document_may_have_is_refused(name: str) -> None:
    with pytest.raises(HttpProblem):
        usable_name(name)


@pytest.mark.parametrize("name", ["x.md", "README", "memos/NOTICE", "memos/2025/x y.md", "./x.md"])
def test_a_path_below_the_folder_is_taken(name: str) -> None:
    assert name.removeprefix("./") == usable_name(name)


def test_a_path_that_a_browser_sends_is_dropped(site: Site) -> None:
    assert "memos: plan.md" in words(site.client("editor").get(upload(site, MEMO, name="../../etc/plan.md")))


def test_a_form_without_a_file_or_with_an_empty_one_is_refused(site: Site) -> None:
    client = site.client("editor")
    answers = [
        post(client, "/upload", {"collection": "memos"}),
        post(client, "/upload", {"file": (io.BytesIO(b""), "a.md"), "collection": "memos"}),
    ]

    assert [400, 400] == [answer.status_code for answer in answers]
    assert [] == list((site.data / "jobs").glob("open/*"))
