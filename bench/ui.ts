import type { ChildProcess } from "node:child_process";
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Page } from "playwright-core";
import { chromium } from "playwright-core";
import { OrcsClient } from "orcs/client";
import { quantile } from "./measure.ts";
import type { Row } from "./report.ts";
import type { Subject } from "./serve-cpu.ts";
import { cpuOf } from "./serve-cpu.ts";
import { EVENT, MAIN, SCRIPT, serviceKeyIn, started, startedService, TEN_HOOKS } from "./serve.ts";

const SECONDS = { latency: 15, flood: 60 };
const PER_SECOND = { latency: 200, flood: 1000 };
/** As many as the page keeps. */
const LIST = 10_000;
const FILTERS = 20;
const AT_A_TIME = 16;
const WARM_EVENTS = 10_000;
const EVENTS = 1000;
const ROUNDS = 60;

/**
 * What the page of `orcs ui` costs, in a browser: how late an event is on the page, whether one is lost, how long a filter
 * of a full list takes, and the processor time that a reader costs the service. Nothing is measured without a browser.
 */
export async function uiRows(): Promise<Row[]> {
  const executablePath = browserFile();
  if (executablePath === undefined) {
    process.stderr.write("*** NOT MEASURED: the page of orcs ui; there is no chromium ***\n");
    return [];
  }
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "orcs-bench-")));
  const children: ChildProcess[] = [];
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const cpu = await cpuRows(dir, children);
    const { socket, line, at } = await service(dir, "page", children);
    const { url } = await started(children, at, [MAIN, "ui", "--json"]);
    const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    await page.addInitScript({ content: IN_PAGE });
    await page.goto(String(url));
    await page.getByText("live", { exact: true }).waitFor();
    const sender = new Sender(socket, line);
    await sender.send(PER_SECOND.latency, 3);
    await settled(page, sender);
    await page.evaluate("measured.late.length = 0");
    await sender.send(PER_SECOND.latency, SECONDS.latency);
    await settled(page, sender);
    const { late } = await page.evaluate<Measured>("measured");
    const sentAs = await sender.send(PER_SECOND.flood, SECONDS.flood);
    const missing = await settled(page, sender);
    const filter = await page.evaluate<number[]>(FILTER);
    const scroll = await page.evaluate<number[]>(SCROLL);
    await sender.close();
    const ms = (key: string, what: string, values: readonly number[], limit: number): Row => {
      const us = quantile(values, 0.95) * 1000;
      return { key, what, us, baseline: limit * 1000, ratio: us / (limit * 1000) };
    };
    return [
      ms(
        "ui_late",
        `95 of 100 events are in the page so late, at ${PER_SECOND.latency} a second (${late.length} events), against 100 ms`,
        late,
        100,
      ),
      {
        key: "ui_lost",
        what: `events that the page has not got, of ${SECONDS.flood} s at ${Math.round(sentAs)} a second (a number, not µs)`,
        us: missing,
        baseline: PER_SECOND.flood * SECONDS.flood,
        ratio: missing,
      },
      ms(
        "ui_filter",
        `95 of 100 filters of a list of ${LIST} are drawn, against 100 ms`,
        filter,
        100,
      ),
      ms("ui_scroll", "the same for leaps in the list", scroll, 100),
      ...cpu,
    ];
  } finally {
    await browser.close();
    for (const child of children) child.kill("SIGKILL");
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Processor time of a service for each event: with one reader, and after the reader has gone. */
async function cpuRows(dir: string, children: ChildProcess[]): Promise<Row[]> {
  const names = ["alone", "read", "left"] as const;
  const subjects: Subject[] = [];
  for (const name of names) subjects.push(await service(dir, name, children));
  const [, read, left] = subjects;
  if (!read || !left) throw new Error("a service is missing");
  const reader = new Reader(read);
  const past = new Reader(left);
  await past.heard;
  past.close();
  await reader.heard;
  // A reader that does not ask again is gone after 5 s.
  await new Promise((resolve) => setTimeout(resolve, 6000));
  const [baseline = NaN, ...others] = await cpuOfEach(subjects);
  process.stderr.write(`the reader got ${reader.items} events, and lost ${reader.lost}\n`);
  reader.close();
  const row = (key: string, what: string, us = NaN): Row => {
    return { key, what, us, baseline, ratio: us / baseline };
  };
  return [
    row(
      "ui_cpu_reader",
      "processor time of an event in a service that is watched, against one that never was",
      others[0],
    ),
    row("ui_cpu_left", "the same, when nobody watches any more", others[1]),
  ];
}

/** Of each subject the best round, in microseconds. A number of events, not a time: a busy machine must not measure less warm code. */
async function cpuOfEach(subjects: readonly Subject[]): Promise<number[]> {
  const senders = subjects.map(({ socket, line }) => new Sender(socket, line));
  for (const sender of senders) await sender.sendAll(WARM_EVENTS);
  const best = subjects.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, { pid }] of subjects.entries()) {
      const before = cpuOf(pid);
      await senders[i]?.sendAll(EVENTS);
      best[i] = Math.min(best[i] ?? Infinity, (cpuOf(pid) - before) / EVENTS);
    }
  }
  for (const sender of senders) await sender.close();
  return best;
}

/** A service with ten small hooks and self-guard. */
async function service(
  dir: string,
  name: string,
  children: ChildProcess[],
): Promise<Subject & { readonly at: string }> {
  const at = join(dir, name);
  mkdirSync(join(at, "user", "orcs"), { recursive: true });
  writeFileSync(join(at, "orcs.toml"), TEN_HOOKS);
  for (let i = 0; i < 10; i++) writeFileSync(join(at, `hook${i}.lua`), SCRIPT);
  const service = await startedService(children, at);
  const line = { v: 1, key: serviceKeyIn(at), host: "claude-code", event: EVENT };
  return {
    at,
    ...service,
    line: `${JSON.stringify(line)}\n`,
    expected: '"code":0',
  };
}

/** Reads events as `orcs ui` does. */
class Reader {
  readonly #client;
  items = 0;
  lost = 0;
  readonly heard: Promise<void>;

  constructor({ socket }: Subject) {
    this.#client = new OrcsClient({ service: socket.replace(/sock$/, "json") });
    this.heard = new Promise((resolve) => {
      // The service is killed at the end.
      this.#read(resolve).catch(() => undefined);
    });
  }

  async #read(heard: () => void): Promise<void> {
    for await (const { events, lost } of this.#client.events({ brief: true })) {
      this.items += events.length;
      this.lost += lost;
      heard();
    }
  }

  close(): void {
    this.#client.close();
  }
}

/** Sends events over one connection when they are due. */
class Sender {
  readonly #socket;
  readonly #line: object;
  #sent = 0;
  #answered = 0;

  constructor(socket: string, line: string) {
    this.#line = JSON.parse(line) as object;
    this.#socket = connect(socket);
    this.#socket.on("data", (part: Buffer) => {
      for (const byte of part) if (byte === 10) this.#answered++;
    });
    this.#socket.on("error", () => undefined);
  }

  get sent(): number {
    return this.#sent;
  }

  /** @returns how many a second it was */
  async send(perSecond: number, seconds: number): Promise<number> {
    const began = performance.now();
    for (let at = 0; at < perSecond * seconds; at++) {
      const due = began + (at * 1000) / perSecond;
      while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1));
      this.#socket.write(`${JSON.stringify({ ...this.#line, id: ++this.#sent })}\n`);
    }
    while (this.#answered < this.#sent) await new Promise((resolve) => setTimeout(resolve, 5));
    return (perSecond * seconds * 1000) / (performance.now() - began);
  }

  /** Send as fast as they are answered, some at a time. */
  async sendAll(count: number): Promise<void> {
    const until = this.#sent + count;
    while (this.#answered < until) {
      while (this.#sent < until && this.#sent - this.#answered < AT_A_TIME) {
        this.#socket.write(`${JSON.stringify({ ...this.#line, id: ++this.#sent })}\n`);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.end(resolve));
  }
}

/** Wait until the page has what was sent, or no more comes; returns how many are missing. */
async function settled(page: Page, { sent }: Sender): Promise<number> {
  let last = -1;
  for (;;) {
    const { rows } = await page.evaluate<Measured>("measured");
    if (rows >= sent || rows === last) return sent - rows;
    last = rows;
    await new Promise((resolve) => setTimeout(resolve, 3000));
  }
}

interface Measured {
  /** Rows that the stream has brought. */
  readonly rows: number;
  /** Milliseconds from when an event began until its row was in the page. */
  readonly late: readonly number[];
}

/** Runs in the page before its own code. Text, because the types of a browser are not those of this program. */
const IN_PAGE = `
globalThis.measured = { rows: 0, late: [] };
const known = new Map();
globalThis.EventSource = class extends EventSource {
  constructor(url) {
    super(url);
    this.addEventListener("message", ({ data }) => {
      for (const { id, at, past } of JSON.parse(data).rows) {
        if (past) continue;
        measured.rows++;
        known.set("row-" + id, at);
      }
    });
  }
};
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) {
    for (const node of addedNodes) {
      if (!(node instanceof Element)) continue;
      for (const { id } of [node, ...node.querySelectorAll(".row")]) {
        const at = known.get(id);
        if (at === undefined) continue;
        known.delete(id);
        measured.late.push(Date.now() - at);
      }
    }
  }
}).observe(document, { childList: true, subtree: true });
globalThis.drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
`;

/** Milliseconds from a change of the search until the list is drawn. */
const FILTER = `(async () => {
  const input = document.querySelector("input[type=search]");
  const took = [];
  for (let i = 0; i <= ${FILTERS}; i++) {
    const began = performance.now();
    input.value = i === ${FILTERS} ? "" : i % 2 === 0 ? "nothing like it" : "git";
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await drawn();
    took.push(performance.now() - began);
  }
  return took;
})()`;

/** The same for leaps in the list. */
const SCROLL = `(async () => {
  const list = document.querySelector(".rows");
  const took = [];
  for (let i = 0; i < ${FILTERS}; i++) {
    const began = performance.now();
    list.scrollTop = (list.scrollHeight * ((i * 7) % ${FILTERS})) / ${FILTERS};
    await drawn();
    took.push(performance.now() - began);
  }
  return took;
})()`;

/** `CHROMIUM_PATH`, or a browser on the PATH. */
function browserFile(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const files = folders.flatMap((folder) =>
    ["chromium", "chromium-browser", "google-chrome"].map((name) => join(folder, name)),
  );
  return [process.env["CHROMIUM_PATH"] ?? "", ...files].find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return file !== "";
    } catch {
      return false;
    }
  });
}
