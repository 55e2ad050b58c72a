"""`kgplatform serve` as its users meet it: a process of its own, read with the tools that they have."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest
from support.commandline import kg
from support.kgserver import Server, serving
from test_endpoint import ENDLESS, NAMES

REPO = Path(__file__).resolve().parent.parent


def test_the_server_answers_over_http(server: Server) -> None:
    reply = server.get("/sparql", query=NAMES)

    assert (200, "kgplatform", ["Cart", "Tax"]) == (
        reply.status_code,
        reply.headers["Server"],
        [row["name"]["value"] for row in reply.json()["results"]["bindings"]],
    )
    assert "Platform owns Tax" in server.get("/api/ask", question="Who owns Tax?").json()["sentence"]
    assert 200 == server.get("/readyz").status_code


def test_sparqlwrapper_reads_the_endpoint(server: Server) -> None:
    wrapper = pytest.importorskip("SPARQLWrapper", reason="sparqlwrapper of the extra `test` is not installed")
    client = wrapper.SPARQLWrapper(f"{server.url}/sparql")

    def told(text: str, form: str, method: str) -> Any:
        client.setQuery(text)
        client.setReturnFormat(form)
        client.setMethod(method)
        return client.query().convert()

    prefixes = "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX sc: <https://w3id.org/kgplatform/service-catalog#>\n"
    for method in (wrapper.GET, wrapper.POST):
        rows = told(prefixes + NAMES, wrapper.JSON, method)["results"]["bindings"]
        assert ["Cart", "Tax"] == [row["name"]["value"] for row in rows]
        assert [b"name", b"Cart", b"Tax"] == told(prefixes + NAMES, wrapper.CSV, method).split()
        assert "Checkout" in told("DESCRIBE <https://kg.example/id/component/checkout>", wrapper.TURTLE, method).decode()
        assert 2 == len(told(prefixes + NAMES, wrapper.XML, method).getElementsByTagName("result"))

    client.setCredentials("finance", server.tokens["finance"])
    assert told("ASK { ?s <http://www.w3.org/2000/01/rdf-schema#label> 'Avalon' }", wrapper.JSON, wrapper.GET)["boolean"] is True


def test_pandas_reads_a_query_as_a_table(server: Server) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas of the extra `test` is not installed")
    table = pandas.read_csv(f"{server.url}/sparql?format=csv&query={quote(NAMES)}")

    assert ["Cart", "Tax"] == list(table["name"])


def test_rdflib_loads_triples_from_an_address(server: Server) -> None:
    from rdflib import Graph

    found = Graph().parse(f"{server.url}/sparql?format=turtle&query={quote('DESCRIBE <https://kg.example/id/component/tax>')}")

    assert 3 < len(found)


def test_a_slow_query_holds_nobody_up(server: Server) -> None:
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(server.get, "/sparql", query=ENDLESS, timeout="5")
        quick = [server.get("/api/ask", question="Who owns Tax?").status_code for _ in range(3)]

        assert ([200, 200, 200], False) == (quick, slow.done())
        assert 503 == slow.result().status_code


def test_callers_who_hang_up_hold_no_place(server: Server) -> None:
    """More of them than there are places, each of which would be taken for 30 seconds."""
    address = urlsplit(server.url)
    for _ in range(6):
        with socket.create_connection((address.hostname, address.port)) as caller:
            caller.sendall(f"GET /sparql?query={quote(ENDLESS)}&timeout=30 HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
            time.sleep(0.5)  # until it has a place, if there is one

    assert 200 == server.get("/sparql", query=NAMES).status_code


@pytest.mark.long
def test_twenty_callers_at_once_are_all_answered(server: Server) -> None:
    with ThreadPoolExecutor(20) as pool:
        replies = list(pool.map(lambda n: server.get("/api/ask", ("", "finance")[n % 2], question="Who owns Invoice?"), range(60)))

    assert {200} == {reply.status_code for reply in replies}
    assert 2 == len({reply.json()["sentence"] for reply in replies})


def test_reading_and_another_command_go_on_beside_the_server(server: Server) -> None:
    assert 0 == kg("ask", "Who owns Tax?", "--data", server.data).code
    assert 0 == kg("principal", "add", "new", "--data", server.data).code


def test_a_command_that_writes_meanwhile_gets_the_line_of_the_lock(server: Server, now: None) -> None:
    from kgplatform.settings.load import load_settings
    from kgplatform.writing.writer import Writer

    with Writer.open(load_settings(server.data)):
        said = kg("principal", "add", "other", "--data", server.data)
        assert 200 == server.get("/api/ask", question="Who owns Tax?").status_code

    assert (1, 1) == (said.code, len(said.err.strip().splitlines()))
    assert "another process is writing here" in said.err


def test_a_port_that_is_taken_is_one_line(server: Server, own_world: Path) -> None:
    said = kg("serve", "--port", server.url.rpartition(":")[2], "--data", own_world)

    assert (2, 1) == (said.code, len(said.err.strip().splitlines()))
    assert "cannot listen" in said.err


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_answers_first_what_was_asked(own_world: Path, number: int) -> None:
    with serving(own_world) as server:
        replies: list[httpx.Response] = []
        asking = threading.Thread(target=lambda: replies.append(server.get("/sparql", query=ENDLESS, timeout="2")))
        asking.start()
        time.sleep(1.0)
        code = server.stop(number)
        asking.join()

    assert (0, [503]) == (code, [reply.status_code for reply in replies])
    assert "query-timeout" in replies[0].text


@pytest.mark.long
def test_an_interrupt_of_the_terminal_leaves_a_report_that_is_being_made(own_world: Path) -> None:
    """Ctrl-C reaches every process of the server's group."""
    with serving(own_world) as server:
        replies: list[httpx.Response] = []
        asking = threading.Thread(target=lambda: replies.append(server.get("/api/validate", "steward")))
        asking.start()
        while not (made := [pid for pid in children(server.process.pid) if b"validate" in Path(f"/proc/{pid}/cmdline").read_bytes()]):
            time.sleep(0.02)
        for pid in (server.process.pid, *made):
            if os.getpgid(pid) == os.getpgid(server.process.pid):
                os.kill(pid, signal.SIGINT)
        asking.join()

        assert (0, [200]) == (server.process.wait(timeout=40), [reply.status_code for reply in replies])


def children(pid: int) -> list[int]:
    return [int(each) for task in Path(f"/proc/{pid}/task").iterdir() for each in (task / "children").read_text().split()]


@pytest.mark.long
def test_a_stop_lets_a_running_job_finish(own_world: Path) -> None:
    with serving(own_world) as server:
        headers = {"Authorization": f"Bearer {server.tokens['editor']}"}
        text = "Ledger is a component. Platform has owned Ledger since 3 April 2025.\n"
        reply = httpx.post(f"{server.url}/api/ingest?name=memos/ledger.md", content=text.encode(), headers=headers)
        while server.get(f"/api/jobs/{reply.json()['id']}", "editor").json()["state"] == "queued":
            time.sleep(0.05)
        code = server.stop()

    assert 0 == code
    assert "Platform owns Ledger" in kg("ask", "Who owns Ledger?", "--data", own_world).out


# -- the examples of the docs

EXAMPLE = re.compile(r"^```sh served\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LEAVES_EARLY = re.compile(r"\|\s*(head\b|grep\s+-\w*[mq])")


@pytest.mark.parametrize("page", ["data-teams.md", "everyone.md", "serving.md"])
def test_the_curl_examples_of_a_page_work(server: Server, page: str, tmp_path: Path) -> None:
    """Every command of a `sh served` block, at the address and with the token of this server; `#>` says what comes out."""
    text = (REPO / "docs" / page).read_text(encoding="utf-8")
    blocks = EXAMPLE.findall(text)
    assert blocks
    assert not [block for block in blocks if LEAVES_EARLY.search(block)], "curl fails, now and then, where its reader leaves before the end"
    (tmp_path / "handover.md").write_text("Ledger is a component. Platform has owned Ledger since 3 April 2025.\n", encoding="utf-8")
    for block in blocks:
        commands, expected = re.sub(r"^#> .*\n", "", block, flags=re.MULTILINE), re.findall(r"^#> (.*)$", block, re.MULTILINE)
        environment = {**os.environ, "TOKEN": server.tokens["finance"], "EDITOR_TOKEN": server.tokens["editor"]}
        script = commands.replace("http://127.0.0.1:8080", server.url)
        command = ["bash", "-euo", "pipefail", "-c", script]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=60)
        assert 0 == done.returncode, f"{script}\n{done.stderr}"
        for line in expected:
            assert line in done.stdout, script
