import type { Settings } from "../../../config/index.ts";
import { OrcsError } from "../../../core/index.ts";
import type { Clock, Logger } from "../../../core/index.ts";
import type { HookRegistry } from "../../registry/index.ts";
import type { ConfiguredHooks, Reloaded } from "./configured-hooks.ts";

/** The receivers of reload events, and the clock that measures a reload. */
interface Told {
  readonly registry: Pick<HookRegistry, "events">;
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * Reload a configuration and report the result.
 * @param saved whether a saved file caused it
 * @throws as `ConfiguredHooks.reload`: the previous hooks stay active
 */
export async function reportReload(
  configured: ConfiguredHooks,
  { registry: { events }, logger, clock }: Told,
  saved: boolean,
): Promise<Reloaded> {
  try {
    const reloaded = await configured.reload(() => clock.now(), saved);
    for (const key of reloaded.pending) {
      logger.warn(`${key} has changed; the change takes effect at the next start`);
    }
    events.emit("reloaded", reloaded);
    return reloaded;
  } catch (thrown) {
    if (thrown instanceof OrcsError) {
      // Line by line: a log does not show line breaks, and a caret must stay below its column.
      for (const line of `the previous hooks stay active: ${thrown.message}`.split("\n")) {
        logger.error(line);
      }
      events.emit("reload_failed", { error: thrown });
    }
    throw thrown;
  }
}

/** Settings that a reload applies: script folders, and whether it runs tests. */
const APPLIED: readonly string[] = ["scripts", "scriptRoots", "engine.test_on_reload"];

/** Settings that differ and are read only at the start of an engine, as `section.key`. */
export function changedSettings(before: Settings, after: Settings): string[] {
  const sections = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed: string[] = [];
  for (const section of sections) {
    if (APPLIED.includes(section)) continue;
    const was: unknown = before[section as keyof Settings];
    const is: unknown = after[section as keyof Settings];
    if (!isSection(was) || !isSection(is)) {
      if (was !== is) changed.push(section);
      continue;
    }
    for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
      if (APPLIED.includes(`${section}.${key}`)) continue;
      if (JSON.stringify(was[key]) !== JSON.stringify(is[key])) changed.push(`${section}.${key}`);
    }
  }
  return changed;
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
