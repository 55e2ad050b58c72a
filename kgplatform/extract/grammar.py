"""Sentences as clauses: who stands in which slot of which phrase, in which tense.

A sentence becomes a template in which names and dates are numbered marks, and the phrases of the ontology are matched
in it with nothing unknown between subject, phrase and object. What stands before and after a match must be on a list,
so that `Bob says that Platform owns Tax`, `Platform might own Tax` and `Platform owns Tax if ...` match nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from ..language.phrases import BASE, GERUND, PARTICIPLE, PAST, PRESENT, Phrases, Readings

NAME_OPEN, NAME_CLOSE, DATE_OPEN, DATE_CLOSE = "\ue000", "\ue001", "\ue002", "\ue003"
_M: Final = "\ue000\\d+\ue001"
_D: Final = "\ue002\\d+\ue003"
# tenses
HOLDS: Final = "holds"
STILL: Final = "still"
PERFECT: Final = "perfect"
HELD: Final = "held"
BEGAN: Final = "began"
ENDED: Final = "ended"
EVENT: Final = "event"


@dataclass(frozen=True)
class SentenceClause:
    """One match. Subjects and objects are numbers of names, or a pronoun; `readings` is empty for a type sentence.

    `value` is the number of the date, or the word, that fills a literal relation. `since_then` is a bare `since`.
    `awaited` is a name that follows with `and`: it must begin the next clause, else it belongs to this one's objects.
    """

    readings: Readings
    subjects: tuple[int | str, ...]
    objects: tuple[int | str, ...]
    tense: str
    positive: bool = True
    dates: tuple[int, ...] = ()
    since_then: bool = False
    value: int | str | None = None
    class_noun: str = ""
    is_relative: bool = False
    awaited: int | None = None


_ADVERB = (
    "also|still|now|currently|presently|already|always|directly|only|today|officially|formally|jointly|solely|fully|again|alone|together|"
    "itself|therefore|thus|both|all"
)
_GROUP = (
    rf"(?:(?:{_ADVERB}|does|do|did|has|have|had|not|never|no longer|stopped|ceased|started|began|begun|used|to|is|are|was|were|be|been|being|"
    r"became|become|becomes|remains|remain|stays) )*"
)
_NP = rf"(?:both )?{_M}(?:(?:, {_M})*,? (?:and|as well as) {_M})?"
_PRONOUN = r"(?<![\w-])(?:it|they|he|she|them)(?![\w-])"
_DATES = rf"(?:,? \(?{_D}\)?,?)*"
_NOT_OR = rf"(?!,?(?: {_M},?)* (?:or|nor)\b)"
_END = r"(?= ?(?:$|[.;:!)]|[—–]|,(?! or\b)))"
_AFTER = (
    "and|but|while|whereas|because|so|for|as well|too|alone|via|through|to|which|who|that|then|again|instead|anymore|now|today|currently"
)
_FOLLOW = rf"(?:{_END}|(?= (?:{_AFTER})\b))"
_FOLLOW_TYPE = rf"(?:{_END}|(?= (?:{_AFTER}|of|in|at|from|near|on|with|whose|where)\b))"
_TAIL = rf"(?P<tail>(?:,? \(?{_D}\)?|,? (?:ever )?since(?: then)?{_FOLLOW})*)"
_ADJECTIVES = (
    "new|small|large|big|single|internal|external|public|core|central|dedicated|separate|standalone|backend|frontend|real|own|product"
)
_ARTICLE = "(?:(?:an?|the|one of the) )?"

_INTRO = (
    rf"(?:(?:today|now|currently|presently|at present|also|then|since then|in addition|moreover|furthermore|additionally|meanwhile|finally|in short|"
    rf"only|in fact|again|so|thus|therefore|both|(?:please )?(?:note|decision|fact|status|update|outcome|result|summary):|{_D}),? )*"
)
_BEGINS = re.compile(rf"[\s(|•–—-]*{_INTRO}")
_CONTINUES = re.compile(rf"\)?(?: ?[;:—–.] (?:(?:and|but) )?|,? (?:and|but|while|whereas|so|then|because|as|and so) ){_INTRO}")
_ELSEWHERE = re.compile(rf"(?P<other>[^\"“”]*?)(?:;|\.|, (?:and|but|so|while|whereas)| [—–]) {_INTRO}")
_SHARES = re.compile(rf",? (?:and|but|and also) {_INTRO}")
_AWAITED = re.compile("(?:, " + _M + ")*,? (?:and|as well as) \ue000(\\d+)\ue001")
_RELATIVE = re.compile(r",? (?:which|who|that) ")
_SUBORDINATE = re.compile(r"\b(?:that|when|where|how|why|who|whom|which|like|than|until|before|after|as|neither|nor|or|no|not|except)\b")

VETO: Final = re.compile(
    r"\b(?:if|unless|whether|assuming|provided that|suppose\w*|supposing|allegedly|reportedly|apparently|perhaps|maybe|probably|possibly|presumably|"
    r"likely|unlikely|rumou?r\w*|gossip|according|hypothetical\w*|imagine\w*|pretend\w*|wish\w*|hop(?:e|es|ed|ing)|claim(?:s|ed|ing)|sa(?:id|ys|y|ying)|"
    r"thinks?|thought|believes?|believed|heard|told|tells|suggest\w*|argu(?:e|es|ed)|doubt\w*|den(?:y|ies|ied)|wrong|wrongly|mistaken\w*|"
    r"myths?|false|falsely|untrue|incorrect\w*|outdated|in theory|on paper|would|respectively|neither|either|example|e\.g\.|"
    r"ask(?:s|ed)|wonder\w*|propos\w*|draft|consider\w*|plan(?:s|ned)? to|intend\w*|expected to|supposed to|instead of|rather than)\b"
    r"|\?[\s\"”')]*$"
)

_VERB_TENSES: Final[dict[tuple[str, str], tuple[str, bool]]] = {
    ("", PRESENT): (HOLDS, True), ("", PAST): (HELD, True),
    ("does", BASE): (HOLDS, True), ("do", BASE): (HOLDS, True), ("did", BASE): (HELD, True),
    ("does not", BASE): (HOLDS, False), ("do not", BASE): (HOLDS, False), ("did not", BASE): (HELD, False),
    ("has", PARTICIPLE): (PERFECT, True), ("have", PARTICIPLE): (PERFECT, True), ("had", PARTICIPLE): (HELD, True),
    ("has not", PARTICIPLE): (PERFECT, False), ("have not", PARTICIPLE): (PERFECT, False), ("had not", PARTICIPLE): (HELD, False),
    ("has never", PARTICIPLE): (HOLDS, False), ("have never", PARTICIPLE): (HOLDS, False), ("never", PAST): (HOLDS, False),
    ("never", PRESENT): (HOLDS, False),
    ("no longer", PRESENT): (ENDED, True), ("no longer", PAST): (ENDED, True), ("does no longer", BASE): (ENDED, True),
    ("do no longer", BASE): (ENDED, True), ("has no longer", PARTICIPLE): (ENDED, True),
    ("stopped", GERUND): (ENDED, True), ("ceased", GERUND): (ENDED, True), ("ceased to", BASE): (ENDED, True),
    ("has stopped", GERUND): (ENDED, True), ("has ceased", GERUND): (ENDED, True), ("has ceased to", BASE): (ENDED, True),
    ("started", GERUND): (BEGAN, True), ("began", GERUND): (BEGAN, True), ("started to", BASE): (BEGAN, True),
    ("began to", BASE): (BEGAN, True), ("has started", GERUND): (BEGAN, True), ("has begun", GERUND): (BEGAN, True),
    ("used to", BASE): (HELD, True),
}  # fmt: skip
_BE_TENSES: Final[dict[str, tuple[str, bool]]] = {
    "": (HOLDS, True), "is": (HOLDS, True), "are": (HOLDS, True), "remains": (STILL, True), "remain": (STILL, True), "stays": (STILL, True),
    "was": (HELD, True), "were": (HELD, True), "had been": (HELD, True), "used to be": (HELD, True),
    "has been": (PERFECT, True), "have been": (PERFECT, True), "has not been": (PERFECT, False), "have not been": (PERFECT, False),
    "is not": (HOLDS, False), "are not": (HOLDS, False), "was not": (HELD, False), "were not": (HELD, False),
    "is never": (HOLDS, False), "was never": (HOLDS, False), "has never been": (HOLDS, False), "have never been": (HOLDS, False),
    "is no longer": (ENDED, True), "are no longer": (ENDED, True), "no longer is": (ENDED, True), "has no longer been": (ENDED, True),
    "stopped being": (ENDED, True), "ceased being": (ENDED, True), "ceased to be": (ENDED, True),
    "became": (BEGAN, True), "becomes": (BEGAN, True), "become": (BEGAN, True), "has become": (BEGAN, True), "have become": (BEGAN, True),
}  # fmt: skip


class SentenceGrammar:
    """The clauses of a template, for one ontology. A template is a sentence in lower case with single spaces,
    where a name is its number between NAME_OPEN and NAME_CLOSE and a date likewise.
    """

    def __init__(self, phrases: Phrases, values: Iterable[str] = ()) -> None:
        self._phrases = phrases
        subject = rf"(?:(?P<s>{_NP}|{_PRONOUN})(?P<rel>,? (?:which|who|that)|,)?{_DATES} )?"
        entity = rf"(?P<o>{_NP}|{_PRONOUN}){_NOT_OR}"
        literal = rf"(?P<d>{_D})|(?P<v>{_any(values)})(?![\w-])"
        dated = [p.rpartition(" ")[0] if p.endswith(" on") else p for p in phrases.predicates]
        nouns, predicates = _any(phrases.nouns), _any(phrases.predicates)
        be = rf"(?P<group>{_GROUP})"
        ends = _TAIL + _FOLLOW
        owner = rf"(?:(?P<a>{_M})(?:'s|'(?= ))|(?P<pa>(?<![\w-])(?:its|his|her)))"
        self._dated = {p.removesuffix(" on"): p for p in phrases.predicates}
        sources = (
            ("verb", rf"{subject}{be}(?P<phrase>{_any(phrases.verbs)}) {entity}{ends}"),
            ("predicate", rf"{subject}{be}{_ARTICLE}(?P<phrase>{predicates}) {entity}{ends}"),
            ("dated", rf"{subject}{be}(?P<phrase>{_any(dated)}) (?P<d>{_D}){_FOLLOW}"),
            ("noun", rf"{owner} (?P<phrase>{nouns}) {be}(?:{literal}|{entity}){ends}"),
            ("noun", rf"the (?P<phrase>{nouns}) of (?P<a>{_M}) {be}(?:{literal}|{entity}){ends}"),
            ("whose", rf"(?P<o>{_NP}) {be}{owner} (?P<phrase>{nouns}){ends}"),
            ("has", rf"(?P<s>{_M}) (?:has|have) (?:(?:an?|the) )?(?P<phrase>{nouns}) (?:named |called )?(?P<o>{_NP}){_NOT_OR}{ends}"),
            (
                "type",
                rf"{subject}{be}{_ARTICLE}(?:(?:{_ADJECTIVES}) )*(?P<phrase>{_any((*phrases.classes, *phrases.plurals))}){_FOLLOW_TYPE}",
            ),
        )
        self._patterns = [(kind, re.compile(rf"(?<![\w-]){source}")) for kind, source in sources]
        self._apposition = re.compile(rf"(?P<a>{_M})'s (?P<phrase>{nouns})(?P<comma>,?) (?P<o>{_M})(?P=comma)(?= (?!and\b|or\b))")

    def clauses(self, template: str) -> tuple[SentenceClause, ...]:
        """Every clause that the sentence states, in order; none where it hedges, reports, supposes or asks."""
        if NAME_OPEN not in template or is_hedged(template):
            return ()
        template = template.replace("n't", " not")
        found, template = self._appositions(template)
        accepted: list[SentenceClause] = []
        at = rejected_to = 0
        while match := self._next(template, max(at, rejected_to)):
            kind, hit = match
            before = accepted[-1] if accepted else None
            clause = self._clause(kind, hit, template[at : hit.start()], before)
            if clause:
                listed = clause.objects and not hit.groupdict().get("tail")
                awaited = _AWAITED.match(template, hit.end()) if listed else None
                accepted.append(replace(clause, awaited=int(awaited[1])) if awaited else clause)
                at = hit.end()
            rejected_to = max(hit.end(), hit.start() + 1) if clause else hit.start() + max(1, _first_mark(hit))
        begun = {(n, subject) for n, clause in enumerate(accepted) for subject in clause.subjects}
        return (*found, *(c for n, c in enumerate(accepted) if c.awaited is None or (n + 1, c.awaited) in begun))

    def _next(self, template: str, at: int) -> tuple[str, re.Match[str]] | None:
        hits = [(kind, hit) for kind, pattern in self._patterns if (hit := pattern.search(template, at))]
        return min(hits, key=lambda h: (h[1].start(), -h[1].end()), default=None)

    def _appositions(self, template: str) -> tuple[list[SentenceClause], str]:
        """`Jack's spouse Joan was ...` says who the spouse is; the template goes on with Joan alone."""
        found: list[SentenceClause] = []

        def said(match: re.Match[str]) -> str:
            if is_quoted(template, match.start()):
                return match.group()
            readings = self._phrases.nouns[match["phrase"]]
            found.append(SentenceClause(readings, _numbers(match["a"]), _numbers(match["o"]), HOLDS))
            return match["o"]

        return found, self._apposition.sub(said, template)

    def _clause(self, kind: str, hit: re.Match[str], gap: str, before: SentenceClause | None) -> SentenceClause | None:
        parts = hit.groupdict()
        phrase = parts["phrase"]
        subjects: tuple[int | str, ...] = _numbers(parts.get("s") or parts.get("a")) or _word(parts.get("s") or parts.get("pa"))
        lead = _introduction(gap, before, shares=not subjects)
        if lead is None:
            return None
        if not subjects:
            subjects = _carried(gap, before)
            if not subjects:
                return None
        tense = self._tense(kind, phrase, parts)
        if tense is None or (len(subjects) > 1 and self._is_singular(kind, phrase, parts)):
            return None
        objects: tuple[int | str, ...] = _numbers(parts.get("o")) or _word(parts.get("o"))
        tail = parts.get("tail") or ""
        value = parts.get("d")
        body = hit.group()[: hit.start("d") - hit.start()] + tail if value else hit.group()
        clause = SentenceClause(
            readings=frozenset(),
            subjects=subjects,
            objects=objects,
            tense=tense[0],
            positive=tense[1],
            dates=_numbers(lead + body, DATE_OPEN, DATE_CLOSE),
            since_then=bool(re.search(r"\bsince\b", tail + lead)),
            value=_numbers(value, DATE_OPEN, DATE_CLOSE)[0] if value else parts.get("v"),
            is_relative=bool(parts.get("rel")),
        )
        if kind == "type":
            agrees = (len(subjects) > 1) == (phrase in self._phrases.plurals)
            return replace(clause, class_noun=phrase) if clause.tense in (HOLDS, STILL) and clause.positive and agrees else None
        if clause.tense == EVENT and len(objects) > 1:
            return None
        if kind == "dated":
            return replace(clause, readings=self._phrases.predicates[self._dated[phrase]])
        if kind == "verb":
            return replace(clause, readings=self._phrases.verbs[phrase])
        if kind == "predicate":
            return replace(clause, readings=self._phrases.predicates[phrase])
        return replace(clause, readings=self._phrases.nouns[phrase])

    def _is_singular(self, kind: str, phrase: str, parts: dict[str, str | None]) -> bool:
        """Whether the verb is in the singular: `Asher and Mary House is` has one subject, whose name holds an `and`."""
        first = (parts.get("group") or "").partition(" ")[0]
        return first in ("is", "was", "has", "does") or (kind == "verb" and not first and self._phrases.forms[phrase] == {PRESENT})

    def _tense(self, kind: str, phrase: str, parts: dict[str, str | None]) -> tuple[str, bool] | None:
        words = (parts.get("group") or "").split()
        is_still = "still" in words
        key = " ".join(w for w in words if w not in _ADVERB.split("|"))
        if kind == "verb":
            forms = self._phrases.forms[phrase]
            tense = next((t for (group, form), t in _VERB_TENSES.items() if group == key and form in forms), None)
        elif kind == "has":
            tense = (HOLDS, True)
        else:
            tense = _BE_TENSES.get(key)
            if not key and (kind in ("noun", "whose", "type") or not parts.get("rel")) and kind != "dated":
                return None
            if tense and tense[0] == HELD and (kind == "dated" or phrase in self._phrases.events):
                tense = (EVENT, tense[1])
        if parts.get("rel") == "," and (key or kind != "predicate"):
            return None
        return (STILL, True) if is_still and tense == (HOLDS, True) else tense


def _any(words: Iterable[str]) -> str:
    """Any of the words, longest first; nothing at all where there are none."""
    ordered = sorted(set(words), key=lambda w: (-len(w), w))
    return rf"(?:{'|'.join(re.escape(word) for word in ordered)})(?![\w-])" if ordered else r"(?!)"


def _numbers(text: str | None, open_: str = NAME_OPEN, close: str = NAME_CLOSE) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(rf"{open_}(\d+){close}", text or ""))


def _word(text: str | None) -> tuple[str, ...]:
    return (text,) if text else ()


def _first_mark(hit: re.Match[str]) -> int:
    """How far to go on after a refused match: past its first name."""
    return hit.group().find(NAME_CLOSE) + 1


def is_hedged(template: str) -> bool:
    """Whether the sentence hedges, reports, supposes or asks."""
    return bool(VETO.search(template.replace("n't", " not")))


def is_quoted(text: str, at: int) -> bool:
    """Whether the offset stands inside quotation marks; `“` closes what `„` opened."""
    before = text[:at]
    openers, closers = ("„«", "“”»") if "„" in before else ("“«", "”»")
    opened, closed = (sum(map(before.count, marks)) for marks in (openers, closers))
    return before.count('"') % 2 == 1 or opened > closed


def _introduction(gap: str, before: SentenceClause | None, *, shares: bool) -> str | None:
    """The words and dates that introduce a clause; None where what stands before it may govern it."""
    if before and (_CONTINUES.fullmatch(gap) or (shares and (_RELATIVE.fullmatch(gap) or gap == ", "))):
        return gap
    if not before and _BEGINS.fullmatch(gap):
        return gap
    match = _ELSEWHERE.fullmatch(gap)
    if match and not shares and not _SUBORDINATE.search(match["other"]):
        return gap[match.end("other") :]
    return None


def _carried(gap: str, before: SentenceClause | None) -> tuple[int | str, ...]:
    """The subjects that a clause without one shares with the clause before it."""
    if not before:
        return ()
    if _SHARES.fullmatch(gap) or (before.is_relative and gap == ", "):
        return before.subjects
    if _RELATIVE.fullmatch(gap):
        return before.objects if len(before.objects) == 1 else before.subjects if not before.objects else ()
    return ()


def begins_sentence(template: str, at: int) -> str | None:
    """The introduction of what begins at the offset, if nothing before it governs it and the sentence is an assertion."""
    if is_hedged(template):
        return None
    return _introduction(template[:at], None, shares=False)
