"""Counts over a view are those of its facts, of today and of another day."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from kgplatform.query.statistics import class_extents, class_sizes, facts_of_relation, members, relation_sizes
from kgplatform.settings.load import load_settings
from kgplatform.terms import SC, TYPE
from kgplatform.views.opening import open_view
from kgplatform.views.view import View

DAYS = ["", "2023-06-15T00:00:00Z", "2025-11-01T00:00:01Z"]
"""Now; a day on which other facts held; a second later, which is another day to the view and none to the facts."""


def numbers(view: View) -> tuple[object, ...]:
    return class_sizes(view), class_extents(view), relation_sizes(view)


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize("who", ["", "finance"])
def test_sizes_count_the_facts_that_hold(read_world_once: Path, now: None, who: str, day: str) -> None:
    with open_view(load_settings(read_world_once), who, valid_at=day) as view:
        facts = list(view.triples("facts"))

        assert Counter(f.predicate.value for f in facts) == relation_sizes(view)
        types = {(str(f.subject), f.object.value) for f in facts if f.predicate.value == TYPE and hasattr(f.object, "value")}
        assert Counter(kind for _, kind in types) == class_sizes(view)
        below = view.schema.descendants(SC.Component) | {SC.Component}
        assert len({one for one, kind in types if kind in below}) == class_extents(view)[SC.Component]
        assert sorted({one for one, kind in types if kind in below}) == sorted(
            f"<{iri}>" for iri in members(view, SC.Component, limit=1000)
        )


@pytest.mark.parametrize("day", DAYS)
def test_the_facts_of_a_relation_come_page_by_page_with_their_records(read_world_once: Path, now: None, day: str) -> None:
    with open_view(load_settings(read_world_once), valid_at=day) as view:
        whole = facts_of_relation(view, SC.owned_by, limit=1000)
        pages = [fact for offset in range(0, len(whole) + 2, 2) for fact in facts_of_relation(view, SC.owned_by, limit=2, offset=offset)]

        assert whole == pages != []
        assert relation_sizes(view)[SC.owned_by] == len(whole)
        assert {(f"<{f.subject}>", f.object.value) for f in whole} == {
            (str(f.subject), f.object.value)  # type: ignore[union-attr]
            for f in view.triples("facts")
            if f.predicate.value == SC.owned_by
        }


def test_a_second_that_changes_nothing_changes_no_number(read_world_once: Path, now: None) -> None:
    with open_view(load_settings(read_world_once)) as today, open_view(load_settings(read_world_once), valid_at=DAYS[2]) as later:
        assert numbers(today) == numbers(later)
