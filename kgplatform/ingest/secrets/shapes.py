"""Secrets that are recognised without a key: passwords in URLs, headers, tokens of known services, private keys."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from typing import Final

from ahocorasick_rs import AhoCorasick, MatchKind

from .fields import Secret
from .names import Verdict, verdict, word_set
from .values import default_of, is_masked, is_placeholder, looks_generated

_SIGNED: Final[dict[str, str]] = {
    **dict.fromkeys(("AKIA", "ASIA", "ABIA", "ACCA"), r"[A-Z0-9]{16}"),  # AWS
    **dict.fromkeys(("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"), r"\w{30,}"),
    **dict.fromkeys(("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-"), r"[\w-]{18,}"),
    **dict.fromkeys(("xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"), r"[\w-]{10,}"),  # Slack
    **dict.fromkeys(("sk_live_", "sk_test_", "rk_live_", "rk_test_", "pk_live_", "pk_test_"), r"[A-Za-z0-9]{10,}"),  # Stripe
    "whsec_": r"[A-Za-z0-9+/=]{20,}",
    "sk-": r"(?=[\w-]*\d)(?:(?:ant|proj|svcacct|or)-)?[A-Za-z0-9_]{16,}[\w-]*",  # OpenAI, Anthropic and others
    "AIza": r"[\w-]{35}",
    "ya29.": r"[\w-]{20,}",
    "GOCSPX-": r"[\w-]{20,}",  # Google
    "SG.": r"[\w-]{16,}\.[\w-]{16,}",
    "key-": r"[0-9a-f]{32}",  # SendGrid, Mailgun
    "npm_": r"[A-Za-z0-9]{30,}",
    "pypi-AgEI": r"[\w-]{30,}",
    "dckr_pat_": r"[\w-]{20,}",
    "rubygems_": r"[0-9a-f]{40,}",
    "hf_": r"[A-Za-z0-9]{30,}",
    "hvs.": r"[\w-]{20,}",
    "hvb.": r"[\w-]{20,}",
    "dop_v1_": r"[0-9a-f]{60,}",
    "shpat_": r"[0-9a-fA-F]{30,}",
    "glsa_": r"[\w=+/-]{30,}",
    "glc_": r"[\w=+/-]{30,}",
    "NRAK-": r"[A-Z0-9]{20,}",
    "dapi": r"[0-9a-f]{32}",
    "lin_api_": r"\w{30,}",
    "PMAK-": r"[\w-]{40,}",
    "AGE-SECRET-KEY-1": r"[A-Z0-9]{50,}",
    "ATATT3": r"[\w=-]{50,}",
    "sq0": r"(?:atp|csp)-[\w-]{20,}",
    ":AA": r"[\w-]{33}",  # Telegram, after the number of the bot
}
"""The prefixes of tokens of known services, and what follows them."""

_STARTS: Final = AhoCorasick(list(_SIGNED))
_TOKENS: Final = [re.compile(rf"{re.escape(start)}{rest}(?![A-Za-z0-9_])") for start, rest in _SIGNED.items()]
_MASK_RUN: Final = re.compile(r"(?<![\w-])(?:_-){2,}_?(?:\r?\n[ \t]*(?:_-){2,}_?)*(?![\w-])")
_JWT: Final = re.compile(r"(?<![\w-])(eyJ[\w-]{8,})\.([\w-]{4,})(?:\.[\w-]+){0,3}")
_HOOK: Final = re.compile(
    r"(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks|\.webhook\.office\.com/webhookb2)/([\w/@.-]{12,})"
)
_PEM: Final = re.compile(
    r"-----BEGIN ((?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?)-----(?P<body>.*?)(?:-----END \1-----|(?=-----BEGIN )|\Z)|PuTTY-User-Key-File-\d(?P<putty>.*?)(?:Private-MAC:|\Z)",  # noqa: E501  one pattern
    re.DOTALL,
)
_URL: Final = re.compile(r"""://(?P<user>[^\s/?#@:"'<>]{0,256}):(?P<password>[^\s"'<>/?#]{1,512}|[^\s"'<>]{1,512}?)@(?=[\w\[(${%<])""")
_LONE: Final = re.compile(r"""://(?P<token>[A-Za-z0-9_-]{20,256})@(?=[\w\[])""")
"""The user of a URL without a password, which may be a token itself, as for Sentry and git hosts."""

_BARE: Final = re.compile(r"""(?P<before>^|[^\w@/.+-])(?P<user>[\w.+-]{1,64})(?P<sign>[:/])(?P<password>[^\s:/@"'<>,;]{1,256})\Z""")
_HOST: Final = re.compile(r"(?P<host>(?:tcp|unix)\(|(?://)?(?:localhost|\d+\.\d+\.\d+\.\d+|[\w-]+(?:\.[\w-]+)*)(?P<tail>[:/]\d+|/)?)")
_LONGEST_USER: Final = 330
_ADDRESSES: Final = word_set(
    "mailto mail email e-mail from to cc bcc sip sips xmpp acct owner user contact author by team group name login reply maintainer"
)
_HEADER: Final = re.compile(
    r"""(?:(?P<header>(?:proxy-)?authorization\b["'\\]{0,3}\s*[:=,]\s*["'\\]{0,3}\s*(?P<scheme>(?:bearer|basic|token|digest|apikey|bot|negotiate|aws4-hmac-sha256)\s+)?)"""
    r"""|(?:bearer|basic)\s+(?=[\w+/=.~-]{12}))(?P<value>[\w+/=.~:-]+)""",
    re.IGNORECASE,
)
_PARAMETER: Final = re.compile(r"""[?&;#](?P<key>[\w.~%\[\]-]{1,64})=(?P<value>[^\s&;#"'<>`)\]},]+)""")
_SIGNATURES: Final = frozenset(
    {"sig", "signature", "x-amz-signature", "x-goog-signature", "x-amz-security-token", "key", "apikey", "auth", "hapikey", "appid"}
)
_COOKIE: Final = re.compile(r"""[\w.-]+=(?P<value>[^\s;"']+)""")
_USER: Final = re.compile(
    r"""(?:(?:-u|--user|--proxy-user)(?:\s+|=)["']?[\w.@+-]+:(?P<curl>[^\s"':]+)|sshpass\s+-p\s*["']?(?P<ssh>[^\s"']+)"""
    r"""|mysql(?:dump|admin)?\b[^\n|;&]{0,200}?\s-p(?P<mysql>[^\s"']+)|redis-cli\b[^\n|;&]{0,200}?\s-a\s*(?P<redis>[^\s"']+)|login\b[^\n|;&]{0,200}?\s-p\s+(?P<docker>[^\s"']+)|login\s+\S+\s+password\s+(?P<netrc>\S+)"""
    r"""|(?i:identified\s+by)\s+["'](?P<sql>[^"'\n]+))"""
)
_WORDS: Final = AhoCorasick(
    [
        *(form for word in ("proxy-authorization", "authorization", "bearer", "basic") for form in (word, word.upper(), word.title())),
        *(
            "Proxy-authorization",
            "-u ",
            "--user",
            "--proxy-user",
            "sshpass",
            "mysql",
            "redis-cli",
            "login",
            "cookie:",
            "Cookie:",
            "identified ",
            "IDENTIFIED ",
        ),
    ],
    matchkind=MatchKind.LeftmostLongest,
)


def shaped(text: str) -> Iterator[Secret]:
    """The secrets of a text that are recognised by their form, whatever stands around them, and those that were masked before."""
    if "_-_-" in text:
        for match in _MASK_RUN.finditer(text):
            yield Secret(*match.span(), match[0], is_known=False)
    yield from _tokens(text)
    if "PRIVATE KEY" in text or "PuTTY" in text:
        for match in _PEM.finditer(text):
            group = "body" if match["body"] is not None else "putty"
            yield Secret(*match.span(group), match[group])
    if "@" in text:
        yield from _in_urls(text)
    if "=" in text:
        yield from _parameters(text)
    yield from _after_words(text)


def _after_words(text: str) -> Iterator[Secret]:
    """The secrets after words of commands and headers."""
    for _, start, _ in _WORDS.find_matches_as_indexes(text):
        match = _HEADER.match(text, start)
        if match and _is_credential(match):
            yield Secret(*match.span("value"), match["value"])
        if text.startswith("ookie:", start + 1):
            yield from _cookies(text, start)
        match = _USER.match(text, start)
        if match:
            yield from _checked(match, next(name for name, value in match.groupdict().items() if value is not None))


def _cookies(text: str, start: int) -> Iterator[Secret]:
    end = text.find("\n", start)
    for match in _COOKIE.finditer(text, start + len("cookie:"), end if end >= 0 else len(text)):
        if is_masked(match["value"]) or looks_generated(match["value"]):
            yield from _checked(match, "value")


def _is_credential(match: re.Match[str]) -> bool:
    value = match["value"]
    return (
        is_masked(value)
        or len(value) >= 6
        and (looks_generated(value) or bool(match["header"]) and _is_mixed(value) or bool(match["scheme"]) and any(map(str.isdigit, value)))
    )


def _tokens(text: str) -> Iterator[Secret]:
    for index, start, _ in _STARTS.find_matches_as_indexes(text):
        match = _TOKENS[index].match(text, start)
        if match and (match[0].startswith(":") or not re.match(r"\w", text[start - 1 : start] if start else "")):
            yield Secret(*match.span(), match[0])
    if "eyJ" in text:
        for match in _JWT.finditer(text):
            if _is_json(match[1]):
                yield Secret(*match.span(), match[0])
    if "hook" in text:
        for match in _HOOK.finditer(text):
            yield Secret(*match.span(1), match[1])


def _in_urls(text: str) -> Iterator[Secret]:
    for match in _URL.finditer(text):
        yield from _checked(match, "password")
    for match in _LONE.finditer(text):
        if looks_generated(match["token"]):
            yield from _checked(match, "token")
    place = text.find("@")
    while place >= 0:
        low = max(0, place - _LONGEST_USER)
        begin = max(low, text.rfind(" ", low, place), text.rfind("\n", low, place))
        is_after_word = text[place - 1 : place] not in ("", "@") and any(sign in text[begin:place] for sign in ":/")
        match_before = _BARE.search(text, begin, place) if is_after_word else None
        host = _HOST.match(text, place + 1) if match_before else None
        if match_before and host and _is_bare(match_before, host):
            yield from _checked(match_before, "password")
        place = text.find("@", place + 1)


def _parameters(text: str) -> Iterator[Secret]:
    for match in _PARAMETER.finditer(text):
        key, value = match["key"], match["value"]
        certainty = verdict(key)
        is_signed = key.lower() in _SIGNATURES and len(value) >= 8
        if is_masked(value) and (is_signed or certainty is not Verdict.NO):
            yield Secret(*match.span("value"), value)
        elif (
            certainty is Verdict.YES
            and len(value) > 2
            and not value.isalpha()
            or (certainty is Verdict.PERHAPS or is_signed)
            and looks_generated(value)
        ):
            yield from _checked(match, "value")


def _is_bare(before: re.Match[str], after: re.Match[str]) -> bool:
    """Whether `a:b@c` without a scheme is a user with a password, and not an address, an image with its digest or a key with an address."""
    user, password, host, tail = before["user"], before["password"], after["host"], after["tail"] or ""
    if (
        before["sign"] == before["before"] == ":"
        or user.lower() in _ADDRESSES
        or host.startswith(("sha256", "sha512", "sha1"))
        or password.startswith("{")
    ):
        return False
    if before["sign"] == "/":
        return bool(tail) and not password[0].isdigit() and (host.startswith("//") or ":" in tail)
    return host.startswith(("tcp(", "unix(")) or bool(tail) or looks_generated(password)


def _checked(match: re.Match[str], group: str) -> Iterator[Secret]:
    start, end = match.span(group)
    value = match[group]
    default = default_of(value)
    if default:
        start, end = start + default[0], start + default[1]
    elif is_placeholder(value) and not is_masked(value):
        return
    yield Secret(start, end, value[start - match.start(group) : end - match.start(group)])


def _is_mixed(value: str) -> bool:
    return len(value) >= 12 and any(map(str.isupper, value)) and any(map(str.islower, value))


def _is_json(part: str) -> bool:
    try:
        return isinstance(json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))), dict)
    except ValueError:
        return False
