import type { EffectReader, ShellReader, ShellReading } from "../../core/index.ts";
import { createDictionary } from "../programs/dictionary.ts";
import { withEffects } from "./command-effects.ts";
import { effectsOfCall } from "./call-effects.ts";

/** Number of lines whose effects are kept: several hooks ask about the same one. */
const KEPT_LINES = 32;
const KEPT_LENGTH = 4096;
/** How deep lines may run others through the scripts of editors and databases. */
const MOST_NESTED = 3;

/**
 * Create a reader of effects.
 * @param plain reads command lines; `shell` reads them with what each command does
 * @param root folder in which a call starts that names none
 */
export function createEffectReader(plain: ShellReader, root: string): EffectReader {
  const dictionary = createDictionary();
  const home = (): string | undefined => {
    const [, folder] = plain.read("cd ~").commands[0]?.argv ?? [];
    return folder?.startsWith("/") ? folder : undefined;
  };
  const kept = new Map<string, ShellReading>();
  const shell: ShellReader = {
    read: (line, cwd, wanted = {}) => {
      // The text of a here-document is code of the program that reads it.
      const nested = (text: string, folder: string | undefined, depth: number): ShellReading =>
        withEffects(plain.read(text, folder, { ...wanted, stdin: true }), text, {
          dictionary,
          home,
          readInner:
            depth < MOST_NESTED ? (inner, from) => nested(inner, from, depth + 1) : undefined,
        });
      const read = (): ShellReading => nested(line, cwd, 0);
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
