"""Keys with their values as a format's reader finds them, and which of the values are secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from .names import Verdict, is_transparent, verdict, word_set, words
from .values import default_of, is_masked, is_secret

Span = tuple[int, int]

_NAMING: Final = word_set(
    "name key variable var property setting parameter param field attribute option label id relation predicate propertyid"
)
_VALUES: Final = word_set("value val default defaultvalue content data text object current literal stringvalue")
_USERS: Final = word_set("user username login email account")
_FLAG: Final = re.compile(r"--?[A-Za-z][\w-]*")
_SETTING: Final = re.compile(r"(?P<key>-{0,2}[A-Za-z][\w.-]*)=(?=[^\s=&;]*[^&;]*\Z)")
"""A value that is a setting itself: an item such as `DB_PASSWORD=x` or `--token=x`."""

_LITERAL: Final = re.compile(r"[^=]+=")
_LOCAL: Final = re.compile(r"(?:(?:(?<=/)|^)(?P<before>[A-Za-z_-]+)/)?(?P<last>[^/#:]+)\Z")
_HAS: Final = re.compile(r"has_?(?=[A-Z])")
"""How ontologies begin the names of properties: `hasPassword` is the password, not whether there is one."""

_EMBEDDED: Final = re.compile(r'\\?"kind\\?"\s*:\s*\\?"Secret\\?"')


class SecretField(NamedTuple):
    """A value at `start` to `end` of the text, as it is read, below keys from the outside in; items of a list share its key.

    `owners` are the numbers of the mappings in which the keys stand.
    """

    names: tuple[str, ...]
    owners: tuple[int, ...]
    start: int
    end: int
    value: str


class Secret(NamedTuple):
    """A secret at `start` to `end`; `value` is what it is once read. `is_known` where it may be looked for elsewhere."""

    start: int
    end: int
    value: str
    is_known: bool = True


def secrets(fields: Sequence[SecretField]) -> Iterator[Secret]:
    """The secrets among the fields of one file, also those that an earlier masking left behind."""
    kinds = {field.owners[-1]: field.value for field in fields if field.owners and field.names[-1] == "kind"}
    named = _names_of_pairs(fields)
    users = {field.owners[-1] for field in fields if field.owners and field.names[-1].lower() in _USERS}
    before: SecretField | None = None
    for field in fields:
        if field.owners and field.owners[-1] in users and field.names[-1].lower() == "pass":
            field = field._replace(names=(*field.names[:-1], "user pass"))
        for span in _spans(field, kinds, named, before):
            yield Secret(*span, _inner(field, span), True)
        before = field


def _inner(field: SecretField, span: Span) -> str:
    first, last = span[0] - field.start, field.end - span[1]
    return field.value if not first and not last else field.value[first : len(field.value) - last]


def _spans(field: SecretField, kinds: dict[int, str], named: dict[int, str], before: SecretField | None) -> Iterable[Span]:
    whole = (field.start, field.end)
    if not field.value.strip():
        return ()
    if _is_of_secret_object(field, kinds) or _EMBEDDED.search(field.value):
        return (whole,)
    if "secretGenerator" in field.names and field.names[-1] == "literals":
        match = _LITERAL.match(field.value)
        return ((field.start + match.end(), field.end),) if match and field.end - field.start == len(field.value) > match.end() else ()
    setting = _SETTING.match(field.value)
    if setting and verdict(setting["key"]) is not Verdict.NO and field.end - field.start == len(field.value):
        value = field.value[setting.end() :]
        is_one = is_masked(value) or is_secret(setting["key"], value, verdict(setting["key"]))
        return ((field.start + setting.end(), field.end),) if is_one else ()
    key = _key(field, named, before)
    certainty = verdict(key)
    if certainty is not Verdict.NO and is_masked(field.value.strip()):
        return (whole,)
    inner = default_of(field.value)
    if inner and certainty is not Verdict.NO and field.end - field.start == len(field.value):
        return ((field.start + inner[0], field.start + inner[1]),) if is_secret(key, field.value[inner[0] : inner[1]], certainty) else ()
    return (whole,) if is_secret(key, field.value, certainty) else ()


def _key(field: SecretField, named: dict[int, str], before: SecretField | None) -> str:
    """The words that say what the value is: its key, that of a pair (`name: X, value: ...`), or a flag before it."""
    own = local(field.names[-1])
    if before and before.names == field.names and before.owners == field.owners and _FLAG.fullmatch(before.value):
        return before.value
    if field.owners[-1] in named and own.lower().lstrip("@") in _VALUES:
        return named[field.owners[-1]]
    outer = local(field.names[-2]) if len(field.names) > 1 else ""
    if is_transparent(own):
        return f"{outer} {own}"
    if words(own) == ("key",) and verdict(f"{outer} key") is not Verdict.NO:
        return f"{outer} keys"  # jwt: {key: ...}; in secretKeyRef: {key: ...} the value is a name, so it must look generated
    container = verdict(outer)
    if container is Verdict.PERHAPS and verdict(own) is Verdict.NO and not _is_about(own):
        return outer  # secrets: {db: ...}
    return own


def _is_about(own: str) -> bool:
    """Whether a key inside `secrets:` names something else than a secret: its name, its file."""
    return verdict(f"secret {own}") is Verdict.NO


def _is_of_secret_object(field: SecretField, kinds: dict[int, str]) -> bool:
    """Whether the field stands in `data` or `stringData` of a Kubernetes Secret."""
    return any(
        kinds.get(owner) in ("Secret", "SecretList") and {"data", "stringData"}.intersection(field.names[n:-1])
        for n, owner in enumerate(field.owners)
    )


def _names_of_pairs(fields: Iterable[SecretField]) -> dict[int, str]:
    """By mapping: the secret's name that it states beside a value."""
    named: dict[int, str] = {}
    for field in fields:
        own = local(field.names[-1]).lower() if field.owners else ""
        if (own in _NAMING or words(own)[-1:] == ("name",)) and len(field.value) < 100 and verdict(field.value) is not Verdict.NO:
            named.setdefault(field.owners[-1], field.value)
    return named


def local(name: str) -> str:
    """The last part of an IRI or a prefixed name, which is what it calls a thing, with the word before it in the path of an annotation's
    key."""
    match = _LOCAL.search(name.rstrip("/#:>"))
    if not match:
        return name
    last = _HAS.sub("", match["last"]) if ":" in name else match["last"]
    return last if "://" in name or not match["before"] else f"{match['before']} {last}"
