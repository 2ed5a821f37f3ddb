import { statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { commandCode } from "../../config/command-code.ts";
import { fileBytes } from "../../config/file-bytes.ts";
import type { HookEntry } from "../../config/hook-entry.ts";
import { sha256 } from "../loading/hook-digest.ts";
import { sealOf } from "./seal.ts";
import type { SealedFile } from "./seal.ts";

/**
 * Holds the scripts of a command against its seal, right before they are run: a service reads its seal once, and a
 * command reads its script each time.
 * @returns undefined for a command that is not of a sealed set; else what says why it must not run, if it must not
 */
export function sealedCommand({
  handler,
  baseDir,
  files = [],
}: Pick<HookEntry, "handler" | "baseDir" | "files">): (() => string | undefined) | undefined {
  if (handler.kind !== "shell") return undefined;
  const seal = sealOf(baseDir);
  if (!seal) return undefined;
  const nameOf = (file: string): string => relative(baseDir, file).replaceAll(sep, "/");
  const code = commandCode(handler, baseDir);
  const scripts = [...code.files, ...code.besides].map(nameOf);
  const listed = files.map((file) => nameOf(join(baseDir, file)));
  const isListed = (name: string): boolean =>
    listed.some((path) => path === "" || name === path || name.startsWith(`${path}/`));
  const names = new Set([...scripts, ...[...seal.files.keys()].filter(isListed)]);
  const checked = [...names].map(
    (name) => new CheckedFile(join(baseDir, name), seal.files.get(name)),
  );
  return () => {
    const changed = checked.find((file) => !file.isSealed());
    if (!seal.isWhole || changed) {
      const what = changed
        ? `${nameOf(changed.path)} is not what was sealed`
        : "its list is damaged";
      return `ORCS8010: the copy of what was trusted, ${dirname(baseDir)}, cannot be used: ${what}`;
    }
    return undefined;
  };
}

/** A file that changed so recently may change again without looking any different. */
const RACY_NS = 100_000_000n;

/** A file of a copy, hashed again whenever it looks different. */
class CheckedFile {
  readonly path: string;
  readonly #sealed: SealedFile | undefined;
  #looks: string | undefined;

  constructor(path: string, sealed: SealedFile | undefined) {
    this.path = path;
    this.#sealed = sealed;
  }

  isSealed(): boolean {
    try {
      const found = statSync(this.path, { bigint: true, throwIfNoEntry: false });
      // What was sealed and is gone; or what was not, and is there now.
      if (!found || !this.#sealed) return !found && !this.#sealed;
      const { dev, ino, size, mtimeNs, ctimeNs } = found;
      const looks = [dev, ino, size, mtimeNs, ctimeNs].join(" ");
      if (looks === this.#looks) return true;
      if (sha256(fileBytes(this.path)) !== this.#sealed.hash) return false;
      const isSettled = BigInt(Date.now()) * 1_000_000n - ctimeNs > RACY_NS;
      this.#looks = isSettled ? looks : undefined;
      return true;
    } catch {
      return false;
    }
  }
}
