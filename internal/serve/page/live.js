// Follows a campaign while it is measured: when the server says that it has changed, what the page
// shows is replaced by what it would show if it were loaded anew. What the reader has opened stays
// open, and where the page is scrolled to stays there.
"use strict";
{
const state = Object.assign(document.createElement("p"), {className: "live", role: "status"});
document.querySelector("nav.site").append(state);
const say = text => { if (state.textContent !== text) state.textContent = text; };
const opened = () => new Set([...document.querySelectorAll("details[open]")].map(d => d.closest("section")?.id || d.firstElementChild.textContent));

async function show() {
  const answer = await fetch(location.pathname, {cache: "no-cache"});
  if (!answer.ok) return say("This campaign cannot be read now.");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html"), open = opened();
  for (const part of ["header", "div.page", "section.progress"]) document.querySelector(part)?.replaceWith(page.querySelector(part) ?? "");
  for (const d of document.querySelectorAll("details")) d.open = open.has(d.closest("section")?.id || d.firstElementChild.textContent);
  document.title = page.title;
  dispatchEvent(new Event("weir-drawn"));
  const live = Boolean(page.body.dataset.live);
  say((live ? "As of " : "The measurement has ended. As of ") + new Date().toLocaleTimeString() + ".");
  if (live) return;
  ended = true;
  events.close();
}

const patience = 5000; // ms between two tries
const lost = () => say("The server does not answer; trying again.");
const address = document.body.dataset.live;
let events, ended = false, busy = false, again = false;

// changed shows the page anew, and once more where it has changed meanwhile.
async function changed() {
  again = true;
  if (busy) return;
  busy = true;
  while (again) {
    again = false;
    await show().catch(() => { lost(); setTimeout(changed, patience); });
  }
  busy = false;
}

// follow listens until nobody measures the campaign any more; an answer that is no stream of events ends a
// connection for good, so that another one is made. A page that nobody sees has none: a browser has only a few
// for all pages of a server.
function follow() {
  if (ended || document.hidden || events && events.readyState !== EventSource.CLOSED) return;
  events = new EventSource(address);
  events.addEventListener("changed", changed);
  events.addEventListener("gone", () => { ended = true; events.close(); say("This campaign is not in the store any more."); });
  events.onerror = () => {
    lost();
    if (events.readyState === EventSource.CLOSED) setTimeout(follow, patience);
  };
}
document.addEventListener("visibilitychange", () => document.hidden ? events?.close() : follow());
follow();
}
