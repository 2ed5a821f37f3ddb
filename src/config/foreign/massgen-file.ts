import { POINT_ALIASES } from "../../core/index.ts";
import type { ConfigError, KeyPath } from "../config-error.ts";
import { isTable, type Table, valueAt, valueOf } from "../table.ts";

/**
 * The hooks of a configuration of MassGen: lists by event under `hooks`, and a list of agents with hooks of their own
 * under `backend`. Source: seed 004, decision 2.
 */

/** Whether a configuration has hooks in MassGen's form, which no configuration of orcs has. */
export function isMassgenFile(tree: unknown): tree is Table {
  const hooks = massgenHooks(tree);
  const isAll = hooks.every(
    ({ event, hook }) =>
      Object.hasOwn(POINT_ALIASES, event) && isTable(hook) && !Object.hasOwn(hook, "hooks"),
  );
  return isAll && hooks.some(({ hook }) => valueOf(hook, "handler") !== undefined);
}

/** The hooks that are written in MassGen's form: those of all agents, then those of each. */
export function massgenHooks(tree: unknown): { event: string; hook: unknown }[] {
  return [valueOf(tree, "hooks"), ...agentsOf(tree).map(hooksOfAgent)].flatMap((hooks) =>
    Object.entries(isTable(hooks) ? hooks : {}).flatMap(([event, list]) =>
      hooksOfEvent(list).map(({ hook }) => ({ event, hook })),
    ),
  );
}

function agentsOf(tree: unknown): readonly unknown[] {
  const agents = valueOf(tree, "agents");
  return Array.isArray(agents) ? (agents as unknown[]) : [];
}

function hooksOfAgent(agent: unknown): unknown {
  return valueAt(agent, ["backend", "hooks"]);
}

/** The hooks of an event, with their paths below it: a list, or `hooks` beside `override`. */
function hooksOfEvent(list: unknown): { hook: unknown; at: KeyPath }[] {
  if (Array.isArray(list)) return list.map((hook: unknown, i) => ({ hook, at: [i] }));
  const inner = valueOf(list, "hooks");
  if (Array.isArray(inner)) return inner.map((hook: unknown, i) => ({ hook, at: ["hooks", i] }));
  const isOnlyOverride = inner === undefined && valueOf(list, "override") !== undefined;
  return isOnlyOverride ? [] : [{ hook: list, at: [] }];
}

/** The configuration in the form of orcs, and where each part of it is written. */
export function fromMassgen(tree: Table): {
  readonly tree: Table;
  readonly mistakes: readonly ConfigError[];
  readonly written: (path: KeyPath) => KeyPath;
} {
  const { hooks, agents, ...rest } = tree;
  const places = new Map<string, KeyPath>();
  const mistakes: ConfigError[] = [];
  const found: Record<string, Table> = {};
  for (const [i, agent] of agentsOf(tree).entries()) {
    const id = valueOf(agent, "id");
    if (typeof id !== "string" || id === "" || id === "__proto__" || Object.hasOwn(found, id)) {
      const message = `expected an id of its own, got ${JSON.stringify(id) ?? "none"}`;
      mistakes.push({ code: "ORCS1013", path: ["agents", i], at: "key", message });
      continue;
    }
    places.set(JSON.stringify(["agents", id]), ["agents", i]);
    const own = hooksOfAgent(agent);
    const at = ["agents", i, "backend", "hooks"];
    const override = Object.entries(isTable(own) ? own : {})
      .filter(([, list]) => valueOf(list, "override") === true)
      .map(([event]) => event);
    found[id] = {
      hooks: flattened(own, at, ["agents", id, "hooks"], places),
      ...(override.length > 0 && { override }),
    };
  }
  const flat = isTable(hooks) ? flattened(hooks, ["hooks"], ["hooks"], places) : hooks;
  return {
    tree: {
      ...rest,
      ...(flat !== undefined && { hooks: flat }),
      ...(agents !== undefined && { agents: Array.isArray(agents) ? found : agents }),
    },
    mistakes,
    written: (path) => writtenPath(path, places),
  };
}

/** The hooks of all events in one list. */
function flattened(
  hooks: unknown,
  from: KeyPath,
  to: KeyPath,
  places: Map<string, KeyPath>,
): readonly unknown[] {
  const flat: unknown[] = [];
  for (const [event, list] of Object.entries(isTable(hooks) ? hooks : {})) {
    for (const { hook, at } of hooksOfEvent(list)) {
      const place = [...from, event, ...at];
      places.set(JSON.stringify([...to, flat.length]), place);
      if (valueOf(hook, "timeout") !== undefined)
        places.set(JSON.stringify([...to, flat.length, "timeout_sec"]), [...place, "timeout"]);
      flat.push(isTable(hook) ? respelled(hook, event) : hook);
    }
  }
  return flat;
}

/** MassGen has two more keys: `timeout` in seconds and `fail_closed`. */
function respelled({ timeout, fail_closed: isClosed, ...hook }: Table, event: string): Table {
  return {
    event,
    ...hook,
    ...(timeout !== undefined && { timeout_sec: timeout }),
    ...(isClosed === true && { on_error: "closed" }),
    ...(isClosed !== undefined && typeof isClosed !== "boolean" && { fail_closed: isClosed }),
  };
}

function writtenPath(path: KeyPath, places: ReadonlyMap<string, KeyPath>): KeyPath {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(JSON.stringify(path.slice(0, length)));
    if (place) return [...place, ...path.slice(length)];
  }
  return path;
}
