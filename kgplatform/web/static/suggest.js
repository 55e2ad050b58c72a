"use strict";
// Names under a search field while one types: the combobox of the ARIA practices, with a list to choose from.
// The field alone works without this script. What is chosen is opened; Enter without a choice sends the form.

const PATIENCE = 150; // milliseconds without a key before the server is asked

function suggesting(field) {
  const list = document.getElementById(field.id + "-names");
  const told = document.getElementById(field.id + "-told");
  let waiting = 0;
  let asking = new AbortController();
  let active = -1;

  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", list.id);
  field.setAttribute("aria-expanded", "false");

  function close() {
    clearTimeout(waiting);
    asking.abort();
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    choose(-1);
  }

  function choose(number) {
    if (active >= 0 && list.children[active]) list.children[active].setAttribute("aria-selected", "false");
    active = number;
    if (active < 0) {
      field.removeAttribute("aria-activedescendant");
      return;
    }
    const option = list.children[active];
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", option.id);
  }

  function part(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  function show(items) {
    choose(-1);
    list.replaceChildren(...items.map((item, number) => {
      const option = document.createElement("li");
      option.id = list.id + "-" + number;
      option.role = "option";
      option.setAttribute("aria-selected", "false");
      option.dataset.href = item.href;
      option.append(part("bdi", item.label));
      const more = [item.kind, item.matched === item.label ? "" : "also " + item.matched].filter(Boolean).join(", ");
      if (more) option.append(" ", part("span", more));
      return option;
    }));
    list.hidden = !items.length;
    field.setAttribute("aria-expanded", String(Boolean(items.length)));
    told.textContent = items.length ? items.length + (items.length === 1 ? " name" : " names") : "";
  }

  async function look() {
    const text = field.value.trim();
    asking.abort();
    if (!text) { show([]); return; }
    asking = new AbortController();
    const { signal } = asking;
    try {
      const reply = await fetch(field.dataset.suggest + "?" + new URLSearchParams({ q: text }), { headers: { Accept: "application/json" }, signal });
      const found = reply.ok ? (await reply.json()).items : [];
      if (!signal.aborted) show(document.activeElement === field ? found : []);
    } catch (error) {
      if (!signal.aborted) close(); // the server did not answer; the form still works
    }
  }

  function open(option) {
    close();
    window.location.assign(option.dataset.href);
  }

  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, PATIENCE);
  });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const last = list.children.length - 1;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) { clearTimeout(waiting); look(); return; }
      if (event.key === "ArrowDown") choose(active < last ? active + 1 : -1);
      else choose(active < 0 ? last : active - 1);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    } else if (event.key === "Enter" && !list.hidden && active >= 0) {
      event.preventDefault();
      open(list.children[active]);
    } else if (event.key === "Enter") {
      close();
    }
  });
  field.addEventListener("blur", close);
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) open(option);
  });
}

document.querySelectorAll("[data-suggest]").forEach(suggesting);
