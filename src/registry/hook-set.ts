import { OrcsError } from "../core/errors.ts";
import type { Hook } from "../core/hook.ts";
import { foreignToolName, ownToolName } from "../match/match.ts";

/** The hooks of a registry, by id and by point. */
export class HookSet {
  readonly #byId = new Map<string, Entry>();
  /** Of points that have any. */
  #points = new Map<string, PointHooks>();
  #order = 0;
  /** Order of the hooks that `replace` exchanges, and what was unregistered of them. */
  #place: number | undefined;
  readonly #away = new Set<string>();

  /** The hooks of a point, if it has any. */
  at(point: string): PointHooks | undefined {
    return this.#points.get(point);
  }

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): Entry | undefined {
    return this.#byId.get(id);
  }

  /** @throws OrcsError ORCS2007 when the id is taken */
  add(hook: Hook, owner: string | undefined): string {
    if (this.#byId.has(hook.id)) throw taken(hook.id);
    const { enabled } = hook;
    const entry = { hook, owner, enabled, order: this.#order++, use: { spent: false } };
    this.#byId.set(hook.id, entry);
    this.#insert(entry);
    return hook.id;
  }

  unregister(id: string): boolean {
    const entry = this.#byId.get(id);
    if (!entry) return false;
    if (Math.floor(entry.order) === this.#place) this.#away.add(nameOf(entry.hook));
    this.#remove(entry);
    return true;
  }

  unregisterByOwner(owner: string): number {
    const owned = [...this.#byId.values()].filter((entry) => entry.owner === owner);
    for (const entry of owned) this.#remove(entry);
    return owned.length;
  }

  setEnabled(id: string, enabled: boolean): boolean {
    const entry = this.#byId.get(id);
    if (!entry) return false;
    if (entry.enabled !== enabled) {
      const changed = { ...entry, enabled };
      this.#byId.set(id, changed);
      this.#points.get(entry.hook.point.name)?.remove(entry);
      this.#insert(changed);
    }
    return true;
  }

  /** A hook with `once` begins; whether it is the first time. */
  spend(entry: Entry): boolean {
    if (entry.use.spent) return false;
    entry.use.spent = true;
    const now = this.#byId.get(entry.hook.id);
    if (now?.use === entry.use) this.#remove(now);
    return true;
  }

  /**
   * Exchange hooks for others in a single step. They keep their place among the others on ties; one of the
   * same id stays switched on or off as it was set at run time, and stays away if it was unregistered.
   * @throws OrcsError ORCS2007 when a new id is taken by a hook that stays; nothing changes then
   */
  replace(old: Iterable<string>, next: readonly Hook[]): void {
    const gone = new Set(old);
    const kept = [...this.#byId.values()].filter((entry) => !gone.has(entry.hook.id));
    const ids = new Set(kept.map((entry) => entry.hook.id));
    const place = this.#place ?? this.#order++;
    const added: Entry[] = [];
    for (const [i, hook] of next.entries()) {
      if (ids.has(hook.id)) throw taken(hook.id);
      ids.add(hook.id);
      if (gone.has(hook.id) && this.#away.has(nameOf(hook))) continue;
      const before = gone.has(hook.id) ? this.#byId.get(hook.id) : undefined;
      const wasSet = before !== undefined && before.enabled !== before.hook.enabled;
      const enabled = wasSet ? before.enabled : hook.enabled;
      const order = place + i / (next.length + 1);
      added.push({ hook, owner: undefined, enabled, order, use: { spent: false } });
    }
    this.#place = place;
    this.#byId.clear();
    this.#points = new Map();
    for (const entry of [...kept, ...added]) {
      this.#byId.set(entry.hook.id, entry);
      this.#insert(entry);
    }
  }

  #insert(entry: Entry): void {
    const { name } = entry.hook.point;
    let hooks = this.#points.get(name);
    if (!hooks) this.#points.set(name, (hooks = new PointHooks()));
    hooks.add(entry);
  }

  #remove(entry: Entry): void {
    const { id, point } = entry.hook;
    this.#byId.delete(id);
    const hooks = this.#points.get(point.name);
    hooks?.remove(entry);
    if (hooks?.size === 0) this.#points.delete(point.name);
  }
}

/** A project's hook that is away keeps none of the user's away that takes its id. */
function nameOf({ id, rank }: Hook): string {
  return `${rank} ${id}`;
}

function taken(id: string): OrcsError {
  const why = `a hook with the id ${JSON.stringify(id)} is already registered`;
  return new OrcsError("ORCS2007", why, { hook: id });
}

/** A hook in a registry. Replaced, never changed, so that a chain keeps what it started with. */
export interface Entry {
  readonly hook: Hook;
  readonly enabled: boolean;
  /** Component that registered it, if any. */
  readonly owner: string | undefined;
  /** Order of registration, for ties. */
  readonly order: number;
  /**
   * Whether a hook with `once` has begun; the one thing that reaches dispatches in flight, and shared by
   * all versions of an entry, so that once is once.
   */
  readonly use: { spent: boolean };
}

/** The order in which hooks run: rank, then ascending priority, then order of registration. */
function compareOrder(a: Entry, b: Entry): number {
  return a.hook.rank - b.hook.rank || a.hook.priority - b.hook.priority || a.order - b.order;
}

/** The hooks of a point as a dispatch begins with them, in the order in which they run. Never changed. */
export interface Snapshot {
  readonly all: readonly Entry[];
  /** The hooks that the tool name in the payload does not rule out. */
  readonly offered: readonly Entry[];
}

type Payload = Readonly<Record<string, unknown>>;

/** Pairs of tool names whose hooks are kept; more than any set of hooks is called with. */
const MAX_KEPT = 1024;

/**
 * The hooks of one point. Those that name their tools (`match.tool` without a glob) are found by the name of the tool,
 * so that a dispatch does not pass them one by one; all others are offered to every dispatch.
 */
class PointHooks {
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
    const offered = [...new Set([...this.#unnamed.current, ...named])].sort(compareOrder);
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
    if (to === 0 || compareOrder(this.#entries[to - 1] as Entry, entry) < 0) return to;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (compareOrder(this.#entries[middle] as Entry, entry) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
