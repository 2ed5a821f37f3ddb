import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The single modules of a build: what ships is one file, in which the VM cannot be watched.

const root = pathToFileURL(createRequire(import.meta.url).resolve("orcs/package.json"));

/** A module of `build/`. */
export async function built(path: string): Promise<unknown> {
  return import(new URL(`build/${path}`, root).href);
}

export const { createOrcs, OrcsError, POINT_TABLE } = (await built(
  "index.js",
)) as typeof import("orcs");
