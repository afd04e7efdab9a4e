// When to ask the server whether anything has changed: often while someone looks, seldom while
// nobody does, never while the page is hidden. It only says "pulse"; elements listen with
// hx-trigger="pulse from:body". It also keeps typed text safe from answers that are no page.
"use strict";
(() => {
  const FAST = 2000, SLOW = 15000, LOOKING = 60000, SETTLE = 1000;
  let active = Date.now(), asked = 0, failed = 0, ended = false;

  const due = () => {
    const pace = Date.now() - active < LOOKING ? FAST : SLOW;
    return Date.now() - asked >= pace * 2 ** Math.min(failed, 4);
  };
  // Whoever has selected text, or opened something in a region, is reading it.
  const reading = () => !document.getSelection().isCollapsed;

  const beat = () => {
    if (ended || document.hidden || reading() || !due()) return;
    asked = Date.now();
    document.body.dispatchEvent(new Event("pulse"));
  };
  const wake = () => { active = Date.now(); };

  for (const name of ["pointermove", "keydown", "scroll", "focus"]) addEventListener(name, wake, { passive: true });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) { wake(); asked = 0; beat(); } });
  setInterval(beat, 250);

  const polls = (event) => event.detail.elt?.id === "since";
  const say = (words) => {
    const place = document.querySelector("#notice, #news");
    if (place) place.textContent = words;
  };

  // Someone answered it elsewhere: the row stays where it is, faded, so that nothing moves.
  const fade = () => {
    const open = document.getElementById("since")?.dataset.open;
    if (open === undefined || open === "-") return;
    const still = new Set(open.split(" "));
    for (const row of document.querySelectorAll("#waiting .row")) row.parentElement.classList.toggle("gone", !still.has(row.pathname));
  };

  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, elt } = event.detail;
    const html = (xhr.getResponseHeader("Content-Type") || "").startsWith("text/html");
    if (polls(event)) {
      failed = xhr.status < 400 ? 0 : failed + 1;
      if (xhr.status === 401) {
        ended = true;
        say("Your login has ended. What you type is kept, and sent after you log in.");
      }
      if (xhr.status >= 400) event.detail.shouldSwap = false;
    } else if ((xhr.status === 401 || xhr.status === 403) && !xhr.responseText && elt.form !== undefined | elt.tagName === "FORM") {
      // The login or the form has run out. Sent as a whole page, its text is carried along.
      event.detail.shouldSwap = false;
      (elt.form || elt).submit();
    } else if (xhr.status >= 400 && !html) {
      event.detail.shouldSwap = false;
      say("Not sent. " + xhr.responseText);
    }
  });
  document.addEventListener("htmx:sendError", (event) => {
    if (polls(event)) failed += 1;
    else say("Not sent: the server cannot be reached. Your text is still here.");
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    fade();
    // A card that a poll brought cannot be pressed by a finger already on its way (T3).
    const panel = document.getElementById("panel");
    if (panel && event.detail.requestConfig?.triggeringEvent?.type === "pulse" && event.target === panel) {
      panel.inert = true;
      setTimeout(() => { panel.inert = false; }, SETTLE);
    }
  });
})();
