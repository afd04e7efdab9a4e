"""The agent's whole work, from the first folder to the report."""

from __future__ import annotations

from dalhc.client.agent import report
from dalhc.client.agent.groups import equal_groups
from dalhc.client.agent.hashing import hash_files
from dalhc.client.agent.names import count, in_bytes, shown
from dalhc.client.agent.questions import ask_all
from dalhc.client.agent.tools import Tools
from dalhc.client.agent.walk import walk
from dalhc.client.processes import Metadata

REPORT, TABLE = "report.md", "duplicates.csv"
METADATA: Metadata = {
    "cycle_id": "home-upkeep",
    "cycle_phase": "tidy",
    "objective_id": "duplicate-files",
    "objective_class": "cleanup",
    "objective_due_bucket": "this_week",
}


def objective(root: str) -> str:
    return f"Find duplicate files in {shown(root)} and ask which ones to keep."


def find_duplicates(tools: Tools) -> str:
    """List, hash, compare, ask, report; the summary. Each step is recorded once."""
    walked = walk(tools)
    groups = equal_groups(tools, hash_files(tools, walked), walked)
    choices = ask_all(tools, groups)

    def write_report() -> str:
        text = report.markdown(tools.root, walked, choices)
        rows = report.table(choices)
        tools.run.artifact(REPORT, text)
        tools.run.artifact(TABLE, rows)
        lines = count(sum(len(group.paths) for group in groups), "row")
        return f"{REPORT} ({in_bytes(len(text.encode()))}) and {TABLE} ({lines}) written."

    tools.step("write_report", {"files": [REPORT, TABLE]}, write_report, on="for you")
    return report.summary(walked, choices)
