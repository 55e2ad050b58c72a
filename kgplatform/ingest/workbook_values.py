"""The value of a workbook's cell as a text: what the sheet holds, not how it is drawn."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import Any


def value_text(cell: Any) -> str:
    """Dates in ISO 8601, booleans as true and false, numbers to the 15 digits of a spreadsheet, with the zeros of a format like 000."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value, cell.number_format or "")
    if isinstance(value, dt.datetime):
        return _moment(value, cell.number_format or "")
    if isinstance(value, dt.timedelta):
        return _duration(value)
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return str(value).replace("\0", "")


def _number(value: float, number_format: str) -> str:
    text = format(Decimal(format(value, ".15g")) if isinstance(value, float) else Decimal(value), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    zeros = re.fullmatch(r"0{2,}", number_format)
    return text.zfill(len(number_format)) if zeros and text.isdigit() else text


def _moment(value: dt.datetime, number_format: str) -> str:
    """The moment in ISO 8601, without the time at midnight if the number format has none."""
    moment = (value + dt.timedelta(microseconds=500_000)).replace(microsecond=0)
    letters = re.sub(r'"[^"]*"|\\.|\[[^\]]*\]', "", number_format)
    is_day = not (moment.hour or moment.minute or moment.second) and not re.search(r"[hHsS]", letters)
    return moment.date().isoformat() if is_day else moment.isoformat()


def _duration(value: dt.timedelta) -> str:
    seconds = round(value.total_seconds())
    hours, rest = divmod(abs(seconds), 3600)
    return f"{'-' if seconds < 0 else ''}PT{hours}H{rest // 60}M{rest % 60}S"
