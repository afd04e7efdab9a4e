"""Against guessing passwords: after a few failures a name has to wait, soon from one address,
later from anywhere.
"""

from __future__ import annotations

from hashlib import sha256

from django.db.models import F

from dalhc.clock import now_ms
from processes.models import Guess
from processes.services.verb import Verb

WINDOW_MS = 15 * 60_000
FROM_ONE_ADDRESS, FROM_ANYWHERE = 5, 50


def seconds_to_wait(name: str, address: str) -> int:
    """0 when a login may be tried. The same for a name that is nobody's."""
    now = now_ms()
    waits = [
        guess.since_ms + WINDOW_MS - now
        for guess in Guess.objects.filter(bucket__in=_limits(name, address))
        if guess.failures >= _limits(name, address)[guess.bucket]
    ]
    return max(0, *(-(-left // 1000) for left in waits), 0)


@Verb
def note_failure(name: str, address: str) -> None:
    """One more, within a window that begins with the first."""
    now = now_ms()
    Guess.objects.filter(since_ms__lte=now - WINDOW_MS).delete()
    for bucket in _limits(name, address):
        Guess.objects.get_or_create(bucket=bucket, defaults={"failures": 0, "since_ms": now})
        Guess.objects.filter(bucket=bucket).update(failures=F("failures") + 1)


@Verb
def note_success(name: str, address: str) -> None:
    """Whoever knows the password begins anew at this address."""
    Guess.objects.filter(bucket=_bucket(name, address)).delete()


def _limits(name: str, address: str) -> dict[str, int]:
    return {_bucket(name, address): FROM_ONE_ADDRESS, _bucket(name, ""): FROM_ANYWHERE}


def _bucket(name: str, address: str) -> str:
    text = f"{name.strip().casefold()}\n{address}"
    return sha256(text.encode(errors="surrogatepass")).hexdigest()
