import { resolve } from "node:path";
import { filledSettings, readScript, scriptHookReader, shownFile } from "../../config/index.ts";
import { messageOf, OrcsError, pointSet, TOOLS } from "../../core/index.ts";
import type { Diagnostic, PointSet, SourcePlace } from "../../core/index.ts";
import { atEnd, LuaLayer, luaPorts, stderrLogger, systemClock } from "../../engine/index.ts";
import type { LintOptions } from "../../engine/index.ts";
import { checkScript } from "./check-scripts.ts";

/** Check Lua files alone, without a configuration and without running them. */
export async function checkFiles(
  files: readonly string[],
  cwd: string = process.cwd(),
): Promise<Diagnostic[]> {
  const options = checkOptions(pointSet());
  return withLua(cwd, (lua) =>
    inOrder(files.flatMap((file) => checkFile(resolve(cwd, file), lua, options, cwd))),
  );
}

/** The syntax errors of inline handlers that are not Lua, without running anything. */
export async function inlineErrors(
  handlers: readonly { readonly code: string; readonly begin: SourcePlace }[],
  cwd: string,
): Promise<readonly Diagnostic[]> {
  if (handlers.length === 0) return [];
  return withLua(cwd, (lua) =>
    handlers.flatMap(({ code, begin }) => {
      const lead = "\n".repeat(begin.line - 1);
      const isFunction = code.trimStart().startsWith("function");
      const text = isFunction ? `return ${code}` : `return function(ctx) ${code}\nend`;
      const last = begin.line + code.trimEnd().split("\n").length - 1;
      const found = syntaxErrors(Buffer.from(`${lead}${text}`), begin.file, lua);
      return found.map((error) => withinLines(error, last));
    }),
  );
}

/** An error at the `end` that is not the author's is at the end of the author's code. */
function withinLines(error: Diagnostic, last: number): Diagnostic {
  const { place, message } = error;
  if (!place || place.line <= last) return error;
  return { ...error, ...atEnd(message), place: { ...place, line: last } };
}

async function withLua<T>(cwd: string, run: (lua: LuaLayer) => T): Promise<T> {
  const settings = filledSettings({}, [], cwd);
  const lua = new LuaLayer(luaPorts(settings, systemClock(), stderrLogger("error")));
  await lua.open();
  try {
    return run(lua);
  } finally {
    lua.close();
  }
}

function checkFile(file: string, lua: LuaLayer, options: LintOptions, cwd: string): Diagnostic[] {
  const name = shownFile(file, cwd);
  let bytes: Uint8Array;
  try {
    bytes = readScript(file);
  } catch (thrown) {
    const message = `the script cannot be read: ${messageOf(thrown)}`;
    return [{ code: "ORCS1009", severity: "error", message, place: { file: name, line: 1 } }];
  }
  return [
    ...syntaxErrors(bytes, name, lua),
    ...(checkScript(file, [], options, cwd)?.diagnostics ?? []),
  ];
}

/** Syntax errors: the file is compiled as a whole, with a return before its first statement. */
function syntaxErrors(bytes: Uint8Array, name: string, lua: LuaLayer): readonly Diagnostic[] {
  const code = Buffer.concat([Buffer.from("do return end "), bytes]);
  const noHooks = { add: () => "", remove: () => false };
  try {
    const { runner } = lua.loadNow(
      { name, chunks: [{ file: name, code, kind: "script" }], roots: [] },
      noHooks,
    );
    lua.unload(runner);
    return [];
  } catch (thrown) {
    if (thrown instanceof OrcsError) return thrown.diagnostics;
    throw thrown;
  }
}

/** What the static checks need to know of this engine. */
export function checkOptions(points: PointSet): LintOptions {
  const read = scriptHookReader({ points, cwd: "/" });
  return {
    points,
    readHook: (fields) => read(fields, { file: "", line: 1 }).diagnostics,
    toolArguments: Object.fromEntries(
      Object.entries(TOOLS).map(([tool, { args }]) => [tool, Object.keys(args)]),
    ),
  };
}

/**
 * The errors of loading together with other findings, without duplicates. Of two equal ones, the static finding is
 * kept, which has the better place.
 */
export function withoutRepeats(
  loading: readonly Diagnostic[],
  found: readonly Diagnostic[],
): Diagnostic[] {
  const errors = new Map<string, string[]>();
  for (const { severity, place, message } of found) {
    if (severity !== "error" || !place) continue;
    const messages = errors.get(place.file);
    if (messages) messages.push(message);
    else errors.set(place.file, [message]);
  }
  const isRepeated = ({ place, message }: Diagnostic): boolean =>
    (place && errors.get(place.file)?.some((other) => message.endsWith(other))) === true;
  const unique = new Map<string, Diagnostic>();
  for (const each of [...loading.filter((mistake) => !isRepeated(mistake)), ...found]) {
    const { code, place, message } = each;
    unique.set(JSON.stringify([code, place?.file, place?.line, place?.column, message]), each);
  }
  return [...unique.values()];
}

/** Diagnostics by file, line and column; those without a place first. */
export function inOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort(({ place: a }, { place: b }) => {
    if (!a || !b) return Number(a !== undefined) - Number(b !== undefined);
    if (a.file !== b.file) return a.file < b.file ? -1 : 1;
    return a.line - b.line || (a.column ?? 1) - (b.column ?? 1);
  });
}
