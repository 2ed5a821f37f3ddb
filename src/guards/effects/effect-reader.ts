import type { EffectReader, FileReader, ShellReader, ShellReading } from "../../core/index.ts";
import { ScriptReader } from "../scripts/scripts.ts";
import { createDictionary } from "../programs/dictionary.ts";
import { withEffects } from "./command-effects.ts";
import { effectsOfCall } from "./call-effects.ts";

/** Number of lines whose effects are kept: several hooks ask about the same one. */
const KEPT_LINES = 32;
const KEPT_LENGTH = 4096;

/**
 * Create a reader of effects.
 * @param plain reads command lines; `shell` reads them with what each command does
 * @param root folder in which a call starts that names none
 * @param files reads the files that calls run; without it, these are not read
 */
export function createEffectReader(
  plain: ShellReader,
  root: string,
  files: FileReader = { read: () => undefined },
): EffectReader {
  const dictionary = createDictionary();
  const scripts = new ScriptReader({
    shell: plain,
    files,
    root,
    withEffects: (reading) => withEffects(reading, dictionary),
  });
  const kept = new Map<string, ShellReading>();
  const shell: ShellReader = {
    read: (line, cwd, wanted = {}) => {
      // The text of a here-document is code of the program that reads it.
      const read = (): ShellReading =>
        withEffects(plain.read(line, cwd, { ...wanted, stdin: true }), dictionary);
      // Files may change: what they do is not kept with the line.
      if (wanted.files) {
        const own = shell.read(line, cwd, { ...wanted, files: false });
        return scripts.expand(own, wanted.files === true ? undefined : wanted.files);
      }
      if (wanted.spans === true || line.length > KEPT_LENGTH) return read();
      const key = `${cwd ?? ""}\0${line}`;
      const known = kept.get(key);
      if (known) return known;
      const found = read();
      if (kept.size >= KEPT_LINES) kept.delete(kept.keys().next().value ?? "");
      kept.set(key, found);
      return found;
    },
  };
  return { shell, ofCall: (payload) => effectsOfCall(payload, shell, root) };
}
