"""Dates and periods as English text states them, found with their character spans.

Serves the rule extractor and the question planner alike. What a sentence leaves open is refused, never guessed:
`03/04/2024`, two-digit years and relative dates ("last year") are found as kind `unclear`, without bounds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from ..times import OPEN_END, QUARTER, STATED, Bound, end_of, parse_stated

AT: Final = "at"
SINCE: Final = "since"
UNTIL: Final = "until"
BEFORE: Final = "before"
AFTER: Final = "after"
DURING: Final = "during"
BETWEEN: Final = "between"
UNCLEAR: Final = "unclear"


class DateSpan(NamedTuple):
    """One stated date or period: `text[start:end]` includes its preposition, `word` is that preposition in lower case.

    The period is half-open, [lower, upper); a side that is not stated is None.

        at       on 2023-01-15, as of 1 March 2024   the day
        during   in June 2023, in Q2 2025            the month, quarter or year
        since    since 2022, from June 2022          lower; upper is OPEN_END after "until today"
        until    until 1 March 2024                  upper at the first instant of what is named; "through" includes it
        before   before March 2024                   upper, likewise
        after    after 2023                          lower at the first instant after what is named
        between  from A until B, between A and B     both; upper at the first instant of B ("through": after it)
        unclear  03/04/2024, last year               neither

    `join` is the word between the two ends of a range, "to" for a dash. "between January and March", "from January to March" and
    "January–March" include March in a question, which uses `end_of(upper)`; "until March" does not include it, and for "through
    March" and "to the end of March" `upper` is the end of March.

    `part` is the part of the named period: `the end of 2023`, `early 2024`. The bounds of `at` and `during` are then those of the
    whole period. `until the end of 2023` ends with it, `since early 2024` begins with it; other parts leave a bound unclear.

    `note` says how the date was read where its form left something to decide, or that it is left out; else ''.
    """

    start: int
    end: int
    kind: str
    lower: Bound | None
    upper: Bound | None
    word: str
    part: str = ""
    join: str = ""
    note: str = ""


MONTHS: Final = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_MONTH = "(?:" + "|".join(f"{m[:3]}(?:{m[3:]})?" if m != "september" else "sept?(?:ember)?" for m in MONTHS) + r")\b\.?"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?:1[5-9]|20|21)\d\d"
_ATOMS = {
    "iso": r"\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)?)?(?![\d-]\w)",
    "slashed": r"\d{1,4}[/.]\d{1,2}[/.]\d{2,4}",
    "dmy": rf"{_DAY}(?:\s+of)?\s+{_MONTH},?\s+{_YEAR}",
    "mdy": rf"{_MONTH}\s+{_DAY},?\s+{_YEAR}",
    "my": rf"{_MONTH}(?:\s+of)?,?\s+{_YEAR}",
    "quarter": rf"Q[1-4][\s/-]?(?:of\s+)?{_YEAR}|{_YEAR}[\s/-]?Q[1-4]|(?:first|second|third|fourth)\s+quarter\s+of\s+{_YEAR}",
    "bare": rf"{_MONTH}(?=\s+(?:and|to|until|till|through)\s+{_MONTH}\s+{_YEAR})",
    "relative": r"yesterday|last\s+(?:year|month|week|quarter|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    rf"{_MONTH})|(?:the\s+)?(?:spring|summer|autumn|fall|winter)\s+(?:of\s+)?{_YEAR}",
    "year": rf"{_YEAR}(?!\s*%)(?![-/.:,]?\d)",
}
_ATOM = re.compile(
    r"(?<![\w./#-])(?:" + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _ATOMS.items()) + r")(?![\w%])", re.IGNORECASE
)

_WORDS: Final = {
    SINCE: ("since", "from", "starting", "starting from", "starting in", "starting on", "beginning", "beginning in", "beginning on", "effective",
            "effective from", "as from", "with effect from", "since as early as"),
    UNTIL: ("until", "till", "up to", "up until", "through"),
    BEFORE: ("before", "prior to", "by"),
    AFTER: ("after", "later than"),
    DURING: ("in", "during", "throughout", "within", "over"),
    AT: ("on", "at", "as of", "as at"),
    BETWEEN: ("between",),
}  # fmt: skip
_KIND_OF: Final = {word: kind for kind, words in _WORDS.items() for word in words}
_PART = r"(?:(?P<part>early|mid|late)(?:\s+in)?[\s-]+|(?P<part_of>start|beginning|middle|end)\s+of\s+)?"
FIRST_PARTS: Final = frozenset(["start", "beginning"])
_EARLY: Final = FIRST_PARTS | {"", "early"}
_LEAD = re.compile(
    r"(?<![\w-])(?P<word>"
    + "|".join(sorted((w.replace(" ", r"\s+") for w in _KIND_OF), key=len, reverse=True))
    + rf")\s+(?:the\s+)?{_PART}$",
    re.IGNORECASE,
)
_JOIN = re.compile(rf"\s*(?:,?\s+(?P<word>until|till|to|through|and|up\s+to)\s+|[–—]\s*|\s-\s)(?:the\s+)?{_PART}$", re.IGNORECASE)
_TO_NOW = r"(?:today|now|the\s+present(?:\s+day)?|present|this\s+day)\b"
_UNTIL_NOW = re.compile(rf"\s*,?\s+(?:until|till|to|through|up\s+to)\s+{_TO_NOW}", re.IGNORECASE)
_ONLY_NOW = re.compile(rf"(?<![\w-])(?:until|till|up\s+to|up\s+until)\s+{_TO_NOW}", re.IGNORECASE)
_ORDINALS = ("first", "second", "third", "fourth")
_ZONE = re.compile(r"(?:Z|[+-]\d{2}:?\d{2})$", re.IGNORECASE)
_LOOK_BACK = 40


class _Atom(NamedTuple):
    start: int
    end: int
    form: str
    period: tuple[Bound, Bound] | None
    text: str
    month: int = 0


def find_dates(text: str) -> tuple[DateSpan, ...]:
    """Every stated date and period of the text, in order and without overlap.

    A number that could be a year counts only after a preposition or inside a range.

    >>> [(d.kind, d.lower.at[:10], d.upper.at[:10]) for d in find_dates("from June 2022 until 1 March 2024")]
    [('between', '2022-06-01', '2024-03-01')]
    """
    atoms = [_atom(match) for match in _ATOM.finditer(text)]
    spans: list[DateSpan] = []
    index = 0
    while index < len(atoms):
        atom, floor = atoms[index], spans[-1].end if spans else 0
        lead = _LEAD.search(text, max(floor, atom.start - _LOOK_BACK), atom.start)
        word, part = (_words(lead["word"]), _part(lead)) if lead else ("", "")
        start = lead.start() if lead else atom.start
        after = atoms[index + 1] if index + 1 < len(atoms) else None
        join = _JOIN.fullmatch(text, atom.end, after.start) if after else None
        if after and join and _joins(word, _words(join["word"] or "to")):
            spans.append(_range(start, word, atom, _words(join["word"] or "to"), after, parts=(part, _part(join))))
            index += 2
            continue
        index += 1
        if atom.form == "bare" or (atom.form == "year" and not word):
            continue
        to_now = _UNTIL_NOW.match(text, atom.end)
        if to_now and atom.period and _KIND_OF.get(word) == SINCE and part in _EARLY:
            spans.append(DateSpan(start, to_now.end(), SINCE, atom.period[0], OPEN_END, word, part, note=_note(atom, part)))
        else:
            spans.append(_single(start, word, atom, part))
    for match in _ONLY_NOW.finditer(text):
        if not any(s.start < match.end() and match.start() < s.end for s in spans):
            spans.append(DateSpan(match.start(), match.end(), UNTIL, None, OPEN_END, "until"))
    return tuple(sorted(spans, key=lambda s: s.start))


def _words(text: str) -> str:
    return " ".join(text.lower().split())


def _part(match: re.Match[str]) -> str:
    return (match["part"] or match["part_of"] or "").lower()


def _joins(word: str, join: str) -> bool:
    if join == "and":
        return word == BETWEEN
    return word in ("", BETWEEN) or _KIND_OF[word] in (SINCE, DURING)


def _range(start: int, word: str, first: _Atom, join: str, second: _Atom, *, parts: tuple[str, str]) -> DateSpan:
    opening, closing = first.period, second.period
    if first.form == "bare" and closing:
        opening = _period(f"{closing[0].at[:4]}-{first.month:02}")
    written = f"{first.text} {join} {second.text}"
    unclear = DateSpan(start, second.end, UNCLEAR, None, None, word, note=_left_out(written))
    if not opening or not closing or parts[0] not in _EARLY or parts[1] not in _EARLY | {"end"}:
        return unclear
    upper = closing[1] if join == "through" or parts[1] == "end" else closing[0]
    part = next((p for p in parts if p == "early"), parts[0])
    join = "through" if parts[1] == "end" else "until" if parts[1] in FIRST_PARTS else join
    notes = (_note(first._replace(period=opening), parts[0]), _note(second, parts[1]))
    note = "; ".join(filter(None, notes))
    return unclear if opening[0].at >= upper.at else DateSpan(start, second.end, BETWEEN, opening[0], upper, word or join, part, join, note)


def _single(start: int, word: str, atom: _Atom, part: str) -> DateSpan:
    kind = _KIND_OF.get(word, AT)
    understood = {SINCE: _EARLY, UNTIL: _EARLY | {"end"}, BEFORE: _EARLY | {"end"}, AFTER: {"", "end"}}
    if atom.period is None or part not in understood.get(kind, {part}):
        return DateSpan(start, atom.end, UNCLEAR, None, None, word, part, note=_left_out(f"{part} {atom.text}".strip()))
    lower, upper = atom.period
    note = _note(atom, part)
    if kind == SINCE:
        return DateSpan(start, atom.end, SINCE, lower, None, word, part, note=note)
    if kind == UNTIL:
        return DateSpan(start, atom.end, UNTIL, None, upper if word == "through" or part == "end" else lower, word, part, note=note)
    if kind == BEFORE:
        return DateSpan(start, atom.end, BEFORE, None, upper if part == "end" else lower, word, part, note=note)
    if kind == AFTER:
        return DateSpan(start, atom.end, AFTER, upper, None, word, part, note=note)
    is_day = lower.precision in ("day", "instant") or word in ("as of", "as at")
    return DateSpan(start, atom.end, AT if is_day else DURING, lower, upper, word, part, note=note)


def _atom(match: re.Match[str]) -> _Atom:
    form, text = match.lastgroup or "", _words(match.group())
    month = _month(text)
    try:
        period = _READ[form](text) if form in _READ else None
    except ValueError:
        period = None
    return _Atom(match.start(), match.end(), form, period, match.group(), month)


def _note(atom: _Atom, part: str) -> str:
    """How a date was read whose form leaves something to decide, '' for other dates.

    That is the order of day and month, a quarter, a year that another date states, a time zone.
    """
    if not atom.period:
        return ""
    lower, upper = atom.period
    if part == "early":
        return f"early {atom.text} read as from its beginning"
    if atom.form in ("slashed", "bare"):
        return f"{atom.text} read as {lower.at[:7] if lower.precision == 'month' else lower.at[:10]}"
    if atom.form == "quarter":
        return f"{atom.text} read as {lower.at[:10]} until {upper.at[:10]}"
    return "no zone stated, taken as UTC" if lower.precision == "instant" and not _ZONE.search(atom.text) else ""


def _left_out(text: str) -> str:
    return f"{text} leaves the date open, and is left out"


def _period(iso: str) -> tuple[Bound, Bound]:
    lower = parse_stated(iso)
    return lower, Bound(STATED, end_of(lower), lower.precision)


def _month(text: str) -> int:
    found = re.search(rf"(?<![a-z]){_MONTH}", text)
    return next((i for i, name in enumerate(MONTHS, 1) if found and name.startswith(found.group()[:3])), 0)


def _worded(text: str) -> tuple[Bound, Bound]:
    """`1 march 2024`, `march 1st, 2024`, `march 2024`."""
    year = re.search(rf"{_YEAR}$", text)
    day = re.search(r"(?<!\d)\d{1,2}(?!\d)", text)
    stem = f"{year.group() if year else ''}-{_month(text):02}"
    return _period(f"{stem}-{int(day.group()):02}" if day else stem)


def _slashed(text: str) -> tuple[Bound, Bound]:
    """`2024/03/01`, and day and month in either order where only one order is a date; ValueError otherwise."""
    first, second, third = (int(part) for part in re.split(r"[/.]", text))
    if first > 999:
        return _period(f"{first:04}-{second:02}-{third:02}")
    if third < 1000 or (first != second and first <= 12 and second <= 12):
        raise ValueError(f"not one date: {text!r}")
    day, month = (first, second) if second <= 12 else (second, first)
    return _period(f"{third:04}-{month:02}-{day:02}")


def _quarter(text: str) -> tuple[Bound, Bound]:
    year = re.search(_YEAR, text)
    digit = re.search(r"q([1-4])", text)
    ordinal = next((i for i, name in enumerate(_ORDINALS, 1) if name in text), 0)
    number = int(digit.group(1)) if digit else ordinal
    lower = parse_stated(f"{year.group() if year else ''}-{3 * number - 2:02}")._replace(precision=QUARTER)
    return lower, Bound(STATED, end_of(lower), "month")


_READ: Final[dict[str, Callable[[str], tuple[Bound, Bound]]]] = {
    "iso": lambda text: _period(text.upper()),
    "slashed": _slashed,
    "dmy": _worded,
    "mdy": _worded,
    "my": _worded,
    "quarter": _quarter,
    "year": _period,
}
