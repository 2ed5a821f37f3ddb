import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isToml, readTomlFile, shownFile } from "../config/index.ts";
import {
  HOST_NAMES,
  OrcsError,
  beginning,
  isPlainObject,
  jsonOr,
  orUndefined,
  quoteWord,
} from "../core/index.ts";
import type { HostName, JsonObject, Outcome } from "../core/index.ts";
import { type DecodedEvent, HOSTS, type HostProtocol, agentVerdict } from "../formats/index.ts";
import { fileText, inTemporaryFolder, namesIn } from "../machine/index.ts";
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
import type { ImportSource, Imported } from "../agents/index.ts";
import { fileChange, writeAtomically } from "./atomic-writes.ts";
import { EXIT, JSON_OUTPUT } from "./options.ts";
import { print, printEither, printJson, tell } from "./output.ts";
import { selfCommand } from "./self-command.ts";
import { type OptionsOf, value, verbCommand } from "./verb-command.ts";
import { openToLook } from "./open-orcs.ts";

/** Stands for events by the table of the agent. */
const SAMPLES = "samples";

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
    // Agents run the same command in two files once. Each that is refused is told.
    const fresh = hooks.filter((hook) => {
      if (hook.reason !== undefined && !isText) return true;
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

/** What the hooks of an event decide together. */
type Decision = ReturnType<typeof decisionOf>;

/** The comparison of commands in an agent's settings with what `orcs import` made of them. */
interface Comparison {
  readonly events: number;
  readonly differ: readonly {
    readonly number: number;
    readonly event: string;
    readonly original: Decision;
    readonly imported: Decision;
  }[];
  /** Hooks that were imported, and have no command. */
  readonly skipped: number;
}

/**
 * Run the commands of an agent's settings as the agent does (its shell, all variables, unchanged lines), and the
 * imported ones, on each event.
 * @param from a file with events, one a line, a folder of such files, or `SAMPLES`
 * @param places the directory of the configuration, and an empty one, in which no relative path of an original command
 *   is
 * mistaken for a file beside the configuration
 * @throws OrcsError ORCS5001 when they are on none of the events
 */
async function compareHooks(
  host: HostName,
  all: readonly Imported[],
  from: string,
  { beside, elsewhere }: { readonly beside: string; readonly elsewhere: string },
): Promise<Comparison> {
  const hooks = all.filter(({ table, original }) => table && original !== undefined);
  const shell = HOSTS[host].shell(process.env["SHELL"] ?? "/bin/sh");
  const env = Object.keys(process.env).filter((name) => /^[A-Za-z_]\w*$/.test(name));
  const projects = HOSTS[host].commandVariables.filter((name) => name.endsWith("_PROJECT_DIR"));
  const started = ["env", ...projects.map((name) => `${name}=${beside}`), ...shell];
  const originals = hooks.map(({ table, original = "" }) => {
    const command = `exec ${[...started, original].map(quoteWord).join(" ")}`;
    return { ...table, shell: { command, protocol: host, env } };
  });
  const open = (tables: readonly unknown[], cwd: string) =>
    openToLook({ config: { hooks: tables }, cwd });
  const imported = hooks.map(({ table }) => table);
  const sets = [await open(originals, elsewhere), await open(imported, beside)];
  const protocol = await HOSTS[host].load();
  const differ: Comparison["differ"][number][] = [];
  let events = 0;
  try {
    const sent = from === SAMPLES ? samples(protocol, beside) : eventsIn(resolve(from));
    for (const [at, event] of sent.entries()) {
      const decoded = decodedIn(protocol, event, beside);
      if (!decoded || !hooks.some((hook) => hook.event === decoded.event)) continue;
      const { point, payload, component, child } = decoded;
      const decisions: Decision[] = [];
      for (const orcs of sets) {
        const outcome = await orcs.dispatch(point, structuredClone(payload), { component, child });
        decisions.push(decisionOf(decoded, outcome));
      }
      events++;
      const [one, other] = decisions;
      // With another reason, hooks decide the same.
      const [was, is] = [one, other].map((each) => JSON.stringify([each?.decision, each?.did]));
      if (!one || !other || was === is) continue;
      differ.push({ number: at + 1, event: decoded.event, original: one, imported: other });
    }
  } finally {
    for (const orcs of sets) await orcs.close();
  }
  const why =
    hooks.length === 0
      ? `of the hooks of ${host}, none that was imported has a command to compare`
      : `${from} has no event of ${host} that one of the imported commands is on`;
  if (events === 0) throw new OrcsError("ORCS5001", why);
  return { events, differ, skipped: all.filter(({ table }) => table).length - hooks.length };
}

function decisionOf(decoded: DecodedEvent, outcome: Outcome) {
  const verdict = agentVerdict(decoded, outcome);
  const { refusal, decision = "nothing", reason, input, result, context } = verdict;
  return refusal === undefined
    ? { decision, reason, did: { input, result, context } }
    : { decision: "deny", reason: refusal.replace(/^denied by hook \S+: /, "") };
}

/** What an agent sends at each of its events; around tools, also about commands that guards deny. */
function samples(protocol: HostProtocol, project: string): JsonObject[] {
  const lines = ["true", "git push --force", "rm -rf /", "sudo reboot", "cat .env"];
  return Object.entries(protocol.events).flatMap(([event, { point }]) =>
    (point.startsWith("tool.") ? lines : ["true"]).map((line) =>
      protocol.sample(event, { session: "orcs-compare", project, line }),
    ),
  );
}

/** The events in a file, or in all files of a folder; of those that orcs recorded, what the agent sent. */
function eventsIn(path: string): JsonObject[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new OrcsError("ORCS5001", `--compare: there is no file or folder ${path}`);
  if (found.isDirectory()) {
    const names = namesIn(path).toSorted();
    return names.flatMap((name) => eventsIn(join(path, name)));
  }
  const lines = fileText(path)
    .split("\n")
    .map((line) => jsonOr(line));
  return lines.filter(isPlainObject).map((line) => {
    const { payload } = line;
    return (
      isPlainObject(payload) && isPlainObject(payload["host"]) ? payload["host"] : line
    ) as JsonObject;
  });
}

/** An event in a directory that exists; undefined if it is none of the agent. */
function decodedIn(
  protocol: HostProtocol,
  event: JsonObject,
  project: string,
): DecodedEvent | undefined {
  const isHere = typeof event["cwd"] === "string" && existsSync(event["cwd"]);
  return orUndefined(() => protocol.decode(isHere ? event : { ...event, cwd: project }));
}

/** A comparison for people: a line for each difference, and how many there are. */
function comparisonText({ events, differ, skipped }: Comparison): string {
  const shown = ({ decision, reason }: Decision): string =>
    reason === undefined ? decision : `${decision} (${beginning(reason)})`;
  const lines = differ.map(
    ({ number, event, original, imported }) =>
      `event ${number}, ${event}: in the agent ${shown(original)}, imported ${shown(imported)}`,
  );
  const rest = skipped === 0 ? "" : `; ${skipped} hooks without a command were not compared`;
  return [...lines, `${events} events, ${differ.length} with another decision${rest}`].join("\n");
}
