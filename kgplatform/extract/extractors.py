"""What reads claims out of texts: the rules, a language model, or an installed package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from ..errors import PluginError
from ..ingest.evidence import require_quoted
from ..model import Candidate, Notice, Problem, Reading
from ..registry import Registry
from ..schema import Schema
from ..settings.load import Settings


class Extracted(NamedTuple):
    """What an extractor read in a text; `is_whole` is False where a part could not be read.

    `silence` says why there is no claim, '' where there are some.
    """

    claims: tuple[Candidate, ...] = ()
    notices: tuple[Notice, ...] = ()
    silence: str = ""
    problems: tuple[Problem, ...] = ()
    is_whole: bool = True


class Extractor(Protocol):
    """Reads texts, passage by passage: a claim quotes its place in `Reading.text`.

    When `signature` changes, texts are read again.
    """

    @property
    def signature(self) -> str:
        """The name, the version and a digest of what the claims depend on."""

    def read(self, reading: Reading) -> Extracted:
        """The claims of one text, and what was not read of it."""


Maker = Callable[[Schema, Settings], Extractor]
EXTRACTORS: Final = Registry[Maker]("extractor")


@dataclass(frozen=True, slots=True)
class NamedExtractor:
    """The extractor of a registered name."""

    registered: str
    extractor: Extractor

    @property
    def signature(self) -> str:
        """See Extractor."""
        return self.extractor.signature

    def read(self, reading: Reading) -> Extracted:
        """See Extractor. The failure of an installed package is a problem of the text, which then is not whole."""
        try:
            with EXTRACTORS.calling(self.registered):
                extracted = self.extractor.read(reading)
                if not EXTRACTORS.is_own(self.registered):
                    require_quoted(extracted.claims, reading.text)
                return extracted
        except PluginError as error:
            return Extracted(problems=(Problem(reading.path, f"{error.what} [{error.where}]", error.hint),), is_whole=False)


def extractor_of(name: str, schema: Schema, settings: Settings) -> Extractor:
    """The extractor of that name. Raises UsageError, PluginError where its package does not load, LanguageModelError without a model."""
    make = EXTRACTORS.get(name)
    with EXTRACTORS.calling(name):
        return NamedExtractor(name, make(schema, settings))
