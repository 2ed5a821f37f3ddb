import { CONFIG_NAME } from "../../config/index.ts";
import { BUNDLE_LIMITS } from "./limits.ts";

/** Kinds of files that a bundle may contain: Lua, and data that no system runs. */
const DATA = /\.(lua|json|md|toml|txt)$/;
const PART = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
/** Names that Windows reserves for devices, with any ending. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * Why a file of this name cannot be in a bundle; undefined if it can. Names are portable: parts of ASCII letters,
 * digits, `_`, `-` and `.` with `/` between them, none of which begins with a dot. So no name leads out of a folder,
 * and none means something else on another file system.
 */
export function nameProblem(name: string): string | undefined {
  if (name.length > BUNDLE_LIMITS.name) return `is longer than ${BUNDLE_LIMITS.name} characters`;
  if (
    !name.split("/").every((part) => PART.test(part) && !part.endsWith(".") && !DEVICE.test(part))
  )
    return "is not a portable path: letters, digits, _, - and ., and / between its parts";
  if (!DATA.test(name)) return "is neither Lua nor data (.lua, .json, .md, .toml, .txt)";
  return undefined;
}

/** Why these files cannot be in one bundle together, in this order; undefined if they can. */
export function listProblem(names: readonly string[]): string | undefined {
  if (names.length > BUNDLE_LIMITS.files) return `it has more than ${BUNDLE_LIMITS.files} files`;
  if (!names.includes(CONFIG_NAME)) return `it has no ${CONFIG_NAME}`;
  const folders = new Set<string>();
  const files = new Set<string>();
  let last = "";
  for (const name of names) {
    const problem = nameProblem(name);
    if (problem !== undefined) return `${JSON.stringify(name.slice(0, 300))} ${problem}`;
    if (name === last) return `${name} is listed twice`;
    if (name < last) return "its files are not sorted by name";
    last = name;
    // Two names that differ in case only are one file on some systems.
    const folded = name.toLowerCase();
    if (files.has(folded)) return `${name} differs from another name only in case`;
    files.add(folded);
    const parts = folded.split("/");
    for (let n = 1; n < parts.length; n++) folders.add(parts.slice(0, n).join("/"));
  }
  const both = [...files].find((name) => folders.has(name));
  return both === undefined ? undefined : `${both} is a file and a folder`;
}
