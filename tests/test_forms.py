"""Outside forms: what does not fit one is told with its path, whatever stands around it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta

from kgplatform.forms import FormError, StrictForm, read_form, toml_wanted


class Shelf(StrictForm, frozen=True):
    kind: Literal["open", "closed"] = "open"
    height: Annotated[int, Meta(ge=1)] = 1
    marks: tuple[str, ...] = ()


class Library(StrictForm, frozen=True):
    name: str
    shelves: dict[str, Shelf] = {}  # noqa: RUF012 (msgspec copies it)
    rows: tuple[Shelf, ...] = ()
    aliases: str | tuple[str, ...] = ()


def refused(**parts: Any) -> FormError:
    with pytest.raises(FormError) as failed:
        read_form({"name": "x", **parts}, Library)
    return failed.value


@pytest.mark.parametrize(
    ("parts", "path", "wanted"),
    [
        ({"name": 1}, ("name",), "a text"),
        ({"shelves": {"a": {}, "b.c": {"height": "x"}}}, ("shelves", "b.c", "height"), "a whole number"),
        ({"shelves": {"a": {}, "b": 3}}, ("shelves", "b"), "an object"),
        ({"rows": [{}, {"marks": ["x", 2]}]}, ("rows", 1, "marks", 1), "a text"),
        ({"aliases": 3}, ("aliases",), "a text or a list"),
    ],
)
def test_a_value_of_another_type_has_its_path_and_what_is_wanted(parts: dict[str, Any], path: tuple[str | int, ...], wanted: str) -> None:
    error = refused(**parts)

    assert (path, wanted) == (error.path, error.wanted)


def test_an_unknown_field_comes_with_those_that_there_are() -> None:
    error = refused(shelves={"a": {"hight": 2}})

    assert (("shelves", "a"), "hight", ("kind", "height", "marks")) == (error.path, error.unknown, error.known)


@pytest.mark.parametrize("name", ["x - at `$.rows", "`", "", "a\nb"])
def test_an_unknown_field_may_be_called_anything(name: str) -> None:
    error = refused(**{name: 1})

    assert ((), name) == (error.path, error.unknown)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(FormError) as failed:
        read_form({}, Library)

    assert ((), "name") == (failed.value.path, failed.value.missing)


def test_a_choice_and_a_bound_are_told() -> None:
    assert ("open", "closed") == refused(rows=[{"kind": "half"}]).choices
    assert (">=", 1) == refused(rows=[{"height": 0}]).limit


@pytest.mark.parametrize(
    ("parts", "key", "wanted"),
    [
        ({"rows": [{"marks": ["x", 2]}]}, "rows[1].marks", "a list of texts"),
        ({"rows": [{"marks": "x"}]}, "rows[1].marks", "a list of texts"),
        ({"rows": ["x"]}, "rows[1]", "a table"),
        ({"name": 3}, "name", "a text in quotes"),
    ],
)
def test_toml_counts_from_one_and_names_lists_of_texts_as_a_whole(parts: dict[str, Any], key: str, wanted: str) -> None:
    assert (key, wanted) == toml_wanted(refused(**parts))
