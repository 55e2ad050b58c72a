"""Dates as tables write them: formats in the letters of strptime, and the day numbers of spreadsheets, to ISO 8601."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from functools import lru_cache
from typing import Final, NamedTuple

_MONTHS: Final = {
    name.casefold(): number for names in (calendar.month_name, calendar.month_abbr) for number, name in enumerate(names) if name
} | {"sept": 9}
_WEEKDAYS: Final = "|".join(name for names in (calendar.day_name, calendar.day_abbr) for name in names)
_LETTERS: Final = {
    "Y": r"(?P<Y>\d{4})",
    "y": r"(?P<y>\d{2})",
    "m": r"(?P<m>\d{1,2})",
    "d": r"(?P<d>\d{1,2})",
    "B": rf"(?P<B>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?",
    "A": rf"(?:{_WEEKDAYS})\.?",
    "H": r"(?P<H>\d{1,2})",
    "I": r"(?P<I>\d{1,2})",
    "M": r"(?P<M>\d{2})",
    "S": r"(?P<S>\d{2})",
    "f": r"(?P<f>\d{1,9})",
    "p": r"(?P<p>[AaPp])\.?[Mm]\.?",
    "z": r"(?P<z>Z|UTC|GMT|[+-]\d{2}:?\d{2})",
    "%": "%",
}
_SAME: Final = {"b": "B", "a": "A"}
"""Long and short names are read by either letter."""
EXCEL: Final = {"excel": dt.datetime(1899, 12, 30), "excel-1904": dt.datetime(1904, 1, 1)}
"""Where the day numbers of a spreadsheet start. Day 60 of `excel` is 29 February 1900, which never was; before it, numbers are one less."""
COMMON: Final = (
    *("%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d/%m/%y", "%m/%d/%y", "%d.%m.%y"),
    *("%d %B %Y", "%B %d, %Y", "%B %Y", "%d-%B-%Y", "%d-%B-%y", "%d/%B/%Y", "%m/%Y", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M"),
    *("%B %d %Y", "%d %B %y", "%d. %B %Y", "%A, %d %B %Y", "%A, %B %d, %Y", "%Y%m"),
    *(
        "%d.%m.%Y %H:%M",
        "%d.%m.%Y %H:%M:%S",
        "%d/%m/%Y %H:%M:%S",
        "%m/%d/%Y %H:%M:%S",
        "%Y/%m/%d %H:%M:%S",
        "%B %d, %Y %I:%M %p",
        "%m/%d/%Y %I:%M %p",
    ),
)
"""Formats that are proposed where no format reads a date; none is ever used without being stated."""


class DateFormat(NamedTuple):
    """One way of writing dates: its name in the mapping and the expression that reads it ('' for day numbers)."""

    name: str
    pattern: str

    def read(self, text: str) -> str:
        """The date in ISO 8601, as precise as it is written; '' where the text is none of this format."""
        if not self.pattern:
            return _of_serial(text, self.name)
        match = _compiled(self.pattern).fullmatch(text.strip())
        return _iso(match.groupdict()) if match else ""


def date_format(name: str) -> DateFormat:
    """The format of a name in a mapping. ValueError says what is wrong with it."""
    if name in EXCEL:
        return DateFormat(name, "")
    if not name.isprintable() or not name.strip():
        raise ValueError("is empty")
    parts: list[str] = []
    letters: list[str] = []
    rest = name.strip()
    pieces = re.findall(r"%.?|\s+|[^%\s]", rest, re.DOTALL)
    for at, piece in enumerate(pieces):
        if piece[0] != "%":
            parts.append(r"\s+" if piece.isspace() else re.escape(piece))
            continue
        letter = _SAME.get(piece[1:], piece[1:])
        if letter not in _LETTERS:
            raise ValueError(f"has {piece!r}, which is none of {', '.join(f'%{known_letter}' for known_letter in (*_LETTERS, *_SAME))}")
        if letter in letters and letter != "%":
            raise ValueError(f"has %{letter} twice")
        letters.append(letter)
        touches = any(0 <= near < len(pieces) and pieces[near][:1] == "%" and pieces[near][1:] in "YymdHIMSf" for near in (at - 1, at + 1))
        parts.append(_LETTERS[letter].replace("{1,2}", "{2}") if touches else _LETTERS[letter])
    _require_whole(set(letters))
    return DateFormat(name, "".join(parts))


def _require_whole(letters: set[str]) -> None:
    if not letters & {"Y", "y"}:
        raise ValueError("has no year: %Y or %y")
    if {"Y", "y"} <= letters or {"m", "B"} <= letters or {"H", "I"} <= letters:
        raise ValueError("says one part of the date in two ways")
    for part, needed in (("d", "mB"), ("HI", "d"), ("M", "HI"), ("S", "M"), ("f", "S"), ("p", "I"), ("I", "p"), ("z", "M"), ("HI", "M")):
        if letters & set(part) and not letters & set(needed):
            raise ValueError(f"has %{part[0]} without %{needed[0]}")


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII | re.IGNORECASE)


def _iso(parts: dict[str, str | None]) -> str:
    year = int(parts["Y"] or 0) if parts.get("Y") else _century(int(parts.get("y") or 0))
    name = parts.get("B")
    month = _MONTHS[name.casefold()] if name else int(parts.get("m") or 0)
    day = int(parts.get("d") or 0)
    try:
        dt.date(year, month or 1, day or 1)
    except ValueError:
        return ""
    if ("m" in parts and not month) or ("d" in parts and not day):
        return ""
    if "d" not in parts:
        return f"{year:04}-{month:02}" if month else f"{year:04}"
    return f"{year:04}-{month:02}-{day:02}{_clock(parts)}" if _is_clock(parts) else ""


def _century(year: int) -> int:
    """Two digits as POSIX reads them: 69 to 99 are of the 20th century."""
    return year + (1900 if year >= 69 else 2000)


def _is_clock(parts: dict[str, str | None]) -> bool:
    return (
        int(parts.get("H") or 0) < 24
        and ("I" not in parts or 1 <= int(parts["I"] or 0) <= 12)
        and int(parts.get("M") or 0) < 60
        and int(parts.get("S") or 0) < 60
    )


def _clock(parts: dict[str, str | None]) -> str:
    if "H" not in parts and "I" not in parts:
        return ""
    hour = int(parts.get("H") or 0)
    if parts.get("I"):
        hour = int(parts["I"] or 0) % 12 + (12 if (parts["p"] or "").lower() == "p" else 0)
    zone = parts.get("z") or ""
    zone = "Z" if zone.upper() in ("Z", "UTC", "GMT") else zone if not zone or ":" in zone else f"{zone[:3]}:{zone[3:]}"
    part = f".{parts['f']}" if parts.get("f") else ""
    return f"T{hour:02}:{parts['M']}:{parts.get('S') or '00'}{part}{zone}"


def _of_serial(text: str, name: str) -> str:
    """The date of a spreadsheet's day number; a fraction is the time of the day, to the second."""
    match = re.fullmatch(r"(\d{1,7})(\.\d+)?", text.strip(), re.ASCII)
    if not match:
        return ""
    days, seconds = int(match[1]), round(float(match[2] or 0) * 86400)
    if name == "excel" and days <= 60:
        if days in (0, 60):
            return ""
        days += 1
    try:
        moment = EXCEL[name] + dt.timedelta(days=days, seconds=seconds)
    except OverflowError:
        return ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}" if float(match[2] or 0) else f"{moment.year:04}-{moment:%m-%d}"


def fitting_formats(text: str) -> list[str]:
    """The common formats that read a text, and `excel` for the number of a day between 1950 and 2100."""
    names = [name for name in COMMON if date_format(name).read(text)]
    is_day = re.fullmatch(r"\d{5}(\.\d+)?", text.strip(), re.ASCII) and 18264 <= float(text) <= 73051
    return (names or (["excel"] if is_day else []))[:3]
