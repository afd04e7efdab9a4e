"""The stories that go on, have not begun, or have ended."""

from __future__ import annotations

from processes.management.demo.story import Asked, Did, Stop, Story

GOING = (
    Story(
        "nightly-backup-check.0b12", "index-keeper", "Restore last night's backup into a scratch database and compare the counts",
        18, "210", "verify", kind="maintenance", task="backup-check",
        did=(
            Did("fetch_backup", {"date": "2026-11-28"}, "4.1 GB, checksum right"),
            Did("restore", {"into": "scratch"}, "done in 412 s"),
            Did("count_tables", {"database": "scratch"}, "61 tables", again=2),
        ),
    ),
    Story(
        "nightly-backup-check.0b11", "index-keeper", "Restore last night's backup into a scratch database and compare the counts",
        1460, "209", "verify", kind="maintenance", task="backup-check",
        did=(
            Did("fetch_backup", {"date": "2026-11-27"}, "4.0 GB, checksum right"),
            Did("restore", {"into": "scratch"}, "done in 398 s"),
            Did("count_tables", {"database": "scratch"}, "61 tables"),
            Did("compare_counts", {"against": "production"}, "all 61 tables agree", files={"backup/2026-11-27.csv": "table,backup,production\ninvoices,88210,88210\n"}),
        ),
        ended=("completed", "The backup of 27 November restores and agrees."),
    ),
    Story(
        "newsletter.d4e8", "release-notes", "Collect what shipped this week for the newsletter",
        9, "210", "draft", kind="writing",
        did=(Did("list_merges", {"since": "2026-11-23"}, "37 merges, 11 worth a line"),),
    ),
    Story(
        "expense-audit.2f90", "ledger-clerk", "Check October's expenses against the policy",
        125, "210", "act", kind="reconcile",
        did=(
            Did("load_expenses", {"month": "2026-10"}, "288 receipts"),
            Did("match_policy", {"rules": "travel-2026"}, "6 above the daily rate"),
        ),
        stop=Stop("ask_user", 40, "Six receipts are above the daily rate. Flag them, or ask each person first?", options=("Flag them", "Ask first")),
        answered="Ask first",
    ),
    Story(
        "stock-count.5a07", "archivist", "Compare the stock list with the shelf count",
        64, "210", "act", kind="cleanup",
        did=(
            Did("read_list", {"site": "north"}, "1,912 items"),
            Did("read_count", {"site": "north"}, "scanner offline", ok=False),
            Did("read_count", {"site": "north"}, "1,909 items"),
        ),
    ),
    Story("year-end-plan.c3a1", "ledger-clerk", "Prepare the list of year-end closing tasks", 55, "211", "plan", started=False, kind="reconcile", due="next week"),
    Story("catalogue-prices.81e2", "supplier-desk", "Compare the catalogue prices with the last three offers", 22, "211", "plan", started=False, kind="report"),
    Story(
        "february-ledger.44c0", "ledger-clerk", "Reconcile the February ledger against the bank statement",
        5900, "207", "done", kind="reconcile",
        did=(
            Did("read_ledger", {"bucket": "prod-ledger", "month": "2026-02"}, "377 entries"),
            Asked("One entry of 20.00 EUR has no match. Write it off?", "Yes, below 25 EUR."),
            Did("write_report", {"month": "2026-02"}, "1 page", files={"ledgers/february/report.md": "# February\n\n377 entries, all matched but one (20.00 EUR, written off).\n"}),
        ),
        ended=("completed", "377 entries matched; one of 20.00 EUR written off."),
    ),
    Story(
        "release-4-11.9d3c", "release-notes", "Write the release notes of 4.11",
        4400, "207", "done", kind="writing",
        did=(
            Did("read_changelog", {"version": "4.11"}, "23 changes"),
            Did("write_draft", {"version": "4.11"}, "640 words", files={"notes/4.11.md": "# 4.11\n\nFaster search, and a calmer inbox.\n"}, again=1),
        ),
        ended=("completed", "Published as a draft for review."),
    ),
    Story(
        "old-branches.1e77", "index-keeper", "Delete merged branches older than a year",
        3700, "207", "done", kind="cleanup",
        did=(Did("list_branches", {"merged": True, "older_than_days": 365}, "118 branches"), Did("delete_branch", {"name": "fix/login-2023"}, "permission denied", ok=False)),
        ended=("failed", "The key may list branches, but not delete them."),
    ),
    Story(
        "welcome-mail.b0d5", "supplier-desk", "Draft the welcome mail for new vendors",
        2900, "207", "done", kind="report",
        did=(Did("write_draft", {"template": "vendor-welcome"}, "190 words", files={"mail/welcome.txt": "Dear partner,\n\nwelcome aboard.\n"}),),
        ended=("completed", "One draft, two variants of the greeting."),
    ),
)  # fmt: skip
