import { homedir } from "node:os";
import type { ShellReader } from "../core/shell.ts";
import { createShellReader } from "../matchers/shell/reader.ts";

/** The reader of command lines of an engine: `~` is the home directory of whoever runs it, where there is one. */
export function shellReader(): ShellReader {
  return createShellReader({ home: home() });
}

function home(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    // The user has no entry, and `HOME` is not set.
    return undefined;
  }
}
