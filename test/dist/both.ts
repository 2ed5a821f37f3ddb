import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { CreateOrcsOptions, Orcs } from "../../src/index.ts";
import { folder, ROOT } from "./orcs.ts";

type Package = typeof import("../../src/index.ts");

/** The package as built, in this process. */
export async function built(root = ROOT): Promise<Package> {
  return (await import(
    pathToFileURL(join(root, root === ROOT ? "dist" : "build", "index.js")).href
  )) as Package;
}

export type Isolation = "thread" | "worker";

/** An engine of the built package, and what it said. */
export interface Rig {
  readonly orcs: Orcs;
  readonly isolation: Isolation;
  /** Log lines as `level: message`, and what scripts gave out as `output: text`, in order. */
  readonly lines: string[];
}

/** What a rig is made of: hooks as in TOML, scripts by name, settings. */
export interface Setup {
  /** Inline handlers in one state, in order: code, or an entry with `handler_inline`. */
  readonly hooks?: readonly (string | Readonly<Record<string, unknown>>)[];
  /** A script that states hooks of its own. */
  readonly script?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly lua?: Readonly<Record<string, unknown>>;
  readonly engine?: Readonly<Record<string, unknown>>;
  readonly options?: CreateOrcsOptions;
  /** Of which checkout; default this one. */
  readonly root?: string;
}

/** An engine that is closed after the test. */
export async function rig(isolation: Isolation, setup: Setup): Promise<Rig> {
  const { createOrcs } = await built(setup.root);
  const lines: string[] = [];
  const keep = (level: string) => (text: string) => void lines.push(`${level}: ${text}`);
  const hooks = (setup.hooks ?? []).map(entryOf);
  const { script } = setup;
  const files = { ...setup.files, ...(script !== undefined && { "hooks/s.lua": script }) };
  const orcs = await createOrcs({
    cwd: folder({ "hooks/.keep": "", ...files }),
    config: {
      // No hook comes near that because the machine has other things to do.
      lua: { isolation, max_run_ms: 400, max_chain_ms: 20_000, ...setup.lua },
      engine: setup.engine,
      hooks: script === undefined ? hooks : [...hooks, { script: "s.lua" }],
    },
    logger: { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") },
    output: keep("output"),
    ...setup.options,
  });
  onTestFinished(() => orcs.close());
  return { orcs, isolation, lines };
}

function entryOf(hook: string | Readonly<Record<string, unknown>>, index: number) {
  const entry = typeof hook === "string" ? { handler_inline: hook } : hook;
  return { id: `h${index + 1}`, point: "tool.pre_execute", ...entry };
}

/** What became of one call, without the parts that no hook has a say in. */
export async function call(
  { orcs }: Rig,
  args: Record<string, unknown> = {},
  point = "tool.pre_execute",
): Promise<Record<string, unknown>> {
  const outcome = await orcs.dispatch(point, { tool_name: "x", args });
  const { ctx, inject, trace: _, ...action } = outcome;
  const { payload, metadata } = ctx;
  return {
    ...action,
    ...(inject.length > 0 && { inject }),
    ...(action.action === "continue" && { args: (payload as { args: unknown }).args }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** A scenario that must come to the same in both modes. */
export function both(
  name: string,
  setup: Setup | ((isolation: Isolation) => Setup),
  play: (rig: Rig) => Promise<unknown>,
  expected?: unknown,
): void {
  test.for(["thread", "worker"] as const)(`${name} (%s)`, async (isolation) => {
    const of = typeof setup === "function" ? setup(isolation) : setup;
    const result = await play(await rig(isolation, of));
    if (expected !== undefined) expect(result).toEqual(expected);
  });
}
