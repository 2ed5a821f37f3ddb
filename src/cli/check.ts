import {
  checkConfiguration,
  checkFiles,
  hostNoteText,
  hostReport,
  mergedConfiguration,
} from "../workbench/index.ts";
import type { Checked, CheckedHost, MergedConfiguration, MergedKey } from "../workbench/index.ts";
import { AGENT_NAMES, type AgentName, type Diagnostic, OrcsError } from "../core/index.ts";
import { userStateDir } from "../machine/index.ts";
import { httpEndpointFile, readHttpEndpoint } from "../agents/index.ts";
import { diagnosticsText, flatDiagnostic } from "./diagnostics-text.ts";
import { CONFIG, EXIT, JSON_OUTPUT, noteMissingProject } from "./options.ts";
import { print, printEither, printJson, tell, tellOfOrcs } from "./output.ts";
import { counted, printable, renderTable, shortened } from "./table.ts";
import { paletteFor, Progress } from "./terminal.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";

const OPTIONS = {
  config: CONFIG,
  print: flag("print the merged settings and hooks, and which file each key comes from"),
  host: value(
    "<name...>",
    `also note what the hooks cannot do on these coding agents, and what happens instead: ${AGENT_NAMES.join(", ")}`,
    { conflicts: ["print"] },
  ),
  json: JSON_OUTPUT,
};
type CheckOptions = OptionsOf<typeof OPTIONS>;

/** `orcs check`: all errors of the configuration and its scripts at once, or of Lua files alone. */
export const checkCommand = verbCommand("check", {
  options: OPTIONS,
  help:
    "Exit code: 0 no findings, 1 warnings, 2 errors. Notes of --host do not change it.\n\n" +
    "Examples:\n  orcs check\n  orcs check --host codex --host gemini\n  orcs check hooks/guard.lua",
  run: async (options, files: string[]) => {
    const hosts = knownHosts(options.host ?? []);
    if (files.length > 0 && hosts.length > 0) {
      const why = "--host needs a configuration: it cannot be used with single files";
      throw new OrcsError("ORCS5001", why);
    }
    const progress = new Progress(process.stderr, "checking");
    try {
      if (files.length > 0) report({ diagnostics: await checkFiles(files) }, options, progress);
      else {
        noteMissingProject(options.config);
        await check(options, hosts, progress);
      }
    } finally {
      progress.close();
    }
  },
});

/** @throws OrcsError ORCS5001 for an unknown name */
function knownHosts(names: readonly string[]): AgentName[] {
  return [...new Set(names)].map((name) => {
    const known = AGENT_NAMES.find((each) => each === name);
    if (known !== undefined) return known;
    const why = `--host ${name} is unknown: the coding agents are ${AGENT_NAMES.join(", ")}`;
    throw new OrcsError("ORCS5001", why);
  });
}

async function check(
  options: CheckOptions,
  hosts: readonly AgentName[],
  progress: Progress,
): Promise<void> {
  const { config, print, json } = options;
  const checked = await checkConfiguration({
    config,
    isOverHttp: readHttpEndpoint(httpEndpointFile(userStateDir())) !== undefined,
  });
  progress.clear();
  if (checked.untrusted) {
    const how = "none of it was loaded; to load it, pass its orcs.toml to --config";
    tellOfOrcs(`${checked.untrusted.text}; ${how}`);
  }
  if (print !== true || !checked.loaded) {
    const reports: CheckedHost[] = [];
    for (const host of hosts) reports.push(await hostReport(host, checked));
    report({ diagnostics: checked.diagnostics, checked, reports }, options, progress);
    return;
  }
  const merged = await mergedConfiguration({ config }, checked);
  process.exitCode = exitCode(checked.diagnostics);
  if (json !== true) writeFindings(checked.diagnostics);
  printEither(json, merged, () => mergedText(merged));
}

interface Results {
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined for single files. */
  readonly checked?: Checked;
  readonly reports?: readonly CheckedHost[];
}

function report(
  { diagnostics, checked, reports = [] }: Results,
  { json }: CheckOptions,
  progress: Progress,
): void {
  progress.close();
  process.exitCode = exitCode(diagnostics);
  const hooks = checked?.hooks;
  if (json === true) {
    const hosts = reports.map(({ host, notes, unread }) => {
      return { host, notes: notes.map(({ place, ...note }) => ({ ...note, ...place })), unread };
    });
    const answer = {
      ok: diagnostics.length === 0,
      ...(hooks !== undefined && { hooks }),
      ...(checked?.untrusted && { untrusted: checked.untrusted.text }),
      diagnostics: diagnostics.map(flatDiagnostic),
      ...(reports.length > 0 && { hosts }),
    };
    printJson(answer);
    return;
  }
  writeFindings(diagnostics);
  const which = checked?.untrusted ? " active" : "";
  const loaded = checked?.loaded ? [counted(checked.hooks, "hook") + which] : [];
  print([...loaded, ...summary(diagnostics)].join(", "));
  // Without active hooks there is nothing to say about agents.
  if (checked?.loaded) for (const each of reports) process.stdout.write(reportText(each));
}

/** The notes of an agent as text. */
function reportText({ host, notes, unread }: CheckedHost): string {
  const lines = notes.map((note) => {
    const { place } = note;
    const where = place ? ` (${place.file}:${place.line})` : "";
    return `  ${printable(hostNoteText(note) + where)}\n`;
  });
  const [what, verb] = unread.length === 1 ? ["hook", "is"] : ["hooks", "are"];
  const rest =
    unread.length > 0
      ? `  not analysed, because the ${what} ${verb} not Lua or computed: ${printable(unread.join(", "))}\n`
      : "";
  const title = notes.length > 0 ? counted(notes.length, "note") : "no notes";
  return `\n${host}: ${title}\n${lines.join("")}${rest}`;
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

function writeFindings(diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length > 0) tell(diagnosticsText(diagnostics, paletteFor(process.stderr)));
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
