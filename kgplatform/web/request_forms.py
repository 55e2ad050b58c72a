"""What each operation of the API takes. Requests are read by these forms, and its description is made of them."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal, Self

from msgspec import UNSET, Meta, UnsetType, field

from ..answer.planners import PLANNERS
from ..forms.base import OneOf, StrictForm
from ..model import NoticeKind, Trust
from ..times import parse_asked
from .replies import FARTHEST

_CHARACTER: Final = r"[^\x00-\x08\x0b\x0c\x0e-\x1f]"
NOT_BLANK: Final = rf"^{_CHARACTER}*[^\s\x00-\x1f]{_CHARACTER}*$"
"""No control characters but line breaks and tabs."""

Line = Annotated[str, Meta(min_length=1, max_length=2000, pattern=NOT_BLANK)]
Word = Annotated[str, Meta(min_length=1, max_length=100, pattern=NOT_BLANK)]
FileName = Annotated[str, Meta(min_length=1, max_length=300, pattern=NOT_BLANK, extra_json_schema={"format": "file-name"})]


class AskedDate(str):
    """The first second of a date that is asked for; '' where none is."""

    _YEAR: ClassVar = "([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"
    _DAY: ClassVar = "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
    _TIME: ClassVar = "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z"
    SCHEMA: ClassVar[dict[str, Any]] = {
        "type": "string",
        "pattern": f"^{_YEAR}(-(0[1-9]|1[0-2])|-{_DAY}({_TIME})?)?$",
        "not": {"pattern": "^9999-12-31"},
    }

    @classmethod
    def read(cls, value: object) -> Self:
        """Raises ValueError for what is no date."""
        try:
            return cls(parse_asked(str(value)).at)
        except ValueError as error:
            raise ValueError(f"{error}: write YYYY, YYYY-MM, YYYY-MM-DD or 2025-11-01T12:00:00Z") from error


class PlannerName(str):
    """A planner, kgplatform's own or that of an installed package."""

    SCHEMA: ClassVar[dict[str, Any]] = {"type": "string", "enum": list(PLANNERS.names())}

    @classmethod
    def read(cls, value: object) -> Self:
        """Raises ValueError for another name."""
        if value not in PLANNERS.names():
            raise ValueError(f"is {value!r}, none of {', '.join(PLANNERS.names())}")
        return cls(value)


class DecisionNumber(int):
    """The number of a decision; 2.0 is one in JSON."""

    SCHEMA: ClassVar[dict[str, Any]] = {"type": "integer", "minimum": 1, "maximum": 2**53 - 1}

    @classmethod
    def read(cls, value: object) -> Self:
        """Raises ValueError for what is none."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 2**53 or value % 1:
            raise ValueError("must be whole numbers above 0")
        return cls(value)


Rows = Annotated[int, Meta(ge=1, le=1000, description="Rows of a page.")]
_OFFSET: Final = "Rows before it; `next` has it for the next page."
ValidAt = Annotated[AskedDate, Meta(description="What held on that day (now if not given).")]
RecordedAt = Annotated[AskedDate, Meta(description="As the platform knew it on that day.")]
LeastTrust = Annotated[Trust, Meta(description="Least trust of what is shown.")]


class RequestForm(StrictForm, frozen=True, rename="kebab"):
    """The parameters of an operation; of one without any it is this one."""


class WithDates:
    """The dates at which a view is opened."""

    __slots__ = ()
    valid_at: ValidAt
    recorded_at: RecordedAt

    @property
    def dates(self) -> tuple[str, str]:
        """Instants, '' where none is asked for: what held then, and as it was known then."""
        return str(self.valid_at), str(self.recorded_at)


class DatedForm(RequestForm, WithDates, frozen=True, kw_only=True):
    """What is looked at, at a date."""

    valid_at: ValidAt = field(default_factory=AskedDate)
    recorded_at: RecordedAt = field(default_factory=AskedDate)


class PlanParameters(DatedForm, frozen=True, kw_only=True):
    """What stands beside a plan."""

    min_trust: LeastTrust = "extracted"


class AskForm(PlanParameters, frozen=True):
    """A question."""

    question: Annotated[Line, Meta(description="In English.", examples=["Who owns Tax?"])]
    explain: Annotated[bool, Meta(description="With the plan in words, each check and timings, in the field `explanation`.")] = False
    planner: Annotated[PlannerName, Meta(description="Who plans; another than the rules and the configured one takes a principal.")] = (
        field(default_factory=PlannerName)
    )


class EntityParameters(DatedForm, frozen=True):
    """One entity."""

    name: Annotated[Line, Meta(description="A label, a key such as component:tax, or an IRI.", examples=["Tax"])]


class SearchForm(DatedForm, frozen=True):
    """A search by name."""

    q: Annotated[Line, Meta(description="A name, or the beginning of one.", examples=["check"])]
    limit: Rows = 10
    offset: Annotated[int, Meta(ge=0, le=1000, description=_OFFSET)] = 0


class JobsForm(RequestForm, frozen=True):
    """A page of jobs."""

    limit: Rows = 50
    offset: Annotated[int, Meta(ge=0, le=1000, description=_OFFSET)] = 0


class PageForm(RequestForm, frozen=True, kw_only=True):
    """A page of a list."""

    limit: Rows = 50
    offset: Annotated[int, Meta(ge=0, le=FARTHEST, description=_OFFSET)] = 0


class DatedPageForm(PageForm, WithDates, frozen=True, kw_only=True):
    """A page of a list that was made at a date."""

    valid_at: ValidAt = field(default_factory=AskedDate)
    recorded_at: RecordedAt = field(default_factory=AskedDate)


class QuarantineForm(DatedPageForm, frozen=True):
    """A page of refused claims."""

    reason: Annotated[Word, Meta(description="Only this reason.", examples=["unmapped"])] = field(default_factory=str)


class UnreadForm(PageForm, frozen=True):
    """A page of what is unread."""

    kind: Annotated[NoticeKind, Meta(description="Only this kind.")] | UnsetType = UNSET


class DecisionsForm(PageForm, frozen=True):
    """A page of decisions."""

    ended: Annotated[bool, Meta(description="Those that were taken back too.")] = False


class ReportForm(DatedForm, frozen=True):
    """A report of all shapes."""

    format: Annotated[Literal["json", "turtle", "text"], Meta(description="turtle is the W3C report.")] = "json"


class ExportForm(DatedForm, frozen=True):
    """An export."""

    format: Annotated[Literal["trig", "rdf12"], Meta(description="TriG, or RDF 1.2 with reifiers.")] = "trig"


class IngestForm(RequestForm, frozen=True):
    """What is known of a file that is sent."""

    name: Annotated[
        FileName, Meta(description="File name with its ending; a folder in it may say the collection.", examples=["memos/handover.md"])
    ] = field(default_factory=str)
    collection: Annotated[Line, Meta(description="The collection, where the name does not say it.", examples=["memos"])] = field(
        default_factory=str
    )
    folder: Annotated[
        Line, Meta(description="Where the file stood: folders that the paths of collections may speak of too.", examples=["docs/memos"])
    ] = field(default_factory=str)
    again: Annotated[bool, Meta(description="Also where a document of this name was erased.")] = False


class RetryForm(RequestForm, frozen=True):
    """The decisions whose discarded claims are judged again too."""

    decisions: Annotated[tuple[DecisionNumber, ...], Meta(max_length=1000)] = ()


class TakeBackForm(OneOf):
    """Whose rejection is taken back."""


class OfClaimForm(RequestForm, TakeBackForm, frozen=True):
    """That of one claim."""

    mark: ClassVar[str] = "claim"
    claim: Word


class OfDocumentForm(RequestForm, TakeBackForm, frozen=True):
    """That of all of a document."""

    mark: ClassVar[str] = "document"
    document: Line


class RejectForm(OneOf):
    """What is rejected, and why."""


class RejectClaimForm(OfClaimForm, RejectForm, frozen=True):
    """One claim."""

    reason: Line


class RejectDocumentForm(OfDocumentForm, RejectForm, frozen=True):
    """All of a document."""

    reason: Line
