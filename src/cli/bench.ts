import { resolve } from "node:path";
import { type Hook, type LogLevel, OrcsError, parseFql, QUIET } from "../core/index.ts";
import { HookSet, openOrcs, stderrLogger } from "../engine/index.ts";
import type { DispatchOptions, Orcs } from "../engine/index.ts";
import { eventPayload } from "./event-arguments.ts";
import { CONFIG, JSON_OUTPUT, wholeNumber } from "./options.ts";
import { printEither } from "./output.ts";
import { renderTable } from "./table.ts";
import { type OptionsOf, value, verbCommand } from "./verb-command.ts";

const OPTIONS = {
  event: value("<key=value...>", "the event: tool=NAME, tool arguments or keys of the payload", {
    short: "e",
    default: [],
  }),
  input: value("<file>", "read the payload as JSON from this file; - reads stdin", { short: "i" }),
  count: value("<number>", "number of dispatches for each hook", {
    short: "n",
    parse: wholeNumber(1, 1e7, "It must be a whole number from 1 to 10,000,000."),
    default: 5000,
  }),
  config: CONFIG,
  json: JSON_OUTPUT,
};

/** The cost of one hook that runs alone, in microseconds per dispatch. */
interface Timed {
  readonly hook: string;
  readonly point: string;
  /** Its action; `not_matched` when the event does not match. */
  readonly action: string;
  readonly runs: number;
  readonly p50_us?: number;
  readonly p99_us?: number;
  readonly max_us?: number;
}

/** Number of dispatches before the measurement. */
const WARM_UP = 500;

/** `orcs test --bench`: the cost of each hook. */
export const benchCommand = verbCommand("test --bench", {
  options: OPTIONS,
  help: "Example:\n  orcs test --bench hooks/guard.lua --event tool=exec command=ls",
  run: async (options, script: string | undefined) => {
    const config = script === undefined ? options.config : { hooks: [{ script: resolve(script) }] };
    const stderr = stderrLogger("warn");
    let tell = (text: string): void => stderr.warn(text);
    const hears = (level: LogLevel): boolean => level === "warn";
    const logger = { ...QUIET, warn: (text: string) => tell(text), hears };
    const hookSet = new HookSet();
    const orcs = await openOrcs({
      config,
      auditDir: false,
      hookSet,
      untrusted: "ignore",
      logger,
      output: () => undefined,
    });
    // Messages repeated thousands of times are dropped.
    tell = () => undefined;
    try {
      const hooks = orcs.registry.list();
      if (hooks.length === 0) throw new OrcsError("ORCS5001", "there are no hooks to measure");
      const timed: Timed[] = [];
      for (const hook of hooks) timed.push(await timeAlone(orcs, hookSet, hook, options));
      printEither(options.json, timed, () => describe(timed));
    } finally {
      await orcs.close();
    }
  },
});

/** Dispatch to one hook with all others disabled. */
async function timeAlone(
  orcs: Orcs,
  all: HookSet,
  hook: Hook,
  options: OptionsOf<typeof OPTIONS>,
): Promise<Timed> {
  const { registry } = orcs;
  const point = hook.point.name;
  for (const { id } of registry.list(point)) all.setEnabled(id, id === hook.id);
  const payload = eventPayload(point, options.event, options.input);
  for (const key of hook.point.required) payload[key] ??= sample(key, hook);
  const address = addressFor(hook);
  const first = await orcs.dispatch(point, payload, { ...address, trace: true });
  const status = first.trace?.find(({ id }) => id === hook.id)?.status ?? "not_matched";
  const action = status === "ran" ? first.action : status;
  if (status !== "ran") return { hook: hook.id, point, action, runs: 0 };
  const took = new Float64Array(options.count);
  for (let i = -WARM_UP; i < options.count; i++) {
    const started = performance.now();
    const outcome = registry.dispatch(point, payload, address);
    if (outcome instanceof Promise) await outcome;
    if (i >= 0) took[i] = (performance.now() - started) * 1000;
  }
  took.sort();
  const at = (share: number): number => took[Math.floor((took.length - 1) * share)] ?? 0;
  return {
    hook: hook.id,
    point,
    action,
    runs: options.count,
    p50_us: at(0.5),
    p99_us: at(0.99),
    max_us: at(1),
  };
}

/** A component that the hook applies to. */
function addressFor({ fql }: Hook): DispatchOptions {
  const { scope, target, child, instance } = parseFql(fql);
  const named = (part: string, anyone: string): string => (part === "*" ? anyone : part);
  return {
    component: `${named(scope, "host")}::${named(target, "main")}`,
    child: child?.map((part) => named(part, "child")).join("/"),
    instance: instance === undefined ? undefined : named(instance, "0"),
  };
}

/** A sample value for a required payload key of a point. */
function sample(key: string, { match }: Hook): string | Record<string, never> {
  if (key === "args") return {};
  const [tool = ""] = key === "tool_name" ? (match?.tool ?? "exec").split("|") : [];
  return /^[\w.-]+$/.test(tool) ? tool : "sample";
}

function describe(timed: readonly Timed[]): string {
  const microseconds = (value: number | undefined): string =>
    value === undefined ? "" : `${value.toFixed(1)} µs`;
  return renderTable(
    ["hook", "point", "answer", "p50", "p99", "max"],
    timed.map(({ hook, point, action, p50_us, p99_us, max_us }) => [
      hook,
      point,
      action === "not_matched" ? "the event does not match" : action,
      microseconds(p50_us),
      microseconds(p99_us),
      microseconds(max_us),
    ]),
  );
}
