import { isUtf8 } from "node:buffer";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { messageOf, OrcsError } from "../core/errors.ts";

/** One file as it is and as it is to be. */
export interface FileChange {
  /** As people see it. */
  readonly path: string;
  /** Absolute; what a link leads to, when it is one. */
  readonly file: string;
  /** Undefined when there is no file yet. */
  readonly before: string | undefined;
  readonly after: string;
}

/** What becomes of a file. */
export type FileStatus = "created" | "changed" | "unchanged";

/**
 * What a file is to become.
 * @param make gives its text, of what it holds now; undefined when there is no file yet
 * @throws OrcsError ORCS5002 when what is there cannot be read or is no file, and what `make` throws
 */
export function fileChange(
  path: string,
  file: string,
  make: (before: string | undefined) => string,
): FileChange {
  const before = textOf(path, file);
  const real = before === undefined ? file : realpathSync(file);
  return { path, file: real, before, after: make(before) };
}

/** What a change comes to. */
export function statusOf({ before, after }: FileChange): FileStatus {
  if (before === undefined) return "created";
  return before === after ? "unchanged" : "changed";
}

/** The text of a file; undefined when there is none. @throws OrcsError ORCS5002 */
export function textOf(path: string, file: string): string | undefined {
  try {
    // A pipe or a device would be waited for.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) {
      throw new Error("it is no regular file");
    }
    const bytes = readFileSync(file);
    if (!isUtf8(bytes)) throw new Error("it is not UTF-8");
    return bytes.toString("utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw new OrcsError("ORCS5002", `cannot read ${path}: ${messageOf(thrown)}`, { path });
  }
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
