"""The frame of the command line: common options anywhere, exit codes, one line for an error, never a trace."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kgplatform.cli import cli, main
from kgplatform.cli.frame import KgCommand, Run, log, pass_run
from kgplatform.errors import UnknownName

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def planted() -> Iterator[Callable[[Callable[[Run], None]], None]]:
    """Adds a command `planted` that does what the test says."""

    def plant(act: Callable[[Run], None]) -> None:
        cli.add_command(KgCommand("planted", callback=pass_run(act)))

    yield plant
    cli.commands.pop("planted", None)


Plant = Callable[[Callable[[Run], None]], None]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--data", "d", "--as", "maria", "--json", "planted"],
        ["planted", "--data", "d", "--as", "maria", "--json"],
        ["--as", "maria", "planted", "--json", "--data", "d"],
        ["--as", "other", "--data", "x", "planted", "--as", "maria", "--json", "--data", "d"],
    ],
)
def test_common_options_work_before_and_after_the_command_and_the_later_wins(planted: Plant, arguments: list[str]) -> None:
    seen: list[Run] = []
    planted(seen.append)

    assert 0 == main(arguments)
    assert [(Path("d"), "maria", True)] == [(run.data, run.name, run.json) for run in seen]


def test_the_data_directory_is_kgdata_unless_the_environment_names_one(planted: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Path] = []
    planted(lambda run: seen.append(run.data))

    main(["planted"])
    monkeypatch.setenv("KGPLATFORM_DATA", "elsewhere")
    main(["planted"])
    main(["planted", "--data", "named"])

    assert [Path("kgdata"), Path("elsewhere"), Path("named")] == seen


def test_an_error_is_one_line_on_stderr_and_exit_1(planted: Plant, capsys: Captured) -> None:
    def fail(run: Run) -> None:
        raise UnknownName("no such document", where="memos/x.md", hint="see\n`kgplatform search`")

    planted(fail)

    assert 1 == main(["planted"])
    out, err = capsys.readouterr()
    assert ("", "memos/x.md: no such document (see `kgplatform search`)\n") == (out, err)


def test_an_unexpected_exception_is_one_line_without_a_trace(planted: Plant, capsys: Captured) -> None:
    def fail(run: Run) -> None:
        raise ZeroDivisionError("division\nby zero")

    planted(fail)

    assert 1 == main(["planted"])
    err = capsys.readouterr().err
    assert "unexpected ZeroDivisionError: division by zero (a fault of kgplatform; rerun with -v for the trace)\n" == err


def test_the_verbose_log_holds_the_trace_of_an_unexpected_exception(planted: Plant, capsys: Captured) -> None:
    def fail(run: Run) -> None:
        raise ZeroDivisionError

    planted(fail)

    assert 1 == main(["-v", "planted"])
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [["no-such-command"], ["ask"], ["ask", "--no-such-option", "x"], ["quarantine", "no-such"], ["ask", "x", "--min-trust", "high"]],
)
def test_a_command_that_is_not_understood_is_exit_2(arguments: list[str], capsys: Captured) -> None:
    assert 2 == main(arguments)
    out, err = capsys.readouterr()
    assert "" == out and err


def test_a_date_that_is_none_is_exit_2_and_one_line(capsys: Captured, tmp_path: Path) -> None:
    assert 2 == main(["ask", "x", "--valid-at", "yesterday", "--data", str(tmp_path)])
    assert 1 == len(capsys.readouterr().err.splitlines())


def test_a_missing_data_directory_is_one_line_that_says_what_next(capsys: Captured, tmp_path: Path) -> None:
    for command in (["ask", "x"], ["search", "x"], ["quarantine", "list"], ["principal", "list"], ["doctor"]):
        assert 1 == main([*command, "--data", str(tmp_path / "absent")])
        err = capsys.readouterr().err
        assert 1 == len(err.splitlines()) and "kgplatform init" in err, command


def test_help_says_that_as_is_no_login(capsys: Captured) -> None:
    assert 0 == main(["--help"])
    assert "not a login" in " ".join(capsys.readouterr().out.split())


def test_the_verbose_log_says_once_that_as_is_no_login(planted: Plant, capsys: Captured) -> None:
    planted(lambda run: None)

    main(["-v", "--as", "maria", "planted"])

    assert 1 == capsys.readouterr().err.count("not a login")


def test_logs_are_json_lines_on_stderr_when_asked(planted: Plant, capsys: Captured) -> None:
    planted(lambda run: log.warning("three are missing"))

    main(["planted", "--log-json"])

    out, err = capsys.readouterr()
    line = json.loads(err)
    assert "" == out
    assert ("warning", "three are missing") == (line["level"], line["message"])


def test_every_command_takes_the_common_options(capsys: Captured) -> None:
    for name in cli.commands:
        assert 0 == main([name, "--help"])
        said = capsys.readouterr().out
        assert all(option in said for option in ("--data", "--as", "--json", "--log-json", "--verbose")), name


def test_a_table_outside_a_terminal_is_plain_tab_separated_text(planted: Plant, capsys: Captured) -> None:
    planted(lambda run: run.table(("name", "count"), [("[red]a[/red]", 1), ("b\nc", 2)]))

    main(["planted"])

    assert "name\tcount\n[red]a[/red]\t1\nb c\t2\n" == capsys.readouterr().out


def test_no_stored_text_reaches_a_terminal_as_a_command_to_it(planted: Plant, capsys: Captured) -> None:
    evil = "Tax\x1b]0;pwned\x07\x9b31m"

    def show(run: Run) -> None:
        run.say(f"{evil}\tü\n")
        run.table(("name",), [(evil,)])
        raise UnknownName(evil)

    planted(show)
    main(["planted"])
    said = capsys.readouterr()

    assert not set("\x1b\x07\x9b") & set(said.out + said.err)
    assert ["Tax\ufffd]0;pwned\ufffd\ufffd31m", "ü"] == said.out.splitlines()[0].split()


@pytest.mark.parametrize("arguments", [["ask", "what \udcff"], ["search", "\udcff", "--server", "http://127.0.0.1:1"]])
def test_a_text_that_is_not_in_utf_8_is_exit_2_and_one_line(arguments: list[str], capsys: Captured) -> None:
    assert 2 == main(arguments)
    assert ["is not in UTF-8"] == [line.partition(": ")[2] for line in capsys.readouterr().err.splitlines()]


def test_text_that_looks_like_markup_is_text(planted: Plant, capsys: Captured) -> None:
    planted(lambda run: run.say("R7 [bold]is[/bold] on [call]"))

    main(["planted"])

    assert "R7 [bold]is[/bold] on [call]\n" == capsys.readouterr().out
