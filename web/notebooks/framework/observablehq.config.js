export default {
  title: "Where a word stands",
  root: "src",
  theme: "dashboard",
  globalStylesheets: [], // the fonts at hand: a built page asks no other host for anything
  sidebar: false,
  pager: false,
  toc: false,
};
