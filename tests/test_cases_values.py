"""Values of XSD datatypes: what a text is a value of is kept, what is none is refused as it stands, what is normalised is noted."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.commandline import done
from support.ingesting import Desk, claim_of

from kgplatform.lexical_forms import is_valid
from kgplatform.schema import Schema, load_schema
from kgplatform.terms import SC, XSD, literal, literal_term, nfc, noted_literal
from kgplatform.validate.gate import MALFORMED_VALUE, ClaimPattern, Gate

DATE, CLOCK, ZONE = (
    r"-?[1-9]\d{3,4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])",
    r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?",
    r"(Z|[+-](0\d|1[0-3]):[0-5]\d)",
)
DOUBLE = r"[+-]?(\d{1,30}(\.\d{0,20})?|\.\d{1,20})([eE][+-]?\d{1,3})?|[+-]?INF|NaN"
DURATION = r"-?P(\d{1,4}Y(\d{1,3}M)?(\d{1,3}D)?|\d{1,3}D)(T\d{1,3}H(\d{1,3}M)?(\d{1,3}(\.\d{1,9})?S)?)?"
FORMS = {
    XSD.integer: r"[+-]?\d{1,40}",
    XSD.nonNegativeInteger: r"\+?\d{1,30}",
    XSD.negativeInteger: r"-0{0,3}[1-9]\d{0,20}",
    XSD.byte: r"-?0{0,2}(1[01]\d|\d{1,2})",
    XSD.unsignedShort: r"\+?[0-5]?\d{1,4}",
    XSD.decimal: r"[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})",
    XSD.double: DOUBLE,
    XSD.float: DOUBLE,
    XSD.boolean: r"true|false|1|0",
    XSD.date: f"{DATE}{ZONE}?",
    XSD.dateTime: f"{DATE}T({CLOCK}|24:00:00(\\.0{{1,3}})?){ZONE}?",
    XSD.dateTimeStamp: f"{DATE}T{CLOCK}{ZONE}",
    XSD.time: f"({CLOCK}|24:00:00){ZONE}?",
    XSD.gYear: r"-?[1-9]\d{3,4}" + f"{ZONE}?",
    XSD.gYearMonth: r"-?[1-9]\d{3,4}-(0[1-9]|1[0-2])" + f"{ZONE}?",
    XSD.gMonthDay: r"--(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])" + f"{ZONE}?",
    XSD.gMonth: f"--(0[1-9]|1[0-2]){ZONE}?",
    XSD.gDay: f"---(0[1-9]|[12]\\d|3[01]){ZONE}?",
    XSD.duration: DURATION,
    XSD.dayTimeDuration: r"-?P\d{1,5}DT\d{1,5}H\d{1,5}M\d{1,5}(\.\d{1,9})?S",
    XSD.yearMonthDuration: r"-?P\d{1,5}Y\d{1,5}M",
    XSD.anyURI: r"https://[a-z]{1,9}\.example/[a-zA-Z0-9?#=&%20]{0,9}",
    XSD.hexBinary: r"([0-9A-Fa-f]{2}){0,9}",
    XSD.language: r"[a-z]{2,8}(-[A-Z]{2})?",
    XSD.NCName: r"[A-Za-zäß_][A-Za-z0-9._\-é]{0,9}",
    XSD.token: r"[a-z]{1,5}( [a-z]{1,5}){0,3}",
    XSD.string: r"[ -~äöü]{0,20}",
}


def schema_of(*datatypes: str) -> Schema:
    """A schema with a relation for each datatype."""
    head = "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix : <urn:x#> .\n:C a owl:Class .\n"
    return load_schema(head + "\n".join(f":{name(each)} a owl:DatatypeProperty ; rdfs:range <{each}> ." for each in datatypes))


def name(datatype: str) -> str:
    return datatype.rpartition("#")[2]


GATE = Gate(schema_of(*FORMS))


def reason(datatype: str, node: str) -> tuple[str, str]:
    pattern = ClaimPattern(f"urn:x#{name(datatype)}", frozenset({"urn:x#C"}), node)
    refusal = GATE.judge([pattern])[pattern]
    return (refusal.code, refusal.message) if refusal else ("", "")


def single(text: str) -> float:
    """The xsd:float of a text."""
    try:
        return float(struct.unpack("f", struct.pack("f", float(text)))[0])
    except OverflowError:
        return float("-inf" if text.startswith("-") else "inf")


def number(cast: Callable[[str], Any]) -> Callable[[str], object]:
    return lambda text: "NaN" if text == "NaN" else cast(text.replace("INF", "inf"))


def moment(text: str) -> object:
    """A time on the line of seconds, to compare `24:00:00` and zones."""
    date, _, rest = text.partition("T") if "T" in text else ("", "", text)
    clock = re.match(r"(\d\d):(\d\d):(\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?$", rest)
    assert clock
    hours, minutes, seconds, zone = int(clock[1]), int(clock[2]), Decimal(clock[3]), clock[4] or ("Z" if date else "")
    offset = 0 if zone in ("", "Z") else (1 if zone[0] == "+" else -1) * (int(zone[1:3]) * 60 + int(zone[4:6]))
    days = 0
    if date:
        year, month, day = (int(part) for part in re.match(r"(-?\d+)-(\d\d)-(\d\d)", date).groups())  # type: ignore[union-attr]
        shifted = year + 400 * 40_000 - (month <= 2)
        days = 365 * shifted + shifted // 4 - shifted // 100 + shifted // 400 + (153 * ((month + 9) % 12) + 2) // 5 + day
    else:
        hours %= 24
    return bool(zone), days * 86400 + hours * 3600 + (minutes - offset) * 60 + seconds


def span(text: str) -> tuple[int, Decimal]:
    parts = re.fullmatch(r"(-)?P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", text)
    assert parts
    sign, *values = parts.groups()
    years, months, days, hours, minutes = (int(value or 0) for value in values[:5])
    factor = -1 if sign else 1
    return factor * (years * 12 + months), factor * (Decimal(days * 86400 + hours * 3600 + minutes * 60) + Decimal(values[5] or 0))


VALUES: dict[str, Callable[[str], object]] = {
    **{datatype: lambda text: Decimal(text) for datatype in FORMS if "nteger" in datatype or "yte" in datatype or "hort" in datatype},
    XSD.decimal: lambda text: Decimal(text),
    XSD.double: number(float),
    XSD.float: number(single),
    XSD.boolean: lambda text: text in ("true", "1"),
    XSD.date: lambda text: re.sub(r"(Z|[+-]\d\d:\d\d)$", "", text),
    **dict.fromkeys((XSD.dateTime, XSD.dateTimeStamp, XSD.time), moment),
    **dict.fromkeys((XSD.duration, XSD.dayTimeDuration, XSD.yearMonthDuration), span),
    **dict.fromkeys((XSD.gYear, XSD.gYearMonth, XSD.gMonthDay, XSD.gMonth, XSD.gDay), lambda text: re.sub(r"[+-]00:00$", "Z", text)),
}
"""What a lexical form stands for, by rules of their own."""


WRITTEN = st.one_of([st.tuples(st.just(datatype), st.from_regex(form, fullmatch=True)) for datatype, form in sorted(FORMS.items())])
UNHURRIED = settings(suppress_health_check=[HealthCheck.too_slow])
"""Expressions are slow to draw from on a busy machine."""


@UNHURRIED
@given(WRITTEN)
def test_every_value_is_accepted_and_kept(form: tuple[str, str]) -> None:
    datatype, text = form
    if not is_valid(datatype, text):
        return  # a day that the calendar has not, a number beyond a bounded type
    node, note = noted_literal(text, datatype)
    stored = literal_term(node).value
    value = VALUES.get(datatype, nfc)

    assert ("", "") == reason(datatype, node)
    assert value(text) == value(stored)
    assert (stored != text) <= bool(note)


@UNHURRIED
@given(
    st.sampled_from(sorted(FORMS)),
    st.text(max_size=12)
    | st.sampled_from(["inf", "Infinity", "nan", "+NaN", "TRUE", "2024-1-1", "1,5", "0x10", " 1", "1e5", "--1", "24:00:01"]),
)
def test_every_other_text_is_refused_as_it_stands(datatype: str, text: str) -> None:
    if is_valid(datatype, nfc(text)) or not is_stored(text):
        return
    node = literal(text, datatype)
    code, message = reason(datatype, node)

    assert nfc(text) == literal_term(node).value
    assert MALFORMED_VALUE == code
    assert repr(nfc(text)) in message


def is_stored(text: str) -> bool:
    return text.isprintable()


@pytest.mark.parametrize(
    ("text", "datatype", "value", "note"),
    [
        ("2024-01-01T00:00:00", XSD.dateTime, "2024-01-01T00:00:00Z", "no zone stated, taken as UTC"),
        ("2024-01-01T24:00:00", XSD.dateTime, "2024-01-02T00:00:00Z", "no zone stated, taken as UTC; written 2024-01-01T24:00:00"),
        ("2024-01-01+14:00", XSD.date, "2024-01-01", "its zone +14:00 is left out"),
        ("2024-01-01", XSD.date, "2024-01-01", ""),
        ("12.50", XSD.decimal, "12.5", "written 12.50"),
        ("0.1e0", XSD.double, "0.1", "written 0.1e0"),
        ("16777217e0", XSD.double, "16777217", "written 16777217e0"),
        ("007", XSD.integer, "7", "written 007"),
        ("7", XSD.int, "7", "stated as xsd:int"),
        ("inf", XSD.double, "inf", ""),
        ("Infinity", XSD.double, "Infinity", ""),
        ("e\u0301", XSD.string, "é", "written in another Unicode form (NFC)"),
        ("plain", XSD.string, "plain", ""),
    ],
)
def test_what_is_normalised_is_noted(text: str, datatype: str, value: str, note: str) -> None:
    node, noted = noted_literal(text, datatype)

    assert (value, note) == (literal_term(node).value, noted)


def test_the_case_of_a_language_tag_is_noted() -> None:
    assert ('"x"@en-gb', "language tag written en-GB") == noted_literal("x", language="en-GB")


# -- in RDF files and to their readers


FILMS = """@prefix : <https://films.example/films#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix kg: <https://w3id.org/kgplatform/core#> .
:Film a owl:Class ; rdfs:label "film"@en ; kg:keyScheme "film" .
:rating a owl:DatatypeProperty ; rdfs:label "rating"@en ; rdfs:domain :Film ; rdfs:range xsd:double .
:made a owl:DatatypeProperty ; rdfs:label "made"@en ; rdfs:domain :Film ; rdfs:range xsd:dateTime .
:day a owl:DatatypeProperty ; rdfs:label "day"@en ; rdfs:domain :Film ; rdfs:range xsd:date .
"""
VALUES_TTL = """@prefix : <https://films.example/films#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<https://data.example/z> a :Film ; <http://www.w3.org/2000/01/rdf-schema#label> "Zed" ;
  :made "2024-01-01T00:00:00"^^xsd:dateTime ; :day "2024-01-01+14:00"^^xsd:date ;
  :rating "inf"^^xsd:double , "Infinity"^^xsd:double , 0.1e0 , 16777217e0 .
"""


@pytest.fixture
def films(tmp_path: Path) -> Path:
    (tmp_path / "films.ttl").write_text(FILMS)
    (tmp_path / "data.ttl").write_text(VALUES_TTL)
    (tmp_path / "kgplatform.toml").write_text('packs = ["films.ttl"]\n[collections.films]\n')
    done("--config", tmp_path / "kgplatform.toml", "init", "--data", tmp_path / "kgdata")
    done("ingest", tmp_path / "data.ttl", "--data", tmp_path / "kgdata")
    return tmp_path / "kgdata"


def test_values_of_a_file_are_kept_and_what_is_none_is_quarantined(films: Path) -> None:
    query = "SELECT ?p ?v WHERE { ?f films:rating|films:made|films:day ?v ; ?p ?v }"
    rows = done("sparql", query, "--data", films, "--json").json["results"]["bindings"]
    refused = [claim["message"] for claim in done("quarantine", "list", "--data", films, "--json").json["claims"]]

    assert {"0.1", "16777217", "2024-01-01T00:00:00Z", "2024-01-01"} == {row["v"]["value"] for row in rows}
    assert ["no xsd:double is written like that: 'inf'", "no xsd:double is written like that: 'Infinity'"] == refused


def test_the_evidence_says_what_was_normalised(films: Path) -> None:
    entity = done("entity", "Zed", "--data", films, "--json").json
    notes = {source["note"] for group in entity["groups"] for fact in group["facts"] for source in fact["sources"]}

    assert {"no zone stated, taken as UTC", "its zone +14:00 is left out", "written 0.1e0", "written 16777217e0"} <= notes


def test_a_mapping_notes_what_is_normalised(tmp_path: Path) -> None:
    (tmp_path / "kgplatform.toml").write_text('[collections.c]\nmapping = "m.toml"\npaths = ["{id}"]\n')
    desk = Desk(tmp_path)
    desk.lay("m.toml", '[subject]\ncolumn = "id"\nscheme = "x"\n[[facts]]\ncolumn = "n"\nrelation = "sc:tag"\ndatatype = "xsd:decimal"\n')

    assert "written 1.50" == claim_of(desk.one("a.csv", "id,n\n1,1.50\n"), SC.tag).note
