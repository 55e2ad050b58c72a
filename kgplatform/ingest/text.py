"""Markdown and plain text to passages with exact character spans; front matter to id, title, date and scopes.

Nothing that a text says can widen who sees it: its front matter only adds scopes, and cannot change collection or trust.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

from ..errors import SourceError, SyntaxSourceError
from ..model import Passage, Problem, Scopes
from ..terms import nfc
from ..times import Instant, parse_stated
from .evidence import ReadClaims, line_of
from .passages import passages
from .readers import SourceFile
from .yaml_documents import Scalar, YamlMapping, as_value, documents

EXTRACTOR: Final = "text/1"
MARKDOWN: Final = (".md", ".markdown", ".mdown", ".mkd")

_FRONT = re.compile(r"---[ \t]*\r?\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_SCOPE = re.compile(r"[\w.:/-]+")
_TITLE = re.compile(r"^ {0,3}#[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_MAY_RESTRICT = re.compile(r"scope|[\\&*<!]", re.IGNORECASE)
"""Text that may write the key `scope`: its letters, or an escape, alias, merge or tag that may stand for them."""

_SCOPE_KEYS: Final = ("scope", "scopes")
_FIXED_KEYS: Final = {"collection": "collection", "trust": "trust", "texts": "trust"}


class FrontMatter(NamedTuple):
    """What stands between the two `---` lines; `end` is the offset of the text after them.

    `is_read` is False where it is broken, without a key that could restrict who sees the document.
    """

    id: str = ""
    title: str = ""
    date: Instant = ""
    scopes: Scopes = frozenset()
    end: int = 0
    problems: tuple[Problem, ...] = ()
    is_read: bool = True


def read_text(file: SourceFile) -> ReadClaims:
    """A Markdown or plain text file: no claims, but the passages that extractors read. Raises as `text_passages`."""
    return text_passages(file.text, path=file.path, document=file.place.document, declared=file.place.declared)


def text_passages(text: str, *, path: str, document: str, declared: str) -> ReadClaims:
    """The passages of a text, and its title, date and scopes; every span indexes the text with its front matter.

    Front matter overrides `document` (id) and `declared` (date); its scopes are those to add to the collection's.
    Raises SyntaxSourceError or LimitSourceError; a scope that cannot be read is an error,
    since a document whose restriction is unclear must not become visible.
    """
    if not text.strip():
        raise SourceError("is empty", where=path, hint="erase the document if it is meant to be gone", reason="empty")
    front = front_matter(text, path)
    problems = list(front.problems)
    date = front.date
    if not date and declared:
        date = _date(declared, path, problems)
    is_markdown = Path(path).suffix.lower() in MARKDOWN
    spans = passages(text, front.end, is_markdown=is_markdown)
    if not spans:
        problems.append(Problem(path, "holds no text to read", "only front matter or code blocks were found"))
    return ReadClaims(
        claims=(),
        extractor=EXTRACTOR,
        problems=tuple(problems),
        complete=front.is_read,
        scopes=front.scopes,
        title=front.title or _first_heading(text[front.end :], is_markdown) or front.id or document,
        declared=date,
        passages=tuple(Passage(start, end, text[start:end]) for start, end in spans),
    )


def front_matter(text: str, path: str) -> FrontMatter:
    """The front matter of a text; empty where the text does not begin with a `---` line.

    A first line `---` without a closing one is an error: a restriction may stand in what follows. So is broken front matter
    that may name a scope; other broken front matter is a problem, and the text is read.
    """
    match = _FRONT.match(text)
    if not match:
        if re.match(r"---[ \t]*\r?\n[ \t]*[\w-]+[ \t]*:", text):
            raise SyntaxSourceError("the front matter has no end", where=f"{path}:1", hint="close it with a line ---")
        return FrontMatter()
    try:
        root = _mapping(text[: match.end("yaml")], path)
    except SyntaxSourceError as error:
        if _MAY_RESTRICT.search(match["yaml"]):
            raise
        return FrontMatter(
            end=match.end(), problems=(Problem(error.where, f"the front matter was ignored: {error.what}", error.hint),), is_read=False
        )
    if root is None:
        return FrontMatter(end=match.end())
    return _fields(root, text, path, match.end())


def _mapping(text: str, path: str) -> YamlMapping | None:
    """The one mapping that front matter is; None where it is blank."""
    parts = list(documents(text, path))
    for part in parts:
        if part.error:
            raise part.error
    root = parts[0].root if parts else None
    if parts and (len(parts) > 1 or not isinstance(root, YamlMapping)):
        raise SyntaxSourceError(
            "the front matter is not one mapping of keys to values", where=f"{path}:2", hint="write lines such as `title: ...`"
        )
    return root if isinstance(root, YamlMapping) else None


def _fields(root: YamlMapping, text: str, path: str, end: int) -> FrontMatter:
    problems: list[Problem] = []
    values: dict[str, str] = {}
    scopes: set[str] = set()
    for key, node in root.entries.items():
        where, name = f"{path}:{line_of(text, node.start)}", key.strip().casefold()
        if name in _SCOPE_KEYS:
            scopes |= _scopes(as_value(node), where, problems)
        elif name in _FIXED_KEYS:
            what = f"the front matter cannot set {name!r}: it was ignored"
            problems.append(Problem(where, what, f"the {_FIXED_KEYS[name]} is set in kgplatform.toml"))
        elif name in ("id", "title", "date"):
            if not isinstance(node, Scalar):
                problems.append(Problem(where, f"the front matter's {name!r} is not one value: it was ignored", "write it on one line"))
            elif not node.is_null and node.text.strip():
                values[name] = nfc(" ".join(node.text.split()))
                if name == "date":
                    values[name] = _date(values[name], where, problems)
    return FrontMatter(values.get("id", ""), values.get("title", ""), values.get("date", ""), frozenset(scopes), end, tuple(problems))


def _scopes(value: object, where: str, problems: list[Problem]) -> Scopes:
    listed = value if isinstance(value, list) else [] if value is None else [value]
    names = set()
    for item in listed:
        if not isinstance(item, str) or not _SCOPE.fullmatch(item.strip()):
            raise SyntaxSourceError(
                f"{item!r} is not the name of a scope", where=where, hint="write `scope: finance` or `scopes: [finance, hr]`"
            )
        names.add(nfc(item.strip()))
    if "public" in {name.casefold() for name in names}:
        what = "the front matter cannot make a document public: 'public' was ignored"
        problems.append(Problem(where, what, "who sees it follows from its collection; front matter only restricts further"))
    return frozenset(name for name in names if name.casefold() != "public")


def _date(text: str, where: str, problems: list[Problem]) -> Instant:
    try:
        return parse_stated(text).at
    except ValueError:
        problems.append(Problem(where, f"{text!r} is not a date: it was ignored", "write it as 2024-02-20"))
        return ""


def _first_heading(text: str, is_markdown: bool) -> str:
    match = _TITLE.search(text) if is_markdown else None
    return nfc(match[1]) if match else ""


def is_text_path(path: str) -> bool:
    """Whether a file of this name is read as text for people: Markdown, plain text, or without an ending (README, LICENSE, NOTICE)."""
    return Path(path).suffix.lower() in (*MARKDOWN, ".txt", ".text", "")
