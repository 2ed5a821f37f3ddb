import type { Writable } from "node:stream";
import pc from "picocolors";
import type { TraceEntry } from "../core/outcome.ts";
import type { EngineEvents, EventEmitter } from "../registry/events.ts";
import { printable, shortened } from "./table.ts";
import { thoseThatActed } from "./trace-table.ts";

/** A call that takes longer than this is shown while it runs, in milliseconds. */
const LONG_MS = 300;
const FRAME_MS = 100;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** To the beginning of the line, and nothing left on it. */
const CLEAR = "\r\u001B[K";

/** Where lines go: stderr, as stdout belongs to the result. */
type Terminal = Writable & { readonly isTTY?: boolean | undefined };

/** What happens, as it happens, for somebody who looks on: a line per hook that acted, and what takes long. */
export class LiveLines {
  readonly #output: Terminal;
  readonly #colors = pc.createColors(process.env["NO_COLOR"] === undefined);
  /** Calls under way, by when they began. */
  readonly #calls: { readonly tool: string; readonly since: number }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;
  #isShown = false;
  #isPaused = false;

  constructor(output: Terminal) {
    this.#output = output;
  }

  /** Show what an engine does, from now on; nothing where the output is no terminal. */
  follow(events: EventEmitter): void {
    if (this.#output.isTTY !== true) return;
    events.on("dispatched", (event) => this.#dispatched(event));
    events.on("called", ({ tool }) => this.#ended(tool));
  }

  /** Say nothing while somebody is asked. */
  async pausedDuring<T>(work: () => Promise<T>): Promise<T> {
    this.#clear();
    this.#isPaused = true;
    try {
      return await work();
    } finally {
      this.#isPaused = false;
    }
  }

  /** Leave nothing behind. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#clear();
  }

  #dispatched({ point, outcome }: EngineEvents["dispatched"]): void {
    for (const entry of thoseThatActed(outcome.trace ?? [])) {
      const said = this.#said(entry);
      if (said !== undefined) this.#line(`${this.#colors.dim(point)}  ${entry.id}  ${said}`);
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

  /** What a hook did, if it did anything but look. */
  #said({ status, action, reason, changed }: TraceEntry): string | undefined {
    const { red, yellow } = this.#colors;
    const why = reason === undefined ? "" : `: ${printable(reason)}`;
    if (status !== "ran") return red(shortened(`${status}${why}`, 100));
    if (action === "abort") return red(shortened(`abort${why}`, 100));
    if (changed) return yellow(shortened(`changed ${changed.join(" ")}`, 100));
    if (action === undefined || action === "continue") return undefined;
    return yellow(shortened(`${action}${why}`, 100));
  }

  #spin(): void {
    const [first] = this.#calls;
    if (!first || this.#isPaused) return;
    const passed = performance.now() - first.since;
    if (passed < LONG_MS) return;
    const frame = FRAMES[this.#frame++ % FRAMES.length] ?? "";
    const others = this.#calls.length > 1 ? ` and ${this.#calls.length - 1} more` : "";
    const text = `${frame} ${shortened(printable(first.tool), 40)}${others} ${(passed / 1000).toFixed(0)} s`;
    this.#output.write(`${CLEAR}${this.#colors.dim(text)}`);
    this.#isShown = true;
  }

  #line(text: string): void {
    this.#clear();
    if (!this.#isPaused) this.#output.write(`${text}\n`);
  }

  #clear(): void {
    if (this.#isShown) this.#output.write(CLEAR);
    this.#isShown = false;
  }
}
