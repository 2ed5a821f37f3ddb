import { OrcsError } from "../core/errors.ts";
import type { LuaSource } from "./ports.ts";
import { LuaFailure } from "./state.ts";

const CODES = {
  syntax: "ORCS3001",
  error: "ORCS3002",
  killed: "ORCS3002",
  timeout: "ORCS3005",
  memory: "ORCS3006",
} as const;

/** A failure while loading as an `OrcsError`, with the place that Lua's message names; anything else as it is. */
export function loadError(thrown: unknown, source: LuaSource): unknown {
  if (!(thrown instanceof LuaFailure)) return thrown;
  const code = CODES[thrown.kind];
  const place = placeOf(thrown.message, source);
  const message = thrown.message;
  return new OrcsError(
    code,
    message,
    { script: source.name },
    {
      cause: thrown,
      diagnostics: [
        {
          code,
          severity: "error",
          message: place?.rest ?? message,
          ...(place && { place: place.at }),
          ...(thrown.traceback && { traceback: thrown.traceback }),
        },
      ],
    },
  );
}

/** `file:line: message` as Lua writes it; long file names are cut at the front. */
function placeOf(
  message: string,
  source: LuaSource,
): { at: { file: string; line: number }; rest: string } | undefined {
  const found = /^(.*?):(\d+): ([\s\S]*)$/.exec(message);
  if (!found) return undefined;
  const [, name = "", line = "1", rest = ""] = found;
  const tail = name.replace(/^\.\.\./, "");
  const file = source.chunks.find((chunk) => chunk.file.endsWith(tail))?.file ?? name;
  return { at: { file, line: Number(line) }, rest };
}
