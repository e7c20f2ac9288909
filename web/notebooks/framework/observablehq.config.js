export default {
  title: "Where a word is",
  root: "src",
  theme: "dashboard",
  globalStylesheets: [], // the fonts at hand: a built page asks no other host for anything
  sidebar: false,
  pager: false,
  toc: false,
};
