"""Documents: the text as it was read, with what was taken from it marked in place. Only for who may read the document."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, abort, render_template, request

from ..browse.documents import claims_in_words, documents, read_version
from ..browse.excerpts import pieces
from .callers import has_role, settings, view_for_request

blueprint = Blueprint("documents", __name__)

PAGE: Final = 200
WINDOW: Final = 40_000
"""Characters of a document that one page shows."""


@blueprint.get("/documents")
def every() -> str:
    """The documents that the caller may read."""
    found = documents(view_for_request())
    offset = max(0, request.args.get("from", 0, type=int))
    following = offset + PAGE if len(found) > offset + PAGE else None
    return render_template("documents.html", documents=found[offset : offset + PAGE], count=len(found), offset=offset, next=following)


@blueprint.get("/document/<collection>/<path:name>")
def document(collection: str, name: str) -> str:
    """One version of a document; hidden and absent documents are the same 404."""
    view = view_for_request()
    read = read_version(view, settings(), f"{collection}/{name}", request.args.get("version", ""), with_rejected=has_role("steward"))
    if read is None:
        abort(404)
    focus = (request.args.get("start", 0, type=int), request.args.get("end", 0, type=int))
    first = _first(len(read.text), focus)
    last = min(len(read.text), first + WINDOW)
    spans = [(cited.start, cited.end, claim) for claim, (_fact, cited) in read.claims.items()]
    shown = {claim: pair for claim, pair in read.claims.items() if pair[1].start < last and pair[1].end > first}
    return render_template(
        "document.html",
        found=read.document,
        version=read.version,
        is_newest=read.is_newest,
        passages=len(read.passages),
        pieces=pieces(read.text, spans, passages=read.passages, refused=read.not_taken, focus=focus, window=(first, last)),
        claims=claims_in_words(view, shown, read.not_taken),
        count=len(read.claims),
        window=(first, last),
        length=len(read.text),
        rejected=read.rejected,
        step=WINDOW,
    )


def _first(length: int, focus: tuple[int, int]) -> int:
    """Where the page's part of the text begins: as asked, or so that the focus is on it."""
    asked = request.args.get("from", -1, type=int)
    if asked < 0:
        asked = focus[0] // WINDOW * WINDOW if focus[1] > focus[0] else 0
    return max(0, min(asked, length - 1))
