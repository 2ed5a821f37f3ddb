import { configPlace } from "../config/index.ts";
import { stderrLogger } from "../engine/index.ts";
import type { EngineEvents, EventEmitter, Runtime } from "../engine/index.ts";
import { defaultAuditDir, Telemetry } from "../daemon/index.ts";
import { askTerminal } from "./ask-terminal.ts";
import { openOrcs } from "./open-orcs.ts";
import { CONFIG, RECORD, recordFrom } from "./options.ts";
import { redactedView, thoseThatActed } from "./outcome-text.ts";
import { print, printJson } from "./output.ts";
import { CLEAR_LINE, PLAIN, type Palette, paletteFor } from "./terminal.ts";
import { flag, verbCommand } from "./verb-command.ts";
import type { Writable } from "node:stream";
import type { JsonObject, TraceEntry } from "../core/index.ts";
import { printable, renderTable, shortened } from "./table.ts";

/** How long a collector is waited for when the program has ended. */
const TELEMETRY_MS = 2000;

/** `orcs run`: run a Lua component or script in the runtime, and show what the hooks did. */
export const runCommand = verbCommand("run", {
  options: {
    config: CONFIG,
    ...RECORD,
    json: flag("print one line of JSON per dispatch instead of a table of tool calls"),
    watch: flag("reload the hooks when the configuration or a script is saved"),
  },
  help: "When a hook asks for approval, the question appears in the terminal. Without a terminal, the call is denied.",
  run: async (options, script: string) => {
    let runtime: Runtime | undefined;
    const live = new LiveLines(process.stderr);
    const ask = askTerminal(process.stdin, process.stderr);
    const orcs = await openOrcs(options.config, {
      askTerminal: ask && ((request) => live.pausedDuring(async () => ask(request))),
      watch: options.watch,
      record: recordFrom(options),
      auditDir: defaultAuditDir(configPlace(process.cwd(), options.config)),
      // It does not wait for the current request; the program still shuts down and saves its snapshot.
      interrupted: () => {
        for (const { component } of runtime?.channels ?? []) void runtime?.kill(component);
      },
    });
    const calls: EngineEvents["called"][] = [];
    if (options.json === true) {
      orcs.events.on("dispatched", (dispatch) => {
        printJson(redactedView(orcs, dispatchLine(dispatch)));
      });
    } else {
      orcs.events.on("called", (call) => calls.push(call));
      live.follow(orcs.events);
    }
    const telemetry = new Telemetry(stderrLogger("warn"));
    await telemetry.attach(orcs);
    try {
      runtime = orcs.runtime();
      await runtime.run(script);
    } finally {
      await orcs.close();
      await telemetry.shutdown(TELEMETRY_MS);
      live.stop();
      const shown = calls.map((call) => redactedView(orcs, call));
      if (calls.length > 0) print(`\n${callTable(shown, paletteFor(process.stdout))}`);
    }
  },
});

/** Calls that take longer than this are shown while they run, in milliseconds. */
const LONG_MS = 300;
const FRAME_MS = 100;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** The destination of lines: stderr, as stdout belongs to the result. */
type Terminal = Writable & { readonly isTTY?: boolean | undefined };

/** Shows what happens while a program runs: a line per hook that acted, and slow calls. */
export class LiveLines {
  readonly #output: Terminal;
  readonly #colors: Palette;
  /** Running calls, by their start. */
  readonly #calls: { readonly tool: string; readonly since: number }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;
  #isShown = false;
  #isPaused = false;

  constructor(output: Terminal) {
    this.#output = output;
    this.#colors = paletteFor(output);
  }

  /** Show the events of an engine; nothing if the output is not a terminal. */
  follow(events: EventEmitter): void {
    if (this.#output.isTTY !== true) return;
    events.on("dispatched", (event) => this.#dispatched(event));
    events.on("called", ({ tool }) => this.#ended(tool));
  }

  /** Pause while a person is asked. */
  async pausedDuring<T>(work: () => Promise<T>): Promise<T> {
    this.#clear();
    this.#isPaused = true;
    try {
      return await work();
    } finally {
      this.#isPaused = false;
    }
  }

  /** Clear the line and stop. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#clear();
  }

  #dispatched({ point, outcome }: EngineEvents["dispatched"]): void {
    for (const entry of thoseThatActed(outcome.trace ?? [])) {
      const { action, status, changed } = entry;
      // It has only looked.
      if (status === "ran" && !changed && (action === undefined || action === "continue")) continue;
      const isChange = status === "ran" && action !== "abort" && changed;
      const verdict = isChange
        ? this.#colors.yellow(shortened(`changed ${changed.join(" ")}`, 100))
        : didText(entry, this.#colors, 100);
      this.#line(`${this.#colors.dim(point)}  ${entry.id}  ${verdict}`);
    }
    if (point !== "tool.pre_execute" || outcome.action !== "continue") return;
    this.#calls.push({ tool: String(outcome.ctx.payload["tool_name"]), since: performance.now() });
    this.#timer ??= setInterval(() => this.#spin(), FRAME_MS).unref();
  }

  #ended(tool: string): void {
    const at = this.#calls.findIndex((call) => call.tool === tool);
    if (at >= 0) this.#calls.splice(at, 1);
    if (this.#calls.length === 0) this.stop();
  }

  #spin(): void {
    const [first] = this.#calls;
    if (!first || this.#isPaused) return;
    const passed = performance.now() - first.since;
    if (passed < LONG_MS) return;
    const frame = FRAMES[this.#frame++ % FRAMES.length] ?? "";
    const others = this.#calls.length > 1 ? ` and ${this.#calls.length - 1} more` : "";
    const text = `${frame} ${shortened(printable(first.tool), 40)}${others} ${(passed / 1000).toFixed(0)} s`;
    this.#output.write(`${CLEAR_LINE}${this.#colors.dim(text)}`);
    this.#isShown = true;
  }

  #line(text: string): void {
    this.#clear();
    if (!this.#isPaused) this.#output.write(`${text}\n`);
  }

  #clear(): void {
    if (this.#isShown) this.#output.write(CLEAR_LINE);
    this.#isShown = false;
  }
}

/** Every tool call with its hooks, a line each. */
function callTable(calls: readonly EngineEvents["called"][], colors: Palette = PLAIN): string {
  const rows = calls.flatMap((call, i) => {
    const { outcome } = call;
    const hooks = thoseThatActed(outcome.outcomes.flatMap(({ trace = [] }) => trace));
    const refusing =
      outcome.action === "abort" ? hooks.findLastIndex(({ id }) => id === outcome.hook) : -1;
    const [first] = Object.values(call.args);
    const given = typeof first === "string" ? first : JSON.stringify(call.args);
    const name = `${i + 1} ${call.tool} ${shortened(printable(given), 44)}`;
    const ms = call.duration_ms.toFixed(1);
    if (hooks.length === 0) return [[name, "", "", ms]];
    return hooks.map((hook, n) => {
      const refusal = n === refusing && "reason" in outcome ? outcome.reason : undefined;
      return [n === 0 ? name : "", hook.id, didText(hook, colors, 60, refusal), n === 0 ? ms : ""];
    });
  });
  return renderTable(["call", "hook", "what it did", "ms"], rows);
}

/**
 * What a hook did, in at most so many characters.
 * @param refusal why its call was denied because of this hook
 */
function didText(
  { action, status, reason, changed }: TraceEntry,
  { red, yellow }: Palette,
  most: number,
  refusal?: string,
): string {
  const why = reason === undefined ? "" : `: ${printable(reason)}`;
  const did = action ?? "";
  const cut = (text: string): string => shortened(text, most);
  if (status !== "ran") return red(cut(`${status}${why}`));
  if (action === "abort") return red(cut(`abort${why}`));
  // It allowed the call, but asked or deferred, and the call was denied then.
  if (action === "continue" && refusal !== undefined) {
    return red(cut(`denied, ${printable(refusal)}`));
  }
  if (changed) return yellow(cut(`${did}, changed ${changed.join(" ")}`));
  return did === "continue" ? did : yellow(cut(`${did}${why}`));
}

/** A dispatch as `orcs run --json` prints it, one per line: arguments and payload are as the hooks left them. */
function dispatchLine(event: EngineEvents["dispatched"]) {
  const { point, component, child, outcome, duration_ms } = event;
  const { ctx, action } = outcome;
  const { tool_name, args } = ctx.payload;
  return {
    point,
    component,
    ...(child !== undefined && { child }),
    channel: ctx.channel_id,
    action,
    ...("decision" in outcome && { decision: outcome.decision }),
    ...("hook" in outcome && { hook: outcome.hook }),
    ...("reason" in outcome && { reason: outcome.reason }),
    ...(point.startsWith("tool.") && { tool: String(tool_name), args: args as JsonObject }),
    payload_keys: Object.keys(ctx.payload),
    hooks: thoseThatActed(outcome.trace ?? []),
    duration_ms,
  };
}
