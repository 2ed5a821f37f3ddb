import { isAbsolute, resolve } from "node:path";
import {
  loadConfig,
  placeOfContent,
  shownFile,
  shownMachineFiles,
  TrustSet,
} from "../../config/index.ts";
import type { FoundProject, Notice, Settings, Table } from "../../config/index.ts";
import { OrcsError, pointSet } from "../../core/index.ts";
import type { Diagnostic, Hook, SourcePlace } from "../../core/index.ts";
import { createOrcs, type SeenHook, stderrLogger } from "../../engine/index.ts";
import { checkFiles, checkOptions, inlineErrors, inOrder, withoutRepeats } from "./check-files.ts";
import { checkHooks } from "./check-hooks.ts";
import { type CheckedScripts, checkScripts } from "./check-scripts.ts";
import { checkOrder } from "./hook-order.ts";
import { type RawLayer, rawLayers } from "./raw-layers.ts";

/** The result of a check. */
export interface Checked {
  /** Number of active hooks; 0 when the configuration does not load. */
  readonly hooks: number;
  /** All errors and warnings, by file and line. */
  readonly diagnostics: readonly Diagnostic[];
  /** The hooks in the order in which they run; undefined when the configuration does not load. */
  readonly loaded: readonly Hook[] | undefined;
  isEnabled(id: string): boolean;
  /** Undefined when the configuration does not load. */
  readonly settings: Settings | undefined;
  readonly layers: readonly RawLayer[];
  /**
   * The code of a hook, as found in its text. Several when a script is used by several tables; none for code outside
   * Lua and handlers that are not literal.
   */
  codeOf(hook: Hook): readonly HookCode[];
  /** The notice that a discovered project is not trusted, so it was read and not loaded. */
  readonly untrusted: Notice | undefined;
}

/** The code of a hook in the text of its script or configuration. */
export interface HookCode {
  readonly seen: SeenHook;
  /** The table that it belongs to. */
  readonly table: Table;
  /** Where the text that contains it begins. */
  readonly begin: SourcePlace;
}

/** Which configuration to check. */
export interface CheckOptions {
  /** A file; default: the layers discovered from `cwd`. */
  readonly config?: string | undefined;
  /** Default: the process's working directory. */
  readonly cwd?: string | undefined;
  /** Whether an agent of this user sends its events over HTTP. */
  readonly isOverHttp?: boolean | undefined;
}

/**
 * Load a configuration with all its scripts and check its text: errors that prevent loading, code that would fail when
 * it runs, and probable mistakes. No hook runs, but scripts are loaded; those of a discovered project only when it is
 * trusted, otherwise they are only read.
 */
export async function checkConfiguration(options: CheckOptions = {}): Promise<Checked> {
  const { isOverHttp = false } = options;
  const cwd = resolve(options.cwd ?? process.cwd());
  const points = pointSet();
  const layers = await rawLayers({ config: options.config, cwd, machine: shownMachineFiles() });
  const hooks = layers.flatMap((layer) => layer.hooks);
  const scripts = checkScripts(hooks, checkOptions(points), cwd);
  const loaded = await load(options.config, cwd, scripts.notLua);
  const found = [...scripts.diagnostics, ...checkHooks(hooks, scripts, points, cwd, isOverHttp)];
  const code = codeByPlace(scripts, cwd);
  const codeOf = ({ source }: Hook) => (source && code.get(`${source.file}:${source.line}`)) ?? [];
  if (loaded.hooks) {
    const last = (hook: Hook) => codeOf(hook).at(-1)?.seen;
    found.push(...checkOrder(loaded.hooks, loaded.isEnabled, last));
  }
  return {
    hooks: loaded.hooks?.length ?? 0,
    diagnostics: inOrder(withoutRepeats(loaded.diagnostics, found)),
    loaded: loaded.hooks,
    isEnabled: loaded.isEnabled,
    settings: loaded.settings,
    layers,
    codeOf,
    untrusted: loaded.untrusted,
  };
}

async function load(config: string | undefined, cwd: string, notLua: CheckedScripts["notLua"]) {
  try {
    // Ignored values are findings; the log output of scripts is dropped.
    const orcs = await createOrcs({
      config,
      cwd,
      auditDir: false,
      logger: stderrLogger("error"),
      untrusted: "ignore",
    });
    const hooks = orcs.registry.list();
    const enabled = new Set(hooks.flatMap(({ id }) => (orcs.registry.isEnabled(id) ? id : [])));
    const { warnings, settings, notice } = orcs;
    await orcs.close();
    const untrusted = notice?.isOfBundle ? undefined : notice;
    // Without its bundle, what is checked is not all that would run.
    const without: Diagnostic[] = notice?.isOfBundle
      ? [{ code: "ORCS9003", severity: "warning", message: notice.text }]
      : [];
    const diagnostics = untrusted ? await readOnly(cwd, notLua) : [...warnings, ...without];
    return { hooks, settings, isEnabled: (id: string) => enabled.has(id), diagnostics, untrusted };
  } catch (thrown) {
    const diagnostics = mistakesOf(thrown, cwd);
    const isEnabled = () => false;
    return { hooks: undefined, settings: undefined, isEnabled, diagnostics, untrusted: undefined };
  }
}

/** Findings in an untrusted project, which is read but not loaded, and the reasons that prevent trusting it. */
async function readOnly(
  cwd: string,
  notLua: CheckedScripts["notLua"],
): Promise<readonly Diagnostic[]> {
  let scripts: readonly string[] = [];
  const around = {
    cwd,
    machine: shownMachineFiles(),
    async examine(project: FoundProject) {
      const set = await TrustSet.of(project);
      scripts = set.files.filter((file) => file.endsWith(".lua"));
      return set.problems;
    },
  };
  const found = await loadConfig(around).then(
    ({ warnings }) => warnings,
    (thrown: unknown) => mistakesOf(thrown, cwd),
  );
  // Other findings about them come from the check of their configuration.
  const syntax = (await checkFiles(scripts, cwd)).filter(({ code }) => code === "ORCS3001");
  return [...found, ...syntax, ...(await inlineErrors(notLua, cwd))];
}

/** The diagnostics of a loading error; any other error is rethrown. */
function mistakesOf(thrown: unknown, cwd: string): Diagnostic[] {
  if (!(thrown instanceof OrcsError)) throw thrown;
  const { code, diagnostics } = thrown;
  if (diagnostics.length > 0) return diagnostics.map((each) => shown(each, cwd));
  const message = thrown.message.slice(`${code}: `.length);
  return [{ code, severity: "error", message }];
}

/** With its file as shown in messages: Lua names modules by absolute path. */
function shown(diagnostic: Diagnostic, cwd: string): Diagnostic {
  const { place } = diagnostic;
  if (!place || !isAbsolute(place.file)) return diagnostic;
  return { ...diagnostic, place: { ...place, file: shownFile(place.file, cwd) } };
}

/** The code of handlers, by `file:line`. */
function codeByPlace({ ofHook }: CheckedScripts, cwd: string): Map<string, HookCode[]> {
  const found = new Map<string, HookCode[]>();
  for (const [{ script, path, layer, table }, { hooks }] of ofHook) {
    const begin =
      script === undefined
        ? placeOfContent(layer.source, [...path, "handler_inline"])
        : { file: shownFile(script, cwd), line: 1 };
    for (const seen of hooks) {
      if (seen.line === undefined) continue;
      const place = `${begin.file}:${begin.line + seen.line - 1}`;
      found.set(place, [...(found.get(place) ?? []), { seen, table, begin }]);
    }
  }
  return found;
}
