import { statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileBytes, sha256 } from "../../machine/index.ts";
import { commandCode } from "../command-code.ts";
import type { HookEntry } from "../hook-entry.ts";
import { type CommandLine, commandOf } from "../handlers.ts";
import { messageOf, orUndefined } from "../../core/index.ts";
import { isSeal, type SealedFile, sealOf } from "./seal.ts";

/**
 * Compares the scripts of a command with their seal right before they run: a service reads its seal once, but a command
 * reads its script at each run.
 * @returns undefined for a command that is not in a sealed set; otherwise a function that returns the reason why it
 * must not run, if any
 */
export function sealedCommand(
  entry: Pick<HookEntry, "handler" | "baseDir" | "files">,
): (() => string | undefined) | undefined {
  const { handler, baseDir } = entry;
  const command = commandOf(handler);
  if (!command || !isSeal(baseDir)) return undefined;
  let checked: ReturnType<typeof filesOf> | undefined;
  return () => {
    const where = `ORCS8010: the sealed copy ${dirname(baseDir)} cannot be used`;
    try {
      // Created at the first run: thousands of hooks can share a list. The name of the folder states the digest of the
      // list.
      checked ??= filesOf({ ...entry, command }, sealOf(baseDir));
    } catch (thrown) {
      return `${where}: ${messageOf(thrown)}`;
    }
    const changed = checked.find((file) => !file.isSealed());
    return (
      changed && `${where}: ${relative(baseDir, changed.path)} differs from the sealed content`
    );
  };
}

function filesOf(
  { command, baseDir, files = [] }: Pick<HookEntry, "baseDir" | "files"> & { command: CommandLine },
  sealed: ReadonlyMap<string, SealedFile>,
) {
  const nameOf = (file: string): string => relative(baseDir, file).replaceAll(sep, "/");
  const code = commandCode(command, baseDir);
  const scripts = [...code.files, ...code.besides].map(nameOf);
  const listed = files.map((file) => nameOf(join(baseDir, file)));
  const isListed = (name: string): boolean =>
    listed.some((path) => path === "" || name === path || name.startsWith(`${path}/`));
  const names = new Set([...scripts, ...[...sealed.keys()].filter(isListed)]);
  return [...names].map((name) => checkedFile(join(baseDir, name), sealed.get(name)));
}

/** A file changed less than this many nanoseconds ago can change again without a different timestamp. */
const RACY_NS = 100_000_000n;

/** A file of a copy, hashed again whenever its metadata differs. */
function checkedFile(path: string, sealed: SealedFile | undefined) {
  let known: string | undefined;
  const look = (): boolean => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    // A sealed file is missing, or an unsealed file exists.
    if (!found || !sealed) return !found && !sealed;
    const { dev, ino, size, mtimeNs, ctimeNs } = found;
    const looks = [dev, ino, size, mtimeNs, ctimeNs].join(" ");
    if (looks === known) return true;
    if (sha256(fileBytes(path)) !== sealed.hash) return false;
    const isSettled = BigInt(Date.now()) * 1_000_000n - ctimeNs > RACY_NS;
    known = isSettled ? looks : undefined;
    return true;
  };
  return { path, isSealed: () => orUndefined(look) ?? false };
}
