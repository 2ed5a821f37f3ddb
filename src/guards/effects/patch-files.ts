import type { EffectKind } from "../../core/index.ts";
import type { EffectDetails } from "./effect-list.ts";

/** A file that a patch names. */
export interface PatchFile {
  readonly path: string;
  /** `leave`: it gets another name. */
  readonly verb: "add" | "delete" | "leave" | "update" | "move";
  /** False: it depends on how the patch is applied whether this is its name. */
  readonly sure: boolean;
}

const HEADERS: Readonly<Record<string, PatchFile["verb"]>> = {
  add: "add",
  delete: "delete",
  update: "update",
  "move to": "move",
};

/** Whether a text looks like a patch: of apply_patch, or a unified diff. */
export function isPatch(text: string): boolean {
  return (
    text.includes("*** Begin Patch") ||
    /(?:^|\n)\s*\*\*\*\s*[A-Za-z]+ [Ff]ile\s*:/.test(text) ||
    ((text.startsWith("--- ") || text.includes("\n--- ")) && text.includes("\n+++ ")) ||
    text.startsWith("diff --git ")
  );
}

/**
 * The files that a patch touches: in headers of apply_patch (`*** Update File: x`) and of unified diffs (`+++ b/x`). A
 * line that only looks like a header counts as well: for a guard, an extra file is safer than a missed one.
 */
export function patchFiles(text: string): readonly PatchFile[] {
  const found: PatchFile[] = [];
  /** The file of `---`, until `+++` says what becomes of it. */
  let old: string | undefined;
  let isNew = false;
  const add = (path: string, verb: PatchFile["verb"]): void => {
    if (path === "") return;
    // `git apply` and `patch -p1` leave out the first folder of the name.
    const short = /^[a-z]\/(.+)$/.exec(path)?.[1];
    if (short !== undefined) found.push({ path: short, verb, sure: true });
    found.push({ path, verb, sure: short === undefined });
  };
  const settle = (verb: PatchFile["verb"]): void => {
    if (old !== undefined) add(old, verb);
    old = undefined;
  };
  for (const line of text.split(/[\r\n]+/)) {
    const [, header = "", name = ""] =
      /^\s*\*\*\*\s*([A-Za-z][A-Za-z ]*?)\s*:(.*)$/.exec(line) ?? [];
    const verb = HEADERS[header.toLowerCase().replace(/\s+file$/, "")];
    if (verb !== undefined && name.trim() !== "")
      found.push({ path: name.trim(), verb, sure: true });
    const sign = /^(?:([-+])[-+]{2}\s+|((?:rename|copy) (?:from|to)) )(.*)$/.exec(line);
    if (!sign) continue;
    const [, mark, words, rest = ""] = sign;
    const path = diffName(rest);
    if (words !== undefined) {
      if (path !== undefined) add(path, VERB_OF[words] ?? "update");
    } else if (mark === "-") {
      settle("update");
      old = path;
      isNew = path === undefined;
    } else {
      settle(path === undefined ? "delete" : "update");
      if (path !== undefined) add(path, isNew ? "add" : "update");
    }
  }
  settle("update");
  return found;
}

/** List what a patch does. */
export function patchEffects(
  text: string,
  add: (kind: EffectKind, path: string, details: EffectDetails) => void,
): void {
  for (const { path, verb, sure } of patchFiles(text)) {
    const isGone = verb === "delete" || verb === "leave";
    // The lines around a change are part of the patch, so they are known to whoever wrote it.
    if (verb !== "add" && verb !== "delete") add("read", path, { sure: verb !== "move" && sure });
    add(isGone ? "remove" : "write", path, { sure, ...(isGone && { unfollowed: true }) });
  }
}

const VERB_OF: Readonly<Record<string, PatchFile["verb"]>> = {
  "rename from": "leave",
  "rename to": "move",
  "copy from": "update",
  "copy to": "move",
};

/** The name in a header of a diff, without quotes and timestamp; undefined for no file. */
function diffName(text: string): string | undefined {
  const name = text.replace(/\t.*$/, "").trim();
  const bare = /^"(.*)"$/.exec(name)?.[1] ?? name;
  return bare === "/dev/null" ? undefined : bare;
}
