import { messageOf } from "../core/errors.ts";
import { isPlainObject } from "../core/json.ts";
import type { Json } from "../core/json.ts";
import { toJson } from "../core/to-json.ts";

/** Version of `{ "version", "component", "saved_at", "snapshot" }`. */
const VERSION = 1;

/**
 * The contents of a file from which `readSnapshot` gives the snapshot back.
 * @throws NotJson when the snapshot is not JSON
 */
export function writtenSnapshot(component: string, snapshot: Json): Buffer {
  const checked = toJson(snapshot, undefined, ["snapshot"]);
  const saved_at = new Date().toISOString();
  const file = { version: VERSION, component, saved_at, snapshot: checked };
  return Buffer.from(`${JSON.stringify(file)}\n`);
}

/** The snapshot of a component in a file's contents, or what is wrong with them. */
export function readSnapshot(
  bytes: Uint8Array,
  component: string,
): { readonly snapshot: Json } | { readonly wrong: string } {
  let found: unknown;
  try {
    found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // Without the parser's own words, which quote what it has read.
    return { wrong: "it is not valid JSON" };
  }
  if (!isPlainObject(found)) return { wrong: "it is no object" };
  const { version, component: whose, snapshot } = found;
  if (version !== VERSION) return { wrong: `its version is ${shown(version)} and not ${VERSION}` };
  if (whose !== component) return { wrong: `it is that of ${shown(whose)}` };
  if (snapshot === undefined) return { wrong: "there is no snapshot in it" };
  try {
    return { snapshot: toJson(snapshot, undefined, ["snapshot"]) };
  } catch (thrown) {
    return { wrong: cut(messageOf(thrown)) };
  }
}

function shown(value: unknown): string {
  return value === undefined ? "not given" : cut(JSON.stringify(value));
}

function cut(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
