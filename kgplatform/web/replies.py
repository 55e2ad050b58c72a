"""Replies that a caller may keep and ask about again: an ETag over what is in them, and nothing else.

A tag made of the ledger's number would tell everyone that something was read which they may not see.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, request
from werkzeug.datastructures import MIMEAccept

FARTHEST: Final = 1_000_000
"""The offset up to which most lists are given."""
VARY: Final = "Accept, Authorization, Cookie"
_OF_WRITERS: Final = ("HTTP_IF_MATCH", "HTTP_IF_UNMODIFIED_SINCE", "HTTP_RANGE", "HTTP_IF_RANGE")
"""What a read is not bound to: who changes something asks for it, and parts are not sent."""


def kept(body: bytes, content_type: str, *, tagged: bytes | None = None) -> Response:
    """A reply with caching headers; 304 where the caller has it already. `tagged` is what counts, if that is not every byte."""
    made = Response(body, content_type=content_type)
    made.headers["Cache-Control"] = "private, no-cache"
    made.headers["Vary"] = VARY
    made.set_etag(hashlib.sha256(body if tagged is None else tagged).hexdigest()[:32], weak=tagged is not None)
    made.make_conditional({name: value for name, value in request.environ.items() if name not in _OF_WRITERS})
    return made


def best_match(offered: Sequence[str]) -> str | None:
    """Which of the media types the caller prefers, whatever parameters (a charset) it wants them with; None if it takes none."""
    wanted = [(media.partition(";")[0].strip(), quality) for media, quality in request.accept_mimetypes]
    return MIMEAccept(wanted).best_match(offered)


def as_json(value: Any, *, counts: Any = None, links: dict[str, str] | None = None) -> Response:
    """A value as JSON. `counts` is the part of it that the tag is made of, if not all of it counts."""
    made = kept(encoded(value), "application/json", tagged=None if counts is None else encoded(counts))
    for name, target in (links or {}).items():
        made.headers.add("Link", f'<{target}>; rel="{name}"')
    return made


def encoded(value: Any) -> bytes:
    """A value as JSON in UTF-8; sets are sorted lists."""
    return json.dumps(value, ensure_ascii=False, default=_plain).encode()


def paged(items: list[Any], *, limit: int, offset: int, most: int, **more: Any) -> Response:
    """One page of a list. `items` begins at `offset` and may be longer than the page: then there is a next one, up to the offset `most`."""
    following = None
    if len(items) > limit and offset + limit <= most:
        asked = {**request.args.to_dict(), "limit": str(limit), "offset": str(offset + limit)}
        following = f"{request.path}?{urlencode(asked)}"
    page = {**more, "items": items[:limit], "limit": limit, "offset": offset, "next": following}
    return as_json(page, links={"next": following} if following else None)


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, frozenset | set) else str(value)
