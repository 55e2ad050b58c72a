"use strict";
// Draws `data-graph` of each canvas: the path of an answer, or an entity with neighbours that unfold on click.
// The page says the same in lists; without this script nothing is missing but the drawing.

function colours() {
  const style = getComputedStyle(document.documentElement);
  const token = (name) => style.getPropertyValue("--" + name).trim();
  return {
    ink: token("ink"), soft: token("ink-soft"), line: token("line-strong"), card: token("card"),
    accent: token("accent"), accentInk: token("accent-ink"), accentSoft: token("accent-soft"), sunk: token("sunk"), amber: token("amber"),
    font: token("ui"),
  };
}

const ruler = document.createElement("canvas").getContext("2d");
const WIDEST = 140;
const LEAST = 0.5; // the size of letters, of their usual size, below which a path is not drawn
const FEW = 12; // nodes that are placed by hand

function size(node) {
  ruler.font = "600 14px " + colours().font;
  const width = ruler.measureText(node.data("label")).width;
  return { width: Math.max(16, Math.min(width, WIDEST)), height: 18 * Math.max(1, Math.ceil(width / WIDEST)) };
}

function look() {
  const c = colours();
  return [
    { selector: "node", style: {
      "label": "data(label)", "shape": "round-rectangle", "width": (n) => size(n).width, "height": (n) => size(n).height, "padding": "9px",
      "background-color": c.accentSoft, "border-width": 1, "border-color": c.accent, "color": c.ink,
      "font-family": c.font, "font-size": 14, "text-valign": "center", "text-halign": "center",
      "text-wrap": "wrap", "text-max-width": "140px" } },
    { selector: "node[kind = 'marked']", style: { "background-color": c.accent, "color": c.accentInk, "font-weight": "bold" } },
    { selector: "node[kind = 'value']", style: { "background-color": c.sunk, "border-color": c.line, "border-style": "dashed" } },
    { selector: "node[kind = 'more']", style: { "background-color": c.card, "border-color": c.line, "border-style": "dashed", "color": c.soft } },
    { selector: "node.unfolded", style: { "border-width": 2 } },
    { selector: "node.here", style: { "border-width": 4, "border-color": c.amber, "border-style": "solid" } },
    { selector: "edge", style: {
      "label": "data(label)", "curve-style": "bezier", "width": 1.5, "line-color": c.line, "target-arrow-color": c.line,
      "target-arrow-shape": "triangle", "arrow-scale": 0.9, "font-family": c.font, "font-size": 12, "color": c.soft,
      "text-background-color": c.card, "text-background-opacity": 1, "text-background-padding": "3px",
      "text-rotation": "none" } },
  ];
}

function elements(graph) {
  return [...graph.nodes.map((data) => ({ group: "nodes", data })), ...graph.edges.map((data) => ({ group: "edges", data }))];
}

// A path: by the number of steps from one of its ends, from left to right, or downwards where there is no room.
function steps(cy, isNarrow) {
  const ends = cy.nodes().filter((n) => n.connectedEdges().length < 2);
  const marked = ends.filter("[kind = 'marked']");
  const rows = [];
  const seen = new Set();
  let layer = [(marked.nonempty() ? marked : ends.nonempty() ? ends : cy.nodes())[0]];
  while (seen.size < cy.nodes().length) {
    if (!layer.length) layer = [cy.nodes().filter((n) => !seen.has(n.id()))[0]];
    layer.forEach((n) => seen.add(n.id()));
    rows.push(layer);
    const next = new Map();
    layer.forEach((n) => n.neighborhood("node").forEach((m) => { if (!seen.has(m.id())) next.set(m.id(), m); }));
    layer = [...next.values()];
  }
  const places = {};
  rows.forEach((row, depth) => row.forEach((n, place) => {
    const across = (place - (row.length - 1) / 2) * (isNarrow ? 170 : 64);
    places[n.id()] = isNarrow ? { x: across, y: depth * 84 } : { x: depth * 250, y: across };
  }));
  return { name: "preset", positions: (n) => places[n.id()] };
}

function ring(cy, canvas) {
  const others = cy.nodes("[kind != 'marked']");
  const places = {};
  cy.nodes("[kind = 'marked']").forEach((n) => { places[n.id()] = { x: 0, y: 0 }; });
  others.forEach((n, place) => {
    const angle = (2 * Math.PI * place) / others.length - Math.PI / 2;
    places[n.id()] = { x: Math.cos(angle) * Math.max(canvas.clientWidth * 0.34, 150), y: Math.sin(angle) * Math.max(canvas.clientHeight * 0.42, 130) };
  });
  return { name: "preset", positions: (n) => places[n.id()] };
}

function arrange(cy, canvas, isPath, hasGrown) {
  const isNarrow = canvas.clientWidth < 560;
  const count = cy.nodes().length;
  const layout = (isPath && count <= FEW) || (!hasGrown && count <= 3) ? steps(cy, isNarrow)
    : !isPath && !hasGrown && count <= 18 ? ring(cy, canvas)
    : { name: "cose", nodeRepulsion: () => 160000, idealEdgeLength: () => 70, nodeOverlap: 30, numIter: 2000, randomize: false };
  cy.layout({ ...layout, animate: false }).run();
  if (layout.name === "cose") widen(cy, canvas.clientWidth / canvas.clientHeight);
  fit(cy);
}

// Forces spread things evenly in all directions; the canvas is wider than high, or higher than wide.
function widen(cy, wanted) {
  const { w, h } = cy.nodes().boundingBox({ includeLabels: false });
  const by = Math.min(2.2, Math.max(0.6, (wanted * h) / w));
  cy.nodes().positions((n) => ({ x: n.position("x") * by, y: n.position("y") }));
}

function fit(cy) {
  cy.fit(undefined, 28);
  if (cy.zoom() > 1.15) { cy.zoom(1.15); cy.center(); }
}

// The nearest node that lies in the direction of an arrow key, within half a right angle; none if there is none.
function towards(cy, from, key) {
  const turn = { ArrowRight: 0, ArrowDown: Math.PI / 2, ArrowLeft: Math.PI, ArrowUp: -Math.PI / 2 }[key];
  const { x, y } = from.position();
  let best = null;
  let least = Infinity;
  cy.nodes().forEach((node) => {
    const dx = node.position("x") - x;
    const dy = node.position("y") - y;
    const along = dx * Math.cos(turn) + dy * Math.sin(turn);
    const aside = Math.abs(dy * Math.cos(turn) - dx * Math.sin(turn));
    if (along > 1 && aside <= along * 1.001 && along + 2 * aside < least) { least = along + 2 * aside; best = node; }
  });
  return best;
}

function draw(canvas) {
  const graph = JSON.parse(canvas.dataset.graph);
  const unfold = canvas.dataset.unfold;
  const figure = canvas.closest(".drawing");
  const picked = figure.querySelector(".picked");
  const isMouse = matchMedia("(pointer: fine)").matches; // a finger on the drawing scrolls the page
  figure.classList.add("is-drawn");
  figure.classList.toggle("is-short", graph.nodes.length <= (unfold ? 3 : 5));
  figure.classList.toggle("can-zoom", graph.nodes.length > FEW);
  const cy = cytoscape({
    container: canvas, elements: elements(graph), style: look(), minZoom: 0.2, maxZoom: 2,
    userZoomingEnabled: false, boxSelectionEnabled: false, autounselectify: true, userPanningEnabled: isMouse, autoungrabify: !isMouse,
  });
  let hasGrown = false;
  let here = null;
  arrange(cy, canvas, !unfold, hasGrown);
  if (!unfold && cy.zoom() < LEAST) { // too small to read; the list says it all
    figure.classList.remove("is-drawn");
    return;
  }

  function name(node) {
    picked.textContent = "";
    if (!node.data("href")) { picked.textContent = node.data("label"); return; }
    const link = document.createElement("a");
    link.href = node.data("href");
    link.textContent = "Open " + node.data("label");
    picked.append(link);
  }

  function go(node) {
    if (here) here.removeClass("here");
    here = node;
    here.addClass("here");
    name(here);
  }

  async function follow(node) {
    if (!node.data("href")) return;
    if (!unfold || node.data("kind") === "more") { window.location.assign(node.data("href")); return; }
    name(node);
    if (node.hasClass("unfolded")) return;
    node.addClass("unfolded");
    const reply = await fetch(unfold + "?" + new URLSearchParams({ iri: node.id() }), { headers: { Accept: "application/json" } }).catch(() => null);
    if (!reply || !reply.ok) {
      node.removeClass("unfolded");
      picked.textContent = "What " + node.data("label") + " is related to could not be loaded.";
      return;
    }
    for (const each of elements(await reply.json())) {
      if (each.group === "nodes" && each.data.kind === "marked") each.data.kind = "entity";
      if (cy.getElementById(each.data.id).empty()) {
        if (each.group === "nodes") each.position = { ...node.position() };
        cy.add(each);
      }
    }
    hasGrown = true;
    figure.classList.replace("is-short", "is-grown") || figure.classList.add("is-grown");
    figure.classList.toggle("can-zoom", cy.nodes().length > FEW);
    cy.resize();
    arrange(cy, canvas, false, hasGrown);
  }

  cy.on("tap", "node", (event) => follow(event.target));
  cy.on("tap", "edge", (event) => {
    const { label, when } = event.target.data();
    picked.textContent = when ? label + ", " + when : label;
  });
  canvas.addEventListener("focus", () => { if (canvas.matches(":focus-visible")) go(here || cy.nodes("[kind = 'marked']")[0] || cy.nodes()[0]); });
  canvas.addEventListener("blur", () => { if (here) here.removeClass("here"); });
  canvas.addEventListener("keydown", (event) => {
    if (!here || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      const next = towards(cy, here, event.key);
      if (next) go(next);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      follow(here);
    }
  });
  figure.querySelectorAll("[data-zoom]").forEach((button) => button.addEventListener("click", () => {
    if (button.dataset.zoom === "fit") { fit(cy); return; }
    cy.zoom({ level: cy.zoom() * Number(button.dataset.zoom), renderedPosition: { x: canvas.clientWidth / 2, y: canvas.clientHeight / 2 } });
  }));

  if (unfold) cy.nodes("[kind = 'marked']").addClass("unfolded");
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => cy.style(look()));
  let width = canvas.clientWidth;
  new ResizeObserver(() => {
    if (Math.abs(canvas.clientWidth - width) < 40) return;
    width = canvas.clientWidth;
    cy.resize();
    arrange(cy, canvas, !unfold, hasGrown);
  }).observe(canvas);
  canvas.dataset.drawn = String(cy.nodes().length);
  cy.on("add remove", () => { canvas.dataset.drawn = String(cy.nodes().length); });
}

document.querySelectorAll("[data-graph]").forEach(draw);
