// Comfort only: everything works without this file.
"use strict";

const $ = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const cards = () => all(".card");
const said = $(".said");
let quiet;

function say(text) {
  said.textContent = text;
  said.classList.add("shown");
  clearTimeout(quiet);
  quiet = setTimeout(() => said.classList.remove("shown"), 1600);
}

async function copy(text) {
  const { copied, copyFailed } = document.body.dataset;
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(await text);
    else copyBySelection(await text); // plain http on another machine has no clipboard
    say(copied);
  } catch {
    say(copyFailed);
  }
}

function copyBySelection(text) {
  const box = document.createElement("textarea");
  box.value = text;
  box.className = "hidden";
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  if (!done) throw new Error("not copied");
}

async function fetchText(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(answer.status);
  return answer.text();
}

function current() {
  return document.activeElement.closest?.(".card") ?? null;
}

function step(by) {
  const list = cards();
  if (!list.length) return;
  const at = list.indexOf(current());
  const next = list[Math.min(list.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
  $(".title", next).focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

function copyBibtex() {
  const button = $("[data-copy]", current() ?? document.createElement("i")) ?? $("[data-copy-from]");
  button?.click();
}

// A star is set where it stands; the form behind it does the same without this file.
async function star(button) {
  const form = new FormData(button.form);
  form.set(button.name, button.value);
  try {
    const answer = await fetch(button.formAction, { method: "POST", body: new URLSearchParams(form), redirect: "manual" });
    if (answer.type !== "opaqueredirect") throw new Error(answer.status);
    const set = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", set);
    button.formAction = set ? "/shelf/unstar" : "/shelf/star";
  } catch {
    say(document.body.dataset.starFailed);
  }
}

const keys = {
  "/": () => { $("#q").focus(); $("#q").select(); },
  j: () => step(1),
  k: () => step(-1),
  o: () => current() && $(".title", current()).click(),
  x: () => current() && $(".unfold summary", current())?.click(),
  b: copyBibtex,
  s: () => ($(".star", current() ?? document.createElement("i")) ?? $(".out .star"))?.click(),
  "?": () => $("#keys").showModal(),
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
  if (event.key === "Escape" && typing) event.target.blur();
  if (typing || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || $("#keys").open) return;
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy], [data-copy-from], [data-open], .star");
  if (!button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (button.matches(".star")) star(button);
  else if (button.dataset.open) $(`#${button.dataset.open}`).showModal();
  else if (button.dataset.copyFrom) copy($(`#${button.dataset.copyFrom}`).textContent);
  else copy(fetchText(button.href));
});

// An abstract that fits needs no way to unfold it; a formula that does not can be reached and scrolled by keys.
function tidy() {
  for (const wide of all(".formula")) {
    if (wide.scrollWidth > wide.clientWidth && !wide.closest("a")) wide.tabIndex = 0;
    else wide.removeAttribute("tabindex");
  }
  for (const abstract of all(".abstract.fold")) {
    const more = $(".unfold", abstract.closest(".card"));
    if (more && !more.open) more.hidden = abstract.scrollHeight <= abstract.clientHeight + 2;
  }
}

function ready() {
  for (const button of all("button[hidden]")) button.hidden = false;
  tidy();
}

ready();
addEventListener("resize", tidy);
