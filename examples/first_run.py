"""Look, ask a person, keep the answer. Start it again with the same id, and it goes on."""

from __future__ import annotations

import os
import shutil
import sys

from dalhc.client import Client

with (
    Client(os.environ["DALHC_URL"], os.environ["DALHC_KEY"]) as client,
    client.run("Choose where the backup goes", id=sys.argv[1]) as run,
):
    free = run.step("disk_free", {"path": "/"}, do=lambda: f"{shutil.disk_usage('/').free:,}")
    answer = run.ask(f"{free} bytes are free here. Keep the backup?", options=["Here", "Away"])
    run.artifact("choice.txt", answer.text or answer.note)
    run.final_text = f"The backup goes: {answer.text or 'undecided'}."
    print(run.id, answer.text)
