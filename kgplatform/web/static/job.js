"use strict";
// Asks how a job stands, shows it, and loads the page anew when the job has ended.
const job = document.querySelector("[data-job]");
const stage = job.querySelector("[role=status]");
const spelt = new Intl.NumberFormat("en");

function show(stands) {
  if (stage.textContent !== stands.stage) stage.textContent = stands.stage;
  for (const figure of job.querySelectorAll("[data-figure]")) {
    const count = stands[figure.dataset.figure] || 0;
    figure.hidden = !count;
    figure.querySelector(".count").textContent = spelt.format(count);
  }
}

async function look() {
  try {
    const reply = await fetch(job.dataset.job, { headers: { Accept: "application/json" } });
    if (reply.ok) {
      const stands = await reply.json();
      if (stands.has_ended) { window.location.reload(); return; }
      show(stands);
    } else if (reply.status < 500) { window.location.reload(); return; }
  } catch { /* the server is away for a moment */ }
  setTimeout(look, 1000);
}
setTimeout(look, 500);
