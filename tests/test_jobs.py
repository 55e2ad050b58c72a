"""Jobs outlive browser and server: real servers, stopped and killed at work, on real directories."""

from __future__ import annotations

import json
import logging
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import httpx
import pytest
from filelock import FileLock
from support.browsing import site_of, words
from support.commandline import done, kg
from support.kgserver import Server, serving
from support.served import PRINCIPALS, Served, opened

from kgplatform.data_directory import DataDir
from kgplatform.model import ANONYMOUS
from kgplatform.settings.load import load_settings
from kgplatform.web import create_app
from kgplatform.web.job_records import INGEST, KEPT, Job
from kgplatform.web.jobs import ATTEMPTS, WAITING, Jobs
from kgplatform.web.problems import HttpProblem
from kgplatform.web.submit import jobs_of
from kgplatform.writing.writer import Writer

T = TypeVar("T")
MEMO = "{0} is a component. Platform has owned {0} since 3 April 2025.\n"
CLAIMS = 4
"""Of one memo."""
EDITOR = next(who for who in PRINCIPALS if who.name == "editor")


def send(server: Server, name: str, *, text: str = MEMO) -> str:
    """The id of the job that reads a memo about a component of this name."""
    headers = {"Authorization": f"Bearer {server.tokens['editor']}"}
    path = f"{server.url}/api/ingest"
    reply = httpx.post(path, params={"name": f"memos/{name}.md"}, content=text.format(name).encode(), headers=headers)
    assert 202 == reply.status_code, reply.text
    return str(reply.json()["id"])


def job(server: Server, id_: str) -> Any:
    return server.get(f"/api/jobs/{id_}", "editor").json()


def until(found: Callable[[], T], *, seconds: float = 90.0) -> T:
    """What is found, once it is something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if result := found():
            return result
        time.sleep(0.05)
    raise AssertionError("it did not come")


def ended(server: Server, id_: str) -> Any:
    return until(lambda: now if (now := job(server, id_))["ended"] else None)


def open_jobs(data: Path) -> list[Path]:
    """The folders of the jobs that have not ended."""
    folder = DataDir(data).open_jobs
    return sorted(folder.iterdir()) if folder.exists() else []


class Killed(NamedTuple):
    """What a killed server left: two jobs, the child of the first, which waits for another writer, and that writer."""

    jobs: list[str]
    child: int
    tokens: Mapping[str, str]
    writer: ExitStack


@pytest.fixture
def killed(own_world: Path) -> Iterator[Killed]:
    with serving(own_world) as server, ExitStack() as writer:
        writer.enter_context(Writer.open(load_settings(own_world)))
        ids = [send(server, name) for name in ("Ledger", "Abacus")]
        until(lambda: (job(server, ids[0])["progress"] or {}).get("stage") == "waiting")
        assert "queued" == job(server, ids[1])["state"]
        server.process.kill()
        server.process.wait()
        yield Killed(ids, child_of(own_world), server.tokens, writer)


def child_of(data: Path) -> int:
    """The process at work on the first job that has not ended."""
    return int((open_jobs(data)[0] / "child").read_text())


@pytest.mark.long
def test_the_next_server_finishes_what_a_killed_one_had_begun_and_what_was_queued(own_world: Path, killed: Killed) -> None:
    os.kill(killed.child, signal.SIGKILL)
    killed.writer.close()
    with serving(own_world, killed.tokens) as server:
        states = [ended(server, id_) for id_ in killed.jobs]

    assert [("done", CLAIMS)] * 2 == [(each["state"], each["summary"]["accepted"]) for each in states]
    assert [] == open_jobs(own_world)
    assert "Platform owns Abacus" in done("ask", "Who owns Abacus?").out


@pytest.mark.long
def test_a_child_that_outlives_its_server_is_waited_for(own_world: Path, killed: Killed) -> None:
    with serving(own_world, killed.tokens) as server:
        until(lambda: (job(server, killed.jobs[0])["progress"] or {}).get("stage") == "waiting")
        time.sleep(1.0)
        assert killed.child == child_of(own_world)
        killed.writer.close()
        states = [ended(server, id_) for id_ in killed.jobs]

    assert [("done", CLAIMS)] * 2 == [(each["state"], each["summary"]["accepted"]) for each in states]


@pytest.mark.long
def test_what_a_child_said_after_its_server_was_killed_is_believed(own_world: Path, killed: Killed) -> None:
    killed.writer.close()
    said = open_jobs(own_world)[0] / "out"
    until(lambda: said.read_text().endswith("}\n"))
    said.write_text(json.dumps({**json.loads(said.read_text()), "seconds": 123.25}))
    with serving(own_world, killed.tokens) as server:
        first, second = (ended(server, id_) for id_ in killed.jobs)

    assert ("done", 123.25, "done") == (first["state"], first["summary"]["seconds"], second["state"])


@pytest.mark.long
def test_a_stop_ends_a_job_after_the_grace_and_the_next_server_does_it(own_world: Path) -> None:
    with serving(own_world) as server, Writer.open(load_settings(own_world)):
        id_ = send(server, "Ledger")
        until(lambda: job(server, id_)["progress"])
        assert 0 == server.stop()
        (folder,) = open_jobs(own_world)
        assert "queued" == json.loads((folder / "job.json").read_text())["state"]
    with serving(own_world) as server:
        assert "done" == ended(server, id_)["state"]


@pytest.mark.long
def test_a_job_waits_for_another_writer_after_it_has_read(own_world: Path) -> None:
    text = MEMO + "Commerce babysits {0} since 4 May 2025.\n"
    with serving(own_world) as server:
        with Writer.open(load_settings(own_world)) as writer:
            id_ = send(server, "Ledger", text=text)
            stands: dict[str, Any] = until(lambda: now if (now := job(server, id_)["progress"] or {}).get("stage") == "waiting" else {})
            assert (1, CLAIMS) == (stands["documents"], stands["claims"])  # read before the lock was asked for
            writer.release(writer.schema.turtle.replace('"owner of"@en', '"owner of"@en, "babysits"@en'), writer.schema.shapes)
        found = ended(server, id_)

    assert "done" == found["state"]
    assert CLAIMS < found["summary"]["claims_read"]  # read again, by the ontology that was released meanwhile


@pytest.mark.long
def test_uploads_at_once_are_read_one_after_the_other(own_world: Path) -> None:
    with serving(own_world) as server, ThreadPoolExecutor(4) as pool:
        ids = list(pool.map(lambda name: send(server, name), ("Ledger", "Abacus", "Quill", "Stylus")))
        found = [ended(server, id_) for id_ in ids]

    assert {"done"} == {each["state"] for each in found}
    times = sorted((each["started"], each["ended"]) for each in found)
    assert all(one[1] <= other[0] for one, other in pairwise(times))


@pytest.mark.long
def test_the_rows_of_a_large_table_are_counted_while_it_is_read(own_served: Served) -> None:
    rows = "".join(f"q{n},Person {n}{',' * 5}\n" for n in range(20_000))
    header = "staff_id,name,team,since,left,office,role\n"
    accepted = own_served.post("/api/ingest?name=staff.csv&collection=people", "editor", data=f"{header}{rows}".encode())
    id_ = accepted.get_json()["id"]
    seen: list[dict[str, Any]] = []

    def look() -> Any:
        now = own_served.get(f"/api/jobs/{id_}", "editor").get_json()
        if now["progress"] and now["progress"] not in seen:
            seen.append(now["progress"])
        return now if now["ended"] else None

    found = until(look, seconds=300)

    assert ("done", 1) == (found["state"], found["summary"]["documents_read"])
    counts = [each["records"] for each in seen]
    assert counts == sorted(counts)
    assert 1 <= len({count for count in counts if 0 < count < 20_000})
    assert {"reading", "writing"} <= {each["stage"] for each in seen}
    assert found["progress"] is None


# -- the records


def ended_once(served: Served, name: str = "Ledger") -> dict[str, Any]:
    reply = served.post(f"/api/ingest?name=memos/{name.lower()}.md", "editor", data=MEMO.format(name).encode())
    return served.finished(reply, "editor")


def test_a_job_is_remembered_by_the_next_application(own_served: Served) -> None:
    job = ended_once(own_served)
    again = jobs_of(create_app(load_settings(own_served.data)))

    assert [job] == [each.as_json(None) for each in again.of(EDITOR)]
    assert again.find(job["id"], by=replace(EDITOR, name="steward")) is None
    assert again.find(f"../ended/{job['id']}", by=EDITOR) is None


def test_only_the_record_of_an_ended_job_is_kept(own_served: Served) -> None:
    job = ended_once(own_served)
    files = [path for path in (own_served.data / "jobs").rglob("*") if path.is_file()]

    assert {job["id"], "lock"} == {path.name for path in files}
    assert not any(b"3 April 2025" in path.read_bytes() for path in files)


def test_pages_and_api_show_the_same_jobs(own_served: Served) -> None:
    job = ended_once(own_served)
    page = own_served.get("/upload", "editor")

    assert f'href="/jobs/{job["id"]}"' in page.text and "memos: memos/ledger.md" in words(page)
    assert f"{CLAIMS} claims: {CLAIMS} accepted, 0 quarantined" in words(own_served.get(f"/jobs/{job['id']}", "editor"))
    assert 404 == own_served.get(f"/jobs/{job['id']}", "admin").status_code


def test_a_broken_record_is_skipped_and_told_in_the_log(own_served: Served, caplog: pytest.LogCaptureFixture) -> None:
    job = ended_once(own_served)
    place = DataDir(own_served.data)
    record = json.loads((place.ended_jobs / job["id"]).read_text())
    ids = [f"{n:032x}" for n in range(5)]
    broken = [b"", b"{", b'{"id": 1}', json.dumps({**record, "id": ids[3], "summary": "x"}).encode(), json.dumps(record).encode()]
    for id_, content in zip(ids, broken, strict=True):
        (place.ended_jobs / id_).write_bytes(content)
        (place.open_jobs / id_).mkdir(parents=True)
        (place.open_jobs / id_ / "job.json").write_bytes(content)
    with caplog.at_level(logging.WARNING, "kgplatform.web"):
        assert [job] == own_served.get("/api/jobs", "editor").get_json()["items"]
        assert 200 == own_served.get("/upload", "editor").status_code
        assert [404] * 5 == [own_served.get(f"/api/jobs/{id_}", "editor").status_code for id_ in ids]

    assert ids[0] in caplog.text
    assert "done" == ended_once(own_served, "Abacus")["state"]


@pytest.mark.long
def test_the_newest_ended_jobs_are_kept(own_served: Served) -> None:
    job = ended_once(own_served)
    folder = DataDir(own_served.data).ended_jobs
    record = json.loads((folder / job["id"]).read_text())
    for n in range(KEPT + 5):
        (folder / f"{n:032x}").write_text(json.dumps({**record, "id": f"{n:032x}"}))
    newest = ended_once(own_served, "Abacus")
    kept = sorted(path.name for path in folder.iterdir())

    assert KEPT == len(kept)
    assert [job["id"], newest["id"]] == kept[-2:]


def test_only_so_many_jobs_may_wait(own_world: Path) -> None:
    place = DataDir(own_world)
    place.jobs.mkdir()
    with FileLock(place.jobs / "lock"):  # as another server would hold it
        jobs = Jobs(load_settings(own_world))
        for _ in range(WAITING):
            jobs.submit(Job(INGEST, "editor", "x", collection="memos", upload="x.md"), name="x.md", content=b"x")
        with pytest.raises(HttpProblem, match="50 jobs are waiting"):
            jobs.submit(Job(INGEST, "editor", "x"), name="x.md", content=b"x")
        assert WAITING == len(list(place.open_jobs.iterdir()))
        jobs.close(grace=5)


def test_a_job_that_took_its_server_along_three_times_is_not_begun_again(own_world: Path) -> None:
    jobs = Jobs(load_settings(own_world))
    place = DataDir(own_world)
    place.jobs.mkdir()
    with FileLock(place.jobs / "lock"):
        made = jobs.submit(Job(INGEST, "public", "x", collection="memos", upload="x.md", attempts=ATTEMPTS), name="x.md", content=b"x")
    (found,) = until(lambda: [now for now in jobs.of(ANONYMOUS) if now.ended])
    jobs.close()

    assert (made.id, "failed", "the server ended 3 times while it was at work on this") == (found.id, found.state, found.error)
    assert [] == open_jobs(own_world)


@pytest.mark.long
def test_an_erasure_leaves_no_job_that_quotes_the_document(own_served: Served) -> None:
    name = "a-very-telling-name"
    own_served.finished(own_served.post(f"/api/ingest?name=memos/{name}.md", "editor", data=MEMO.format("Ledger").encode()), "editor")
    assert name in "".join(path.read_text() for path in DataDir(own_served.data).ended_jobs.iterdir())
    receipt = done("erase", f"memos/{name}.md", "--yes", "--json", "--data", own_served.data).json

    assert ("purged", []) == (receipt["state"], receipt["found"])
    assert [] == own_served.get("/api/jobs", "editor").get_json()["items"]
    assert "done" == ended_once(own_served, "Abacus")["state"]


@pytest.mark.long
def test_an_upload_of_what_was_erased_says_so_to_whom_it_may_and_reads_it_when_asked(own_served: Served) -> None:
    def sent(**more: str) -> Any:
        query = {"name": "memos/gone.md", **more}
        accepted = own_served.post("/api/ingest", "editor", query_string=query, data=MEMO.format("Ledger").encode())
        return own_served.finished(accepted, "editor")["summary"]

    sent()
    done("erase", "memos/gone.md", "--yes", "--data", own_served.data)

    (problem,) = sent()["problems"]
    assert problem["what"].startswith("was erased on ")
    assert (CLAIMS, []) == ((read := sent(again="true"))["claims_read"], read["problems"])


def test_a_reset_forgets_the_jobs(own_served: Served) -> None:
    ended_once(own_served)
    done("reset", "--yes", "--data", own_served.data)

    assert not (own_served.data / "jobs").exists()


def test_a_settings_file_that_was_named_reaches_the_child(own_world: Path, tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text((own_world / "kgplatform.toml").read_text() + '\n[collections.extra]\nkind = "statement"\nscopes = []\n')
    site = site_of(own_world)
    app = create_app(load_settings(own_world, config=file))
    served = Served(app, own_world, site.tokens)
    reply = served.post("/api/ingest?name=x.md&collection=extra", "editor", data=MEMO.format("Ledger").encode())
    found = served.finished(reply, "editor")
    jobs_of(app).close()

    assert ("done", CLAIMS) == (found["state"], found["summary"]["accepted"])


def test_a_discard_that_came_back_already_does_not_stop_a_retry(own_world: Path) -> None:
    """A retry whose server was killed is done again."""
    claim = done("quarantine", "list", "--json").json["claims"][0]["id"]
    decision = done("quarantine", "discard", claim, "--json").json["decision"]
    first, again = (done("quarantine", "retry", str(decision), "--json").json for _ in range(2))

    assert (first["after"], first["after"]) == (again["before"], again["after"])
    assert "no claim was discarded by decision 999" in kg("quarantine", "retry", "999").err


@pytest.mark.parametrize("command", [("ingest", "sample.md"), ("quarantine", "retry")])
def test_a_command_waits_for_another_writer_as_long_as_it_is_told_to(
    own_world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sample.md").write_text(MEMO.format("Ledger"), encoding="utf-8")
    options = ("--collection", "memos") if command[0] == "ingest" else ()
    with ThreadPoolExecutor(1) as pool:
        with Writer.open(load_settings(own_world)):
            began = time.monotonic()
            assert "another process is writing" in kg(*command, *options).err
            assert "another process is writing" in kg(*command, *options, "--wait", "0.3").err
            waiting = pool.submit(kg, *command, *options, "--wait", "60")
            time.sleep(0.5)
            assert not waiting.done() and time.monotonic() - began < 30

        assert 0 == waiting.result().code


def test_progress_stands_in_its_file(own_world: Path, tmp_path: Path) -> None:
    file, memo = tmp_path / "how-far", tmp_path / "ledger.md"
    memo.write_text(MEMO.format("Ledger"), encoding="utf-8")
    done("ingest", memo, "--collection", "memos", "--progress", file)

    assert {"stage": "writing", "documents": 1, "claims": CLAIMS, "records": 0} == json.loads(file.read_text())
    assert "cannot be written" in kg("ingest", memo, "--collection", "memos", "--progress", tmp_path / "no/such/file").err


def test_what_stands_above_a_data_directory_says_nothing_of_an_upload(own_world: Path, tmp_path: Path) -> None:
    above = tmp_path / "memos"
    above.mkdir()
    own_world.rename(above / "kgdata")
    with opened(above / "kgdata") as served:
        reply = served.post("/api/ingest?name=ledger.md&collection=memos", "editor", data=MEMO.format("Ledger").encode())
        assert "done" == served.finished(reply, "editor")["state"]
        assert 200 == served.get("/document/memos/ledger.md").status_code
