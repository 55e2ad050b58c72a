"""Which passages and sentences speak for the document itself.

Left out is what others say (quoted blocks, quotations over several sentences), what is not so yet or any more (task boxes,
sections headed as proposals, targets, alternatives or examples, with all that stands below such a heading), and lists that a
hedged line introduces (`We considered two options:`). Sentences are judged by themselves in `grammar`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ..model import Reading
from .grammar import VETO, is_quoted
from .markup import Plain, plain

_KINDS: Final = (
    r"examples?|alternatives?|options?|proposals?|proposed|rejected|discarded|hypothe\w+|assumptions?|scenarios?|questions?|what if|drafts?|ideas?|"
    r"future|target|planned|plans?|roadmap|vision|next steps|to-?dos?|backlog|wish\w*|old|former|previous|legacy|out of scope|non-?goals?|risks?|"
    r"myths?|misconceptions?|quotes?"
)
_ASIDE: Final = re.compile(rf"(?:(?:the|our|an?|some|all|open|other|further|possible|considered)\s+)*(?:{_KINDS})\b", re.IGNORECASE)
_LEADS_ASIDE: Final = re.compile(
    rf"\b(?:{_KINDS}|reject\w*|discard\w*|dismiss\w*|not|never|no longer|will|would|should|shall|may|might|could|can|must|to be|once|when|until|instead)\b",
    re.IGNORECASE,
)
_TASK: Final = re.compile(r"\[[ xX]\]\s")
_SUPPOSES: Final = re.compile(r"(?:let(?:'s| us) )?(?:imagine|suppose|assume|pretend|picture|say)\b", re.IGNORECASE)
_CONDITION: Final = re.compile(r"(?:if|when|once|unless|should|as soon as|in case|provided|assuming)\b", re.IGNORECASE)
_THEN: Final = re.compile(r"(?:then|in that case|from then on|after that|afterwards|only then)\b", re.IGNORECASE)


QUOTED: Final = "quoted"
TASK: Final = "an item of a task list"
BELOW: Final = "below a heading of plans, examples or the like"
LED: Final = "in a list that is introduced as not so"
SUPPOSED: Final = "supposed"


class SentenceVoice(NamedTuple):
    """A passage at its offset in the text. `aside` is why it does not speak for the document, '' where it does."""

    at: int
    text: Plain
    aside: str


def voices(reading: Reading) -> Iterator[SentenceVoice]:
    """Every passage of a text, in its order."""
    aside, is_led = 0, False
    for passage in reading.passages:
        mark = reading.text[reading.text.rfind("\n", 0, passage.start) + 1 : passage.start]
        level = len(mark.strip()) if set(mark.strip()) == {"#"} else 0
        if level and (not aside or level <= aside):
            aside = level if _ASIDE.match(passage.text) else 0
        is_led = is_led and bool(mark) and not level
        reasons = {BELOW: bool(aside), LED: is_led, QUOTED: passage.text.startswith(">"), TASK: bool(_TASK.match(passage.text))}
        yield SentenceVoice(passage.start, plain(passage.text), next((reason for reason, is_so in reasons.items() if is_so), ""))
        is_led = is_led or _introduces_aside(passage.text)


def _introduces_aside(passage: str) -> bool:
    """Whether the passage ends in a line such as `The following statements are wrong:`."""
    last = re.split(r"[.!?]\s", passage.rstrip())[-1]
    return last.endswith(":") and bool(VETO.search(last.casefold()) or _LEADS_ASIDE.search(last))


def asides(text: str, starts: Iterable[int]) -> list[str]:
    """Why each sentence of a passage is set aside, '' where it is not; `starts` are the offsets of the sentences.

    Set aside are sentences inside a quotation, and those that a sentence before them introduces as supposed.
    """
    reasons: list[str] = []
    is_supposed = is_conditional = False
    for start in starts:
        is_supposed = is_supposed or bool(_SUPPOSES.match(text, start))
        supposes = is_supposed or is_conditional and bool(_THEN.match(text, start))
        reasons.append(SUPPOSED if supposes else QUOTED if is_quoted(text, start) else "")
        is_conditional = bool(_CONDITION.match(text, start))
    return reasons
