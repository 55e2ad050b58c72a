"""A text as the reading that an ingest makes of it, before extractors read its passages."""

from __future__ import annotations

from pathlib import Path

from kgplatform.ingest.limits import decoded
from kgplatform.ingest.text import front_matter, text_passages
from kgplatform.model import Collection, Reading


def read_text(content: bytes, *, path: str, collection: Collection, document: str, declared: str) -> Reading:
    text = decoded(content, Path(path))
    read = text_passages(text, path=path, document=document, declared=declared)
    assert read.passages is not None
    return Reading(
        collection=collection.name,
        document=front_matter(text, path).id or document,
        path=path,
        title=read.title,
        text=text,
        claims=(),
        extractor=read.extractor,
        is_text=True,
        declared=read.declared,
        scopes=read.scopes,
        passages=read.passages,
        complete=read.complete,
        problems=read.problems,
        content=content,
    )
