"""The agents by what their files are called."""

from apps.telemetry.snippets.agents import AGENTS, Agent


def agent_of(*, key: str) -> Agent:
    """Return an agent by its key."""
    return {agent.key: agent for agent in AGENTS}[key]
