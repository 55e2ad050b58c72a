"""What a request asks, read as the form of its operation; what the form does not have, or comes twice, is refused."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeVar

from flask import request

from ..forms.faults import FormError
from ..forms.reading import read_json, read_texts
from .problems import HttpProblem
from .request_forms import RequestForm

F = TypeVar("F", bound=RequestForm)
T = TypeVar("T")


def parameters(form: type[F]) -> F:
    """Those of the address."""
    return read_parameters(form, pairs(request.args.items(multi=True)))


def no_parameters() -> None:
    """Refuses any."""
    parameters(RequestForm)


def pairs(*sources: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Named values. A name that comes twice is refused, as nobody can say which value counts."""
    named: dict[str, str] = {}
    for name, value in (pair for source in sources for pair in source):
        if name in named:
            raise HttpProblem("bad-parameter", f"{name} is given more than once")
        named[name] = value
    return named


def read_parameters(form: type[F], values: dict[str, str]) -> F:
    """Named texts as a form."""
    try:
        return read_texts(values, form)
    except FormError as error:
        raise _problem(error) from error


def body(form: type[T]) -> T:
    """A JSON object in the body; the address must have no parameters."""
    if request.args:
        raise HttpProblem("bad-parameter", "a request with a JSON body has no parameters in its address")
    value = json_body()
    if not isinstance(value, dict):
        raise HttpProblem("bad-body", "the body is not a JSON object")
    try:
        return read_json(value, form)
    except FormError as error:
        raise _problem(error) from error


def _problem(error: FormError) -> HttpProblem:
    """What is wrong with a parameter, by its name."""
    if error.unknown is not None:
        hint = f"known here: {', '.join(error.known)}" if error.known else "none is known here"
        return HttpProblem("bad-parameter", f"{error.unknown[:80]!r} is no parameter of this operation", hint=hint)
    if error.missing:
        return HttpProblem("bad-parameter", f"{error.missing} is missing")
    name, value = ".".join(map(str, error.path)), error.value
    if value is None:
        return HttpProblem("bad-parameter", f"{name} is null", hint="leave it out")
    if error.choices:
        return HttpProblem("bad-parameter", f"{name} is {value!r}", hint=f"one of {', '.join(error.choices)}")
    if isinstance(value, str) and error.wanted == "a text":
        if not value.strip():
            return HttpProblem("bad-parameter", f"{name} is empty")
        if error.limit:
            return HttpProblem("bad-parameter", f"{name} has {len(value):,} characters", hint=f"at most {error.limit[1]:,.0f} are read")
        return HttpProblem("bad-parameter", f"{name} holds a character that is no text")
    if not error.is_of_type:
        return HttpProblem("bad-parameter", f"{name}: {error}" if name else str(error))
    return HttpProblem("bad-parameter", f"{name} must be {error.wanted}{error.bounds}")


def json_body() -> Any:
    """The body as JSON; a Problem if it is not, or not said to be."""
    if request.mimetype != "application/json":
        raise HttpProblem("unsupported-media-type", "the body must be application/json")
    try:
        return json.loads(request.get_data(), object_pairs_hook=_once)
    except RecursionError as error:
        raise HttpProblem("bad-body", "the JSON is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise HttpProblem("bad-body", "the JSON is not UTF-8") from error
    except ValueError as error:
        raise HttpProblem("bad-body", f"the body is not JSON: {error}") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise HttpProblem("bad-parameter", f"{twice[:80]!r} is given more than once")
    return found
