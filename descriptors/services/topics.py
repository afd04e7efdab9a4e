"""What the bell calls the wakes of an agent."""

from __future__ import annotations

from processes.services import ring_for_agents
from processes.services.verb import tell


def wakes_of(agent: str) -> str:
    """The topic that rings when an agent's sleeper is due, or due at another time."""
    return f"wakes of {agent}"


def tell_wakes(agent: str) -> None:
    """Ring after the commit."""
    tell(wakes_of(agent))


ring_for_agents(wakes_of)
