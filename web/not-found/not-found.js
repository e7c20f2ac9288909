// A host sends this page for any address, so that it does not know how far above the site begins. It asks each folder
// above for the site's manifest, and sets its links to the folder that has it.

try {
  const theme = localStorage.getItem("phasor theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the page follows the system.
}

/** @param {string} folder */
async function isRoot(folder) {
  try {
    const answer = await fetch(`${folder}manifest.webmanifest`);
    return answer.ok && /^phasor:/.test((await answer.json()).name);
  } catch {
    return false; // no manifest, or no network
  }
}

async function findRoot() {
  for (let end = 1; end > 0; end = location.pathname.indexOf("/", end) + 1) {
    const folder = location.pathname.slice(0, end);
    if (await isRoot(folder)) return folder;
  }
  return undefined;
}

async function setLinks() {
  const root = await findRoot();
  const base = document.documentElement.dataset.root ?? "/";
  for (const link of document.querySelectorAll("a")) {
    if (root)
      link.setAttribute("href", root + (link.getAttribute("href") ?? "").slice(base.length));
  }
  document.documentElement.dataset.settled = "true";
}

addEventListener("DOMContentLoaded", setLinks);
