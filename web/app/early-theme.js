// The theme that the reader has chosen, before the page is drawn. web/app/theme.js sets it.
try {
  const theme = localStorage.getItem("phasor theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the page follows the system.
}

// A browser runs the modules of a page from a server only.
if (location.protocol === "file:") {
  addEventListener("DOMContentLoaded", () =>
    document.body.prepend("This page needs a server: see README.txt."),
  );
}
