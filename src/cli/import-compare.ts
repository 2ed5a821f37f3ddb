import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { beginning, isPlainObject, jsonOr, OrcsError, quoteWord } from "../core/index.ts";
import type { HostName, JsonObject, Outcome } from "../core/index.ts";
import { agentVerdict, type DecodedEvent, type HostProtocol, HOSTS } from "../formats/index.ts";
import { fileText, namesIn } from "../machine/index.ts";
import type { Imported } from "../agents/index.ts";
import { openToLook } from "./open-orcs.ts";

/** What the hooks of an event decide together. */
type Decision = ReturnType<typeof decisionOf>;

/** The comparison of commands in an agent's settings with what `orcs import` made of them. */
export interface Comparison {
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

/** Stands for events by the table of the agent. */
export const SAMPLES = "samples";

/**
 * Run the commands of an agent's settings as the agent does (its shell, all variables, unchanged lines), and the
 * imported ones, on each event.
 * @param from a file with events, one a line, a folder of such files, or `SAMPLES`
 * @param places the directory of the configuration, and an empty one, in which no relative path of an original command
 *   is
 * mistaken for a file beside the configuration
 * @throws OrcsError ORCS5001 when they are on none of the events
 */
export async function compareHooks(
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
  try {
    return protocol.decode(isHere ? event : { ...event, cwd: project });
  } catch {
    return undefined;
  }
}

/** A comparison for people: a line for each difference, and how many there are. */
export function comparisonText({ events, differ, skipped }: Comparison): string {
  const shown = ({ decision, reason }: Decision): string =>
    reason === undefined ? decision : `${decision} (${beginning(reason)})`;
  const lines = differ.map(
    ({ number, event, original, imported }) =>
      `event ${number}, ${event}: in the agent ${shown(original)}, imported ${shown(imported)}`,
  );
  const rest = skipped === 0 ? "" : `; ${skipped} hooks without a command were not compared`;
  return [...lines, `${events} events, ${differ.length} with another decision${rest}`].join("\n");
}
