"""Recorded replies: one JSON file for each request, named by its hash. For tests, and for runs that must repeat."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from ..errors import LanguageModelError
from .base import UNRECORDED, Completer, CompletionFailed, Reply, Request


class Replay:
    """Answers from the recordings of a directory; a request that was not recorded is a failure, never a guess."""

    def __init__(self, directory: Path, *, model: str) -> None:
        self._directory = directory
        self.model = model

    def complete(self, request: Request) -> Reply:
        """See Completer. Raises CompletionFailed (`unrecorded`) without a recording, LanguageModelError for one that cannot be read."""
        path = self._directory / f"{request.key(self.model)}.json"
        try:
            return Reply(**json.loads(path.read_text(encoding="utf-8"))["reply"])
        except FileNotFoundError as error:
            raise CompletionFailed(UNRECORDED, f"no recording {path.name}", hint="record it with Recording") from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise LanguageModelError(f"is no recording: {error}", where=str(path)) from error


class Recording:
    """Passes requests on, and keeps every reply that came back, cut and refused ones too."""

    def __init__(self, completer: Completer, directory: Path) -> None:
        self._completer = completer
        self._directory = directory

    @property
    def model(self) -> str:
        """See Completer."""
        return self._completer.model

    def complete(self, request: Request) -> Reply:
        """See Completer. A failure is not recorded."""
        reply = self._completer.complete(request)
        self._directory.mkdir(parents=True, exist_ok=True)
        recorded = {"model": self.model, "request": request.as_json(), "reply": asdict(reply)}
        path = self._directory / f"{request.key(self.model)}.json"
        path.write_text(json.dumps(recorded, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        return reply
