"""Every bound of the contract, each stated once (contract §1, §4; S0:13, S0:33)."""

from __future__ import annotations

from typing import Final

SCHEMA_VERSION: Final = 1

ID_CHARS: Final = 80
OBJECTIVE_CHARS: Final = 8_000
TEXT_CHARS: Final = 8_000  # question, answer, turn
NOTE_CHARS: Final = 2_000  # detail, note
DIGEST_CHARS: Final = 2_000
NAME_CHARS: Final = 200  # tool, metadata values
AGENT_CHARS: Final = 100
KEY_CHARS: Final = 200  # ask_key, attempt_id

ARGS_BYTES: Final = 64 * 1024
BODY_BYTES: Final = 256 * 1024
IMPORT_BYTES: Final = 1024 * 1024
ROOT_BYTES: Final = 4_096  # of a working_root, as DAL bounds it
FILE_BYTES: Final = 64 * 1024 * 1024  # of one journal in a folder
ARTIFACT_BYTES: Final = 32 * 1024 * 1024

ARTIFACTS_PER_STEP: Final = 32
ARTIFACT_PATH_CHARS: Final = 512
ARTIFACTS_PER_PROCESS: Final = 1_000
STEPS_PER_REQUEST: Final = 100
TURNS: Final = 200

OPTIONS: Final = 50
OPTION_CHARS: Final = 500
BULK: Final = 200  # decided at once
ASSIGNEES: Final = 20
ASSIGNEE_CHARS: Final = 160

SCHEMA_CHARS: Final = 16 * 1024  # of a response_schema, as JSON
SCHEMA_PARTS: Final = 500  # subschemas, references followed
PATTERN_CHARS: Final = 200
MATCHED_CHARS: Final = 500  # of a text that a pattern is tried on
DRAFT_CHARS: Final = 80_000
FIELDS: Final = 50  # of a form; a schema with more is answered as JSON

DEPTH_API: Final = 64
DEPTH_FILE: Final = 127
PARTS_API: Final = 20_000  # objects, arrays and names of one body

SEARCHED: Final = 20_000  # processes a search looks through, the newest
STEPS_USED: Final = 2**31 - 1
TIME_MS: Final = 253_402_300_799_999  # the last millisecond of the year 9999
LEASE_SECONDS: Final = 3_600
