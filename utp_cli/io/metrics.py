"""Counters for Prometheus, and the pages that a relay shows of itself."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import dumps
from utp_cli.recording.tally import MADE

if TYPE_CHECKING:
    from utp_cli.recording.capture import RecordedExchange
    from utp_cli.replaying.outcome import Outcome

_MODELS: Final = 100
"""Models with counters of their own: a client says their names, and each takes memory for ever."""
_BUCKETS: Final = (0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300)
"""Seconds."""


class ServedMetrics:
    """What went by, for `/_utp/metrics`. Raises `ImportError` where prometheus_client is missing."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Histogram  # noqa: PLC0415 - only who serves

        self._registry = CollectorRegistry()
        self._models: set[str] = set()
        self._lock = threading.Lock()

        def counter(name: str, text: str, *labels: str) -> Any:
            return Counter(f"utp_{name}", text, ["model", *labels], registry=self._registry)

        self._answers = counter("answers", "Answers that went by, by how they ended.", "ended")
        self._delivered = counter("calls_delivered", "Tool calls that the server delivered.")
        self._healed = counter(
            "calls_healed", "Tool calls that the server lost and the client got.", "dialect", "cause"
        )
        self._changed = counter("heals", "Changes made to answers, by kind.", "kind")
        self._lost = counter("calls_lost", "Tool calls that the server lost and the client did not get.")
        self._causes = counter("diagnoses", "Answers with a diagnosis, by its code.", "code")
        self._retries = counter("retries", "Answers whose question was asked again.")
        self._failures = counter("healing_failures", "Answers that passed unhealed because healing failed.")
        self._held = Histogram(
            "utp_held_seconds", "How long bytes of a stream were held back.", registry=self._registry, buckets=_BUCKETS
        )

    def count(self, capture: RecordedExchange, outcome: Outcome) -> None:
        """Count an exchange."""
        model = self._model(outcome.model or "")
        if capture.dropped:
            self._retries.labels(model).inc()
            return
        made = [heal for heal in capture.healed if heal["code"] in MADE]
        self._answers.labels(model, capture.ended).inc()
        self._delivered.labels(model).inc(len(outcome.delivered))
        self._lost.labels(model).inc(max(len(outcome.undelivered) - len(made), 0))
        for heal in made:
            self._healed.labels(model, heal["dialect"] or "", heal["cause"] or "").inc()
        for heal in capture.healed:
            self._changed.labels(model, heal["code"]).inc()
        for code in {code for code, _ in outcome.diagnoses}:
            self._causes.labels(model, code).inc()
        self._failures.labels(model).inc(bool(capture.note))
        self._held.observe(capture.held)

    def _model(self, name: str) -> str:
        with self._lock:
            if name in self._models or len(self._models) < _MODELS:
                self._models.add(name)
                return name[:100]
        return "other"

    def page(self) -> tuple[int, str, bytes]:
        """Return status, content type and body."""
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest  # noqa: PLC0415

        return 200, CONTENT_TYPE_LATEST, generate_latest(self._registry)


def health_page(said: dict[str, Any]) -> tuple[int, str, bytes]:
    """Return the page that says that the relay is up."""
    return 200, "application/json", (dumps({"status": "ok", **said}) + "\n").encode()
