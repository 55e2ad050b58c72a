"""Outside forms: what does not fit one is told with its path, whatever stands around it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import pytest
from msgspec import Meta

from kgplatform.forms.base import Count, OneOf, StrictForm
from kgplatform.forms.faults import FormError, toml_wanted
from kgplatform.forms.reading import read_form, read_json, read_texts
from kgplatform.forms.schemas import json_schema


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


# -- JSON


class Shape(OneOf):
    """A circle, or a box."""


class Circle(StrictForm, Shape, frozen=True):
    mark: ClassVar[str] = "radius"
    radius: Count


class Box(StrictForm, Shape, frozen=True):
    mark: ClassVar[str] = "width"
    width: Count
    label: Annotated[str, Meta(max_length=3, pattern="^[a-z]*$", description="lower case")] = ""


class Drawing(StrictForm, frozen=True):
    shapes: tuple[Shape, ...] = ()
    scale: Annotated[float, Meta(gt=0)] = 1.0
    is_shown: bool = False


@pytest.mark.parametrize(
    ("shapes", "where", "what"),
    [
        ([{"radius": -1}], "$.shapes[0].radius", "a whole number of 0 or more is needed here"),
        ([{"radius": True}], "$.shapes[0].radius", "a whole number of 0 or more is needed here"),
        ([{"radius": 1}, {"radius": 1, "width": 2}], "$.shapes[1]", "exactly one kind is needed here: one of radius, width"),
        ([{}], "$.shapes[0]", "exactly one kind is needed here: one of radius, width"),
        ([3], "$.shapes[0]", "an object is needed here"),
        ([{"width": 1, "height": 1}], "$.shapes[0]", "there is no field 'height'"),
        ([{"width": 1, "x - at `$.y": 1}], "$.shapes[0]", "there is no field 'x - at `$.y'"),
        ([{"width": 1, "label": "long"}], "$.shapes[0].label", "at most 3 characters are allowed here"),
        ([{"width": 1, "label": "A"}], "$.shapes[0].label", "'A' is not lower case"),
        ([{"width": 1, "label": 1}], "$.shapes[0].label", "a text is needed here"),
        ({}, "$.shapes", "a list is needed here"),
    ],
)
def test_a_choice_is_read_as_the_form_whose_mark_it_has(shapes: object, where: str, what: str) -> None:
    with pytest.raises(FormError) as failed:
        read_json({"shapes": shapes}, Drawing)

    assert (where, what) == (failed.value.json_path, failed.value.in_words()[0])


def test_a_whole_number_of_json_may_have_a_point() -> None:
    assert Drawing((Circle(Count(2)), Box(Count(1), "x"))) == read_json({"shapes": [{"radius": 2.0}, {"width": 1, "label": "x"}]}, Drawing)


def test_half_of_a_character_has_its_path() -> None:
    with pytest.raises(FormError) as failed:
        read_json({"name": "x", "rows": [{"marks": ["x", "\ud800"]}]}, Library)

    assert "$.rows[0].marks[1]" == failed.value.json_path


def test_texts_of_an_address_are_read_as_their_types() -> None:
    assert Drawing(scale=0.5, is_shown=True) == read_texts({"scale": "0.5", "is_shown": "true"}, Drawing)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [({"scale": "0"}, "a number above 0"), ({"scale": "nan"}, "a number above 0"), ({"is_shown": "1"}, "true or false")],
)
def test_texts_that_are_none_of_a_type_are_told(given: dict[str, str], wanted: str) -> None:
    with pytest.raises(FormError) as failed:
        read_texts(given, Drawing)

    assert wanted == failed.value.wanted + failed.value.bounds


def test_the_json_schema_holds_every_form_of_a_choice() -> None:
    schema = json_schema(Drawing)

    assert [{"$ref": "#/$defs/Circle"}, {"$ref": "#/$defs/Box"}] == schema["properties"]["shapes"]["items"]["anyOf"]
    assert {"type": "integer", "minimum": 0} == schema["$defs"]["Circle"]["properties"]["radius"]
