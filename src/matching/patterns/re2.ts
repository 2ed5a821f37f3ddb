import { createRequire } from "node:module";
import { lazyConstant } from "../../core/index.ts";

/** The package re2js. It is loaded with the first pattern: it is large, and most processes compile none. */
export const re2 = lazyConstant(
  () => createRequire(import.meta.url)("re2js") as typeof import("re2js"),
);
