"""The algebra of questions: what a plan may say, from any planner. Frozen values without behaviour of their own.

    Which teams own components that depend on Tax?

    variables  team: sc:Team, component: sc:Component
    hops       component sc:owned_by team; component sc:depends_on <component:tax>
    select     team

Relations and classes are IRIs; entities are IRIs or mention keys; literals are node texts (see `terms`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from ..errors import PlanError
from ..times import Bound, Instant, end_of, parse_asked

PathKind = Literal["one", "one-or-more", "zero-or-more"]
ONE: Final = "one"
ONE_OR_MORE: Final = "one-or-more"
ZERO_OR_MORE: Final = "zero-or-more"
PATHS: Final[tuple[str, ...]] = get_args(PathKind)

TimeKind = Literal["now", "at", "since", "before", "after", "during", "always"]
NOW: Final = "now"
AT: Final = "at"
SINCE: Final = "since"
BEFORE: Final = "before"
AFTER: Final = "after"
DURING: Final = "during"
ALWAYS: Final = "always"
TIMES: Final[tuple[str, ...]] = get_args(TimeKind)

TimeMode = Literal["overlaps", "throughout"]
OVERLAPS: Final = "overlaps"
THROUGHOUT: Final = "throughout"

AggregateKind = Literal["count", "max", "min"]
COUNT: Final = "count"
MAXIMUM: Final = "max"
MINIMUM: Final = "min"

HopTime = Literal["", "plan", "whenever"]
OF_PLAN: Final = "plan"
WHENEVER: Final = "whenever"

GroupOrder = Literal["", "most", "fewest"]
MOST: Final = "most"
FEWEST: Final = "fewest"

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "contains"]
OPERATORS: Final[tuple[str, ...]] = get_args(Operator)

BoundSide = Literal["since", "until"]
SINCE_WHEN: Final = "since"
UNTIL_WHEN: Final = "until"


@dataclass(frozen=True, slots=True)
class Var:
    """A variable at an end of a hop, by its name; `Variable` declares its class."""

    name: str


@dataclass(frozen=True, slots=True)
class EntityTerm:
    """A known entity, by IRI or by mention key."""

    id: str


@dataclass(frozen=True, slots=True)
class ValueTerm:
    """A literal, as its node text."""

    node: str


Term = Var | EntityTerm | ValueTerm


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable and the class that its entities must be of ('' for any, and for literals)."""

    name: str
    class_: str = ""


@dataclass(frozen=True, slots=True)
class Hop:
    """subject relation object, as a relation reads (an inverse relation may be named; it is turned when compiled).

    `path` follows a relation of containment more than once, or not at all. `at` says when the fact must hold: at the date
    that a variable of the plan holds, at the time of the plan (`plan`), or at any time (`whenever`). Left open, it is
    the time of the plan, or of the event that the plan is about (see `events`).
    """

    subject: Term
    relation: str
    object: Term
    path: str = ONE
    at: Var | str = ""

    @property
    def is_of_plan(self) -> bool:
        """Whether the time of the plan is that of the hop, in a checked plan."""
        return self.at in ("", OF_PLAN)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A literal variable compared with a literal. Texts compare without regard to case."""

    variable: str
    operator: str
    value: ValueTerm


@dataclass(frozen=True, slots=True)
class InPeriod:
    """The date that a literal variable holds (when an event happened) lies in [start, end); '' leaves a side open.

    Both are ISO 8601 dates: `2025`, `2025-03`, `2025-03-14`. `end` is not included.
    """

    variable: str
    start: str = ""
    end: str = ""


Filter = Comparison | InPeriod


@dataclass(frozen=True, slots=True)
class Time:
    """When the facts must hold. `start` and `end` are ISO 8601 dates at the precision that was stated.

    now       at the view's instant
    at        at the first instant of `start`
    since     at the view's instant, begun no later than within `start`
    before    at some instant before `start`
    after     at some instant after what `start` names
    during    at some instant (overlaps) or at every instant (throughout) of [start, end);
              without `end` the period is what `start` names
    always    at any instant: all facts of a row at one and the same
    """

    kind: str = NOW
    start: str = ""
    end: str = ""
    mode: str = OVERLAPS

    def period(self) -> tuple[Instant, Instant]:
        """[first instant, first instant after) of what `start` and `end` name. Raises PlanError."""
        first = bound(self.start)
        return first.at, bound(self.end).at if self.end else end_of(first)


def bound(text: str) -> Bound:
    """The stated bound of an ISO 8601 date. Raises PlanError."""
    try:
        return parse_asked(text)
    except ValueError as error:
        raise PlanError(f"{text!r} is not a date", hint="write 2024, 2024-03 or 2024-03-01; the last day is 9999-12-30") from error


@dataclass(frozen=True, slots=True)
class Aggregate:
    """count: how many distinct values of `variable`; grouped by `by`, the groups with the `most` or `fewest`.

    max, min: the extreme value of the literal `variable`; with `by`, the entities that have it. Ties are all returned.
    """

    kind: str
    variable: str
    by: str = ""
    order: str = ""


@dataclass(frozen=True, slots=True)
class Validity:
    """The bound of a hop's fact, asked for as a value: since when, until when. `hop` is an index."""

    hop: int
    bound: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """Of two hops (by index), one ended before the other began; the nearest such is meant: who before, who after."""

    earlier: int
    later: int


@dataclass(frozen=True, slots=True)
class Plan:
    """One question. Without `select`, `aggregate` and `validity` it asks whether (yes or no).

    `absences` are hops of which no stored fact may exist: one end is a bound variable, the other an entity,
    a literal, or a variable that stands nowhere else.
    `limit` 0 means all.
    """

    question: str = ""
    variables: tuple[Variable, ...] = ()
    hops: tuple[Hop, ...] = ()
    absences: tuple[Hop, ...] = ()
    filters: tuple[Filter, ...] = ()
    time: Time = field(default_factory=Time)
    aggregate: Aggregate | None = None
    select: tuple[str, ...] = ()
    validity: tuple[Validity, ...] = ()
    sequence: Sequence | None = None
    limit: int = 0

    @property
    def is_yes_no(self) -> bool:
        """Whether the plan asks only whether its hops are met."""
        return not (self.select or self.aggregate or self.validity)

    def class_of(self, variable: str) -> str:
        """The declared class of a variable, '' where it has none."""
        return next((v.class_ for v in self.variables if v.name == variable), "")
