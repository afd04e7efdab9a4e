"""The stories that wait for a person."""

from __future__ import annotations

from processes.management.demo.story import Asked, Did, Stop, Story

_DIFF = """date,entry,staging,production
2026-03-17,0041,412.00,
2026-03-17,0042,1380.00,
2026-03-30,0007,168.00,
"""
_SUPPLIERS = """# Supplier risk, second quarter

Two suppliers carry 61 % of the spend in castings. One of them has been late in five
of the last eight weeks; the other has changed its bank twice this year.
"""
_CANDIDATES = """id,customer,issued,amount
A-2017-00112,4471,2017-02-03,120.00
A-2017-00113,4471,2017-02-03,89.90
A-2018-00960,5120,2018-07-19,2310.00
"""
_ORDER = {
    "type": "object",
    "properties": {
        "supplier": {"enum": ["Moinho Velho", "Papel do Norte"], "title": "Supplier"},
        "sheets": {
            "type": "integer",
            "title": "Sheets",
            "minimum": 500,
            "multipleOf": 500,
            "default": 2500,
        },
        "price": {
            "type": "number",
            "title": "Price",
            "description": "For 500 sheets, in EUR, at most.",
            "exclusiveMinimum": 0,
        },
        "recycled": {"type": "boolean", "title": "Recycled paper only"},
        "rooms": {
            "type": "array",
            "title": "Deliver to",
            "items": {"enum": ["1.04", "2.11", "3.02"]},
            "default": ["1.04"],
        },
        "by": {
            "anyOf": [{"type": "string", "format": "date"}, {"type": "null"}],
            "title": "Not later than",
        },
        "note": {"type": "string", "title": "Note to the supplier", "maxLength": 500},
    },
    "required": ["supplier", "sheets", "price"],
}

WAITING = (
    Story(
        "march-ledger.7f3a", "ledger-clerk",
        "Reconcile the March ledger against the bank statement and list every entry that has no match.",
        3140, "208", "review", kind="reconcile", due="this week",
        did=(
            Did("list_buckets", {"prefix": "*-ledger"}, "2 buckets: prod-ledger, staging-ledger"),
            Did("fetch_statement", {"account": "main", "month": "2026-03"}, "HTTP 504 from the bank after 30 s", ok=False),
            Did("fetch_statement", {"account": "main", "month": "2026-03"}, "409 lines, opening 18,204.11 EUR, closing 20,931.45 EUR", again=1),
            Asked("The statement uses UTC and the ledger local time. Which day does an entry at 23:30 belong to?", "Use the calendar month in Europe/Lisbon, not UTC."),
            Did("read_ledger", {"bucket": "prod-ledger", "month": "2026-03"}, "409 entries, total 212,480.00 EUR"),
            Did("read_ledger", {"bucket": "staging-ledger", "month": "2026-03"}, "412 entries, 3 of them absent from prod-ledger: 2026-03-17/0041, 2026-03-17/0042, 2026-03-30/0007.\nTotals differ by 1,960.00 EUR.", files={"ledgers/march/diff.csv": _DIFF}),
        ),
        stop=Stop("ask_user", 3120, "The staging and production buckets both hold a copy of the March ledger. Which one should the reconciliation treat as the source of truth?", options=("production", "staging", "stop and ask finance first")),
    ),
    Story(
        "invoice-prune.0c41", "archivist", "Prune invoices older than seven years",
        420, "208", "act", kind="retention",
        did=(
            Did("count_rows", {"table": "invoices_archive", "before": "2019-11-28"}, "1,204 rows, 2011-04-02 to 2019-11-27"),
            Did("export_rows", {"table": "invoices_archive", "before": "2019-11-28"}, "1,204 rows written", files={"prune/candidates.csv": _CANDIDATES}),
            Did("check_holds", {"table": "legal_holds"}, "No row of the export is under a legal hold."),
        ),
        stop=Stop("guard", 365, detail="Wanted to delete 1,204 rows from invoices_archive; the guard allows 500. The delete cannot be undone.", action=("delete_rows", {"table": "invoices_archive", "before": "2019-11-28", "limit": 1204, "dry_run": False})),
    ),
    Story(
        "supplier-summary.91be", "supplier-desk", "Draft the supplier-risk summary",
        260, "209", "draft", kind="report", due="Friday",
        did=(
            Did("load_spend", {"quarter": "2026-Q2"}, "38 suppliers, 1.94 M EUR"),
            Did("score_risk", {"model": "v4"}, "2 high, 9 medium, 27 low"),
            Did("write_draft", {"section": "summary"}, "312 words", files={"risk/summary.md": _SUPPLIERS}),
        ),
        stop=Stop("ask_user", 181, "Should the summary name the two suppliers, or refer to them as A and B?", options=("Name them", "A and B"), due=150, for_principal=True),
    ),
    Story(
        "q2-export.5d20", "ledger-clerk", "Export Q2 totals for the auditor",
        170, "209", "verify", kind="reconcile",
        did=(
            Did("sum_totals", {"quarter": "2026-Q2", "by": "cost centre"}, "41 cost centres, 1,482,007.10 EUR"),
            Did("compare_dashboard", {"board": "finance/q2"}, "The dashboard says 1,481,994.70 EUR."),
            Did("explain_difference", {"tolerance": "0.01"}, "No rounding rule gives 12.40 EUR.", ok=False),
        ),
        stop=Stop("unverified", 124, detail="The exported totals differ from the dashboard by 12.40 EUR and no rule explains it.", claimed=True),
    ),
    Story(
        "migration-guide.22aa", "release-notes", "Write the migration guide",
        96, "209", "draft", kind="writing",
        did=tuple(Did("read_changelog", {"version": f"4.{n}"}, f"{3 + n % 4} changes that need a note") for n in range(12)),
        stop=Stop("step_budget", 48, detail="Used all 40 steps; 3 of 5 sections are drafted."),
    ),
    Story(
        "search-index.8e07", "index-keeper", "Rebuild the search index",
        33, "210", "act", kind="maintenance",
        did=tuple(Did("index_shard", {"shard": n, "of": 16}, f"{20_000 + 811 * n} documents", effect="idempotent") for n in range(9)),
        stop=Stop("wall_clock", 12, detail="Reached 20 minutes while the index was still building: 9 of 16 shards are done."),
    ),
    Story(
        "duplicate-contacts.3b6d", "archivist", "Merge duplicate contacts in the customer list",
        1610, "208", "act", kind="cleanup",
        did=(
            Did("find_pairs", {"rule": "same e-mail, other spelling"}, "57 pairs, 3 of them with different owners"),
            Did("merge", {"pair": "Ines Duarte / Inês Duarte"}, "merged, the older record kept"),
        ),
        stop=Stop("ask_user", 1555, "Three pairs have different account owners. Who should own the merged contact?", options=("The older record's owner", "The newer record's owner", "Leave these three as they are")),
    ),
    Story(
        "refund-batch.c81f", "supplier-desk", "Send the refunds approved in week 47",
        75, "210", "act", kind="payments",
        did=(
            Did("load_approvals", {"week": 47}, "14 refunds, 2,318.60 EUR"),
            Did("check_accounts", {"refunds": 14}, "13 accounts valid, 1 closed"),
            Did("pay", {"refund": "R-1180", "amount": "89.90", "currency": "EUR"}, "accepted", effect="at_most_once"),
        ),
        stop=Stop("guard", 58, detail="This payment is above the limit of 1,000 EUR for a single refund.", action=("pay", {"refund": "R-1187", "amount": "1240.00", "currency": "EUR", "iban_last4": "5521"}), expires=200, on_timeout="decline", priority="high"),
    ),
    Story(
        "press-translation.4410", "release-notes", "Translate the press release into Portuguese",
        540, "209", "review", kind="writing", due="today",
        did=(
            Did("translate", {"from": "en", "to": "pt"}, "418 words", files={"press/release.pt.md": "# Nova versão\n\nA partir de hoje…\n"}),
            Did("check_terms", {"glossary": "brand-2026"}, "2 terms have no entry: 'durable run', 'step digest'"),
        ),
        stop=Stop("ask_user", 502, "How should 'durable run' be translated? The glossary has no entry.", detail="The draft keeps the English words in italics for now."),
    ),
    Story(
        "dns-cleanup.a2f0", "index-keeper", "Remove DNS records that point nowhere",
        2300, "208", "verify", kind="maintenance",
        did=(
            Did("list_records", {"zone": "example.test"}, "212 records"),
            Did("probe", {"records": 212, "tries": 3}, "9 did not answer"),
        ),
        stop=Stop("unverified", 2210, detail="9 records did not answer in three tries. A firewall may have dropped the probes."),
    ),
    Story(
        "policy-digest.6e1d", "supplier-desk", "Summarise the changed travel policy for the team",
        21, "210", "draft", kind="report",
        did=(Did("read_policy", {"document": "travel-2026.pdf"}, "24 pages, 6 of them changed"),),
        stop=Stop("ask_user", 6, "Should the summary quote the new daily rates, or link to the table?", options=("Quote them", "Link to the table"), expires=55, on_timeout="default", default="Link to the table"),
    ),
    Story(
        "paper-order.2c7e", "supplier-desk", "Order printing paper for the first quarter",
        520, "209", "act", kind="purchasing", due="this week",
        did=(
            Did("count_stock", {"rooms": ["1.04", "2.11", "3.02"]}, "1,100 sheets left in three rooms"),
            Did("ask_prices", {"suppliers": 2}, "4.19 EUR and 4.35 EUR for 500 sheets"),
        ),
        stop=Stop("ask_user", 505, "How much paper should I order, where, and for which price at most?", detail="Both suppliers deliver within four days. At the usual pace the stock lasts until 12 January.", schema=_ORDER),
    ),
    Story(
        "photo-tags.19c3", "archivist", "Tag the product photographs of the autumn catalogue",
        310, "209", "act", kind="cleanup",
        did=tuple(Did("tag_photo", {"file": f"autumn/{n:03d}.jpg"}, "3 tags" if n % 5 else "the file cannot be read", ok=bool(n % 5)) for n in range(1, 15)),
        stop=Stop("step_budget", 240, detail="Used all 200 steps; 186 of 240 photographs have tags."),
    ),
    Story(
        "load-test.e5b9", "index-keeper", "Find the request rate at which the search slows down",
        150, "210", "act", kind="maintenance",
        did=(
            Did("ramp", {"from": 50, "to": 400, "step": 50}, "p99 below 80 ms up to 350 per second"),
            Did("ramp", {"from": 400, "to": 800, "step": 50}, "stopped at 550: p99 240 ms"),
        ),
        stop=Stop("wall_clock", 90, detail="The hour is over. One more ramp would show whether 500 per second holds."),
    ),
    Story(
        "vendor-onboarding.77d4", "supplier-desk", "Onboard the new packaging vendor",
        1210, "209", "review", kind="payments",
        did=(
            Did("read_form", {"vendor": "V-0931"}, "All fields filled; VAT number valid"),
            Did("compare_bank", {"vendor": "V-0931"}, "The bank account is in another country than the company."),
        ),
        stop=Stop("unverified", 1150, detail="The vendor's bank account is in another country than its registered office. Nothing else stands out."),
    ),
)  # fmt: skip
