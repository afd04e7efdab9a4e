"""Every verb, once: lock, rule, keep, tell. Pages, API and commands all come through here."""

from __future__ import annotations

from processes.policy import allowed_actions
from processes.services.actors import SYSTEM, Actor, Forbidden, person
from processes.services.artifacts import open_artifact, put_artifact
from processes.services.attempts import Begun, begin, open_attempts
from processes.services.attention import claim, let_go, reassign, snooze
from processes.services.bulk import Outcome, decide_many
from processes.services.decisions import ack, decide_once, nack, take_back, try_answer
from processes.services.delivery import ring
from processes.services.drafts import drafts_of, forget_draft, left_drafts, save_draft
from processes.services.elsewhere import ring_for_agents
from processes.services.ending import complete, fail
from processes.services.expiry import expire
from processes.services.imports import import_record, import_whole
from processes.services.journals import journal, journal_text
from processes.services.keys import (
    actor_of,
    check_actor,
    check_key,
    is_keyless,
    issue_key,
    known_actor,
    revoke_key,
)
from processes.services.leases import heartbeat, lease, release
from processes.services.outbox import add_recipient, remove_recipient, send_again
from processes.services.passports import passport
from processes.services.past import PastAnswer, past_answers
from processes.services.people import (
    add_person,
    change_role,
    deciders,
    reset_password,
    set_active,
)
from processes.services.reading import (
    head_action,
    next_step,
    read_row,
    record,
    review_digest,
    suspension,
)
from processes.services.runs import Opened, Resumed, open_process, resume, suspend
from processes.services.signals import demo_told, settled, settling
from processes.services.steps import Appended, Batch, append, append_once, count_skips
from processes.services.verb import Unchanged
from processes.services.votes import approvals
from processes.services.writeback import decide, in_its_file, stop
from processes.store.rows import Row
from processes.store.trace import read as read_trace

__all__ = [
    "SYSTEM", "Actor", "Appended", "Batch", "Begun", "Forbidden", "Opened", "Outcome",
    "PastAnswer", "Resumed", "Row", "Unchanged", "ack", "actor_of", "add_person",
    "add_recipient", "allowed_actions", "append", "append_once", "approvals", "begin",
    "change_role", "check_actor", "check_key", "claim", "complete", "count_skips",
    "decide", "decide_many", "decide_once", "deciders", "demo_told", "drafts_of", "expire",
    "fail", "forget_draft", "head_action", "heartbeat", "import_record", "import_whole",
    "in_its_file", "is_keyless", "issue_key", "journal", "journal_text", "known_actor", "lease",
    "left_drafts", "let_go", "nack",
    "next_step", "open_artifact", "open_attempts", "open_process", "passport", "past_answers",
    "person", "put_artifact", "read_row", "read_trace", "reassign", "record", "release",
    "remove_recipient", "reset_password", "resume", "review_digest", "revoke_key", "ring",
    "ring_for_agents", "save_draft", "send_again", "set_active", "settled", "settling",
    "snooze", "stop", "suspend", "suspension", "take_back", "try_answer",
]  # fmt: skip
