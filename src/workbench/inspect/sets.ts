import { basename, dirname } from "node:path";
import { type Hook, isTrusted, QUIET, type SourcePlace } from "../../core/index.ts";
import { createOrcs } from "../../engine/index.ts";
import { selfGuardOptions } from "../../agents/index.ts";
import { inspectProject, SHIPPED_HOOKS, TrustStore } from "../../config/index.ts";
import type { ActiveHook, SetsAnswer } from "./api.ts";
import type { InspectedPlace } from "./replay-one.ts";

/** What is active: the hooks by point, in the order in which they run, and whether their project is trusted. */
export async function activeSets(place: InspectedPlace): Promise<SetsAnswer> {
  const { config, directory, isService = false } = place;
  const orcs = await createOrcs({
    config,
    cwd: directory,
    auditDir: false,
    untrusted: "ignore",
    logger: QUIET,
    ...(isService && selfGuardOptions({ config })),
  });
  try {
    const { registry } = orcs;
    await registry.pendingShadow?.ready();
    const hooks = registry.list().map((hook) => activeHook(hook, registry.isEnabled(hook.id)));
    const trust = config === undefined ? await trustOf(directory) : undefined;
    return {
      hooks,
      ...(trust && { trust }),
      notices: orcs.notices.map(({ text }) => text),
      warnings: orcs.warnings.map(({ message }) => message),
    };
  } finally {
    await orcs.close();
  }
}

function activeHook(hook: Hook, enabled: boolean): ActiveHook {
  const { id, point, priority, match, fql, origin, source, mode } = hook;
  return {
    id,
    point: point.name,
    priority,
    match: { ...match, ...hook.agents },
    ...(fql !== EVERY_COMPONENT && { fql }),
    enabled,
    origin,
    ...(mode !== undefined && mode !== "enforce" && { mode }),
    ...(source && { source: shownSource(source) }),
  };
}

const EVERY_COMPONENT = "*::*";

/** Where a hook stands; one that ships by its name. */
export function shownSource({ file, line }: SourcePlace): string {
  const isShipped = dirname(file) === SHIPPED_HOOKS;
  return `${isShipped ? `orcs:${basename(file, ".lua")}` : file}:${line}`;
}

/** Undefined when the hooks are the user's own, which need no trust. */
async function trustOf(directory: string): Promise<SetsAnswer["trust"]> {
  try {
    const { standing, changed, active } = await inspectProject(directory, new TrustStore());
    return {
      state: standing.state,
      why: standing.why,
      is_active: isTrusted(standing),
      ...(active !== undefined && { digest: active.slice(0, 16) }),
      changed,
    };
  } catch {
    return undefined;
  }
}
