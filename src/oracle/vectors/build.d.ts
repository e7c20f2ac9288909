/** What the build puts in place: the package's version, and files as texts. */
declare const PHASOR_VERSION: string;

declare module "*.py" {
  const text: string;
  export default text;
}
declare module "*.rs" {
  const text: string;
  export default text;
}
declare module "*.swift" {
  const text: string;
  export default text;
}
declare module "*.cc" {
  const text: string;
  export default text;
}
declare module "*.txt" {
  const text: string;
  export default text;
}
