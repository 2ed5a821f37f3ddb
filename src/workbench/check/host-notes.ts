import { ABILITIES, abilitiesAt, ABILITY_LABELS, isPluginAgent } from "../../core/index.ts";
import type { Ability, AgentName, Hook, PointSpec, SourcePlace } from "../../core/index.ts";
import { isTable, type Settings } from "../../config/index.ts";
import type { SeenDeed } from "../../engine/index.ts";
import { HOSTS, limitUnder, PLUGIN_EVENTS } from "../../formats/index.ts";
import type { Effect, HostProtocol } from "../../formats/index.ts";
import type { Checked, HookCode } from "./check.ts";

/** Something that a hook cannot do on a coding agent as it does elsewhere. */
export interface HostNote {
  readonly hook: string;
  readonly point: string;
  /** The agent's events that it concerns; empty when it has none for the point. */
  readonly events: readonly string[];
  /** What the hook does; empty when it does not run there. */
  readonly abilities: readonly Ability[];
  readonly effect: Effect | "never_runs";
  /** What happens instead, as a sentence without a full stop. */
  readonly instead: string;
  /** The first line that does it. */
  readonly place: SourcePlace | undefined;
}

/** The notes about the hooks of a configuration on one agent. */
export interface CheckedHost {
  readonly host: AgentName;
  readonly notes: readonly HostNote[];
  /** Hooks that run there and whose code is not analysed: commands, webhooks, modules and computed handlers. */
  readonly unread: readonly string[];
}

/** What the active hooks of a configuration cannot do on an agent. Empty when the configuration does not load. */
export async function hostReport(host: AgentName, checked: Checked): Promise<CheckedHost> {
  const { loaded = [], settings } = checked;
  if (!settings) return { host, notes: [], unread: [] };
  const events = isPluginAgent(host) ? PLUGIN_EVENTS[host] : (await HOSTS[host].load()).events;
  const agent = { host, component: `agent::${host}`, events, settings };
  const notes: HostNote[] = [];
  const unread: string[] = [];
  for (const hook of loaded) {
    if (!checked.isEnabled(hook.id) || !hook.appliesTo({ component: agent.component })) continue;
    // The events that settings of the agent name.
    const atPoint = Object.entries(events).flatMap(([event, { point, installed }]) =>
      point === hook.point.name && installed !== false ? [event] : [],
    );
    if (atPoint.length === 0) {
      notes.push(neverRuns(hook, host));
      continue;
    }
    // Events of certain tools count only for hooks that name one of them: others may tell tools apart in their code.
    const names = atPoint.filter((event) => {
      const tools = agent.events[event]?.tools;
      return !tools || hook.matcher?.tools?.some((name) => tools.includes(name)) === true;
    });
    // Nobody waits for its result, on any agent.
    if (hook.async) continue;
    const deeds = deedsOf(hook, checked.codeOf(hook), agent.component);
    if (deeds) notes.push(...notesOf(hook, deeds, names, agent));
    else unread.push(hook.id);
  }
  return { host, notes, unread };
}

interface Agent {
  readonly host: AgentName;
  readonly component: string;
  readonly events: HostProtocol["events"];
  readonly settings: Settings;
}

function neverRuns({ id, point, source }: Hook, host: AgentName): HostNote {
  return {
    hook: id,
    point: point.name,
    events: [],
    abilities: [],
    effect: "never_runs",
    instead: `${host} has no event for ${point.name}, so the hook does not run there`,
    place: source,
  };
}

/** A deed with its place. */
interface PlacedDeed {
  readonly what: SeenDeed["what"];
  readonly place: SourcePlace;
}

/** Undefined when the code is unknown. If it is one of several tables', only what it does for each of them. */
function deedsOf(
  { id }: Hook,
  code: readonly HookCode[],
  component: string,
): PlacedDeed[] | undefined {
  const own = code.filter(({ table }) => table["id"] === id);
  const lists = (own.length > 0 ? own : code).map(({ seen, table, begin }) => {
    const options = isTable(table["options"]) ? table["options"] : {};
    return seen.deeds({ options, component })?.map(({ what, line }) => ({
      what,
      place: { file: begin.file, line: begin.line + line - 1 },
    }));
  });
  const [first, ...others] = lists;
  return first?.filter((deed) =>
    others.every(
      (list) =>
        list?.some(
          ({ what, place }) =>
            place.line === deed.place.line && JSON.stringify(what) === JSON.stringify(deed.what),
        ) === true,
    ),
  );
}

function notesOf(
  { id, point }: Hook,
  deeds: readonly PlacedDeed[],
  events: readonly string[],
  { host, events: rows, settings }: Agent,
): HostNote[] {
  const possible = abilitiesAt(point);
  const places = new Map<Ability, SourcePlace>();
  for (const { what, place } of deeds) {
    const ability = "returns" in what ? what.returns : abilityOfWrite(what.writes, point);
    if (ability && possible.includes(ability) && !places.has(ability)) places.set(ability, place);
  }
  const notes = new Map<string, HostNote>();
  for (const ability of ABILITIES) {
    const place = places.get(ability);
    if (!place) continue;
    for (const [what, { effect, at }] of limitsOf(ability, events)) {
      // Which of them it means is decided by its code.
      if (point.name === "host.pre_event" && at.length < events.length) continue;
      const key = JSON.stringify([what, at]);
      const { abilities = [], place: earlier = place } = notes.get(key) ?? {};
      // The text of a limit calls the agent "it".
      const named = what.replace(/^(whether )?it /, `$1${host} `).replace(/^its /, `${host}'s `);
      notes.set(key, {
        hook: id,
        point: point.name,
        events: at,
        abilities: [...abilities, ability],
        effect,
        instead: named,
        place: earlier,
      });
    }
  }
  return [...notes.values()];

  function limitsOf(ability: Ability, names: readonly string[]) {
    const found = new Map<string, { effect: Effect; at: string[] }>();
    for (const event of names) {
      const { limits = {} } = rows[event] ?? {};
      const stated = limits[ability];
      if (!stated || (stated.worksWithAllow && places.has("allow"))) continue;
      // There it lets the rewrite through.
      const isOfRewrite = limits.rewrite?.worksWithAllow && places.has("rewrite");
      if (ability === "allow" && isOfRewrite) continue;
      const { what, effect, worksWithAllow } = limitUnder(stated, settings.hosts);
      const text = worksWithAllow ? `${what}; it works if the hook also returns allow` : what;
      const { at = [] } = found.get(text) ?? {};
      found.set(text, { effect, at: [...at, event] });
    }
    return found;
  }
}

/** What it means to write a key of the payload. */
function abilityOfWrite(
  key: string,
  { phase, inputKey, resultKey }: PointSpec,
): Ability | undefined {
  if (phase === "pre") return key === inputKey || key === ALIASES[inputKey] ? "rewrite" : undefined;
  return key === resultKey ? "replace" : undefined;
}

/** Other names of an input. */
const ALIASES: Readonly<Record<string, string>> = { prompt: "user_prompt" };

/** A note as one line, without its agent and place. */
export function hostNoteText({ hook, events, abilities, instead }: HostNote): string {
  if (abilities.length === 0) return `${hook}: ${instead}`;
  const labels = abilities.map((ability) => ABILITY_LABELS[ability]).join(", ");
  const rest = events.length - SHOWN_EVENTS;
  const some = rest < 2 ? events : events.slice(0, SHOWN_EVENTS);
  const more = rest < 2 ? "" : ` and ${rest} more`;
  return `${hook} may return ${labels} at ${some.join(", ")}${more}: ${instead}`;
}

const SHOWN_EVENTS = 4;
