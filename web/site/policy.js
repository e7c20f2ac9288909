/**
 * The page's Content-Security-Policy: the one source for the server's header and the page's
 * `<meta http-equiv>`. WebAssembly needs `'wasm-unsafe-eval'`, pictures and downloads need `data:`
 * and `blob:`; the trusted-types policy `phasor` passes only the page's own worker addresses.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types phasor",
].join("; ");
