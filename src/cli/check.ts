import { Command } from "commander";
import { checkFiles } from "../check/check-files.ts";
import type { Checked } from "../check/check.ts";
import { checkConfiguration } from "../check/check.ts";
import type { MergedConfiguration, MergedKey } from "../check/merged-configuration.ts";
import { mergedConfiguration } from "../check/merged-configuration.ts";
import type { Diagnostic } from "../core/diagnostic.ts";
import { diagnosticsText, flatDiagnostic } from "./diagnostics-text.ts";
import { configOption, EXIT } from "./options.ts";
import { printable, renderTable, shortened } from "./table.ts";
import { paletteFor, Progress } from "./terminal.ts";
import { verbCommand } from "./verb-texts.ts";

interface CheckOptions {
  readonly config?: string;
  readonly print?: boolean;
  readonly json?: boolean;
}

/** `orcs check`: all errors of the configuration and its scripts at once, or of Lua files alone. */
export function checkCommand(): Command {
  return verbCommand("check")
    .argument(
      "[script.lua...]",
      "check only these files, without a configuration; they are not run",
    )
    .addOption(configOption())
    .option("--print", "print the merged settings and hooks, and which file each key comes from")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExit code: 0 no findings, 1 warnings, 2 errors.")
    .action(async (files: string[], options: CheckOptions) => {
      const progress = new Progress(process.stderr, "checking");
      try {
        if (files.length > 0) report(await checkFiles(files), undefined, options, progress);
        else await check(options, progress);
      } finally {
        progress.close();
      }
    });
}

async function check(options: CheckOptions, progress: Progress): Promise<void> {
  const { config, print, json } = options;
  const checked = await checkConfiguration({ config });
  progress.clear();
  if (checked.untrusted) {
    const how = "none of it was loaded; to load it, pass its orcs.toml to --config";
    process.stderr.write(`orcs: ${printable(checked.untrusted.text)}; ${how}\n`);
  }
  if (print !== true || !checked.loaded) {
    report(checked.diagnostics, checked, options, progress);
    return;
  }
  const merged = await mergedConfiguration({ config }, checked);
  process.exitCode = exitCode(checked.diagnostics);
  if (json !== true) writeFindings(checked.diagnostics);
  process.stdout.write(`${json === true ? JSON.stringify(merged) : mergedText(merged)}\n`);
}

function report(
  diagnostics: readonly Diagnostic[],
  checked: Checked | undefined,
  { json }: CheckOptions,
  progress: Progress,
): void {
  progress.close();
  process.exitCode = exitCode(diagnostics);
  const hooks = checked?.hooks;
  if (json === true) {
    const answer = {
      ok: diagnostics.length === 0,
      ...(hooks !== undefined && { hooks }),
      ...(checked?.untrusted && { untrusted: checked.untrusted.text }),
      diagnostics: diagnostics.map(flatDiagnostic),
    };
    process.stdout.write(`${JSON.stringify(answer)}\n`);
    return;
  }
  writeFindings(diagnostics);
  const which = checked?.untrusted ? " active" : "";
  const loaded = checked?.loaded ? [counted(checked.hooks, "hook") + which] : [];
  process.stdout.write(`${[...loaded, ...summary(diagnostics)].join(", ")}\n`);
}

function exitCode(diagnostics: readonly Diagnostic[]): number {
  if (diagnostics.some(({ severity }) => severity === "error")) return EXIT.error;
  return diagnostics.length > 0 ? EXIT.findings : EXIT.fine;
}

function summary(diagnostics: readonly Diagnostic[]): string[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const warnings = diagnostics.length - errors;
  return [
    errors > 0 ? counted(errors, "error") : "no errors",
    ...(warnings > 0 ? [counted(warnings, "warning")] : []),
  ];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function writeFindings(diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length > 0)
    process.stderr.write(`${diagnosticsText(diagnostics, paletteFor(process.stderr))}\n`);
}

/** The merged settings and hooks as text: each key with its value and origin. */
export function mergedText({ settings, hooks }: MergedConfiguration): string {
  const parts = [keysText("settings", settings)];
  for (const { id, keys } of hooks) parts.push(keysText(`hook ${printable(id)}`, keys));
  return parts.join("\n\n");
}

function keysText(title: string, keys: readonly MergedKey[]): string {
  const rows = keys.map(({ key, value, origin, file, line }) => [
    key,
    shortened(printable(JSON.stringify(value)), 60),
    file === undefined ? origin : `${origin}, ${file}:${line ?? 1}`,
  ]);
  return renderTable([title, "value", "from"], rows);
}
