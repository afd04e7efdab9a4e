// What is typed is kept while it is typed: on the server a moment after the last key, and in this
// tab while the server cannot be reached or the login has ended. The last keystroke wins.
"use strict";
(() => {
  const PAUSE = 400, AGAIN = 5000;
  const states = new WeakMap();
  const key = (form) => `draft ${form.suspension_id.value} ${form.action.value} ${form.seen_by.value}`;
  const say = (form, words) => {
    const place = form.querySelector("[data-saved]");
    if (place) place.textContent = words;
  };
  const state = (form) => {
    if (!states.has(form)) states.set(form, { at: +form.dataset.typed || 0, timer: 0, busy: false, dirty: false });
    return states.get(form);
  };
  const later = (form, pause) => {
    const now = state(form);
    clearTimeout(now.timer);
    now.timer = setTimeout(() => save(form), pause);
  };
  const read = (form) => {
    const body = new FormData(form);
    body.delete("review_digest");
    body.set("typed_at", state(form).at);
    return body;
  };
  const keep = (form, body) => sessionStorage.setItem(key(form), JSON.stringify([...body.entries(), ["@", form.dataset.draft]]));

  // One request at a time, so that an older one cannot arrive after a newer one.
  // A request that outlives its page holds 64 KiB at most, so only the last one is such a request:
  // it is sent beside one under way, which ends with the page, and is kept here in case it fails.
  const save = async (form, keepalive = false) => {
    const now = state(form);
    if (!now.dirty && !(keepalive && now.busy)) return;
    if (now.busy && !keepalive) return later(form, PAUSE);
    clearTimeout(now.timer);
    now.busy = true;
    now.dirty = false;
    const body = read(form);
    if (keepalive) keep(form, body);
    try {
      const reply = await fetch(form.dataset.draft, { method: "POST", body, headers: { "HX-Request": "true" }, keepalive });
      if (!reply.ok) throw reply.status;
      sessionStorage.removeItem(key(form));
      if (!now.dirty) say(form, "Draft saved.");
    } catch (why) {
      keep(form, read(form)); // more may have been typed since
      now.dirty = true;
      say(form, why === 401 || why === 403 ? "Your login has ended; this is kept in this tab." : "Not saved yet; this is kept in this tab.");
      if (typeof why !== "number" || why >= 500 || why === 429) later(form, AGAIN);
    }
    now.busy = false;
  };

  document.addEventListener("input", (event) => {
    const form = event.target.form;
    if (!form?.dataset.draft) return;
    const now = state(form);
    now.at = Math.max(Date.now(), now.at + 1);
    now.dirty = true;
    say(form, "");
    later(form, PAUSE);
  });
  const flush = (keepalive) => document.querySelectorAll("form[data-draft]").forEach((form) => save(form, keepalive));
  addEventListener("pagehide", () => flush(true));
  addEventListener("online", () => flush(false));
  document.addEventListener("visibilitychange", () => { if (document.hidden) flush(false); });
  // What is sent is no draft any more.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.dataset.draft) return;
    const now = state(form);
    clearTimeout(now.timer);
    now.dirty = false;
    sessionStorage.removeItem(key(form));
  });

  const fill = (form, entries) => {
    for (const field of form.elements) {
      const values = entries.filter(([name]) => name === field.name).map(([, value]) => value);
      if (field.type === "hidden" || !field.name) continue;
      if (field.type === "radio" || field.type === "checkbox") field.checked = values.includes(field.value);
      else if (values.length) field.value = values.at(-1);
    }
    form.closest("details")?.setAttribute("open", "");
  };
  for (const form of document.querySelectorAll("form[data-draft]")) {
    const kept = sessionStorage.getItem(key(form));
    if (!kept) continue;
    fill(form, JSON.parse(kept));
    const now = state(form);
    now.at = Math.max(Date.now(), now.at + 1);
    now.dirty = true;
    save(form);
  }

  // Its form is gone since: the server keeps it for the page, which shows it when it comes anew.
  const bring = async (name) => {
    const entries = JSON.parse(sessionStorage.getItem(name)), body = new FormData();
    for (const [field, value] of entries) body.append(field, value);
    const token = document.querySelector("[name='csrfmiddlewaretoken']"), who = document.querySelector(".menu summary");
    const isHere = body.get("@") === `${location.pathname}draft/` && body.get("seen_by") === who?.textContent.trim();
    if (!isHere || !token || [...document.querySelectorAll("form[data-draft]")].some((form) => key(form) === name)) return;
    body.set("csrfmiddlewaretoken", token.value);
    const reply = await fetch(body.get("@"), { method: "POST", body, headers: { "HX-Request": "true" } });
    if (reply.ok || reply.status === 409) sessionStorage.removeItem(name);
    if (reply.ok) location.reload();
  };
  for (const name of Object.keys(sessionStorage)) if (name.startsWith("draft ")) bring(name);

  // A past answer's words into the field that is asked for.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-reuse]");
    const field = document.querySelector("[data-decide] [name='answer']:is(textarea)");
    if (!link || !field) return;
    event.preventDefault();
    field.value = link.dataset.reuse;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  });
})();
