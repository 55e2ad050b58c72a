"""What a value looks like: a placeholder, a reference, an ordinary word, or something generated."""

from __future__ import annotations

import re
from typing import Final

from .names import HEADS, PASSWORDS, Verdict, may_name_a_secret, verdict, word_set, words

_MASKS: Final = ("_", "-", "\u02cd", "\uff3f", "\U0001f512")
"""What replaces a character of one byte (alternating), two, three, four."""

_WORD: Final = re.compile(r"\S+")
_STATES: Final = word_set(
    "string str text int integer number bool boolean bytes object array list map any true false yes no on off none null nil undefined unset "
    "empty blank missing required optional mandatory enabled disabled strict lax inherit auto automatic generated random default unchanged "
    "expired rotated valid invalid hidden redacted masked removed omitted encrypted same secret password token key todo tbd n/a na unknown "
    "always never basic bearer bpe pass user admin_only write readonly"
)
"""Words that say of what kind or in which state a secret is."""

_PLACEHOLDER: Final = re.compile(
    r"""\$?\$?\{\{?[^{}]*\}\}?\}?      # ${X} {{ x }} {x} $${X}
      | \$\([^()]*\) | \$[A-Za-z_]\w* | \$\d
      | <[^<>]*> | %\([^()]*\)[sd] | %[A-Za-z_]\w*% | \#\{[^{}]*\}\#? | \[\[?[^\[\]]*\]?\]
      | @Microsoft\.KeyVault\(.*\) | \*+ | \.{3,} | …+ | •+ | [xX]{3,} | -+ | \?+ | ~ | __[A-Za-z]\w*?__ | @@\w+@@ | @[A-Z_]+@""",
    re.VERBOSE | re.DOTALL,
)
_BETWEEN: Final = re.compile(r"[\s:@/.,;|_-]*")
_CUT: Final = re.compile(r"[\w-]{0,12}(?:\.{3}|…|[xX*]{4,})\w{0,4}")
_YOURS: Final = re.compile(r"(?:your|insert|replace|enter|put)[-_ ]?[a-z_ -]*(?:here|password|token|secret|key)[a-z_ -]*", re.IGNORECASE)
_REFERENCE: Final = re.compile(
    r"[a-z][a-z0-9+.-]*://\S* | (?:vault|arn|ssm|awssm|gcpsm|secretsmanager|env|file|sops|keyvault|ref\+\w+):\S* | projects/[\w/.-]+/secrets/[\w/.-]+"
    r" | [\^~<>=]{0,2}\s?v?\d+\.\d+\.\d+(?:[-+.]\w+)* | [A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+ | [\w.$>-]*\w\(.* | [\w.]+\[.*",
    re.VERBOSE | re.DOTALL,
)
_PATH: Final = re.compile(
    r"(?:~|\.{1,2})?/[^\s/]+(?:/[^\s/]*)*|[A-Za-z]:\\\S*|[\w.-]+(?:/[\w.-]+)*\.(?:txt|pem|key|crt|json|ya?ml|env|conf|ini|cfg|p12|jks)"
)
_DOTTED: Final = re.compile(r"[A-Za-z_$]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+")
_HOLDERS: Final = word_set(
    "process os env secrets var local module data self this config settings args vars params request values props cfg opts"
)
_NAME: Final = re.compile(r"[a-z]+(?:[-/][a-z]+)+")
_NUMBER: Final = re.compile(r"[-+]?\d+(?:\.\d+)?")
_HARMLESS_SHAPE: Final = re.compile(
    r"v?\d+(?:[.\-:/T]\d+)*(?:[.-]?[a-z]{1,5}\d*)?Z? | \d+(?:\.\d+)?\s?[A-Za-z]{1,3} | (?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?(?:/\S*)?"
    r" | [A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?\d{1,3} | [a-z]+(?:-[a-z]+)*:\d{2,5} | \S+@[\w-]+(?:\.[\w-]+)+",
    re.VERBOSE,
)
"""Versions, dates, sizes, hosts, numbered names, addresses."""

_DEFAULT: Final = re.compile(r"\$\{[\w.]+:[-=]?([^{}$?+][^{}$]*)\}\Z")


def mask(value: str, encoding: str = "utf-8") -> str:
    """The mask of a value: as many characters and bytes, with white space where it was, as `_-_-_-`, which starts again in each word."""
    if value.isascii() and encoding == "utf-8":
        return _WORD.sub(lambda word: ("_-" * len(word[0]))[: len(word[0])], value)
    unit = len("_".encode(encoding))
    sizes = {len(sign.encode(encoding, errors="replace")): sign for sign in reversed(_MASKS)}
    signs: list[str] = []
    turn = 0
    for sign in value:
        size = len(sign.encode(encoding, errors="surrogateescape"))
        signs.append(sign if sign.isspace() else _MASKS[turn] if size == unit else sizes.get(size, "_" * (size // unit)))
        turn = 0 if sign.isspace() else 1 - turn
    return "".join(signs)


def is_masked(value: str) -> bool:
    """Whether a value is a mask."""
    bare = value.strip()
    return bare[:1] in _MASKS and mask(bare) == bare


def looks_generated(value: str) -> bool:
    """Whether a value has letters and digits, or signs, as generated ones have, and is no version, date, host, path or numbered name."""
    bare = value.strip()
    if len(bare) < 8 or " " in bare or _HARMLESS_SHAPE.fullmatch(bare) or _is_reference(bare):
        return False
    has_letter, has_digit = any(map(str.isalpha, bare)), any(map(str.isdigit, bare))
    return has_letter and (has_digit or any(sign in bare for sign in "!@#$%^&*+=?~")) and not is_placeholder(bare)


def is_distinct(value: str) -> bool:
    """Whether a secret is distinct enough to be searched in the rest of the text, and is no common word."""
    return len(value) >= 6 and looks_generated(value + "xx") or len(value) >= 20 and not _is_reference(value)


def is_placeholder(value: str) -> bool:
    """Whether a value consists of placeholders only."""
    bare = value.strip()
    return bool(_BETWEEN.fullmatch(_PLACEHOLDER.sub("", bare)) or _YOURS.fullmatch(bare) or _CUT.fullmatch(bare))


def default_of(value: str) -> tuple[int, int] | None:
    """The span of the default of a placeholder, `${DB_PASSWORD:-x}`; None where it has none."""
    match = _DEFAULT.match(value)
    return match.span(1) if match else None


def _is_reference(value: str) -> bool:
    """Whether a value says where a secret is: a URL, a path, a variable's name, an expression."""
    if _REFERENCE.fullmatch(value):
        return True
    if _PATH.fullmatch(value):
        return not any(_is_mixed(part) for part in re.split(r"[/\\]", value))
    if not _DOTTED.fullmatch(value):
        return False
    parts = re.split(r"\.|->|::", value)
    return parts[0] in _HOLDERS or any(verdict(part) is not Verdict.NO for part in parts)


def _is_mixed(part: str) -> bool:
    return len(part) >= 12 and any(map(str.isdigit, part)) and any(map(str.isupper, part)) and any(map(str.islower, part))


def is_secret(key: str, value: str, certainty: Verdict) -> bool:
    """Whether the value of a key is a secret. `certainty` is the verdict on the key and the words around it."""
    bare = value.strip()
    if certainty is Verdict.NO or not bare or bare.lower() in _STATES or is_masked(bare) or is_placeholder(bare):
        return False
    if certainty is Verdict.PERHAPS:
        return looks_generated(bare)
    return not (
        _is_reference(bare)
        or words(key)[-1:] == ("key",)
        and _is_name_of_one(bare)
        or _is_description(key, bare)
        or _is_small_number(key, bare)
        or may_name_a_secret(key)
        and _NAME.fullmatch(bare)
    )


def _is_name_of_one(value: str) -> bool:
    """Whether a value is the name of a secret, such as that of an entry in a secret store: `db-password`."""
    return bool(_NAME.fullmatch(value)) and verdict(value) is not Verdict.NO


def _is_description(key: str, value: str) -> bool:
    """A sentence or label about secrets, not one of them: `Forgot your password?`."""
    spoken = value.lower().split()
    about = HEADS.intersection(words(key)) | PASSWORDS | {"secret", "token", "key"}
    return len(spoken) >= 2 and any(word.strip(".,:;?!()'\"`s") in about for word in spoken)


def _is_small_number(key: str, value: str) -> bool:
    most = 3 if PASSWORDS.intersection(words(key)) else 5
    return bool(_NUMBER.fullmatch(value)) and len(value) <= most
