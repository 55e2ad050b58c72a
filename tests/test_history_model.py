"""What a document says now, after any sequence of readings of its files, equals what somebody who watched the files would say."""

from __future__ import annotations

import tempfile
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_writer import NEEDS, OWNED, reading

from kgplatform.ledger import documents, people
from kgplatform.ledger.base import Ledger
from kgplatform.model import Collection, Fact, Reading
from kgplatform.projection.ground import whole

CONTENTS: tuple[tuple[Fact, ...], ...] = ((OWNED,), (NEEDS,), (OWNED, NEEDS))
DATES = ("", "2024-01-01T00:00:00Z", "2024-06-01T00:00:00Z", "2025-01-01T00:00:00Z")


@dataclass(frozen=True)
class Save:
    """A file of the document is written and read."""

    file: str
    content: int
    declared: str


saves = st.builds(Save, st.sampled_from(["/one/a.csv", "/two/a.csv"]), st.integers(0, 2), st.sampled_from(DATES))


class Watcher:
    """Somebody who knows which file spoke for the document last, and what it said of which date."""

    def __init__(self) -> None:
        self.file, self.content, self.declared, self.date = "", -1, "", ""
        self.dates: set[str] = set()

    def sees(self, save: Save, *, recorded: str, is_snapshot: bool) -> None:
        is_later = save.declared > self.date
        is_of_another_version = save.declared in self.dates and save.declared != self.declared and save.file != self.file
        if not is_later and (save.content == self.content or save.declared and is_of_another_version):
            return
        if is_later or not self.date:
            self.date = save.declared or recorded
        elif is_snapshot:
            self.date = recorded
        elif save.declared:
            self.date = save.declared
        elif not self.dates:
            self.date = recorded
        self.file, self.content, self.declared = save.file, save.content, save.declared
        self.dates |= {save.declared} - {""}


def read(save: Save) -> Reading:
    claims = reading(*CONTENTS[save.content], declared=save.declared)
    return replace(claims, file=save.file, root=str(Path(save.file).parent))


@pytest.mark.parametrize("kind", ["snapshot", "statement"])
@given(sequence=st.lists(saves, min_size=2, max_size=8))
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_document_says_what_the_file_that_spoke_last_says(kind: str, sequence: list[Save]) -> None:
    watcher = Watcher()
    with tempfile.TemporaryDirectory() as folder, closing(Ledger.create(Path(folder) / "ledger.sqlite")) as ledger, ledger.transaction():
        people.set_collection(ledger, Collection("rows", kind))
        for day, save in enumerate(sequence):
            recorded = f"2026-02-{day + 1:02}T00:00:00Z"
            if not documents.is_known(ledger, read(save)):
                documents.append(ledger, read(save), recorded)
            watcher.sees(save, recorded=recorded, is_snapshot=kind == "snapshot")

            assert documents.is_known(ledger, read(save)), "twice in a row"
            said = {item.fact: item.seen for item in whole(ledger).evidence if not item.after}
            assert set(CONTENTS[watcher.content]) == set(said), save
            assert {watcher.date} == {seen[-1] for seen in said.values()}, save


def test_what_was_withdrawn_is_still_known_as_on_a_day_before() -> None:
    with tempfile.TemporaryDirectory() as folder, closing(Ledger.create(Path(folder) / "ledger.sqlite")) as ledger, ledger.transaction():
        people.set_collection(ledger, Collection("rows", "statement"))
        save = Save("/one/a.csv", 0, DATES[1])
        documents.append(ledger, read(save), "2026-02-01T00:00:00Z")
        documents.withdraw(ledger, 1, "2026-02-02T00:00:00Z")
        documents.withdraw(ledger, 1, "2026-02-03T00:00:00Z")

        assert ([OWNED], []) == tuple([item.fact for item in whole(ledger, as_of=day).evidence] for day in ("2026-02-01T12:00:00Z", ""))
        assert not documents.is_known(ledger, read(save)), "what comes back is said again"
        documents.append(ledger, read(save), "2026-02-04T00:00:00Z")
        assert [OWNED] == [item.fact for item in whole(ledger).evidence]
