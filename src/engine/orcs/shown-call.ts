import { isPlainObject } from "../../core/index.ts";
import type { CallLine, EffectReader, Json, JsonObject } from "../../core/index.ts";

/**
 * The arguments of a call for the person who decides about it. Secrets are masked, but a mask hides values, never what
 * a shell would run: of a line that would lose a command or a word by it, the words are masked each by itself.
 */
export function shownArgs(
  payload: JsonObject & { readonly args: JsonObject },
  effects: EffectReader,
  redact: <T extends Json>(value: T) => T,
): JsonObject {
  const masked = redact(payload.args);
  const [line] = effects.ofCall(payload).lines ?? [];
  if (masked === payload.args || !line) return masked;
  const unhidden = (given: Json, shown: Json | undefined): Json => {
    if (typeof given === "string") {
      const whole = typeof shown === "string" ? shown : redact(given);
      const isSame =
        whole === given || shapeOf(whole, line, effects) === shapeOf(given, line, effects);
      return isSame
        ? whole
        : given
            .split(BETWEEN_WORDS)
            .map((word) => redact(word))
            .join("");
    }
    if (Array.isArray(given))
      return given.map((each, n) => unhidden(each, Array.isArray(shown) ? shown[n] : undefined));
    if (!isPlainObject(given)) return shown ?? given;
    // Names that are masked stand in the same order.
    const left = isPlainObject(shown) ? Object.entries(shown) : [];
    const entries = Object.entries(given).map(([key, value], n): [string, Json] => {
      const [name = key, item] = left[n] ?? [];
      return [name, unhidden(value, item)];
    });
    return Object.fromEntries(entries);
  };
  return unhidden(payload.args, masked) as JsonObject;
}

/** What no word of a shell has in it, unless it is quoted. */
const BETWEEN_WORDS = /(\$\(|[<>]\(|[\s;&|()<>`"'])/;

/** What a line runs, without the words themselves. */
function shapeOf(text: string, { cwd, dialect }: CallLine, { shell }: EffectReader): string {
  const { commands, unread } = shell.read(text, cwd, { dialect });
  // Of a line that cannot be read, each word may be a command.
  if (unread !== undefined) return text;
  return JSON.stringify(
    commands.map(({ program, argv, redirects, via }) => [
      program,
      argv.length,
      redirects.length,
      via,
    ]),
  );
}
