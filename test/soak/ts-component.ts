import type { Child, ChildContext, Component, Json, Request, Signal, Spawned } from "orcs";
import type { Random } from "../fuzz/random.ts";
import type { Ledger } from "./ledger.ts";
import { wrongAnswer } from "./work.ts";
import type { Operation, Work } from "./work.ts";

/** How a component misbehaves besides what it is asked for. */
const FAULTS = [
  "none",
  "none",
  "none",
  "init",
  "restore",
  "signal",
  "shutdown",
  "snapshot",
  "dispose",
] as const;
type Fault = (typeof FAULTS)[number];

/** Longest that a piece of work with all that it waits for may take, in milliseconds. */
const MOST_MS = 5000;

/** Lives of components and children, to see that each ends once, and that nothing is asked of the dead. */
export class Lives {
  readonly #ledger: Ledger;
  #alive = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  get alive(): number {
    return this.#alive;
  }

  begin(what: string): Life {
    return new Life(what, this.#ledger, (by) => (this.#alive += by));
  }
}

class Life {
  readonly what: string;
  readonly #ledger: Ledger;
  readonly #count: (by: number) => void;
  /** What is served: nothing new may be before all of it has ended or was given up. */
  readonly #serving = new Set<AbortSignal>();
  #isCounted = false;
  #isOver = false;

  constructor(what: string, ledger: Ledger, count: (by: number) => void) {
    this.what = what;
    this.#ledger = ledger;
    this.#count = count;
  }

  /** It is somebody's now, who has to end it. */
  adopted(): void {
    if (!this.#isCounted && !this.#isOver) this.#count(1);
    this.#isCounted = true;
  }

  call(method: string): void {
    if (this.#isOver) this.#ledger.fault(`${method} of ${this.what} was called after its end`);
  }

  async serve<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    this.call("serve");
    for (const other of this.#serving) {
      if (!other.aborted) this.#ledger.fault(`${this.what} serves two at a time`);
    }
    this.#serving.add(signal);
    try {
      return await work();
    } finally {
      this.#serving.delete(signal);
    }
  }

  end(): void {
    if (this.#isOver) this.#ledger.fault(`${this.what} was disposed of twice`);
    this.#isOver = true;
    if (this.#isCounted) this.#count(-1);
  }
}

/** A component that does what it is asked, misbehaves in a way of its own, and tells the ledger. */
export class TsComponent implements Component {
  readonly id: string;
  readonly subscriptions: readonly string[];
  readonly life: Life;
  readonly #key: string;
  readonly #ledger: Ledger;
  readonly #lives: Lives;
  readonly #fault: Fault;
  #count = 0;

  /** @param instance by which it is spawned */
  constructor(
    id: string,
    instance: string | undefined,
    { ledger, lives, random }: { ledger: Ledger; lives: Lives; random: Random },
  ) {
    this.id = id;
    this.#key = instance === undefined ? id : `${id}#${instance}`;
    this.subscriptions = random.pick([[], ["Tick"], ["Tick", "Tock"], ["*"], ["Approval", "Tock"]]);
    this.life = lives.begin(this.#key);
    this.#ledger = ledger;
    this.#lives = lives;
    this.#fault = random.pick(FAULTS);
  }

  async init(context: ChildContext): Promise<Json> {
    this.life.call("init");
    this.life.adopted();
    this.#failAt("init");
    await context.emit("Tock", "echo", { n: this.#ledger.number() }).catch(() => 0);
    return { up: this.id };
  }

  onRequest(request: Request, context: ChildContext): Promise<unknown> {
    const work = request.payload as unknown as Work | null;
    this.#count++;
    return this.life.serve(context.signal, async () => {
      if (request.category === "Approval") await this.#answer(request.payload, context);
      // What a hook has sent, or made of a payload.
      if (!work?.n) return { by: "hook" };
      this.#ledger.serve(work.n, this.#key);
      const instead = await this.#do(request.operation as Operation, work, context);
      return instead ?? { n: work.n };
    });
  }

  onSignal({ kind }: Signal) {
    this.life.call("onSignal");
    this.#failAt("signal");
    return kind === "reject" ? ("ignored" as const) : ("handled" as const);
  }

  shutdown(): void {
    this.life.call("shutdown");
    this.#failAt("shutdown");
  }

  snapshot(): unknown {
    this.life.call("snapshot");
    return this.#fault === "snapshot" ? { f: () => 1 } : { key: this.#key, count: this.#count };
  }

  restore(snapshot: Json): void {
    this.life.call("restore");
    this.#failAt("restore");
    const { key, by } = snapshot as { key?: string; by?: string };
    if (key !== this.#key && by !== "hook") {
      this.#ledger.fault(`${this.#key} was given ${JSON.stringify(snapshot)}`);
    }
  }

  dispose(): void {
    this.life.end();
    this.#failAt("dispose");
  }

  /** Two questions of three are answered; the third ends by itself. */
  async #answer(question: Json, context: ChildContext): Promise<void> {
    const kind = (["approve", "reject"] as const)[this.#count % 3];
    const { approval_id } = question as { approval_id?: string };
    if (!kind || approval_id === undefined) return;
    const sent = context.sendSignal(context.component, kind, { approval_id });
    await this.#ledger.track("signal", kind, sent, MOST_MS);
  }

  #failAt(method: Fault): void {
    if (this.#fault === method) throw new Error(`${method} failed`);
  }

  async #do(operation: Operation, work: Work, context: ChildContext): Promise<unknown> {
    const { n, target, ms, child, signal } = work;
    const ledger = this.#ledger;
    switch (operation) {
      case "wait":
        return sleep(ms);
      case "ask": {
        const inner = this.#part(n, "ask");
        const asked = context.request(target, "echo", { n: inner }, { timeout_ms: 5 + ms });
        return void (await ledger.track("request", inner, asked, 5 + ms, wrongAnswer(inner)));
      }
      case "emit":
        return void (await ledger.track(
          "emit",
          n,
          context.emit("Tick", "echo", { n: this.#part(n, "event") }),
          MOST_MS,
        ));
      case "tool":
        return void (await ledger.track("tool", n, context.get("soak_tool", { n }), MOST_MS));
      case "fail":
        throw new Error("a component failed");
      case "hang":
      case "loop":
        return new Promise(() => undefined);
      case "rubbish":
        return () => 1;
      case "spawn":
        return this.#spawn(child, ms, context);
      case "run": {
        if (ms % 2 === 0) await this.#spawn(child, ms, context);
        const inner = this.#part(n, "run");
        const ran = context.runChild(child, { n: inner, ms, todo: KINDS[ms % KINDS.length]! });
        return void (await ledger.track("child run", inner, ran, MOST_MS, wrongAnswer(inner)));
      }
      case "send":
        try {
          context.sendToChild(child, { n: this.#part(n, "send"), todo: "wait" });
        } catch {
          // There is no such child.
        }
        return undefined;
      case "stop_child":
        return void (await ledger.track("child stop", child, context.stopChild(child), MOST_MS));
      case "signal": {
        const sent = context.sendSignal(target, signal, { reason: "soak" });
        return void (await ledger.track("signal", target, sent, MOST_MS));
      }
      case "command":
        return void (await ledger.track("check", n, context.checkCommand("git status"), MOST_MS));
      case "grant": {
        const granted = context.grantCommand("git status", "one_time");
        return ledger.track("grant", n, granted, MOST_MS);
      }
      case "echo":
      case "hook":
        return undefined;
    }
  }

  /** The number of what is done for a piece of work, which several may have been given. */
  #part(n: string, what: string): string {
    return `${n}.${what}-${this.#key}`;
  }

  async #spawn(id: string, ms: number, context: ChildContext): Promise<void> {
    const child = new TsChild(`${this.#key}/${id}`, this.#ledger, this.#lives);
    const spawned = context.spawnChild({ id, timeout_ms: 20 + ms }, child);
    if (hasChild(await this.#ledger.track("child spawn", id, spawned, MOST_MS))) child.adopted();
  }
}

const KINDS = ["echo", "wait", "fail", "hang", "nested", "echo"] as const;

/** A child that does what its input says. */
class TsChild implements Child {
  readonly #life: Life;
  readonly #ledger: Ledger;
  readonly #lives: Lives;

  constructor(name: string, ledger: Ledger, lives: Lives) {
    this.#life = lives.begin(name);
    this.#ledger = ledger;
    this.#lives = lives;
  }

  /** It was spawned. */
  adopted(): void {
    this.#life.adopted();
  }

  run(input: Json, context: ChildContext): Promise<unknown> {
    const { n, ms = 1, todo } = (input ?? {}) as { n?: string; ms?: number; todo?: string };
    return this.#life.serve(context.signal, async () => {
      if (n === undefined) return { by: "hook" };
      this.#ledger.serve(n, this.#life.what);
      if (todo === "wait") await sleep(ms);
      if (todo === "fail") throw new Error("a child failed");
      if (todo === "hang") return new Promise(() => undefined);
      if (todo === "nested") await this.#nest(n, context);
      return { n };
    });
  }

  dispose(): void {
    this.#life.end();
  }

  async #nest(n: string, context: ChildContext): Promise<void> {
    const child = new TsChild(`${this.#life.what}/grandchild`, this.#ledger, this.#lives);
    const spawned = context.spawnChild({ id: "grandchild" }, child);
    if (hasChild(await this.#ledger.track("child spawn", "grandchild", spawned, MOST_MS))) {
      child.adopted();
    }
    const inner = `${n}.nested`;
    const ran = context.runChild("grandchild", { n: inner });
    await this.#ledger.track("child run", inner, ran, MOST_MS, wrongAnswer(inner));
  }
}

function hasChild(spawned: Spawned | undefined): boolean {
  return spawned !== undefined && "child_id" in spawned;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
