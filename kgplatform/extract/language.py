"""In which language a text is written, where it is not English."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

ENOUGH: Final = 0.25
"""The share of English stop words from which on a text is taken for English: running English has 0.3 to 0.5, other languages share a
few."""

SURE: Final = 0.5
"""The least probability from which on a language is named: short sentences have 0.8 to 1, lists of names and commands below 0.4 (measured)."""

SHORTEST: Final = 12
"""Letters below which no language is named."""

MOST: Final = 20_000
"""Characters that are looked at."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_NAMES: Final = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian",
    "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak",
    "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def other_language(text: str, stop_words: Collection[str]) -> str:
    """The name of the language of a text that is not English; '' for English, and for too little text to tell."""
    text = text[:MOST]
    words = [word.casefold() for word in _WORD.findall(text)]
    letters = sum(map(len, words))
    if letters < SHORTEST or sum(word in stop_words for word in words) >= ENOUGH * len(words):
        return ""
    code, probability = _identifier().classify(text)
    return _NAMES.get(code, "") if probability >= SURE else ""


@cache
def _identifier() -> LanguageIdentifier:
    """Imported and loaded for texts that gave nothing only: it takes a second and 100 MB."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(["en", *_NAMES])
    return identifier
