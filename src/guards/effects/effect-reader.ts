import type { CallReader, ShellReader, ShellReading, ShellReadOptions } from "../../core/index.ts";
import { resolvePath } from "../../matching/index.ts";
import { ScriptReader } from "../scripts/scripts.ts";
import { withEffects } from "./command-effects.ts";
import { anyShellReader } from "../windows/dialect.ts";
import { callEffects } from "./call-effects.ts";
import type { ReaderDeps } from "./call-reading.ts";
import { readingCall } from "./reading-call.ts";

/** Number of lines whose effects are kept, and their length together: several hooks ask about the same one. */
const KEPT_LINES = 32;
const KEPT_LENGTH = 256 * 1024;
/** How deep lines may run others through the scripts of editors and databases. */
const MOST_NESTED = 3;

/**
 * Create a reader of effects.
 * @param plain reads command lines; `shell` reads them with what each command does
 * @param root folder in which a call starts that names none
 * @param deps what the engine gives: without `files`, none is read; without `realPath`, none is a link
 */
export function createEffectReader(
  plain: ShellReader,
  root: string,
  {
    declared,
    files = { read: () => undefined },
    realPath = (path, cwd) => resolvePath(cwd, path),
  }: Partial<Pick<ReaderDeps, "declared" | "files" | "realPath">> = {},
): CallReader {
  const home = (): string | undefined => {
    const [, folder] = plain.read("cd ~").commands[0]?.argv ?? [];
    return folder?.startsWith("/") ? folder : undefined;
  };
  const readAnyShell = anyShellReader(plain, home);
  const nested = (
    line: string,
    cwd: string | undefined,
    wanted: ShellReadOptions,
    depth: number,
  ): ShellReading => {
    const isDeep = depth >= MOST_NESTED;
    const readInner = (inner: string, from: string | undefined): ShellReading =>
      nested(inner, from, {}, depth + 1);
    return withEffects(readAnyShell(line, cwd, wanted), line, home, isDeep ? undefined : readInner);
  };
  const scripts = new ScriptReader({ shell: plain, files, root, home });
  const kept = new Map<string, ShellReading>();
  let keptLength = 0;
  const keep = (key: string, reading: ShellReading): void => {
    kept.set(key, reading);
    keptLength += key.length;
    for (const oldest of kept.keys()) {
      // The newest one stays, however long it is.
      if (oldest === key || (kept.size <= KEPT_LINES && keptLength <= KEPT_LENGTH)) break;
      kept.delete(oldest);
      keptLength -= oldest.length;
    }
  };
  const shell: ShellReader = {
    read: (line, cwd, wanted = {}) => {
      const read = (): ShellReading => nested(line, cwd, wanted, 0);
      // Files may change: what they do is not kept with the line.
      if (wanted.files) {
        const own = shell.read(line, cwd, { ...wanted, files: false });
        const { files: mentions, call } = wanted;
        return scripts.expand(own, mentions === true ? undefined : mentions, call);
      }
      if (wanted.spans === true) return read();
      const key = `${wanted.dialect ?? ""}\0${cwd ?? ""}\0${line}`;
      const known = kept.get(key);
      if (known) return known;
      const found = read();
      keep(key, found);
      return found;
    },
  };
  const deps = { shell, root, home, declared, files, realPath };
  return {
    shell,
    ofCall: callEffects(deps),
    onlyReads: (payload, found, call) => readingCall(payload, found, deps, call),
  };
}
