"""Trying again: as long as it may help, with pauses that grow or that the site asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tenacity import Retrying, wait_exponential_jitter

from lunwen.corpus.fetch.trouble import Trouble

if TYPE_CHECKING:
    from collections.abc import Callable

    from tenacity import RetryCallState

    from lunwen.corpus.fetch.limit import Limits

_Got = TypeVar("_Got")
_GROWING = wait_exponential_jitter(initial=1, max=60, jitter=1)


def patiently(ask: Callable[[], _Got], place: str, limits: Limits, wait: Callable[[float], None]) -> _Got:
    """Return what ``ask`` gets, trying as often as its Trouble allows.

    Raises:
        FetchError: it gets nothing.
    """
    retrying = Retrying(
        stop=lambda state: state.attempt_number >= min(limits.tries, _trouble(state).tries or limits.tries),
        wait=_pause,
        retry=lambda state: state.outcome is not None and isinstance(state.outcome.exception(), Trouble),
        sleep=wait,
        reraise=True,
    )
    try:
        return retrying(ask)
    except Trouble as trouble:
        raise trouble.error(place, retrying.statistics["attempt_number"]) from trouble


def _pause(state: RetryCallState) -> float:
    after = _trouble(state).after
    return _GROWING(state) if after is None else after


def _trouble(state: RetryCallState) -> Trouble:
    trouble = state.outcome and state.outcome.exception()
    if not isinstance(trouble, Trouble):
        raise TypeError
    return trouble
