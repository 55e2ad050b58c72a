"""A file's bytes without its secrets."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Final, NamedTuple

from ..evidence import line_of
from .encoded import encoded, repeated
from .fields import Secret, SecretField
from .fields import secrets as secrets_of
from .graphs import turtle_fields, xml_fields
from .lines import keyed, speaks_of_secrets
from .rows import csv_fields, markdown_fields
from .shapes import shaped
from .trees import json_fields, yaml_fields
from .values import is_masked, looks_generated, mask

_BY_ENDING: Final = {
    **dict.fromkeys((".yaml", ".yml"), yaml_fields),
    **dict.fromkeys((".json", ".jsonl", ".ndjson", ".jsonld"), json_fields),
    **dict.fromkeys((".ttl", ".trig", ".nt", ".nq"), turtle_fields),
    **dict.fromkeys((".rdf", ".owl", ".xml"), xml_fields),
    **dict.fromkeys((".csv", ".tsv"), csv_fields),
}
_PACKED: Final = b"PK\x03\x04"
"""The first bytes of workbooks, which are masked after unpacking: changed bytes would break them."""
_TURTLES: Final = (".ttl", ".trig", ".nt", ".nq")
_BOMS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_YAMLS: Final = (".yaml", ".yml")
_MOST_OWNERS: Final = 1_000_000
_LANGUAGES: Final = {
    "json": ".json",
    "jsonc": ".json",
    "json5": ".json",
    "jsonl": ".json",
    "jsonld": ".json",
    "turtle": ".ttl",
    "ttl": ".ttl",
    "trig": ".ttl",
    "xml": ".xml",
    "html": ".xml",
    "csv": ".csv",
    "tsv": ".tsv",
}
_FENCE: Final = re.compile(
    r"^[ \t]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[\w+-]*)[^\n]*\n(?P<body>.*?)^[ \t]*(?P=mark)", re.DOTALL | re.MULTILINE
)
_BLOCK: Final = re.compile(
    r"^(?P<indent>[ \t]*)[^\n#]*:[ \t]*[|>][-+\d]*[ \t]*\n(?P<body>(?:(?P=indent)[ \t]+[^\n]*\n|[ \t]*\n)+)", re.MULTILINE
)
_NAMED_VALUE: Final = re.compile(r"^[ \t-]*(?:name|key):.*\n[ \t]*value:", re.MULTILINE)
_FRONT: Final = re.compile(r"---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)


class Masked(NamedTuple):
    """Bytes of the same length, with `secrets` secrets masked; the first stands in `line`."""

    content: bytes
    secrets: int = 0
    line: int = 0


def masked(content: bytes, name: str) -> Masked:
    """The bytes of a file with its secrets masked; its name says of what format it is. What was masked already counts, and stays.

    A packed file (a workbook) is no text, and is given back as it is: its reader has the text of it masked.
    """
    if content.startswith(_PACKED):
        return Masked(content)
    bom, encoding = _encoding(content)
    text = content[len(bom) :].decode(encoding, errors="surrogateescape")
    ending = PurePath(name).suffix.lower()
    spans = _spans(text, ending)
    if not spans:
        return Masked(content)
    changed = _replaced(text, spans, encoding, numbers=ending in (".json", ".jsonl", ".ndjson", ".jsonld", *_TURTLES))
    return Masked(bom + changed.encode(encoding, errors="surrogateescape"), len(spans), line_of(text, spans[0][0]))


def masked_text(text: str, name: str) -> str:
    """A text with its secrets masked."""
    return _replaced(text, _spans(text, PurePath(name).suffix.lower()), "utf-8", numbers=False)


def _encoding(content: bytes) -> tuple[bytes, str]:
    """(byte order mark, encoding). Bytes that do not decode are read one by one, which works for every one-byte encoding with ASCII."""
    bom, encoding = next(((bom, encoding) for bom, encoding in _BOMS if content.startswith(bom)), (b"", "utf-8"))
    head = content[:200]
    if not bom and head[1::2].count(0) > len(head) // 3:
        encoding = "utf-16-le"
    elif not bom and head[::2].count(0) > len(head) // 3:
        encoding = "utf-16-be"
    try:
        content[len(bom) :].decode(encoding)
    except UnicodeDecodeError:
        return b"", "latin-1"
    return bom, encoding


def _spans(text: str, ending: str) -> list[tuple[int, int]]:
    """The secrets of a text in their order, those that touch each other as one."""
    places = list(_first_places(text, ending))
    known = [secret.value for secret in places if secret.is_known and not is_masked(secret.value)]
    places.extend(encoded(text, _holds_secret))
    if known:
        places.extend(repeated(text, known))
    merged: list[tuple[int, int]] = []
    for start, end in sorted({(place.start, place.end) for place in places if place.end > place.start}):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _first_places(text: str, ending: str) -> Iterator[Secret]:
    yield from shaped(text)
    yield from keyed(text, colons=ending not in _TURTLES)
    if speaks_of_secrets(text):
        yield from secrets_of(list(_fields(text, ending)))


def _fields(text: str, ending: str) -> Iterable[SecretField]:
    yield from _BY_ENDING.get(ending, markdown_fields)(text)
    for number, (start, end, inner) in enumerate(_parts(text, ending), 1):
        for field in _BY_ENDING[inner](text[start:end]):
            owners = tuple(owner + number * _MOST_OWNERS for owner in field.owners)
            yield field._replace(owners=owners, start=field.start + start, end=field.end + start)


def _parts(text: str, ending: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, file ending) of other formats inside a text: front matter, fenced code, blocks in YAML, a manifest in plain text."""
    if ending in _YAMLS:
        for block in _BLOCK.finditer(text):
            if "kind: Secret" in block["body"] or _NAMED_VALUE.search(block["body"]):
                yield *block.span("body"), ".yaml"
    elif ending not in _BY_ENDING:
        front = _FRONT.match(text)
        if front:
            yield 0, front.end(), ".yaml"
        for fence in _FENCE.finditer(text):
            yield *fence.span("body"), _LANGUAGES.get(fence["language"].lower(), ".yaml")
        if not front and "kind: Secret" in text:
            yield 0, len(text), ".yaml"


_BASIC: Final = re.compile(r"[A-Za-z][\w.@+-]*:(?P<password>[^\s:]{6,})")


def _holds_secret(text: str) -> bool:
    """Whether a decoded base64 text holds a secret: also `user:password`, as in HTTP Basic, but no number, hash or UUID."""
    basic = _BASIC.fullmatch(text.strip())
    if basic and looks_generated(f"{basic['password']}-xx") and not re.fullmatch(r"[\da-f-]+", basic["password"]):
        return True
    return any(True for _ in shaped(text)) or any(True for _ in keyed(text))


def _replaced(text: str, spans: Iterable[tuple[int, int]], encoding: str, *, numbers: bool) -> str:
    parts: list[str] = []
    place = 0
    for start, end in spans:
        is_number = numbers and text[start - 1 : start] not in ('"', "'") and re.fullmatch(r"[-+\d.eE]+", text[start:end])
        parts += (text[place:start], re.sub(r"\d", "1", text[start:end]) if is_number else mask(text[start:end], encoding))
        place = end
    return "".join((*parts, text[place:]))
