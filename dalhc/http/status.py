"""Which HTTP status a problem has: one table, found by its code."""

from __future__ import annotations

from dalhc.problems import Problem

STATUS: dict[str, int] = {
    # 400: cannot be parsed
    "not_json": 400, "duplicate_key": 400, "lone_surrogate": 400, "too_deep": 400,
    "too_many_parts": 400,
    "bad_cursor": 400,
    "invalid_idempotency_key": 400, "incomplete_body": 400,
    "request_timeout": 408,
    # who you are, and what is yours
    "unauthorized": 401, "forbidden": 403, "not_found": 404, "process_not_found": 404,
    "artifact_not_found": 404, "method_not_allowed": 405, "not_acceptable": 406,
    # state, idempotency, fence
    "process_exists": 409, "approval_required": 409, "denied": 409, "not_approved": 409,
    "already_answered": 409,
    "nothing_asked": 409, "not_suspended": 409, "process_terminal": 409, "not_running": 409,
    "attempt_conflict": 409, "ask_key_conflict": 409, "stale_review": 409,
    "not_taken_back": 409, "nothing_decided": 409, "fenced": 409, "leased": 409,
    "too_many_artifacts": 409, "owned_by_files": 409, "file_changed": 409, "file_gone": 409,
    "not_archived": 409, "artifact_quota": 409,
    "expired": 409, "claimed": 409,
    "precondition_failed": 412, "too_large": 413, "artifact_too_large": 413,
    "unsupported_media_type": 415,
    # well formed, but wrong
    "invalid_request": 422, "extra_field": 422, "objective_empty": 422,
    "invalid_process_id": 422,
    "invalid_suspend_reason": 422, "unknown_state": 422, "question_required": 422,
    "answer_empty": 422,
    "answer_not_offered": 422, "answer_misfit": 422, "invalid_response_schema": 422,
    "action_not_offered": 422, "note_required": 422,
    "unsupported_schema_version": 422, "corrupt_record": 422, "invalid_artifact_path": 422,
    "idempotency_key_mismatch": 422, "invalid_args": 422, "invalid_tool": 422, "nul": 422,
    "not_a_file": 422, "unfinished_write": 422,
    "idempotency_conflict": 422, "invalid_key": 422, "invalid_person": 422,
    "invalid_timeout": 422, "invalid_snooze": 422, "unknown_assignee": 422,
    "address_refused": 422, "invalid_recipient": 422,
    "precondition_required": 428, "rate_limited": 429, "too_many_open": 429,
    # sleeping and waking
    "session_id_required": 422, "unsupported_format_version": 422, "unknown_env_class": 422,
    "secret_refused": 422, "invalid_wake_condition": 422, "not_json_safe": 422,
    "unknown_suspension": 422, "descriptor_not_found": 404, "stale_watermark": 409,
    "ahead_of_log": 409, "other_source": 409, "not_claimed": 409, "still_claimed": 409,
    "nothing_to_sleep_for": 409, "may_have_run": 409, "too_many_signals": 409,
    "internal": 500, "problem": 500,
    "busy": 503, "storage_full": 503, "unreachable": 503, "persistence_disabled": 503,
    "too_many_waiters": 503,
}  # fmt: skip


def status_of(problem: Problem) -> int:
    """The status; a problem without a row is our fault and says so."""
    return STATUS.get(problem.code, 500)
