import { dirname, isAbsolute, join, relative } from "node:path";
import { messageOf, OrcsError } from "../../core/errors.ts";
import { isFileInside } from "../file-inside.ts";
import { readScript } from "./read-script.ts";

/** A Lua file that was read. */
export interface FoundScript {
  /** Path from the working directory when it is inside, for messages. */
  readonly name: string;
  /** Where it stands. */
  readonly dir: string;
  readonly code: Uint8Array;
}

/**
 * A file that the program itself names, or that was found.
 * @throws OrcsError ORCS1009
 */
export function readNamedScript(path: string, cwd: string): FoundScript {
  try {
    return found(path, cwd);
  } catch (thrown) {
    throw new OrcsError("ORCS1009", `the script cannot be read: ${messageOf(thrown)}`, {
      file: path,
    });
  }
}

/**
 * A file that a script names: under one of the roots, in their order. A path or a link that leads out of
 * its root is passed over.
 * @throws OrcsError ORCS1009
 */
export function findScript(path: string, roots: readonly string[], cwd: string): FoundScript {
  if (!isAbsolute(path) && !path.includes("\0")) {
    for (const root of roots) {
      const file = join(root, path);
      if (isFileInside(root, file)) return readNamedScript(file, cwd);
    }
  }
  const where = roots.map((root) => shown(root, cwd)).join(", ") || "any folder";
  throw new OrcsError(
    "ORCS1009",
    `the script ${JSON.stringify(path)} is not found under ${where}`,
    {
      file: path,
    },
  );
}

function found(file: string, cwd: string): FoundScript {
  return { name: shown(file, cwd), dir: dirname(file), code: readScript(file) };
}

function shown(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path === "" || path.startsWith("..") ? file : path;
}
