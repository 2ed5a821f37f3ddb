import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import { verifyLog } from "../../../../src/records/audit/verify-log.ts";
import { folder, open } from "./engine.ts";

/** A line of an audit log, as it is read. */
export type Line = Readonly<Record<string, unknown>>;

/** What an audit log holds: none where there is no file. */
export function linesOf(dir: string): Line[] {
  const file = join(dir, "audit.jsonl");
  if (!existsSync(file)) return [];
  const [last, ...lines] = readFileSync(file, "utf8").split("\n").reverse();
  if (last !== "") throw new Error("the log ends within a line");
  return lines.reverse().map((line) => JSON.parse(line) as Line);
}

/** The lines without what every one of them has. */
export function saidIn(dir: string): Line[] {
  return linesOf(dir).map((line) => {
    const own = Object.entries(line);
    return Object.fromEntries(own.filter(([key]) => !CHAIN.includes(key)));
  });
}

const CHAIN = ["v", "seq", "time", "pid", "prev", "hash"];

/** An engine with an audit log of its own. */
export async function openAudited(
  hooks: readonly object[],
  { audit = {}, ...more }: CreateOrcsOptions & { audit?: object } = {},
): Promise<{ readonly orcs: Orcs; readonly dir: string }> {
  const dir = join(folder(), "audit");
  // Where the last line of the log is noted.
  vi.stubEnv("XDG_STATE_HOME", folder());
  const orcs = await open({
    auditDir: dir,
    overrides: { lua: { max_run_ms: 5000, max_chain_ms: 20_000 }, audit },
    config: { hooks },
    ...more,
  });
  return { orcs, dir };
}

/** Whether the chain of a log is unbroken. */
export function isUnbroken(dir: string): boolean {
  return verifyLog(dir).ok;
}
