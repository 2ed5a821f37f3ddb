import { relative, sep } from "node:path";

/** Where a value stands in a configuration: keys, and indices that count from 0. */
export type KeyPath = readonly (string | number)[];

/** A path as people write it: `hooks[0].match.tool`; a key that is not a bare one is quoted. */
export function pathText(path: KeyPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += `${text === "" ? "" : "."}${bare(step)}`;
  }
  return text;
}

/** The last key of a path with the indices after it: `capabilities[1]`. */
export function lastKeyText(path: KeyPath): string {
  const at = path.findLastIndex((step) => typeof step === "string");
  return pathText(path.slice(Math.max(at, 0)));
}

/** A path as it is shown to people: relative when it is in the working directory. */
export function shownFile(file: string, cwd: string): string {
  const short = relative(cwd, file);
  if (short === "") return ".";
  return short === ".." || short.startsWith(`..${sep}`) ? file : short;
}

function bare(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}
