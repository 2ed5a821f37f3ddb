import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkOptions } from "../../workbench/index.ts";
import { type HookPackage, installScripts } from "../../config/index.ts";
import { pointSet } from "../../core/index.ts";
import { lintLua } from "../../engine/index.ts";
import { escapeUntrusted, renderTable } from "../table.ts";

/** A hook that a package adds, as the text of its script has it: nothing is run. */
export interface PreviewedHook {
  readonly id: string;
  readonly script: string;
  /** Empty when the script computes it. */
  readonly points: readonly string[];
}

/** The hooks of a package. */
export function packageHooks({ name, hooks, files }: HookPackage): PreviewedHook[] {
  const options = checkOptions(pointSet());
  return [...hooks].map(([id, script]) => {
    const code = Buffer.from(files.get(script) ?? new Uint8Array()).toString("utf8");
    const [linted] = lintLua([{ code, kind: "script", hooks: [] }], options);
    const points = linted?.hooks.flatMap(({ point }) => point?.name ?? []) ?? [];
    return { id: `${name}/${id}`, script, points: [...new Set(points)] };
  });
}

/** What npm would run when it installs a package, unless it gets --ignore-scripts. */
export function installPrograms(found: HookPackage): string[] {
  const gyp = existsSync(join(found.folder, "binding.gyp")) ? ["binding.gyp"] : [];
  return [...installScripts(found), ...gyp];
}

/** The hooks of a package as text, with its options and a warning about what npm runs. */
export function previewText(found: HookPackage): string {
  const warning = installWarning(installPrograms(found));
  return [contentText(found), ...(warning === undefined ? [] : [warning])].join("\n");
}

/** The hooks of a package and its options as text. */
export function contentText(found: HookPackage): string {
  const rows = packageHooks(found).map(({ id, script, points }) =>
    [id, points.length === 0 ? "(its script says)" : points.join(", "), script].map(
      escapeUntrusted,
    ),
  );
  const options = Object.entries(found.options).map(([key, value]) =>
    escapeUntrusted(`option ${key} = ${JSON.stringify(value)}`),
  );
  const table = rows.length === 0 ? "it has no hooks" : renderTable(["hook", "at", "script"], rows);
  return [table, ...options].join("\n");
}

/** A warning about what npm would run. */
export function installWarning(programs: readonly string[]): string | undefined {
  if (programs.length === 0) return undefined;
  const what = programs.map(escapeUntrusted).join(", ");
  return `warning: npm runs ${what} of this package when it installs it, unless it gets --ignore-scripts`;
}
