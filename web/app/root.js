/** The first page's folder: above this file, and above the bundle that this file becomes part of. */
export const root = new URL(/* @vite-ignore */ "..", import.meta.url).href;
