"""Stated dates and periods: kinds, bounds with precision, exact spans, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgplatform.language.dates import DateSpan, find_dates
from kgplatform.times import OPEN_END, PRECISION_LENGTH, Bound


def shown(bound: Bound | None) -> str:
    if bound is None:
        return "-"
    return "open" if bound == OPEN_END else bound.at[: PRECISION_LENGTH[bound.precision]]


def told(text: str) -> list[str]:
    return [f"{text[d.start : d.end]} = {d.kind} {shown(d.lower)} {shown(d.upper)}" for d in find_dates(text)]


@pytest.mark.parametrize(
    ("text", "kind", "lower", "upper"),
    [
        ("from June 2022 until 1 March 2024", "between", "2022-06", "2024-03-01"),
        ("from June 2022 to March 2024", "between", "2022-06", "2024-03"),
        ("from June 2022 through March 2024", "between", "2022-06", "2024-04"),
        ("between 2021 and 2023", "between", "2021", "2023"),
        ("between January and March 2025", "between", "2025-01", "2025-03"),
        ("2021–2023", "between", "2021", "2023"),
        ("since 2022", "since", "2022", "-"),
        ("since 1 March 2024", "since", "2024-03-01", "-"),
        ("since March 1st, 2024", "since", "2024-03-01", "-"),
        ("from 2022 until today", "since", "2022", "open"),
        ("since Q2 2025", "since", "2025-04", "-"),
        ("since the second quarter of 2025", "since", "2025-04", "-"),
        ("since early 2024", "since", "2024", "-"),
        ("since the beginning of 2024", "since", "2024", "-"),
        ("until the end of 2023", "until", "-", "2024"),
        ("until the beginning of 2024", "until", "-", "2024"),
        ("by the end of March 2024", "before", "-", "2024-04"),
        ("after the end of 2023", "after", "2024", "-"),
        ("from 2022 to the end of 2023", "between", "2022", "2024"),
        ("since late 2022", "unclear", "-", "-"),
        ("since the end of 2022", "unclear", "-", "-"),
        ("until mid 2023", "unclear", "-", "-"),
        ("after early 2024", "unclear", "-", "-"),
        ("from early 2022 until late 2023", "unclear", "-", "-"),
        ("effective\n1 Sept. 2024", "since", "2024-09-01", "-"),
        ("until March 2024", "until", "-", "2024-03"),
        ("until 1 March 2024", "until", "-", "2024-03-01"),
        ("through 2024-03-31", "until", "-", "2024-04-01"),
        ("until now", "until", "-", "open"),
        ("before March 2024", "before", "-", "2024-03"),
        ("by 2023", "before", "-", "2023"),
        ("after 2023", "after", "2024", "-"),
        ("on 2023-01-15", "at", "2023-01-15", "2023-01-16"),
        ("as of 1 March 2024", "at", "2024-03-01", "2024-03-02"),
        ("as of March 2024", "at", "2024-03", "2024-04"),
        ("in June 2023", "during", "2023-06", "2023-07"),
        ("in 2021", "during", "2021", "2022"),
        ("in Q4 2025", "during", "2025-10", "2026-01"),
        ("during 2025", "during", "2025", "2026"),
        ("in may 2024", "during", "2024-05", "2024-06"),
        ("since 2024-03-01T10:30:00Z", "since", "2024-03-01T10:30:00Z", "-"),
        ("since 13/04/2024", "since", "2024-04-13", "-"),
        ("since 04/13/2024", "since", "2024-04-13", "-"),
        ("since 2024/04/03", "since", "2024-04-03", "-"),
        ("since 03/03/2024", "since", "2024-03-03", "-"),
        ("since 03/04/2024", "unclear", "-", "-"),
        ("since 3.4.2024", "unclear", "-", "-"),
        ("on 13/04/24", "unclear", "-", "-"),
        ("since last year", "unclear", "-", "-"),
        ("since last Monday", "unclear", "-", "-"),
        ("in the summer of 2023", "unclear", "-", "-"),
        ("on 30 February 2024", "unclear", "-", "-"),
        ("on 2024-13-01", "unclear", "-", "-"),
        ("from 2024 until 2022", "unclear", "-", "-"),
    ],
)
def test_a_stated_date_has_its_kind_and_bounds_and_is_found_whole(text: str, kind: str, lower: str, upper: str) -> None:
    assert [f"{text} = {kind} {lower} {upper}"] == told(f"Tax {text}.")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Tax 2024",
        "INC-2024",
        "#2024",
        "version 2.2024",
        "2024%",
        "10.0.0.1",
        "in 99 days",
        "in 12345 rows",
        "may own",
        "second",
        "port 2022/tcp",
        "march on",
    ],
)
def test_what_is_no_date_is_left_alone(text: str) -> None:
    assert [] == told(text)


def test_several_dates_are_found_in_order() -> None:
    text = "Web owned Cart from 2020 to 2021, and since 1 May 2022 Commerce has; on 2023-01-15 it was renamed."

    assert ["between", "since", "at"] == [d.kind for d in find_dates(text)]


@given(
    st.lists(
        st.sampled_from(["from", "until", "in", "2024", "June", "1", "March", "03/04/2024", "2023-01-15", "and", "Q2", ",", "today", "–"]),
        max_size=12,
    )
)
def test_spans_are_ordered_do_not_overlap_and_half_open_periods_are_not_empty(words: list[str]) -> None:
    text = " ".join(words)
    at = 0
    for date in find_dates(text):
        assert at <= date.start < date.end <= len(text)
        assert isinstance(date, DateSpan) and text[date.start : date.end].strip() == text[date.start : date.end]
        assert not (date.lower and date.upper) or date.lower.at < date.upper.at
        at = date.end
