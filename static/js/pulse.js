// When to ask the server whether anything has changed: often while someone looks, seldom while
// nobody does, never while the page is hidden. It only says "pulse"; elements listen with
// hx-trigger="pulse from:body". It also keeps typed text safe from answers that are no page.
"use strict";
(() => {
  const FAST = 2000, SLOW = 5000, LOOKING = 60000, SETTLE = 1000;
  let active = Date.now(), asked = 0, failed = 0, ended = false;

  const pace = () => (Date.now() - active < LOOKING ? FAST : SLOW) * 2 ** Math.min(failed, 4);
  const reading = () => !document.getSelection().isCollapsed;
  const beat = () => {
    if (ended || document.hidden || reading() || Date.now() - asked < pace()) return;
    asked = Date.now();
    document.body.dispatchEvent(new Event("pulse"));
  };
  const wake = () => { active = Date.now(); };
  for (const name of ["pointermove", "keydown", "scroll", "focus"]) {
    addEventListener(name, wake, { passive: true });
  }
  document.addEventListener("visibilitychange", () => { wake(); asked = 0; beat(); });
  setInterval(beat, 250);

  const say = (words) => {
    const place = document.querySelector("#notice, #news");
    if (place) place.textContent = words;
  };
  const loggedOut = () => {
    ended = true;
    say("Your login has ended. What you type is kept, and sent after you have logged in.");
  };
  const asker = (event) => event.detail.requestConfig.elt;
  const polls = (event) => asker(event).id === "since";

  const polled = (event, status) => {
    failed = status < 400 ? 0 : failed + 1;
    if (status >= 400) event.detail.shouldSwap = false;
    if (status === 401) loggedOut();
  };
  const answered = (event, xhr) => {
    const form = asker(event).closest("form");
    const isPage = (xhr.getResponseHeader("Content-Type") || "").startsWith("text/html");
    if (xhr.status < 400 || (isPage && xhr.responseText)) return;
    event.detail.shouldSwap = false;
    // The login or the form has run out. Sent as a whole page, its text is carried along.
    if (form && (xhr.status === 401 || xhr.status === 403)) form.submit();
    else if (xhr.status === 401) loggedOut();
    else say(`Not sent. ${xhr.responseText}`);
  };
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr } = event.detail;
    if (polls(event)) polled(event, xhr.status);
    else answered(event, xhr);
  });
  document.addEventListener("htmx:sendError", (event) => {
    if (polls(event)) failed += 1;
    else say("Not sent: the server cannot be reached. Your text is still here.");
  });

  // Someone answered it elsewhere: the row stays where it is, faded, so that nothing moves.
  const fade = () => {
    const open = document.getElementById("since")?.dataset.open;
    if (open === undefined || open === "-") return;
    const still = new Set(open.split(" "));
    for (const row of document.querySelectorAll("#waiting .row")) {
      row.parentElement.classList.toggle("gone", !still.has(row.pathname));
    }
  };
  // A card that a poll brought cannot be pressed by a finger already on its way (T3).
  const settle = () => {
    const panel = document.getElementById("panel");
    panel.inert = true;
    setTimeout(() => { panel.inert = false; }, SETTLE);
  };
  document.addEventListener("htmx:oobAfterSwap", (event) => {
    if (event.detail.target.id === "panel") settle();
  });
  document.addEventListener("htmx:afterSettle", fade);
})();
