"""Keys with values in running text: settings, code, shell commands, notes, XML inside other formats.

The structure of a format is read by `trees`, `graphs` and `rows`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ahocorasick_rs import AhoCorasick

from .fields import Secret, local
from .names import PASSWORDS, Verdict, qualified, verdict, word_set, words
from .values import default_of, is_masked, is_secret, looks_generated

_STEMS: Final = word_set(
    "pass pwd pw mdp secret token key cred auth jwt kennwort contrase wachtwoord senha lösenord hasło парол 密码 パスワード 비밀번호"
)
_ANCHORS: Final = AhoCorasick(sorted(form for stem in _STEMS for form in {stem, stem.upper(), stem.capitalize()}))
"""Parts of keys that name secrets. They are searched first: an expression that tries every word of a text is twenty times slower."""

_WORD_END: Final = re.compile(r"[\w.$-]*")
_LONGEST_KEY: Final = 100
_ASSIGNING: Final = ("=", ">", "→", ":")
_TAIL: Final = re.compile(
    r"(?P<more>[ \t](?:\([^()\n]{1,30}\)|(?:for|of|on|in|für|to)[ \t](?!a\b|an\b|the\b)[\w.-]+(?:[ \t](?!is\b|was\b|ist\b|lautet\b|est\b|es\b)[\w.-]+)?))?"
    r"""(?P<sep>(?:\\?["'`*_]){0,3}\]?[ \t]*(?:=>|→|:=|===?|:(?!//|:)|=)(?:[*_]{1,3}(?=[ \t]))?[ \t]*"""
    r"""|(?:["'`*_]){0,2}[ \t]+(?:is|was|has been|lautet|ist|est|es|era|é|è)(?:[ \t]+(?:now|(?:set|changed|reset)[ \t]to))?[ \t]*:?[ \t]+|[ \t]+[—–][ \t]+|\((?=["'])|["',]{0,3}[ \t]+)"""  # noqa: E501
    r"""(?:\\"(?P<escaped>[^"\n]*?)\\"|""(?P<doubled>[^"\n]+)""|[rbuf]?"(?P<double>(?:[^"\\\n]|\\.)+)"|[rbuf]?'(?P<single>(?:[^'\\\n]|\\.)+)'|`(?P<tick>[^`\n]+)`"""
    r"""|(?P<bare>(?:\$?\{[^{}\s]*\}|\$\([^()\n]*\)|\{\{[^{}\n]*\}\}|<(?!/)[^<>\n]{0,80}>|\[[^\[\]\s]*\]|[^\s"'`,;<>|(){}\[\]&]|[,;&](?=[^\s"'`])(?![\w. -]{1,40}[:=])|[<>|(){}\[\]](?=\w)){1,4096}))""",  # noqa: E501  one pattern
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(r"(?:[^\W\d_]+[ \t]){1,2}\Z")
_DEFAULT: Final = re.compile(r":?[-=:](?P<value>[^{}?+][^{}]*)\}")
_TERRAFORM: Final = re.compile(r"""variable\s+"(?P<key>[\w-]+)"\s*\{[^{}]{0,500}?\bdefault\s*=\s*"(?P<value>[^"\n]+)\"""")
_LINKS: Final = word_set("and with using und mit et avec y con e com")
"""Words before `password X` that speak of one password, and not of passwords."""

_PAIR: Final = re.compile(r"""[`"']?[\w.@+-]+[`"']?[ \t]*/[ \t]*[`"']?(?P<value>[^\s`"',;]+)""")
"""A user and a password, as notes have them: `admin / hunter2x`."""

_OF_KEY: Final = re.compile(r"mot de \Z", re.IGNORECASE)
_LIST: Final = re.compile(r"""["']?[ \t]*[=:][ \t]*\[(?P<items>[^\[\]{}]{1,2000})\]""")
_ITEM: Final = re.compile(r"""(?P<quote>["'])(?P<value>(?:(?!(?P=quote))[^\n\\])+)(?P=quote)""")

_SEGMENT: Final = re.compile(r"[A-Za-z0-9-]+/\Z")
_ELEMENT: Final = re.compile(r"[^<>]{0,300}>(?P<value>[^<>\n]+)</(?P<key>[\w:.-]+)")
_REST: Final = re.compile(r"[^\n\r]{0,80}")
_AFTER_VALUE: Final = re.compile(r"""[ \t]*(?:$|[#(,;.!?)\]}|*<\\&/]|--|//)|["'`]""")
_EMPHASIS: Final = re.compile(r"(?:\*{1,3}(?=[^\s*]+\*))?")
_INDICATOR: Final = re.compile(r"[*&][\w.-]+\s|!\S*[ \t]+\S|[|>][-+\d]*\s")
"""Beginnings of values with a meaning in YAML: an alias, an anchor, a tag, a block."""

_SETTING_END: Final = re.compile(r"""(?=[;"'\r\n])|\Z""")
_LETTERS: Final = re.compile(r"[ \t]+(?:[^\W\d_][\w ]*|[_ -]+)")


def _key_words(text: str) -> Iterator[tuple[int, int]]:
    """The places of words that may name a secret, as they are written, dots and hyphens included."""
    last = 0
    for _, anchor, _ in _ANCHORS.find_matches_as_indexes(text):
        if anchor < last:
            continue
        start = anchor
        while start > max(last, anchor - _LONGEST_KEY) and (text[start - 1].isalnum() or text[start - 1] in "_.$-"):
            start -= 1
        last = _WORD_END.match(text, anchor, start + _LONGEST_KEY + len("password")).end()  # type: ignore[union-attr]
        yield start, last


def speaks_of_secrets(text: str) -> bool:
    """Whether some word of a text may name a secret."""
    return any(verdict(text[start:end]) is not Verdict.NO for start, end in _key_words(text)) or "secretGenerator" in text


def keyed(text: str, *, colons: bool = True) -> Iterator[Secret]:
    """The secrets with a key in a text of any format. Without `colons`, a colon right before a word is part of a name, as in Turtle."""
    for match in _TERRAFORM.finditer(text):
        yield from _judged(match["key"], match, "value", verdict(match["key"]))
    done = 0
    for start, end in _key_words(text):
        if start < done:
            continue  # inside a value that is masked whole
        yield from _of_list(text, start, end)
        tail = _TAIL.match(text, end)
        for secret in _of_tail(text, start, tail, colons=colons) if tail else ():
            done = secret.end
            yield secret
        if text[start - 1 : start] in ("<", ":"):
            yield from _of_element(text, start, end)


def _of_tail(text: str, start: int, tail: re.Match[str], *, colons: bool) -> Iterator[Secret]:
    if text.startswith("://", start - 3):
        return  # a user in a URL: `shapes` finds its password
    key = text[start : tail.start()]
    if text[start - 2 : start] == "${":
        yield from _default(text, tail.start(), key)
        return
    before = _BEFORE.search(text, max(0, start - 40), start) or _SEGMENT.search(text, max(0, start - 40), start)
    certainty = verdict(key)
    if before and (certainty is Verdict.YES or words(key)[-1:] in (("key",), ("keys",), ("pass",), ("passe",))):
        key = qualified(key, before[0].rstrip("/").split()[-1])
        certainty = verdict(key)
    if certainty is Verdict.NO:
        return
    group = next(name for name in ("escaped", "doubled", "double", "single", "tick", "bare") if tail[name] is not None)
    sep = tail["sep"].strip("\\\"'`*_ \t,]")
    is_flag = text[start] == "-"
    pair = (
        _PAIR.match(text, tail.end("sep"))
        if sep.endswith((":", "=")) and (text[start - 1 : start] == "/" or "credential" in words(key)[-1])
        else None
    )
    if pair and _is_strong(pair["value"]):
        yield Secret(*pair.span("value"), pair["value"])
        return
    if group == "bare":
        yield from _bare(text, start, tail, key, certainty, sep=sep, colons=colons)
    elif group == "tick" and tail["sep"] == "=" and not _is_strong(tail[group]):
        return  # a shell replaces it
    elif sep == "(":
        called = words(key.rpartition(".")[2])
        is_given = called[-2:-1] in (("set",), ("with",)) or "." in text[start - 1 : tail.start()] and called[0] in PASSWORDS
        yield from _judged(key, tail, group, certainty) if is_given else ()
    elif (
        sep.endswith(_ASSIGNING)
        or sep
        and (_is_strong(tail[group]) or " " not in tail[group] or words(key)[-1] in PASSWORDS)
        or not sep
        and (is_flag or certainty is Verdict.YES and _is_strong(tail[group]) or _is_password(key) and _follows_link(text, start))
    ):
        yield from _judged(key, tail, group, certainty)


def _of_list(text: str, start: int, end: int) -> Iterator[Secret]:
    """The quoted items of a list: `api_tokens = ["x", "y"]`."""
    items = _LIST.match(text, end)
    for item in _ITEM.finditer(text, *items.span("items")) if items else ():
        yield from _judged(text[start:end], item, "value", verdict(text[start:end]))


def _default(text: str, end: int, key: str) -> Iterator[Secret]:
    """The default of a variable: `${DB_PASSWORD:-x}`."""
    match = _DEFAULT.match(text, end)
    if match:
        yield from _judged(key, match, "value", verdict(key))


def _of_element(text: str, start: int, end: int) -> Iterator[Secret]:
    """The text of an XML element, which may stand in a text of any format."""
    element = _ELEMENT.match(text, end)
    if element and element["key"].endswith(text[start:end]):
        key = local(text[start:end])
        yield from _judged(key, element, "value", verdict(key))


def _bare(text: str, begin: int, match: re.Match[str], key: str, certainty: Verdict, *, sep: str, colons: bool) -> Iterator[Secret]:
    """A value without quotes: up to white space, without punctuation at its end. Inside a sentence only a value that looks generated."""
    start, end = match.span("bare")
    start += len(_EMPHASIS.match(text, start)[0])  # type: ignore[index]
    end = start + len(text[start:end].rstrip(".,:;!?*_\\") or text[start:end])
    value = text[start:end]
    if is_masked(match["bare"]):
        end, value = match.end("bare"), match["bare"]
    is_sure = False
    if sep.endswith(("=", ">", "→")):
        is_sure = "==" not in sep
    elif sep[-1:] == ":":
        if _INDICATOR.match(text, start):
            return
        is_close = not match["sep"].endswith((" ", "\t", "*", "_"))
        if is_close and not colons:
            return
        is_sure = not is_close and bool(_AFTER_VALUE.match(_REST.match(text, end)[0]))  # type: ignore[index]
    elif not sep and text[begin] != "-" and not (_is_password(key) and _follows_link(text, begin)):
        return
    if not (is_sure or _is_strong(value)):
        return
    if is_sure and not text[end : match.end("bare")].strip("!?"):
        end = match.end("bare")
    if sep == "=" and text[max(0, begin - 2) : begin].endswith((";", "; ")):
        end = _SETTING_END.search(text, start).start()  # type: ignore[union-attr]
    elif is_sure and sep.endswith("=") and _is_line_start(text, begin):
        rest = _LETTERS.fullmatch(_REST.match(text, end)[0].rstrip())  # type: ignore[index]
        end = end + len(rest[0]) if rest and " " in match["sep"] else end
    yield from _valued(key, start, end, text[start:end], certainty)


def _is_password(key: str) -> bool:
    return words(key)[-1] in PASSWORDS or words(key)[-2:] == ("de", "passe")


def _follows_link(text: str, begin: int) -> bool:
    """Whether a preposition, a conjunction or a comma stands before the words of a key."""
    before = _OF_KEY.sub("", text[max(0, begin - 40) : begin]).split()
    return bool(before) and (before[-1].endswith(",") or any(word.lower() in _LINKS for word in before[-2:]))


def _is_strong(value: str) -> bool:
    """Whether a value looks generated, even a short one, where the words around it do not say that it is a secret."""
    return is_masked(value) or looks_generated(value) or len(value) >= 6 and looks_generated(f"{value}-xx")


def _is_line_start(text: str, place: int) -> bool:
    return not text[text.rfind("\n", 0, place) + 1 : place].strip()


def _judged(key: str, match: re.Match[str], group: str, certainty: Verdict) -> Iterator[Secret]:
    value = match[group]
    left = len(value) - len(value.lstrip())
    bare = value.strip()
    yield from _valued(key, match.start(group) + left, match.start(group) + left + len(bare), bare, certainty)


def _valued(key: str, start: int, end: int, value: str, certainty: Verdict) -> Iterator[Secret]:
    default = default_of(value)
    if default:
        start, end = start + default[0], start + default[1]
        value = value[default[0] : default[1]]
    if certainty is not Verdict.NO and is_masked(value) or is_secret(key, value, certainty):
        yield Secret(start, end, value)
