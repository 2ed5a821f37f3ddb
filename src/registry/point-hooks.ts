import { foreignToolName, ownToolName } from "../matchers/matcher.ts";
import { byOrder } from "./snapshot.ts";
import type { Entry } from "./snapshot.ts";

type Payload = Readonly<Record<string, unknown>>;

/** Pairs of tool names whose hooks are kept; more than any set of hooks is called with. */
const MAX_KEPT = 1024;

/**
 * The hooks of one point. Those that name their tools (`match.tool` without a glob) are found by the name of the tool,
 * so that a dispatch does not pass them one by one; all others are offered to every dispatch.
 */
export class PointHooks {
  readonly #all = new OrderedEntries();
  /** Hooks that may apply whatever the tool is called. */
  readonly #unnamed = new OrderedEntries();
  /** Hooks that apply to tools of this name at most, in no order. */
  readonly #byTool = new Map<string, Entry[]>();
  /** What `offeredFor` has put together: by the tool's own name, then by its name at a foreign host. */
  readonly #offered = new Map<string, Map<string, readonly Entry[]>>();
  #kept = 0;

  get size(): number {
    return this.#all.size;
  }

  /** All hooks in the order in which they run; what has them keeps them as they are. */
  get all(): readonly Entry[] {
    return this.#all.current;
  }

  /**
   * The hooks that the tool's name in a payload does not rule out, in order; of what a payload cannot say, all. What
   * has them keeps them as they are.
   */
  offeredFor(payload: Payload): readonly Entry[] {
    if (this.#byTool.size === 0) return this.#all.current;
    let own: unknown;
    let foreign: unknown;
    try {
      own = ownToolName(payload);
      foreign = foreignToolName(payload);
    } catch {
      // An accessor that throws is what a hook fails with, each that looks there.
      return this.#all.current;
    }
    return this.#offeredFor(this.#known(own), this.#known(foreign));
  }

  add(entry: Entry): void {
    this.#all.add(entry);
    const tools = entry.hook.matcher?.tools;
    if (!tools) this.#unnamed.add(entry);
    for (const name of tools ?? []) {
      const named = this.#byTool.get(name);
      if (named) named.push(entry);
      else this.#byTool.set(name, [entry]);
    }
    this.#forget();
  }

  remove(entry: Entry): void {
    this.#all.remove(entry);
    const tools = entry.hook.matcher?.tools;
    if (!tools) this.#unnamed.remove(entry);
    for (const name of tools ?? []) {
      const named = this.#byTool.get(name);
      if (!named) continue;
      named.splice(named.indexOf(entry), 1);
      if (named.length === 0) this.#byTool.delete(name);
    }
    this.#forget();
  }

  /** A tool name that some hook names; all others are the same to the index, and none of them is kept. */
  #known(name: unknown): string {
    return typeof name === "string" && this.#byTool.has(name) ? name : "";
  }

  #offeredFor(own: string, foreign: string): readonly Entry[] {
    if (own === "" && foreign === "") return this.#unnamed.current;
    const known = this.#offered.get(own)?.get(foreign);
    if (known) return known;
    const named = [...(this.#byTool.get(own) ?? []), ...(this.#byTool.get(foreign) ?? [])];
    const offered = [...new Set([...this.#unnamed.current, ...named])].sort(byOrder);
    if (this.#kept >= MAX_KEPT) this.#forget();
    // Counted after what was kept is forgotten: while the count is 0, nothing is, and `#forget` need not look.
    this.#kept++;
    const ofOwn = this.#offered.get(own) ?? new Map<string, readonly Entry[]>();
    this.#offered.set(own, ofOwn.set(foreign, offered));
    return offered;
  }

  #forget(): void {
    if (this.#kept === 0) return;
    this.#kept = 0;
    this.#offered.clear();
  }
}

/** Entries in the order in which they run. A list that was handed out is copied before it would change. */
class OrderedEntries {
  #entries: Entry[] = [];
  #isOut = false;

  get size(): number {
    return this.#entries.length;
  }

  get current(): readonly Entry[] {
    this.#isOut = true;
    return this.#entries;
  }

  add(entry: Entry): void {
    this.#own().splice(this.#placeOf(entry), 0, entry);
  }

  remove(entry: Entry): void {
    this.#own().splice(this.#placeOf(entry), 1);
  }

  #own(): Entry[] {
    if (this.#isOut) this.#entries = [...this.#entries];
    this.#isOut = false;
    return this.#entries;
  }

  /** Where an entry stands, or would stand: no two are at the same place in the order. */
  #placeOf(entry: Entry): number {
    let from = 0;
    let to = this.#entries.length;
    // Most come last.
    if (to === 0 || byOrder(this.#entries[to - 1] as Entry, entry) < 0) return to;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (byOrder(this.#entries[middle] as Entry, entry) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
