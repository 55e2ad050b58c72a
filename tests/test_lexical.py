"""The lexical spaces of the XSD datatypes."""

from __future__ import annotations

import pytest

from kgplatform.lexical_forms import is_valid
from kgplatform.terms import XSD

VALID = {
    XSD.date: ["2025-01-01", "2024-02-29", "2000-02-29", "2025-01-01Z", "2025-01-01+14:00", "12025-01-01", "-0044-03-15"],
    XSD.dateTime: ["2025-01-01T00:00:00", "2025-01-01T24:00:00Z", "2025-01-01T23:59:59.999-05:30"],
    XSD.boolean: ["true", "false", "1", "0"],
    XSD.integer: ["0", "-7", "+7", "007", "9" * 5000],
    XSD.decimal: ["1.50", ".5", "5.", "-1"],
    XSD.double: ["1e6", "-INF", "NaN", "1.5E-3"],
    XSD.anyURI: ["https://kg.example/a?b=c#d", "mailto:a@kg.example", "relative/path", "https://kg.example/%20"],
    XSD.gYear: ["2025", "-0001"],
    XSD.gYearMonth: ["2025-12"],
    XSD.gMonthDay: ["--02-29"],
    XSD.time: ["00:00:00", "23:59:59.5Z"],
    XSD.duration: ["P1Y", "PT5M", "-P1DT2H", "P1Y2M3DT4H5M6.7S"],
    XSD.dayTimeDuration: ["P1D", "PT1S"],
    XSD.yearMonthDuration: ["P1Y2M"],
    XSD.unsignedByte: ["0", "255", "-0"],
    XSD.long: ["-9223372036854775808"],
    XSD.hexBinary: ["", "0fB7"],
    XSD.base64Binary: ["", "TWFu", "TWE=", "TQ=="],
    XSD.language: ["en", "de-CH-1996"],
    XSD.token: ["a b"],
}
INVALID = {
    XSD.date: [
        "",
        "2025-02-29",
        "2100-02-29",
        "2025-13-01",
        "2025-04-31",
        "25-01-01",
        "2025-1-1",
        "2025-01-01T00:00:00",
        "0000-01-01",
        "012025-01-01",
    ],
    XSD.dateTime: ["2025-01-01", "2025-01-01T24:00:01", "2025-01-01T25:00:00", "2025-01-01 00:00:00", "2025-02-30T00:00:00Z"],
    XSD.boolean: ["True", "yes", ""],
    XSD.integer: ["1.0", "", "+", "1e3", "١"],
    XSD.decimal: [".", "1e3", "1,5"],
    XSD.double: ["inf", "1.5F", "e5"],
    XSD.anyURI: ["not a link", "", "https://kg.example/<x>", "https://kg.example/%zz", "a\nb"],
    XSD.gYear: ["25", "2025-01"],
    XSD.gYearMonth: ["2025-13", "2025"],
    XSD.gMonthDay: ["--02-30", "02-01"],
    XSD.time: ["24:00:01", "7:00:00", "12:60:00"],
    XSD.duration: ["P", "PT", "1Y", "P1S", "P1YT"],
    XSD.dayTimeDuration: ["P1Y", "P"],
    XSD.yearMonthDuration: ["P1D", "P"],
    XSD.unsignedByte: ["256", "-1"],
    XSD.long: ["9223372036854775808", "9" * 5000],
    XSD.hexBinary: ["0f1", "xy"],
    XSD.base64Binary: ["TWF", "TQ=", "TR=="],
    XSD.language: ["", "englishlanguage", "en_GB"],
    XSD.token: [" a", "a  b", "a\tb"],
}


def samples(texts: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(datatype, text) for datatype, some in texts.items() for text in some]


@pytest.mark.parametrize(("datatype", "text"), samples(VALID))
def test_a_text_of_the_lexical_space_is_valid(datatype: str, text: str) -> None:
    assert is_valid(datatype, text)


@pytest.mark.parametrize(("datatype", "text"), samples(INVALID))
def test_a_text_outside_of_it_is_not(datatype: str, text: str) -> None:
    assert not is_valid(datatype, text)
