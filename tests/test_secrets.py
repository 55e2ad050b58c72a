"""Secrets at the door: what is masked, at equal length, and what stays."""

from __future__ import annotations

import base64
import json
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.secret_texts import HARMLESS, PLANTED

from kgplatform.ingest.secrets import is_masked, masked
from kgplatform.ingest.secrets.names import Verdict, verdict


def planted(marked: str) -> tuple[str, str]:
    """The text without its marks, and with what stands between them masked."""
    hidden = re.sub("«(.*?)»", lambda match: blank(match[1]), marked, flags=re.DOTALL)
    return marked.replace("«", "").replace("»", ""), hidden


def blank(value: str) -> str:
    return re.sub(r"\S+", lambda word: masking(word[0]), value)


def masking(word: str) -> str:
    sizes = {1: "_", 2: "\u02cd", 3: "\uff3f", 4: "\U0001f512"}
    signs = [sizes[len(sign.encode())] for sign in word]
    return "".join("-" if sign == "_" and n % 2 else sign for n, sign in enumerate(signs))


@pytest.mark.parametrize(("name", "marked"), PLANTED)
def test_a_secret_is_masked_and_nothing_else(name: str, marked: str) -> None:
    text, hidden = planted(marked)
    result = masked(text.encode(), name)

    assert hidden == result.content.decode()
    assert 0 < result.secrets
    assert len(text.encode()) == len(result.content)


@pytest.mark.parametrize(("name", "marked"), PLANTED)
def test_what_was_masked_stays_and_counts_again(name: str, marked: str) -> None:
    first = masked(planted(marked)[0].encode(), name)

    assert first == masked(first.content, name)


@pytest.mark.parametrize(("name", "text"), HARMLESS)
def test_what_only_looks_like_a_secret_stays(name: str, text: str) -> None:
    assert text == masked(text.encode(), name).content.decode()
    assert 0 == masked(text.encode(), name).secrets


@pytest.mark.parametrize(
    ("key", "is_secret"),
    [
        *(
            (key, Verdict.YES)
            for key in ("DB_PASSWORD", "urlToken", "api-key", "clientSecret", "PGPASSWORD", "dbpassword", "aws.secret.access.key")
        ),
        *(
            (key, Verdict.YES)
            for key in ("password_1", "TOKEN_PROD", "secret_b64", "smtp_pass", "Encryption Key", "mot de passe", "passphrase")
        ),
        *(
            (key, Verdict.NO)
            for key in ("TOKEN_URL", "db_password_file", "secretName", "tokenizer", "passwordless", "author", "keyboard", "monkey")
        ),
        *(
            (key, Verdict.NO)
            for key in ("PASSWORD_MIN_LENGTH", "public_key", "partition key", "compass", "page_token", "", "url", "Keystone")
        ),
        *((key, Verdict.PERHAPS) for key in ("tokens", "SECRET_KEY_BASE", "account_key", "existingSecret", "first_pass", "auth")),
    ],
)
def test_the_last_noun_of_a_key_decides(key: str, is_secret: Verdict) -> None:
    assert is_secret == verdict(key)


def test_lines_and_characters_keep_their_places() -> None:
    text = "password: hünt€r𝟚\r\nowner: Bob\n"
    result = masked(text.encode(), "a.yaml").content.decode()

    assert len(text) == len(result)
    assert text.index("owner") == result.index("owner")
    assert "password: _ˍ_-＿-🔒\r\nowner: Bob\n" == result


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le"])
def test_other_encodings_are_masked_too(encoding: str) -> None:
    content = "user;password;city\nbob;hunter2;Zürich\n".encode(encoding)

    assert "user;password;city\nbob;_-_-_-_;Zürich\n".encode(encoding) == masked(content, "a.csv").content


def test_a_packed_file_is_no_text() -> None:
    content = b"PK\x03\x04 password=hunter2\n"

    assert content == masked(content, "a.xlsx").content


def test_the_first_line_and_the_number_are_told() -> None:
    assert (3, 2) == masked(b"a: b\npassword: x1\ntoken: x2\nurl: ftp://u:p@h/\n", "a.yaml")[1:]


WORDS = st.text(string.ascii_letters + string.digits + "!#%+./=@^_~-", min_size=12, max_size=40).filter(
    lambda value: (
        value.isascii()
        and any(map(str.isdigit, value))
        and value[0].isalpha()
        and value[-1].isalnum()
        and re.search(r"[a-z].*[A-Z]", value)
    )
)


@given(WORDS)
def test_no_generated_password_passes_in_any_format(value: str) -> None:
    word = re.sub(r"[/.@:=#%!~]", "x", value)
    for name, text in (
        ("a.yaml", f"env:\n- name: DB_PASSWORD\n  value: '{word}'\n"),
        ("a.json", json.dumps({"clientSecret": word})),
        ("a.csv", f"user,api_key\nbob,{word}\n"),
        ("a.ttl", f'ex:a ex:password "{word}" .'),
        ("a.md", f"Here: password: {word}\n"),
        ("a.txt", f"see postgres://bob:{word}@db/x\n"),
        ("b.yaml", f"kind: Secret\ndata:\n  x: {base64.b64encode(word.encode()).decode()}\n"),
        ("b.md", base64.b64encode(f"TOKEN={word}".encode()).decode()),
    ):
        content = masked(text.encode(), name).content
        assert word.encode() not in content
        assert base64.b64encode(word.encode())[:-4] not in content
        assert len(text.encode()) == len(content)


@given(st.text(max_size=300), st.sampled_from(["a.yaml", "a.json", "a.csv", "a.ttl", "a.rdf", "a.md", "a.txt"]))
def test_any_text_keeps_its_length_and_settles(text: str, name: str) -> None:
    text = f"password: x\n{text}"
    content = text.encode(errors="replace")
    once = masked(content, name).content

    assert len(content) == len(once)
    assert len(content.decode()) == len(once.decode())


def test_a_mask_is_no_value() -> None:
    assert is_masked("_-_-_")
    assert not is_masked("hunter2")
    assert not is_masked("")


@pytest.mark.parametrize("content", [b"\xff\xfe\0", b"\xfe\xff\xd8\0a", b"a\0b\0c", b"\xef\xbb\xbf\xff"])
def test_bytes_that_are_cut_off_in_their_encoding_stay(content: bytes) -> None:
    assert (content, 0) == masked(content, "a.md")[:2]
