"""The lexical spaces of the XSD datatypes (XML Schema 1.1 part 2): which texts are values of which datatype.

Two readings are narrower than XSD's: there is no year 0, as `times` has none, and an xsd:anyURI has no blanks
and none of the characters that RFC 3987 never allows.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from typing import Final

from .namespaces import RDF, XSD

_ZONE = r"(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?"
_YEAR = r"(?P<year>-?(?:[1-9]\d{3,}|0\d{3}))"
_CLOCK = r"(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|24:00:00(?:\.0+)?)"
_MONTH = r"(?P<month>0[1-9]|1[0-2])"
_DAY = r"(?P<day>0[1-9]|[12]\d|3[01])"
_DATE_PART = r"P(?=.)(?:\d+Y)?(?:\d+M)?"
_TIME_PART = r"(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?"

INTEGER_RANGES: Final[dict[str, tuple[int | None, int | None]]] = {
    XSD.integer: (None, None),
    XSD.nonNegativeInteger: (0, None),
    XSD.positiveInteger: (1, None),
    XSD.nonPositiveInteger: (None, 0),
    XSD.negativeInteger: (None, -1),
    XSD.long: (-(2**63), 2**63 - 1),
    XSD.int: (-(2**31), 2**31 - 1),
    XSD.short: (-(2**15), 2**15 - 1),
    XSD.byte: (-128, 127),
    XSD.unsignedLong: (0, 2**64 - 1),
    XSD.unsignedInt: (0, 2**32 - 1),
    XSD.unsignedShort: (0, 2**16 - 1),
    XSD.unsignedByte: (0, 255),
}
"""The datatypes that the store writes as xsd:integer, with their least and greatest value."""


def is_valid(datatype: str, value: str) -> bool:
    """Whether a text is in the lexical space of a datatype; one that is not XSD's has no wrong texts.

    >>> is_valid(XSD.date, "2025-02-29"), is_valid(XSD.dateTime, "2024-02-29")
    (False, False)
    """
    check = _CHECKS.get(datatype)
    if check is None:
        return True
    return check(value)


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.ASCII)

    def check(value: str) -> bool:
        found = compiled.fullmatch(value)
        return found is not None and _is_on_a_calendar(found.groupdict())

    return check


def _is_on_a_calendar(parts: dict[str, str]) -> bool:
    year, month, day = (int(parts[name]) if name in parts else None for name in ("year", "month", "day"))
    if year == 0:
        return False
    if month and day:
        # the proleptic Gregorian calendar repeats every 400 years
        return day <= calendar.monthrange(2000 if year is None else 2000 + year % 400, month)[1]
    return True


def _integers(least: int | None, greatest: int | None) -> Callable[[str], bool]:
    def check(value: str) -> bool:
        if not re.fullmatch(r"[+-]?[0-9]+", value):
            return False
        if least is None and greatest is None:
            return True
        digits = value.lstrip("+-").lstrip("0") or "0"
        # int() refuses thousands of digits; no bounded type has more than 20
        number = int(digits[:25]) * (-1 if value.startswith("-") else 1)
        return (least is None or least <= number) and (greatest is None or number <= greatest)

    return check


def _token(value: str) -> bool:
    return not re.search(r"[\t\r\n]", value) and value == value.strip(" ") and "  " not in value


_NAME_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME_PART = rf"{_NAME_START}.0-9\u00b7\u0300-\u036f\u203f\u2040-"

_CHECKS: Final[dict[str, Callable[[str], bool]]] = {
    **{datatype: _integers(*bounds) for datatype, bounds in INTEGER_RANGES.items()},
    XSD.string: lambda value: True,
    RDF.langString: lambda value: True,
    XSD.normalizedString: lambda value: not re.search(r"[\t\r\n]", value),
    XSD.token: _token,
    XSD.language: _matches(r"[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*"),
    XSD.Name: _matches(rf"[:{_NAME_START}][:{_NAME_PART}]*"),
    XSD.NCName: _matches(rf"[{_NAME_START}][{_NAME_PART}]*"),
    XSD.NMTOKEN: _matches(rf"[:{_NAME_PART}]+"),
    XSD.boolean: _matches(r"true|false|1|0"),
    XSD.decimal: _matches(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)"),
    XSD.double: _matches(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?INF|NaN"),
    XSD.float: _matches(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?INF|NaN"),
    XSD.date: _matches(rf"{_YEAR}-{_MONTH}-{_DAY}{_ZONE}"),
    XSD.dateTime: _matches(rf"{_YEAR}-{_MONTH}-{_DAY}T{_CLOCK}{_ZONE}"),
    XSD.dateTimeStamp: _matches(rf"{_YEAR}-{_MONTH}-{_DAY}T{_CLOCK}{_ZONE[:-1]}"),
    XSD.time: _matches(rf"{_CLOCK}{_ZONE}"),
    XSD.gYear: _matches(rf"{_YEAR}{_ZONE}"),
    XSD.gYearMonth: _matches(rf"{_YEAR}-{_MONTH}{_ZONE}"),
    XSD.gMonthDay: _matches(rf"--{_MONTH}-{_DAY}{_ZONE}"),
    XSD.gMonth: _matches(rf"--{_MONTH}{_ZONE}"),
    XSD.gDay: _matches(rf"---{_DAY}{_ZONE}"),
    XSD.duration: _matches(rf"-?{_DATE_PART}(?:\d+D)?{_TIME_PART}"),
    XSD.yearMonthDuration: _matches(rf"-?{_DATE_PART}"),
    XSD.dayTimeDuration: _matches(rf"-?P(?=.)(?:\d+D)?{_TIME_PART}"),
    XSD.anyURI: _matches(r"(?:[^\s\x00-\x20<>\"{}|\\^`%\x7f]|%[0-9A-Fa-f]{2})+"),
    XSD.hexBinary: _matches(r"(?:[0-9A-Fa-f]{2})*"),
    XSD.base64Binary: _matches(r"(?:(?:[A-Za-z0-9+/] ?){4})*(?:(?:[A-Za-z0-9+/] ?){2}[AEIMQUYcgkosw048] ?=|[A-Za-z0-9+/] ?[AQgw] ?= ?=)?"),
}

EXAMPLES: Final[dict[str, str]] = {
    datatype: f'"{text}"' if datatype == XSD.string else f'"{text}"^^<{datatype}>'
    for datatype, text in {
        XSD.string: "x",
        XSD.boolean: "true",
        XSD.integer: "1",
        XSD.decimal: "1.5",
        XSD.double: "1.5E0",
        XSD.date: "2000-01-01",
        XSD.dateTime: "2000-01-01T00:00:00Z",
        XSD.anyURI: "https://kg.example/",
        XSD.gYear: "2000",
    }.items()
}
"""One literal node of each common datatype, to stand for all of them where only the datatype is looked at."""
