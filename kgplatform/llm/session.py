"""Caps and the count: a completer that refuses what could exceed them, and adds up what was spent."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Final

from ..errors import LanguageModelError
from ..settings.load import LanguageModel
from .base import BUDGET, BUSY, NOTHING, REFUSAL, TIMEOUT, UNRECORDED, Completer, CompletionFailed, Reply, Request, Spent
from .client import OpenAICompleter
from .usage import Call, UsageLog

_UNSENT: Final = (BUDGET, BUSY, UNRECORDED)
_ENDS: Final = ("stop", "length", "content_filter")
_BYTES_PER_TOKEN: Final = 3
"""A token of English is about four bytes, of JSON about three; an estimate for caps, replaced by the server's count."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Money for a million tokens."""

    input: float = 0.0
    output: float = 0.0

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """What so many tokens cost."""
        return (input_tokens * self.input + output_tokens * self.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class Caps:
    """The most that one call, and all calls of a session, may cost; None is no cap. Tokens are input and output together."""

    call_cost: float | None = None
    session_cost: float | None = None
    session_tokens: int | None = None


class Session:
    """Completions under common caps, counted in `spent`. Threads may share one.

    A call is refused before it is sent if its worst case (its estimated input, all of its `max_tokens`) could exceed a cap;
    the worst cases of calls under way are reserved meanwhile. A call that timed out or was interrupted, as by Ctrl-C, is counted
    at its worst case, since the server may bill it; one that failed otherwise costs no tokens. `before` was spent already and
    counts for the caps alone. Every call that was sent is written to `usage` before its reply is returned.
    """

    def __init__(
        self,
        completer: Completer,
        *,
        prices: Prices | None = None,
        caps: Caps | None = None,
        usage: UsageLog | None = None,
        before: Spent = NOTHING,
    ) -> None:
        self._completer = completer
        self._prices = prices or Prices()
        self._caps = caps or Caps()
        self._usage = usage
        self._lock = threading.Lock()
        self._held = before
        self.spent = NOTHING

    @property
    def model(self) -> str:
        """See Completer."""
        return self._completer.model

    def part(self) -> Session:
        """A session for a part of the work, counted by itself and under the caps of this one."""
        return Session(self, prices=self._prices)

    def complete(self, request: Request) -> Reply:
        """See Completer. Raises CompletionFailed (`budget`) before it sends what could exceed a cap."""
        worst = self._spent(1, request.size // _BYTES_PER_TOKEN + 1, request.max_tokens, 0)
        if self._usage:
            self._usage.ready()
        self._hold(worst)
        spent, outcome = NOTHING, ""
        try:
            reply = self._completer.complete(request)
            tokens = (worst.input_tokens if reply.input_tokens is None else reply.input_tokens,
                     worst.output_tokens if reply.output_tokens is None else reply.output_tokens)  # fmt: skip
            spent = self._spent(1, *tokens, reply.milliseconds)
            outcome = REFUSAL if reply.refusal else reply.finish_reason if reply.finish_reason in _ENDS else "other"
            return reply
        except CompletionFailed as error:
            spent = worst if error.kind == TIMEOUT else NOTHING if error.kind in _UNSENT else Spent(calls=1)
            outcome = error.kind
            raise
        except LanguageModelError:  # nothing was sent
            raise
        except BaseException:
            spent, outcome = worst, "interrupted"
            raise
        finally:
            with self._lock:
                self._held = self._held + _negative(worst)
                self.spent = self.spent + spent
            if self._usage and spent.calls:
                self._usage.append(Call(self.model, request.name, outcome, spent))

    def _spent(self, calls: int, input_tokens: int, output_tokens: int, milliseconds: int) -> Spent:
        given = max(0, input_tokens), max(0, output_tokens)
        return Spent(calls, *given, milliseconds, self._prices.cost(*given))

    def _hold(self, worst: Spent) -> None:
        caps = self._caps
        if caps.call_cost is not None and worst.cost > caps.call_cost:
            raise CompletionFailed(
                BUDGET,
                f"the call could cost {worst.cost:.4g}, at most {caps.call_cost:g} is allowed",
                hint="ask for less, or raise max_call_cost",
            )
        with self._lock:
            total = self.spent + self._held + worst
            if caps.session_cost is not None and total.cost > caps.session_cost:
                raise CompletionFailed(
                    BUDGET,
                    f"the session could cost {total.cost:.4g}, at most {caps.session_cost:g} is allowed",
                    hint="raise max_session_cost",
                )
            if caps.session_tokens is not None and total.input_tokens + total.output_tokens > caps.session_tokens:
                raise CompletionFailed(
                    BUDGET, f"the session's {caps.session_tokens} tokens are used up", hint="raise max_session_tokens, or start anew"
                )
            self._held = self._held + worst


def _negative(spent: Spent) -> Spent:
    return replace(
        spent, calls=-spent.calls, input_tokens=-spent.input_tokens, output_tokens=-spent.output_tokens,
        milliseconds=-spent.milliseconds, cost=-spent.cost,
    )  # fmt: skip


def open_session(
    model: LanguageModel, *, completer: Completer | None = None, usage: UsageLog | None = None, before: Spent = NOTHING
) -> Session:
    """A session with the configured model, by way of `completer` where one is given; nothing is sent yet."""
    prices = Prices(model.input_price, model.output_price)
    is_priced = prices != Prices()
    caps = Caps(model.max_call_cost if is_priced else None, model.max_session_cost if is_priced else None, model.max_session_tokens)
    return Session(completer or completer_of(model), prices=prices, caps=caps, usage=usage, before=before)


def completer_of(model: LanguageModel) -> OpenAICompleter:
    """The configured model, without caps or counts."""
    return OpenAICompleter(base_url=model.base_url, model=model.name, key=model.key, timeout=model.timeout, retries=model.retries)
