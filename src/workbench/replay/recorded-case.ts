import { basename, dirname, join, resolve } from "node:path";
import { holdsMask } from "../../records/index.ts";
import type { RecordedCall, RecordedEvent, RecordedOutcome } from "../../records/index.ts";
import { type HookEntry, isLua, type LuaEntry, type TrustedFiles } from "../../config/index.ts";
import { equalJson, type Hook, OrcsError, QUIET, type ToolAnswer } from "../../core/index.ts";
import { FakeEnvironment, openTestProject } from "../../engine/index.ts";
import type { Observed, TestEngine } from "../../engine/index.ts";
import type { Replayed, ReplaySet } from "./replay-set.ts";
import { replay } from "./replay.ts";
import { markOf, type SavedTest, savedTestText } from "./saved-test.ts";
import { TestFile } from "./test-file.ts";

/** The event of a record, and the hook. */
export interface CaseOptions {
  readonly record: string;
  /** Counted from 1. */
  readonly event: number;
  readonly config: string | undefined;
  readonly cwd: string;
  /** Default: the hook that decided it, otherwise the last that changed its payload. */
  readonly hook: string | undefined;
}

/** The content of a test of a script. */
export interface RecordedCase extends Omit<SavedTest, "script"> {
  /** Path of the script, absolute. */
  readonly file: string;
}

/**
 * Run a recorded event on the script of a hook alone. The result is what was recorded, if that hook decided it.
 * @throws OrcsError ORCS5001 when there is no such event or hook, ORCS8007 when the script alone returns something else
 */
export async function recordedCase(options: CaseOptions): Promise<RecordedCase> {
  const { number, event, is, calls, set } = await found(options);
  const id = options.hook ?? event.outcome.hook ?? is.changedBy.at(-1)?.id;
  if (id === undefined) {
    throw misuse(`no hook decided or changed event ${number}; select a hook with --hook`);
  }
  const hook = set.hook(id);
  if (!hook) throw misuse(`the configuration has no hook ${JSON.stringify(id)}`);
  const { config, cwd } = options;
  const { bench, config: loaded } = await openTestProject({ config, cwd });
  try {
    const { projectTrust } = loaded;
    const entry = scriptEntryOf(hook, loaded.hooks, cwd, projectTrust);
    const file = shownScript(entry.handler.file, cwd, projectTrust);
    const given = { file, options: entry.options, event, calls };
    const observed = await observedAlone(bench, entry, event, calls);
    expectSame(number, event, event.outcome.hook === id, observed);
    return { ...given, observed };
  } finally {
    await bench.close();
  }
}

/** A test of a recorded event in a file of tests. */
interface SavedCase {
  readonly path: string;
  readonly text: string;
  /** False when the file had this test already. */
  readonly isNew: boolean;
}

/**
 * Write the test of a recorded event into a file beside the script of its hook. The test has passed before it is
 * written. What stands in the file stays.
 * @param nameOf the name of the file, from that of the script
 * @param head the first lines of a new file
 * @throws OrcsError ORCS5001, ORCS5002, ORCS8007: nothing was written
 */
export async function saveCase(
  options: CaseOptions,
  nameOf: (script: string) => string,
  head: string,
): Promise<SavedCase> {
  const { file, ...test } = await recordedCase(options);
  const script = basename(file);
  const tests = new TestFile(join(dirname(file), nameOf(script)), head);
  const saved = { ...test, script };
  const text = savedTestText(saved);
  const isNew = !tests.has(markOf(saved));
  if (isNew) {
    await tests.expectToPass(text, { config: options.config, cwd: options.cwd });
    tests.add(text);
  }
  return { path: tests.path, text, isNew };
}

interface Found {
  readonly number: number;
  readonly event: RecordedEvent;
  readonly is: Replayed;
  readonly calls: readonly RecordedCall[];
  readonly set: ReplaySet;
}

/** @throws OrcsError ORCS5001 */
async function found({ record, event: wanted, config, cwd }: CaseOptions): Promise<Found> {
  let set: ReplaySet | undefined;
  let last: Omit<Found, "set"> | undefined;
  const { events } = await replay({
    file: record,
    set: { config, cwd, logger: QUIET },
    until: wanted,
    begun: (opened) => void (set = opened),
    differs: () => undefined,
    replayed: ({ number, event }, is, { given }) => {
      if (number === wanted) last = { number, event, is, calls: given };
    },
  });
  if (events < wanted) throw misuse(`the record has ${events} events`);
  if (!last || !set) throw misuse(`event ${wanted} cannot be replayed here`);
  return { ...last, set };
}

type ScriptEntry = LuaEntry & { readonly handler: { readonly kind: "script" } };

/** The path of a script in its project: a trusted project runs from a sealed copy. */
export function shownScript(
  file: string,
  cwd: string,
  projectTrust: Pick<TrustedFiles, "shown"> | undefined,
): string {
  return resolve(cwd, projectTrust?.shown(file) ?? file);
}

/** The entry of a hook in a script. @throws OrcsError ORCS5001 for a hook that is not from a script of the user */
export function scriptEntryOf(
  { id, source }: Pick<Hook, "id" | "source">,
  entries: readonly HookEntry[],
  cwd: string,
  projectTrust?: TrustedFiles,
): ScriptEntry {
  const own = entries.find((entry) => entry.id === id);
  if (own && !isLua(own.handler)) throw misuse(`hook ${id} does not run in Lua`);
  const file = source && resolve(cwd, source.file);
  const scripts = entries.filter(
    (entry): entry is ScriptEntry =>
      entry.handler.kind === "script" &&
      shownScript(entry.handler.file, cwd, projectTrust) === file,
  );
  // A script can be configured several times, with other options.
  const entry =
    scripts.find((each) => each.id === id || id.startsWith(`${each.id}:`)) ?? scripts[0];
  if (!entry) {
    throw misuse(`hook ${id} is not in its own script; move its handler into one to test it`);
  }
  if (entry.handler.script.startsWith("orcs:")) {
    throw misuse(`hook ${id} is shipped with orcs and is tested there`);
  }
  return entry;
}

/** The result of an event on the hooks of a script, without the values of a configuration. */
async function observedAlone(
  bench: TestEngine,
  { handler, options, point, scriptRoots }: ScriptEntry,
  event: RecordedEvent,
  calls: readonly RecordedCall[],
): Promise<Observed> {
  const left = [...calls];
  const call = (name: string): ToolAnswer => {
    const at = left.findIndex((recorded) => recorded.call.kind === name);
    const [recorded] = at < 0 ? [] : left.splice(at, 1);
    if (!recorded) throw new Error(`${name} was not recorded`);
    return answerOf(recorded);
  };
  bench.world.begin(new FakeEnvironment({ call }, {}));
  const rig = await bench.rigOf(handler.file, { roots: scriptRoots, options }, () => point);
  const { component, child, instance, metadata, payload } = event;
  const about = { component, child, instance, metadata };
  const { observed } = await rig.dispatchAt(event.point, structuredClone(payload), about);
  return { ...observed, logs: [] };
}

function answerOf({ call: { result, error } }: RecordedCall): ToolAnswer {
  if (error !== undefined) return { ok: false, error };
  if (result === undefined) return { ok: true };
  const isObject = typeof result === "object" && result !== null && !Array.isArray(result);
  return isObject ? { ok: true, ...result } : { ok: true, result };
}

/** @throws OrcsError ORCS8007 */
function expectSame(
  number: number,
  { outcome, payload, metadata }: RecordedEvent,
  isDecider: boolean,
  observed: Observed,
): void {
  const masked = holdsMask(payload) || holdsMask(metadata);
  const note = masked ? "; secrets are masked in the record" : "";
  const refuse = (why: string): OrcsError =>
    new OrcsError("ORCS8007", `event ${number} cannot be saved as a test: ${why}${note}`, {
      event: number,
    });
  if (observed.error !== undefined) throw refuse(`the hook fails: ${observed.error}`);
  if (!isDecider) return;
  const was = verdictOf(outcome);
  const is = verdictOf(observed);
  if (equalJson(was, is, (a, b) => a === b)) return;
  throw refuse(
    `run alone, its script returns ${JSON.stringify(is)}, but the record has ${JSON.stringify(was)}`,
  );
}

/** The hook's own result; its id depends on the configuration. */
function verdictOf(outcome: RecordedOutcome | Observed): Record<string, unknown> {
  const { action, decision, reason, result, delay_ms } = outcome;
  return {
    action,
    ...(decision !== undefined && decision !== "deny" && { decision }),
    ...(reason !== undefined && { reason }),
    ...(action === "skip" && { result: result ?? null }),
    ...(delay_ms !== undefined && { delay_ms }),
  };
}

function misuse(why: string): OrcsError {
  return new OrcsError("ORCS5001", why);
}
