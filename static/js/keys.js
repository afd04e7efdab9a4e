// Keys: j k Enter u / 1-9 n r ?, none while someone types; Ctrl+Enter or Cmd+Enter sends, always.
"use strict";
(() => {
  const FIELDS = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";
  const rows = () => [...document.querySelectorAll(".rows .row")];
  const find = (key) => document.querySelector(`[data-key="${key}"]`);

  const mark = (row) => {
    document.querySelector("[data-at]")?.removeAttribute("data-at");
    row?.setAttribute("data-at", "");
  };
  const move = (step) => {
    const all = rows(), at = all.findIndex((row) => row.hasAttribute("data-at"));
    const row = all[Math.max(0, Math.min(all.length - 1, at + step))];
    mark(row);
    row?.focus();
  };
  const send = (from) => {
    const form = from.closest?.("form") || document.querySelector("[data-decide]");
    if (!form || form.method !== "post" || form.closest(".menu")) return;
    // Pressed, not only submitted: htmx would send it where the button pressed last belongs.
    form.querySelector(".primary, button:not([formaction])")?.click();
  };
  const open = () => {
    if (document.activeElement === document.body) document.querySelector(".row[data-at]")?.click();
  };
  // A number is a filter of the inbox, a choice of a question, or a past answer to use again.
  const nth = (number) => {
    for (const what of [".filters a", "[data-decide] input[name=answer]", "[data-reuse]"]) {
      const found = document.querySelectorAll(what);
      if (found.length) return found[number - 1]?.click(), found[number - 1]?.focus();
    }
  };
  const doing = {
    j: () => move(1),
    k: () => move(-1),
    Enter: open,
    u: () => (find("u") || document.querySelector(".mark")).click(),
    n: () => find("n")?.click(),
    r: () => location.reload(),
    "/": () => (document.getElementById("q") ? document.getElementById("q").focus() : find("/")?.click()),
    "?": () => help(),
  };
  const HELP = [
    ["j k", "down, up the list"], ["Enter", "open"], ["1–9", "filter, choose, use again"], ["u", "back to the inbox"],
    ["⌘↵ Ctrl+↵", "send"], ["n", "next"], ["r", "show what is new"], ["/", "search"], ["Esc", "leave the field, close this"],
  ];
  const help = () => {
    const dialog = document.createElement("dialog"), list = document.createElement("dl");
    for (const [key, does] of HELP) {
      list.append(Object.assign(document.createElement("dt"), { textContent: key }));
      list.append(Object.assign(document.createElement("dd"), { textContent: does }));
    }
    dialog.setAttribute("aria-label", "Keys");
    dialog.append(list);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  };

  addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      send(event.target);
    } else if (event.key === "Escape" && event.target.matches?.("textarea")) {
      event.target.blur();
    } else if (!event.metaKey && !event.ctrlKey && !event.altKey && !event.target.matches?.(FIELDS)) {
      const act = doing[event.key] || (/^[1-9]$/.test(event.key) && (() => nth(+event.key)));
      if (!act || document.querySelector("dialog[open]")) return;
      if (event.key !== "Enter") event.preventDefault();
      act();
    }
  });
  document.addEventListener("focusin", (event) => { if (event.target.matches(".row")) mark(event.target); });
  mark(rows()[0]);

  // "Copy" gives the exact bytes, not what the page shows in their place.
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const answer = await fetch(button.dataset.copy);
    await navigator.clipboard.writeText(await answer.text());
    button.textContent = "Copied";
  });
})();
