import type { Settings } from "../../../config/index.ts";

/** Settings that a reload applies: script folders. */
const APPLIED: readonly string[] = ["scripts", "scriptRoots"];

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
      if (JSON.stringify(was[key]) !== JSON.stringify(is[key])) changed.push(`${section}.${key}`);
    }
  }
  return changed;
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
