import { OrcsError } from "./built.ts";
import type { ErrorCode } from "orcs";

/** What each kind of call may fail with; anything else is a fault. */
const MAY_FAIL = {
  spawn: ["2001", "2006", "6002", "6003", "6005", "6006", "6009", "6010"],
  request: ["2001", "6001", "6003", "6004", "6005", "6006", "6010", "6011", "6014"],
  /** What every component can do that lives. */
  echo: ["2001", "6001", "6003", "6004", "6006", "6014"],
  emit: ["2001", "6010"],
  signal: ["2001", "6001", "6003", "6004", "6005", "6006", "6007", "6010"],
  end: [],
  reload: [],
  "child spawn": ["2001", "6002", "6003", "6005", "6006", "6007", "6009", "6010"],
  "child run": ["2001", "6001", "6003", "6004", "6005", "6006", "6010", "6014"],
  "child stop": [],
  check: ["2001"],
  grant: ["2001", "6008", "6012"],
  tool: [],
} as const satisfies Record<string, readonly string[]>;

export type CallKind = keyof typeof MAY_FAIL;

/** What the machine may be late by, in milliseconds. */
const LATE_MS = 10_000;

interface Open {
  readonly what: string;
  /** When it must have been answered, on the clock of `performance.now()`. */
  readonly due: number;
}

/** Every call of a soak: each is answered once, in time, with what may be answered. */
export class Ledger {
  readonly faults: string[] = [];
  /** How calls ended, by kind and `ok` or code. */
  readonly endings: Record<string, number> = {};
  readonly #open = new Set<Open>();
  /** Work that somebody was given, by its number and whoever it was. */
  readonly #served = new Map<string, number>();
  /** Work that hooks wanted done again. */
  readonly #again = new Set<string>();
  #numbers = 0;

  /** A number for a piece of work that nobody else has. */
  number(): string {
    return `n${++this.#numbers}`;
  }

  get waiting(): number {
    return this.#open.size;
  }

  fault(why: string): void {
    // The first tell what is wrong; thousands tell no more.
    if (this.faults.length < 20) this.faults.push(why);
  }

  /**
   * Note a call; gives what it answers, undefined when it failed.
   * @param within milliseconds in which it must be answered
   * @param check what is wrong with an answer, if anything
   */
  async track<T>(
    kind: CallKind,
    what: string,
    called: Promise<T>,
    within: number,
    check?: (value: T) => string | undefined,
  ): Promise<T | undefined> {
    const open = { what: `${kind} ${what}`, due: performance.now() + within + LATE_MS };
    this.#open.add(open);
    let ending = "ok";
    try {
      const value = await called;
      const wrong = check?.(value);
      if (wrong !== undefined) this.fault(`${open.what}: ${wrong}`);
      return value;
    } catch (thrown) {
      ending = thrown instanceof OrcsError ? thrown.code : "thrown";
      const codes: readonly string[] = MAY_FAIL[kind];
      if (!(thrown instanceof OrcsError) || !codes.includes(shortCode(thrown.code))) {
        this.fault(`${open.what} failed with ${String(thrown)}`);
      }
      return undefined;
    } finally {
      this.#open.delete(open);
      if (performance.now() > open.due) this.fault(`${open.what} was answered too late`);
      this.endings[`${kind} ${ending}`] = (this.endings[`${kind} ${ending}`] ?? 0) + 1;
    }
  }

  /** Somebody was given a piece of work: once, unless a hook wants it done again. */
  serve(number: unknown, by: string): void {
    const key = `${String(number)} ${by}`;
    const times = (this.#served.get(key) ?? 0) + 1;
    this.#served.set(key, times);
    if (times > 1 && !this.#isAgain(String(number))) this.fault(`${key} was served twice`);
  }

  /** A hook wants a piece of work done again. */
  repeat(number: unknown): void {
    this.#again.add(String(number));
  }

  /** Resolves when nothing waits any more; what still does when it is overdue is lost. */
  async idle(): Promise<void> {
    while (this.#open.size > 0) {
      const lost = [...this.#open].filter(({ due }) => performance.now() > due);
      for (const open of lost) {
        this.fault(`${open.what} was never answered`);
        this.#open.delete(open);
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Forget who was given what: all of it has ended. */
  forget(): void {
    this.#served.clear();
    this.#again.clear();
  }

  /** Whether a hook wanted it, or what it was done for, done again: `n1.ask` is a part of `n1`. */
  #isAgain(number: string): boolean {
    const parts = number.split(".");
    return parts.some((_, i) => this.#again.has(parts.slice(0, i + 1).join(".")));
  }
}

function shortCode(code: ErrorCode): string {
  return code.slice("ORCS".length);
}
