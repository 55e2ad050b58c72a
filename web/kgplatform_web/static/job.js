"use strict";
// Asks how a running job stands, and shows the page anew when it has ended.
const job = document.querySelector("[data-job]");
const elapsed = job.querySelector(".elapsed");
async function look() {
  const reply = await fetch(job.dataset.job, { headers: { Accept: "application/json" } });
  if (reply.ok) {
    const stands = await reply.json();
    elapsed.textContent = String(stands.seconds);
    if (stands.state !== "running") { window.location.reload(); return; }
  }
  setTimeout(look, 1000);
}
setTimeout(look, 1000);
