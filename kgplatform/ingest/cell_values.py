"""How the values of a table are written: dates, numbers, words for no value. Every change on reading is noted, and nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from ..errors import SourceError, SyntaxSourceError
from ..lexical_forms import INTEGER_RANGES, is_valid
from ..terms import XSD
from ..times import Bound, parse_stated
from .written_dates import DateFormat, fitting_formats

NUMBERS: Final = frozenset({*INTEGER_RANGES, XSD.decimal, XSD.double, XSD.float})
DATES: Final = frozenset({XSD.date, XSD.dateTime, XSD.dateTimeStamp, XSD.gYear, XSD.gYearMonth})
_DOUBTFUL: Final = frozenset(
    {"n/a", "n.a.", "na", "null", "none", "nil", "nan", "-", "--", "—", "–", "?", "(blank)", "(null)", "<na>", "\\n"}
)
"""Words that often mean that there is no value, and sometimes are names: the author of the mapping decides."""
_ERRORS: Final = frozenset(
    {"#n/a", "#null!", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#getting_data", "#spill!", "#calc!", "#field!", "#####"}
)
"""What a spreadsheet shows where it could not compute a value."""
_AS_TEXT: Final = re.compile(r'="(?P<text>[^"]*)"')


class Stated(str):
    """A text whose type the file itself states (a number of JSON, a date of a workbook): the formats of the mapping do not apply."""


class Rounded(Stated):
    """A number with more than the 15 digits that spreadsheets keep: as an id it may be wrong."""


class Format(NamedTuple):
    """How values are written. `empty` is None where the mapping does not say which words mean no value."""

    dates: tuple[DateFormat, ...] = ()
    empty: frozenset[str] | None = None
    decimal: str = ""
    thousands: str = ""


class CellValue(NamedTuple):
    """A value, and what was changed on the way to it ('' if nothing)."""

    text: str
    note: str = ""


def is_void(text: str, form: Format) -> bool:
    """Whether the format says that the word means no value."""
    return form.empty is not None and text.casefold() in form.empty


def present(text: str, form: Format) -> CellValue | None:
    """The cell as a text, None where it means no value. SourceError for an error of a spreadsheet, or a word that may mean no value."""
    if is_void(text, form):
        return None
    if text[:1] == "#" and text.casefold() in _ERRORS:
        raise SyntaxSourceError(
            f"{text!r} is an error of a spreadsheet", hint=f"correct the cell, or add it to `empty` in the mapping: empty = [{text!r}]"
        )
    if form.empty is None and len(text) < 8 and text.casefold() in _DOUBTFUL:
        raise SyntaxSourceError(
            f"{text!r} may mean that there is no value", hint=f"say so in the mapping: empty = [{text!r}]; or empty = [], if it is a value"
        )
    if text[:2] == '="':
        quoted = _AS_TEXT.fullmatch(text)
        if quoted:
            return CellValue(quoted["text"].strip(), f"written {text}") if quoted["text"].strip() else None
    return CellValue(text)


def typed(text: str, datatype: str, form: Format) -> CellValue:
    """The lexical form of a value, read as the format says. A text that no format reads is returned as it is, for the gate to refuse.

    SourceError where it is a number by XSD and, by the marks of the format, none.
    """
    if datatype in NUMBERS and (form.decimal or form.thousands) and not isinstance(text, Stated):
        return _number(text, form.decimal or ".", form.thousands)
    if datatype in DATES:
        return _date(text, datatype, form.dates)
    if datatype == XSD.boolean and isinstance(text, Stated) and text.lower() in ("true", "false") and not text.islower():
        return CellValue(text.lower(), f"written {text}")
    return CellValue(text)


def bound(text: str, form: Format) -> tuple[Bound, str]:
    """The stated bound of a cell, and its note. SourceError names the key of the mapping by which it could be read."""
    try:
        return _bound(str(text), form.dates)
    except ValueError as error:
        raise SyntaxSourceError(str(error), hint=_advice(text, form.dates)) from error


@lru_cache(maxsize=65536)
def _bound(text: str, dates: tuple[DateFormat, ...]) -> tuple[Bound, str]:
    cell = _read(text, dates)
    stated = parse_stated(cell.text)
    no_zone = stated.precision == "instant" and not re.search(r"(?:Z|[+-]\d\d:?\d\d)$", cell.text)
    return stated, "; ".join(filter(None, (cell.note, "no zone stated, taken as UTC" if no_zone else "")))


@lru_cache(maxsize=65536)
def _date(text: str, datatype: str, dates: tuple[DateFormat, ...]) -> CellValue:
    cell = _read(text, dates)
    if datatype == XSD.date and re.fullmatch(r"\d{4}-\d\d-\d\dT00:00:00", cell.text):
        return CellValue(cell.text[:10], cell.note or f"written {text}")
    return cell if is_valid(datatype, cell.text) else CellValue(text)


def _read(text: str, dates: tuple[DateFormat, ...]) -> CellValue:
    """The first reading of a date, ISO 8601 before the formats; the note says where another format reads it otherwise."""
    readings = {form.name: iso for form in dates if (iso := form.read(text))}
    if _is_iso(text):
        others = {name: iso for name, iso in readings.items() if iso != text}
        return CellValue(text, _otherwise(f"{text!r} read as ISO 8601", others) if others else "")
    if not readings:
        return CellValue(text)
    name, iso = next(iter(readings.items()))
    others = {other: value for other, value in readings.items() if value != iso}
    return CellValue(iso, _otherwise(f"{text!r} read as {name}, as the mapping says", others))


def _otherwise(note: str, others: dict[str, str]) -> str:
    return note + "".join(f"; {name} would read {iso}" for name, iso in others.items())


def _is_iso(text: str) -> bool:
    try:
        parse_stated(text)
    except ValueError:
        return any(is_valid(datatype, text) for datatype in (XSD.date, XSD.dateTime, XSD.gYearMonth))
    return True


def _advice(text: str, dates: tuple[DateFormat, ...]) -> str:
    """What the mapping could say so that a date is read."""
    if not re.search(r"[1-9]", text):
        return _no_value(text)
    names = [form for form in fitting_formats(text) if form not in [known.name for known in dates]]
    if not names:
        return (
            "write 2025, 2025-03 or 2025-03-14" if not dates else f"the mapping's date_format is {', '.join(form.name for form in dates)}"
        )
    return "say how dates are written in the mapping: " + " or ".join(f'date_format = "{name}"' for name in names)


def _no_value(text: str) -> str:
    """The advice for a word, or for nothing but zeros, where a date or a number belongs."""
    return f"if it means that there is no value, say so in the mapping: empty = [{text!r}]"


def advice(text: str, datatype: str, form: Format) -> str:
    """Advice on the key of the mapping by which a text could be read as the datatype; '' if it is valid, or if no key would help."""
    if is_valid(datatype, text):
        return ""
    if datatype in DATES:
        names = _advice(text, form.dates)
        return names if "date_format" in names else ""
    if datatype in NUMBERS and not form.decimal and not form.thousands:
        for decimal, thousands in ((",", ""), (".", ","), (",", "."), (",", " "), (".", " "), (".", "'")):
            try:
                if is_valid(datatype, _number(text, decimal, thousands).text):
                    keys = (f'decimal = "{decimal}"', f'thousands = "{thousands}"' if thousands else "")
                    return f"say how numbers are written in the mapping: {' and '.join(filter(None, keys))}"
            except SourceError:
                continue
    return ""


@lru_cache(maxsize=256)
def _number_pattern(decimal: str, thousands: str) -> Callable[[str], re.Match[str] | None]:
    mark = re.escape(decimal)
    gap = "[ \u00a0\u202f\u2009]" if thousands == " " else "['’]" if thousands == "'" else re.escape(thousands)
    whole = rf"\d{{1,3}}(?:{gap}\d{{3}})+|\d+" if thousands else r"\d+"
    return re.compile(rf"(?P<sign>[+-]?)(?P<whole>{whole})?(?:{mark}(?P<part>\d+))?(?P<power>[eE][+-]?\d+)?", re.ASCII).fullmatch


def _number(text: str, decimal: str, thousands: str) -> CellValue:
    match = _number_pattern(decimal, thousands)(text.replace("\u2212", "-"))
    if match is None or not (match["whole"] or match["part"]):
        if is_valid(XSD.double, text):
            marks = f"decimal = {decimal!r}" + (f" and thousands = {thousands!r}" if thousands else "")
            raise SyntaxSourceError(
                f"{text!r} is no number as the mapping says: {marks}", hint="correct the cell, or state its column's own marks"
            )
        return CellValue(text)
    whole = re.sub(r"\D", "", match["whole"] or "0")
    plain = match["sign"] + whole + (f".{match['part']}" if match["part"] else "") + (match["power"] or "")
    return CellValue(plain, f"written {text}" if plain != text else "")
