import { isUtf8 } from "node:buffer";
import { dirname } from "node:path";
import { fileBytes } from "../../machine/index.ts";
import {
  findModule,
  isTable,
  packageModule,
  placeOfBadByte,
  placeOfContent,
  readScript,
  SHIPPED_MODULES,
  shownFile,
  SPELLINGS,
  type Table,
  valueOf,
} from "../../config/index.ts";
import { missingModule, orUndefined } from "../../core/index.ts";
import type { Diagnostic, PointSet, PointSpec, SourcePlace } from "../../core/index.ts";
import {
  type ConfiguredFacts,
  type LintChunk,
  type Linted,
  lintLua,
  type LintOptions,
  type LuaFinding,
} from "../../engine/index.ts";
import type { RawHook } from "./raw-layers.ts";

/** Results of the static checks of scripts and inline handlers. */
export interface CheckedScripts {
  readonly diagnostics: readonly Diagnostic[];
  /** By the raw hook; missing for hooks outside Lua and for unreadable scripts. */
  readonly ofHook: ReadonlyMap<RawHook, Linted>;
  /** Inline handlers that are not Lua. */
  readonly notLua: readonly { readonly code: string; readonly begin: SourcePlace }[];
}

/** Check every script, the modules that they name, and every inline handler, without running them. */
export function checkScripts(
  hooks: readonly RawHook[],
  options: LintOptions,
  cwd: string,
): CheckedScripts {
  const diagnostics: Diagnostic[] = [];
  const ofHook = new Map<RawHook, Linted>();
  const notLua: { code: string; begin: SourcePlace }[] = [];
  for (const [file, users] of grouped(hooks, ({ script }) => script)) {
    const checked = checkScript(file, users, options, cwd);
    if (!checked) continue;
    diagnostics.push(...checked.diagnostics);
    for (const user of users) ofHook.set(user, checked.linted);
  }
  const inline = hooks.filter(({ table }) => typeof table["handler_inline"] === "string");
  for (const [, users] of grouped(inline, ({ layer }) => layer)) {
    const chunks = users.map((hook): LintChunk => {
      const hooks = [configuredFacts(hook.table, options.points)];
      return { code: inlineCode(hook), kind: "inline", hooks };
    });
    const linted = lintLua(chunks, options);
    users.forEach((hook, i) => {
      const result = linted[i];
      if (!result) return;
      ofHook.set(hook, result);
      if (!result.isParsed) notLua.push({ code: inlineCode(hook), begin: beginOf(hook) });
      diagnostics.push(...result.findings.map((finding) => placedInline(finding, hook)));
    });
  }
  return { diagnostics, ofHook, notLua };
}

/** A script with the modules that it names, which share its globals. */
export function checkScript(
  file: string,
  users: readonly RawHook[],
  options: LintOptions,
  cwd: string,
): { diagnostics: Diagnostic[]; linted: Linted } | undefined {
  const diagnostics: Diagnostic[] = [];
  const roots = [...(users[0]?.roots ?? []), dirname(file), SHIPPED_MODULES];
  const packages = users[0]?.layer.packages ?? [];
  const files = [file];
  const chunks: LintChunk[] = [];
  const hooks = users.map(({ table }) => configuredFacts(table, options.points));
  for (let i = 0; i < files.length; i++) {
    const at = files[i] ?? file;
    const chunk = readChunk(at, i === 0 ? "script" : "module", hooks);
    if (!chunk) return undefined;
    chunks.push(chunk);
    const shown = shownFile(at, cwd);
    const bad = nonUtf8(at, shown);
    if (bad) diagnostics.push(bad);
    // First alone, to find what it requires; then with the others, once all are known.
    const [alone] = lintLua([chunk], options);
    for (const { name, at: place } of alone?.requires ?? []) {
      const module = findModule(name, roots)?.file;
      if (module !== undefined && !files.includes(module)) files.push(module);
      // What is in a package is checked by whoever publishes it.
      const isMissing = module === undefined && packageModule(name, packages) === undefined;
      if (isMissing && users.length > 0)
        diagnostics.push(placed({ ...missingModule(name), severity: "error", ...place }, shown));
    }
  }
  const results = lintLua(chunks, options);
  results.forEach(({ findings }, i) => {
    const shown = shownFile(files[i] ?? file, cwd);
    diagnostics.push(...findings.map((finding) => placed(finding, shown)));
  });
  const [linted] = results;
  return linted && { diagnostics, linted };
}

function readChunk(
  file: string,
  kind: LintChunk["kind"],
  hooks: LintChunk["hooks"],
): LintChunk | undefined {
  const bytes = orUndefined(() => readScript(file));
  const own = kind === "script" ? hooks : [];
  return bytes && { code: new TextDecoder().decode(bytes), kind, hooks: own };
}

function nonUtf8(file: string, shown: string): Diagnostic | undefined {
  const bytes = fileBytes(file);
  if (isUtf8(bytes)) return undefined;
  const place = { file: shown, ...placeOfBadByte(bytes) };
  const message = `${shown} is not valid UTF-8 from here on`;
  return { code: "ORCS1111", severity: "warning", message, place };
}

function inlineCode({ table }: RawHook): string {
  const code = table["handler_inline"];
  return typeof code === "string" ? code : "";
}

function placed({ line, column, length, ...finding }: LuaFinding, file: string): Diagnostic {
  return { ...finding, place: { file, line, column }, length };
}

function beginOf({ path, layer }: RawHook): SourcePlace {
  return placeOfContent(layer.source, [...path, "handler_inline"]);
}

/** Placed in the configuration; without a column when an escape has shifted the text. */
function placedInline(found: LuaFinding, hook: RawHook): Diagnostic {
  const { lines } = hook.layer;
  const begin = beginOf(hook);
  const { line, column, length, ...finding } = found;
  const at = {
    line: begin.line + line - 1,
    column: line === 1 ? (begin.column ?? 1) + column - 1 : column,
  };
  const code = inlineCode(hook).split("\n")[line - 1] ?? "";
  const token = code.slice(column - 1, column - 1 + length);
  const text = (lines[at.line - 1] ?? "").slice(at.column - 1);
  if (token !== "" && text.startsWith(token)) {
    return { ...finding, place: { file: begin.file, ...at }, length };
  }
  return { ...finding, place: { file: begin.file, line: begin.line } };
}

function grouped<T, K>(items: readonly T[], keyOf: (item: T) => K | undefined): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** The facts that a `[[hooks]]` table states, in either spelling; loading reports wrong values. */
export function configuredFacts(table: Table, points: PointSet): ConfiguredFacts {
  const isAsync = valueOf(table, "async") ?? valueOf(table, "async_execution");
  return {
    point: configuredPoint(table, points),
    match: configuredMatch(table),
    isAsync: isAsync === undefined ? undefined : isAsync !== false,
    onError: valueOf(table, "on_error"),
  };
}

/** The point of a hook's table, if known. */
export function configuredPoint(table: Table, points: PointSet): PointSpec | undefined {
  const name = valueOf(table, "point") ?? valueOf(table, "event");
  return typeof name === "string" ? points.resolve(name) : undefined;
}

/** The conditions of a hook's table: the key of `match`, and its path in the table. */
export function writtenConditions(table: Table): { key: string; path: readonly string[] }[] {
  const match = valueOf(table, "match");
  const canonical = isTable(match)
    ? Object.keys(match).map((key) => ({ key, path: ["match", key] }))
    : [];
  const spelt = Object.entries(SPELLINGS).flatMap(([key, meaning]) => {
    const [section, condition] = meaning;
    const isCondition = section === "match" && condition !== undefined;
    return isCondition && valueOf(table, key) !== undefined
      ? [{ key: condition, path: [key] }]
      : [];
  });
  return [...canonical, ...spelt];
}

/** Undefined when it has none: then the script may have some. */
function configuredMatch(table: Table): readonly string[] | undefined {
  const keys = writtenConditions(table).map(({ key }) => key);
  return keys.length > 0 || valueOf(table, "match") !== undefined ? keys : undefined;
}
