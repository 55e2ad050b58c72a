"""When, in words: the time of a plan, the dates of its events, and whether it is over."""

from __future__ import annotations

from ...query.algebra import AFTER, ALWAYS, AT, BEFORE, DURING, NOW, SINCE, THROUGHOUT, Filter, Hop, InPeriod, Plan, Term, Time, Var, bound
from ...query.expansion import slot_class
from ...terms import XSD
from ...times import shown
from .conditions import event_words
from .context import AnswerContext, node_words


def is_timed(context: AnswerContext) -> bool:
    """Whether some hop holds at the date of an event, and not at the time of the plan."""
    return any(isinstance(hop.at, Var) for hop in (*context.plan.hops, *context.plan.absences))


def is_over(context: AnswerContext) -> bool:
    """Whether the plan asks of the past: of an event, of any time, or of one that ended before the view's instant."""
    time = context.plan.time
    if is_timed(context):
        return True
    if time.kind in (ALWAYS, BEFORE):
        return True
    if time.kind == AT:
        return bound(time.start).at < context.view.valid_at
    return time.kind == DURING and time.period()[1] <= context.view.valid_at


def is_any_past(context: AnswerContext) -> bool:
    """Whether the plan asks of any time up to now."""
    return context.plan.time in (Time(ALWAYS), Time(BEFORE, context.view.valid_at))


def moment_words(context: AnswerContext) -> str:
    """Whose time the plan takes: `at the time of the incident`, `at the time of INC-104`; '' where it takes that of no event."""
    dates = dict.fromkeys(hop.at for hop in (*context.plan.hops, *context.plan.absences) if isinstance(hop.at, Var))
    return " and ".join(_date_words(context, next(hop for hop in context.plan.hops if hop.object == date)) for date in dates)


def _date_words(context: AnswerContext, hop: Hop) -> str:
    schema = context.view.schema
    if isinstance(hop.subject, Var):
        class_ = context.plan.class_of(hop.subject.name) or slot_class(schema, context.plan, hop.subject.name)
        name = f"the {schema.label(class_)}" if class_ else "the event"
    else:
        name = node_words(context, {}, hop.subject)
    if schema.relations[hop.relation].is_event_date:
        return f"at the time of {name}"
    return f"on the day that is ‘{schema.label(hop.relation)}’ of {name}"


def time_words(context: AnswerContext) -> str:
    """`in June 2023`, `on 15 March 2024`, `since 2024`, `at the time of the incident`; '' of now and of any time."""
    return ", ".join(words for words in (_plan_time_words(context), moment_words(context)) if words)


def _plan_time_words(context: AnswerContext) -> str:
    time = context.plan.time
    if time.kind == NOW or is_any_past(context) or context.is_unreached:
        return ""
    start = bound(time.start)
    if time.kind == DURING and time.end:
        whole = "throughout the time " if time.mode == THROUGHOUT else ""
        return f"{whole}from {shown(start)} until {shown(bound(time.end))}"
    word = {AT: "on" if start.precision in ("day", "instant") else "at the start of", SINCE: "since", BEFORE: "before", AFTER: "after"}.get(
        time.kind, "in"
    )
    if time.kind == DURING:
        word = "throughout" if time.mode == THROUGHOUT else "on" if start.precision == "day" else "in"
    return f"{word} {shown(start)}"


def when_words(context: AnswerContext) -> str:
    """When, behind a clause and with a space before it: ` in 2025, at the time of the incident`; '' of now and of any time."""
    events = [f for f in context.plan.filters if isinstance(f, InPeriod) and f.variable in event_dates(context.plan, context)]
    told = " ".join(words for words in (event_words(events), _plan_time_words(context)) if words)
    moment = moment_words(context)
    return f"{f' {told}' if told else ''}{f', {moment}' if moment else ''}"


def filters_of(plan: Plan) -> dict[str, list[Filter]]:
    """Variable -> all its filters."""
    found: dict[str, list[Filter]] = {}
    for each in plan.filters:
        found.setdefault(each.variable, []).append(each)
    return found


def is_date(context: AnswerContext, variable: str) -> bool:
    """Whether the variable is a day in some hop of the plan."""
    return any(is_day(context, hop) for hop in (*context.plan.hops, *context.plan.absences) if hop.object == Var(variable))


def is_day(context: AnswerContext, hop: Hop) -> bool:
    """Whether the object of the hop is a date or an instant."""
    return context.view.schema.relations[hop.relation].datatype in (XSD.date, XSD.dateTime)


def event_dates(plan: Plan, context: AnswerContext) -> dict[str, Term]:
    """The variable of the day on which an event must have happened, with the event; the sentence says when instead.

    None where more is asked of that day than one period, or of the days of several events: then each day is told of its event.
    """
    relations = context.view.schema.relations
    periods = {v for v, filters in filters_of(plan).items() if len(filters) == 1 and isinstance(filters[0], InPeriod)}
    found = ((hop.object, hop) for hop in plan.hops if relations[hop.relation].is_event_date)
    dates = {term.name: hop.subject for term, hop in found if isinstance(term, Var) and term.name in periods}
    return dates if len(dates) == 1 else {}
