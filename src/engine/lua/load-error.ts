import { isAboutRetired, type LuaSource, OrcsError } from "../../core/index.ts";
import type { LuaFailure } from "./state.ts";
import { asFailure } from "./task-run.ts";

const CODES = {
  syntax: "ORCS3001",
  error: "ORCS3002",
  killed: "ORCS3002",
  timeout: "ORCS3005",
  memory: "ORCS3006",
  store: "ORCS3002",
  result: "ORCS3002",
} as const;

/** Whatever ended the loading of a script as an `OrcsError`, with the place in Lua's message. */
export function loadError(error: unknown, source: LuaSource): OrcsError {
  if (error instanceof OrcsError) return error;
  const thrown = asFailure(error);
  const code = isAboutRetired(thrown.message) ? "ORCS3008" : CODES[thrown.kind];
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
          // For `fieldPlace`, which finds it in the text.
          ...(thrown.kind === "result" && { field: [] }),
          ...hintOf(thrown),
          ...(thrown.traceback && { traceback: thrown.traceback }),
        },
      ],
    },
  );
}

/** The message of an error at the `end` that a handler in a configuration gets, and that its author does not see. */
export function atEnd(message: string): { readonly message: string } {
  return { message: message.replace(/near 'end'$/, "at the end of the handler") };
}

/** Usual causes of syntax errors; `$1` is the text near which Lua found the error. */
const SYNTAX_HINTS: readonly (readonly [RegExp, string])[] = [
  [/'\}' expected .*near '([A-Za-z_[{"][^']*)'/, "a comma may be missing before $1"],
  [/near '!'/, "Lua writes not x for !x, and ~= for !="],
  [/near '[&|]'$/, "Lua writes and for &&, and or for ||"],
  [/near '\/\/'$/, "a comment begins with --"],
  [
    /near '<\\(?:194|226)>'$/,
    "a quotation mark or a space there is not the plain one of a keyboard",
  ],
  [/near '([-+*/])'$/, "Lua has no $1= or $1$1: write x = x $1 1"],
  [/'then' expected near '='/, "== compares, = assigns"],
  [/'end' expected/, "each function, if, for, while and do is closed by an end of its own"],
  [/unexpected symbol near '[)}\]]'/, "an end may be missing above it"],
  [/unfinished string/, "close it on its line; a text of several lines needs [[ ]]"],
  [/near 'else'|near 'if'/, "Lua writes elseif, in one word"],
];

function hintOf({ kind, message }: LuaFailure): { hint: string } | undefined {
  if (kind !== "syntax") return undefined;
  for (const [known, hint] of SYNTAX_HINTS) {
    const found = known.exec(message);
    if (found) return { hint: hint.replaceAll("$1", found[1] ?? "") };
  }
  return undefined;
}

/** `file:line: message` as Lua writes it, or where a limit ended it; long file names are truncated at the front. */
function placeOf(
  message: string,
  source: LuaSource,
): { at: { file: string; line: number }; rest: string } | undefined {
  const found =
    /^(.*?):(\d+): ([\s\S]*)$/.exec(message) ?? /^[^;]*; it was at ([^ ]*):(\d+)()/.exec(message);
  if (!found) return undefined;
  const [, name = "", line = "1", rest] = found;
  const tail = name.replace(/^\.\.\./, "");
  const file = source.chunks.find((chunk) => chunk.file.endsWith(tail))?.file ?? name;
  return { at: { file, line: Number(line) }, rest: rest || message };
}
