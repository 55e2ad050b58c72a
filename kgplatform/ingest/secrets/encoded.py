"""Secrets in base64, and further places of secrets that are known already, plain, encoded or escaped."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final
from urllib.parse import quote

from ahocorasick_rs import AhoCorasick, MatchKind

from .fields import Secret
from .values import is_distinct

_RUN: Final = re.compile(r"(?<![\w+/=-])(?:[A-Za-z0-9+/_-]{60,}\r?\n[ \t]*)*[A-Za-z0-9+/_-]{12,}={0,2}(?![\w+/=-])")
_BASE64: Final = "[A-Za-z0-9+/_-]"
_LONGEST_WORD: Final = 200
_DISTINCT: Final = 8


def encoded(text: str, judge: Callable[[str], bool]) -> Iterator[Secret]:
    """The base64 runs of a text of which `judge` says that what they decode to holds a secret."""
    for run in _RUN.finditer(text):
        plain = "" if run[0].islower() or run[0].isupper() else decoded(run[0])  # base64 of twelve letters has upper and lower case
        if plain and judge(plain):
            yield Secret(*run.span(), run[0], is_known=False)


def decoded(run: str) -> str:
    """The text that a base64 run stands for; '' where it stands for none."""
    letters = "".join(run.split()).replace("-", "+").replace("_", "/").rstrip("=")
    if len(letters) % 4 == 1:
        return ""
    try:
        plain = base64.b64decode(letters + "=" * (-len(letters) % 4), validate=True).decode()
    except ValueError:
        return ""
    return plain if plain.isprintable() or all(sign.isprintable() or sign.isspace() for sign in plain) else ""


def repeated(text: str, secrets: Iterable[str]) -> Iterator[Secret]:
    """Where secrets of a text stand again, as they are, percent-encoded or in base64."""
    values = {
        value
        for written in secrets
        for value in (written.strip(), decoded(written).strip())
        if is_distinct(value) and len(value) <= _LONGEST_WORD
    }
    forms: dict[str, bool] = {}
    for value in values:
        forms |= {value: False, quote(value, safe=""): False}
        for plain in (value, f"{value}\n"):
            code = base64.b64encode(plain.encode()).decode().rstrip("=")
            for written in (code, code.replace("+", "-").replace("/", "_")):
                forms[written[: len(plain.encode()) // 3 * 4]] = True
    forms = {form: is_code for form, is_code in forms.items() if len(form) >= (_DISTINCT if is_code else 6)}
    if not forms:
        return
    patterns = list(forms)
    for index, start, end in AhoCorasick(patterns, matchkind=MatchKind.LeftmostLongest).find_matches_as_indexes(text):
        if forms[patterns[index]]:
            start, end = _run_around(text, start, end)
        elif text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum():
            continue  # a part of another word
        yield Secret(start, end, text[start:end], is_known=False)


def _run_around(text: str, start: int, end: int) -> tuple[int, int]:
    while start and re.match(_BASE64, text[start - 1]):
        start -= 1
    while end < len(text) and re.match(_BASE64 + "|=", text[end]):
        end += 1
    return start, end
