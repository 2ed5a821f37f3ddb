import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isToml, readTomlFile, shownFile } from "../config/index.ts";
import { beginning, HOST_NAMES, type HostName, OrcsError } from "../core/index.ts";
import { HOSTS } from "../formats/index.ts";
import { inTemporaryFolder } from "../machine/index.ts";
import {
  frontMatterEvents,
  importHooks,
  importSource,
  importSources,
  placeHere,
  readSettings,
  settingsError,
  tomlComment,
  tomlElement,
} from "../agents/index.ts";
import type { Imported, ImportSource } from "../agents/index.ts";
import { fileChange, writeAtomically } from "./atomic-writes.ts";
import { EXIT, JSON_OUTPUT } from "./options.ts";
import { compareHooks, comparisonText, SAMPLES } from "./import-compare.ts";
import { print, printEither, printJson, tell } from "./output.ts";
import { selfCommand } from "./self-command.ts";
import { type OptionsOf, value, verbCommand } from "./verb-command.ts";
import { openToLook } from "./open-orcs.ts";

const OPTIONS = {
  from: value("<host>", "the coding agent", { choices: HOST_NAMES, isRequired: true }),
  out: value("<file>", "append the hooks to this orcs.toml; default: print them"),
  compare: value(
    "[events]",
    "run the original and the imported commands on recorded events of the agent, one a line in a file or a folder of them (default: samples), and show other decisions",
    { preset: SAMPLES, conflicts: ["out"] },
  ),
  json: JSON_OUTPUT,
};

/** The hooks of one file. */
interface FromFile {
  readonly source: string;
  readonly hooks: readonly Imported[];
}

/** `orcs import`: convert the hooks of an agent's settings into `[[hooks]]` of orcs.toml. */
export const importCommand = verbCommand("import", {
  options: OPTIONS,
  help:
    "A hook that cannot be converted becomes a comment with the reason. The settings are not changed.\n" +
    "Exit code: 0 all converted, 1 some were not, or decide otherwise, 2 errors.\n\n" +
    "Example:\n  orcs import --from claude-code --out orcs.toml",
  run: importFrom,
});

async function importFrom(
  { from: host, out, compare, json = false }: OptionsOf<typeof OPTIONS>,
  file: string | undefined,
): Promise<void> {
  const at = placeHere();
  const beside = out === undefined ? at.project : dirname(resolve(out));
  const sources =
    file === undefined
      ? importSources(host, at, beside)
      : [importSource(host, resolve(file), at, beside)];
  if (file !== undefined && !existsSync(file)) {
    throw settingsError(file, "cannot read", new Error("there is no such file"));
  }
  const found = await readAll(host, sources, beside);
  const all = found.flatMap(({ hooks }) => hooks);
  if (compare !== undefined) {
    const compared = await inTemporaryFolder("orcs-compare-", (elsewhere) =>
      compareHooks(host, all, compare, { beside, elsewhere }),
    );
    const ok = compared.differ.length === 0;
    if (!ok) process.exitCode = EXIT.findings;
    return printEither(json, { ok, ...compared }, () => comparisonText(compared));
  }
  if (all.some(({ table }) => !table)) process.exitCode = EXIT.findings;
  if (out !== undefined) addTo(out, found);
  if (json) printJson(asJson(found));
  else if (all.length === 0) tell(`No hooks were found in the settings of ${host}.`);
  else if (out === undefined) process.stdout.write(blocksOf(found).join("\n"));
  else {
    const imported = all.filter(({ table }) => table).length;
    print(`${out}: ${imported} imported, ${all.length - imported} not`);
  }
}

async function readAll(
  host: HostName,
  sources: readonly ImportSource[],
  beside: string,
): Promise<FromFile[]> {
  const { events } = await HOSTS[host].load();
  const programs = [selfCommand().script];
  const found: FromFile[] = [];
  const seen = new Set<string>();
  for (const { path, isToml: toml, place } of sources) {
    const isText = path.endsWith(".md");
    const settings = toml ? readTomlSettings(path) : isText ? {} : readSettings(path);
    if (settings === undefined) continue;
    let hooks: Imported[];
    try {
      hooks = isText
        ? frontMatterEvents(path).map(ofFrontMatter)
        : importHooks(settings, { host, events, place, programs });
    } catch (thrown) {
      throw settingsError(path, "cannot use", thrown);
    }
    // Agents run the same command in two files once.
    const fresh = hooks.filter((hook) => {
      const text = JSON.stringify(isText ? [path, hook] : hook);
      return !seen.has(text) && seen.add(text);
    });
    if (fresh.length === 0) continue;
    found.push({
      source: shownFile(path, process.cwd()),
      hooks: await validateImported(fresh, beside),
    });
  }
  return found;
}

/** The hooks of an event that a skill, a command or a subagent brings. */
function ofFrontMatter(event: string): Imported {
  const reason =
    "it runs only while this skill, command or subagent does, which orcs has no condition for. It stays there, where it runs beside orcs";
  const nothing = { table: undefined, original: undefined, differs: [] };
  return { event, runs: "front matter", reason, ...nothing };
}

function readTomlSettings(path: string): unknown {
  if (!existsSync(path)) return undefined;
  const read = readTomlFile(path, path);
  if (!read.mistake) return read.tree;
  throw settingsError(path, "cannot use", new Error(read.mistake.message));
}

/** One text per hook; the first of a file names the file. */
function blocksOf(found: readonly FromFile[]): string[] {
  return found.flatMap(({ source, hooks }) =>
    hooks.map(({ table, event, runs, reason, differs }) => {
      const here = differs.length === 0 ? "" : `${tomlComment(`differs: ${differs.join("; ")}`)}\n`;
      if (table)
        return `${tomlComment(`${event} of ${source}`)}\n${here}${tomlElement("hooks", table)}`;
      return `${tomlComment(`not imported: ${event} of ${source}: ${beginning(runs)}: ${reason}`)}\n`;
    }),
  );
}

/** Add what is missing. @throws OrcsError ORCS5002 */
function addTo(out: string, found: readonly FromFile[]): void {
  const change = fileChange(out, resolve(out), (text = "") => {
    const fresh = blocksOf(found).filter((block) => !text.includes(block));
    const lead = text === "" || text.endsWith("\n") ? text : `${text}\n`;
    return fresh.length === 0 ? text : [...(lead === "" ? [] : [lead]), ...fresh].join("\n");
  });
  if (!isToml(change.after)) {
    const why = `[[hooks]] cannot be added to ${out}: it is not valid TOML then; nothing was changed`;
    throw new OrcsError("ORCS5002", why, { path: out });
  }
  writeAtomically([change]);
}

function asJson(found: readonly FromFile[]) {
  const all = found.flatMap(({ source, hooks }) => hooks.map((hook) => ({ source, ...hook })));
  return {
    ok: all.every(({ table }) => table !== undefined),
    hooks: all.flatMap(({ source, event, table, differs }) =>
      table ? [{ source, event, hook: table, differs }] : [],
    ),
    not_imported: all.flatMap(({ source, event, runs, reason }) =>
      reason === undefined ? [] : [{ source, event, runs, reason }],
    ),
  };
}

/**
 * The same hooks; one that a configuration would not load gets its error as the reason, for example an invalid pattern,
 * or a file that would be resolved elsewhere.
 * @param beside directory of the configuration, absolute
 */
export async function validateImported(
  hooks: readonly Imported[],
  beside: string,
): Promise<Imported[]> {
  const tables = hooks.flatMap(({ table }) => (table ? [table] : []));
  // First all at once: an engine for each would take long.
  if ((await mistakeIn(tables, beside)) === undefined) return [...hooks];
  const checked: Imported[] = [];
  for (const hook of hooks) {
    const reason = hook.table && (await mistakeIn([hook.table], beside));
    checked.push(reason === undefined ? hook : { ...hook, table: undefined, reason });
  }
  return checked;
}

async function mistakeIn(hooks: readonly object[], cwd: string): Promise<string | undefined> {
  try {
    const config = { hooks };
    await (await openToLook({ config, cwd })).close();
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof OrcsError)) throw thrown;
    const [first] = thrown.diagnostics;
    if (!first) return thrown.message;
    return first.hint === undefined ? first.message : `${first.message}; ${first.hint}`;
  }
}
