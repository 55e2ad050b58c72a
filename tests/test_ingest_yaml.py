"""YAML documents as positioned nodes, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgplatform.errors import LimitSourceError, SourceError, SyntaxSourceError
from kgplatform.ingest.yaml_documents import Scalar, YamlMapping, YamlSequence, as_value, documents


def root(text: str) -> YamlMapping:
    (document,) = documents(text, "x.yaml")
    assert isinstance(document.root, YamlMapping)
    return document.root


def refused(text: str) -> SourceError:
    errors = [document.error for document in documents(text, "x.yaml") if document.error]
    assert len(errors) == 1 and errors[0]
    return errors[0]


def test_a_scalar_keeps_the_text_it_was_written_with() -> None:
    assert "1.10" == root("version: 1.10\n").text("version")
    assert "yes" == root("enabled: yes\n").text("enabled")


def test_a_value_spans_its_key_and_itself() -> None:
    text = "# first\nspec:\n  owner: group:platform  # them\n"
    node = root(text).mapping("spec").entries["owner"]

    assert "owner: group:platform" == text[node.start : node.end]


def test_spans_count_characters_not_bytes() -> None:
    text = "a: 😀é\nb: here\n"
    node = root(text).entries["b"]

    assert "b: here" == text[node.start : node.end]


def test_every_document_of_a_stream_is_read() -> None:
    text = "# comment\n---\na: 1\n---\n# nothing\n---\nb: |\n  ---\n  text\n...\n---\nc: 2\n"

    assert [{"a": 1}, {"b": "---\ntext\n"}, {"c": 2}] == [as_value(d.root) for d in documents(text, "x.yaml") if d.root]


def test_a_bad_document_leaves_the_others() -> None:
    text = "a: 1\n---\nb: [1\n---\nc: 2\n"
    found = list(documents(text, "x.yaml"))

    assert [True, False, True] == [d.error is None for d in found]
    assert found[1].error and found[1].error.where == "x.yaml:3"


def test_a_key_that_stands_twice_is_refused_with_its_line() -> None:
    error = refused("a: 1\nb: 2\na: 3\n")

    assert ("x.yaml:3", "the key 'a' stands twice") == (error.where, error.what)


@pytest.mark.parametrize("text", ['a: 1\nb: "\\0"\n', 'a: 1\nb: "\\ud800"\n'])
def test_an_escape_that_no_text_can_hold_is_refused_with_its_line(text: str) -> None:
    (document,) = documents(text, "x.yaml")

    assert document.error
    assert "x.yaml:2" == document.error.where


def test_an_alias_repeats_its_value() -> None:
    assert {"a": {"k": 1}, "b": {"k": 1}} == as_value(root("a: &x {k: 1}\nb: *x\n"))


def test_a_merge_key_gives_what_is_not_written() -> None:
    assert {"a": {"k": 1, "l": 2}, "b": {"k": 3, "l": 2}} == as_value(root("a: &x {k: 1, l: 2}\nb: {<<: *x, k: 3}\n"))


def test_an_alias_that_contains_itself_is_refused() -> None:
    error = refused("a: &x\n  b:\n    - *x\n")

    assert isinstance(error, LimitSourceError)
    assert ("x.yaml:3", "the alias *x contains itself") == (error.where, error.what)


def test_an_alias_without_anchor_is_refused() -> None:
    assert "the alias *y has no anchor" == refused("a: *y\n").what


def test_an_alias_bomb_is_refused_before_it_grows() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    error = refused("\n".join(lines) + "\n")

    assert isinstance(error, LimitSourceError)
    assert "its aliases repeat more than 10000 nodes" == error.what


def test_deep_nesting_is_refused() -> None:
    error = refused("a: " + "[" * 5000 + "]" * 5000 + "\n")

    assert isinstance(error, LimitSourceError)
    assert "is nested deeper than 100 levels" == error.what


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: b: c\n", 1), ("a: 1\n\tb: 2\n", 2), ("a: 'x\n", 1), ("a: \x07\n", 1), ("? [1, 2]\n: 3\n", 1), ("a: 1\n- 2\n", 2)],
)
def test_broken_yaml_names_its_line(text: str, line: int) -> None:
    error = refused(text)

    assert isinstance(error, SyntaxSourceError)
    assert f"x.yaml:{line}" == error.where
    assert "\n" not in str(error)


def test_plain_values_are_json_of_the_core_schema() -> None:
    text = "[~, null, '', true, False, 12, 1.5, 1e3, 0x1f, 2024-01-02, '12']"
    (document,) = documents(text, "x.yaml")

    assert isinstance(document.root, YamlSequence)
    assert [None, None, "", True, False, 12, 1.5, 1000.0, "0x1f", "2024-01-02", "12"] == as_value(document.root)


def test_a_text_of_comments_alone_has_no_documents() -> None:
    assert [] == list(documents("# one\n\n---\n# two\n", "x.yaml"))


def test_a_tagged_value_is_text() -> None:
    node = root("a: !!str 12\n").entries["a"]

    assert isinstance(node, Scalar) and "12" == as_value(node)


_PIECES = st.sampled_from(
    [
        "a",
        ": ",
        "- ",
        "\n",
        "\n  ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "&x ",
        "*x",
        "'",
        '"',
        "|\n",
        "#",
        "---\n",
        "<<: ",
        "\t",
        "é",
        "\r\n",
        "\u2028",
        "!t ",
    ]
)


@given(st.lists(_PIECES, max_size=30).map("".join))
def test_any_text_gives_nodes_inside_it_or_an_error(text: str) -> None:
    for document in documents(text, "x.yaml"):
        todo = [document.root] if document.root else []
        assert todo or document.error
        while todo:
            node = todo.pop()
            assert 0 <= node.start <= node.end <= len(text)
            todo += node.entries.values() if isinstance(node, YamlMapping) else node.items if isinstance(node, YamlSequence) else ()
