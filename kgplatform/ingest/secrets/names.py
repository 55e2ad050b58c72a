"""Which keys name a secret, by the grammar of their words: the last noun decides. `TOKEN_URL` is a URL, `URL_TOKEN` a token."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from typing import Final


class Verdict(IntEnum):
    """What a key says of its value: no secret, a secret if it looks like one, a secret."""

    NO = 0
    PERHAPS = 1
    YES = 2


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


PASSWORDS: Final = word_set(
    "password passwd pwd mdp motdepasse passphrase passcode requirepass masterauth passwort kennwort "
    "contraseña contrasena wachtwoord senha lösenord hasło пароль 密码 パスワード 비밀번호"
)
"""Nouns whose value is the secret, whatever it looks like."""

HEADS: Final = PASSWORDS | word_set("secret token apikey credential jwt pw")
_SUFFIXES: Final = tuple(sorted(HEADS - {"jwt", "pw", "mdp"}, key=len, reverse=True))
_PLURALS: Final = frozenset(f"{head}s" for head in HEADS) | {"creds", "auth", "authorization", "auths", "cookie"}

_KEYS: Final = word_set("api access secret private encryption decryption signing auth authentication ssh hmac jwt aes crypto cipher")
_KEYS_PERHAPS: Final = word_set(
    "account storage shared admin root master service client app application session consumer subscription function webhook deploy license "
    "licence stripe sendgrid mailgun openai datadog rsa gpg pgp tls ssl wifi sas primary secondary connection publishable server"
)
_PASSES: Final = word_set(
    "db database user smtp mail email imap ftp sftp ssh http proxy admin root my mysql pg postgres redis rabbitmq mongo mongodb ldap login auth "
    "basic account wifi keystore truststore key cert service store"
)

_JOINED: Final = (("pass", _PASSES), ("key", _KEYS))

_TRANSPARENT: Final = word_set(
    "prod production dev development staging stage test testing qa uat live sandbox local old new current previous prev next primary secondary "
    "backup default initial temp temporary latest legacy rotated base64 b 64 b64 encoded plain plaintext raw hex clear cleartext text string str "
    "value values val data content root admin"
)
"""Words after a noun that do not change what it is: `PASSWORD_PROD`, `token.value`, `secret_b64`."""

_ABOUT: Final = word_set(
    "url uri urls endpoint endpoints host server service path paths file files dir directory folder location name names id ids identifier ref "
    "refs reference key keys type types kind policy policies rule rules length len size min max minimum maximum limit limits count counts number "
    "ttl expiry expiration expires expire lifetime duration timeout age days hours minutes seconds ms interval rotation date time at updated "
    "created changed modified algorithm algo alg method mode strategy format scheme encoding hash hasher hashes digest checksum fingerprint "
    "version issuer audience scope scopes realm provider providers store manager vault backend engine source generator validator encoder "
    "decoder parser field fields column columns label hint prompt placeholder title description message help header prefix suffix template "
    "pattern regex charset complexity strength history attempts retries enabled required optional disabled visible status state used usage "
    "budget window stream index position env var variable param parameter owner user username email reset change link page form screen button "
    "input rate cost price mount volume role account namespace class group team"
)
"""Nouns after which a key names something about a secret, and not the secret: `TOKEN_URL`."""

_OTHER_KINDS: Final = word_set(
    "checksum digest page continuation cancellation design css color colour stop eos bos pad unk cls sep mask special begin end public no without non"
)
_DOERS: Final = word_set(
    "is has have use uses using with require requires required allow enable disable enabled show hide forgot reset change confirm check "
    "verify validate existing pull image tls ca cert max min num count total"
)
_CERTAIN: Final = word_set("client app shared webhook jwt signing session cookie oauth oauth2 api consumer bot hmac otp totp")
"""Words before `secret` after which it is the value; without one, `secret` may also be the name of a secret."""

_WORD: Final = re.compile(r"[^\W\d_a-z]+(?![a-z])|[^\W\d_]?[^\W\d_A-Z]+|\d+")
_LONGEST: Final = 120


@lru_cache(maxsize=4096)
def words(key: str) -> tuple[str, ...]:
    """The words of a key in lower case: camelCase, snake_case, kebab-case, dotted, spaced; `dbpassword` is two."""
    parts: list[str] = []
    for word in map(str.lower, _WORD.findall(key[-_LONGEST:])):
        head = next((head for head in _SUFFIXES if word.endswith(head) and word != head), "")
        head = head or next(
            (end for end, before in _JOINED if word.endswith(end) and word not in HEADS and word.removesuffix(end) in before), ""
        )
        if head:
            parts.append(word.removesuffix(head))
        parts.append(head or word)
    return tuple(parts)


@lru_cache(maxsize=4096)
def verdict(key: str) -> Verdict:
    """Whether a key names a secret; several keys are joined by blanks, the outermost first."""
    parts = list(words(key))
    while len(parts) > 1 and (parts[-1] in _TRANSPARENT or parts[-1].isdigit()):
        parts.pop()
    if not parts:
        return Verdict.NO
    before, last = parts[:-1], parts[-1]
    if before and (before[-1] in _OTHER_KINDS or last not in PASSWORDS and before[0] in _OTHER_KINDS):
        return Verdict.NO
    found = _of_noun(before, last)
    return Verdict.PERHAPS if found is Verdict.YES and before and before[0] in _DOERS else found


def _of_noun(before: list[str], last: str) -> Verdict:
    previous = before[-1] if before else ""
    if last in HEADS:
        return Verdict.YES
    if last in ("key", "keys") and previous in _KEYS:
        return Verdict.YES if last == "key" else Verdict.PERHAPS
    if last == "pass" or last == "passe":
        return Verdict.YES if previous in _PASSES or last == "passe" and previous == "de" else Verdict.PERHAPS
    if last in _PLURALS or last == "key" and previous in _KEYS_PERHAPS:
        return Verdict.PERHAPS
    speaks = any(
        word in HEADS or word in _PLURALS or word == "pass" or word == "key" and i and before[i - 1] in _KEYS
        for i, word in enumerate(before)
    )
    return Verdict.PERHAPS if speaks and last not in _ABOUT else Verdict.NO


def qualified(key: str, before: str) -> str:
    """The key with the word before it in running text, unless that is a verb or preposition: `API key`, but `with password`."""
    return key if before.lower() in _DOERS else f"{before} {key}"


def may_name_a_secret(key: str) -> bool:
    """Whether `secret` in this key may as well mean the name of a secret: `auth-tls-secret: my-ca`."""
    parts = words(key)
    return bool(parts) and parts[-1] == "secret" and (len(parts) == 1 or parts[-2] not in _CERTAIN)


def is_transparent(key: str) -> bool:
    """Whether a key adds nothing to the key around it: `value`, `default`, `@value`, a number."""
    parts = words(key)
    return all(word in _TRANSPARENT or word.isdigit() or word == "literal" for word in parts)
