import { addTo, agentToolName, type Hook, OrcsError } from "../../core/index.ts";
import { foreignToolName, ownToolName } from "../../matching/index.ts";

/** Hooks of a registry, by id and by point. */
export class HookSet {
  readonly #byId = new Map<string, Entry>();
  /** Only points with hooks. */
  #points = new Map<string, PointHooks>();
  #order = 0;
  /** Registration order of the hooks exchanged by `replace`, and those of them that were unregistered. */
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

  /** Mark a hook with `once` as used. @returns whether this is the first time */
  spend(entry: Entry): boolean {
    if (entry.use.spent) return false;
    entry.use.spent = true;
    const now = this.#byId.get(entry.hook.id);
    if (now?.use === entry.use) this.#remove(now);
    return true;
  }

  /**
   * Exchange hooks atomically. The new hooks keep the position of the old ones for ties. A hook with the same id keeps
   * its enabled state as set at run time, and stays removed if it was unregistered.
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
      const isFree = before !== undefined && !isEnforced(hook);
      const wasSet = isFree && before.enabled !== before.hook.enabled;
      const enabled = wasSet ? before.enabled : hook.enabled;
      const order = place + (hook.order ?? i / (next.length + 1));
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

/** Whether the machine enforces a hook. */
export function isEnforced(hook: Hook | undefined): boolean {
  return hook !== undefined && hook.rank < 0;
}

/** Includes the rank, so that a removed project hook does not suppress a hook of the user with the same id. */
function nameOf({ id, rank }: Hook): string {
  return `${rank} ${id}`;
}

function taken(id: string): OrcsError {
  const why = `a hook with the id ${JSON.stringify(id)} is already registered`;
  return new OrcsError("ORCS2007", why, { hook: id });
}

/** A hook in a registry. Replaced but never modified, so that a running chain keeps its version. */
export interface Entry {
  readonly hook: Hook;
  readonly enabled: boolean;
  /** Component that registered it, if any. */
  readonly owner: string | undefined;
  /** Registration order, for ties. */
  readonly order: number;
  /**
   * Whether a hook with `once` has started. It is shared by all versions of an entry and visible to dispatches in
   * flight, so that the hook runs only once.
   */
  readonly use: { spent: boolean };
}

/** Execution order of hooks: rank, then ascending priority, then registration order. */
export function compareOrder(a: Entry, b: Entry): number {
  return a.hook.rank - b.hook.rank || a.hook.priority - b.hook.priority || a.order - b.order;
}

/** The hooks of a point at the start of a dispatch, in execution order. Immutable. */
export interface Snapshot {
  readonly all: readonly Entry[];
  /** Hooks not excluded by the tool name in the payload. */
  readonly offered: readonly Entry[];
}

type Payload = Readonly<Record<string, unknown>>;

/** Maximum number of cached pairs of tool names; more than occur in practice. */
const MAX_KEPT = 1024;

/**
 * The hooks of one point. Hooks that name their tools (`match.tool` without a glob) are indexed by tool name, so that a
 * dispatch does not iterate over all of them; other hooks are offered to every dispatch.
 */
class PointHooks {
  readonly #all = new OrderedEntries();
  /** Hooks with the mode `audit`: they are not part of the chain. */
  readonly #shadow = new OrderedEntries();
  /** Hooks that may match any tool. */
  readonly #unnamed = new OrderedEntries();
  /** Hooks that can only match tools of this name, unordered. */
  readonly #byTool = new Map<string, Entry[]>();
  /** Cached results of `offeredFor`: by the tool's own name, then by the agent's name for it. */
  readonly #offered = new Map<string, Map<string, readonly Entry[]>>();
  #kept = 0;

  get size(): number {
    return this.#all.size + this.#shadow.size;
  }

  /** Hooks with the mode `audit`, in order; a returned list is never modified. */
  get shadow(): readonly Entry[] {
    return this.#shadow.size === 0 ? NO_ENTRIES : this.#shadow.current;
  }

  /** The hooks of the chain in execution order; a returned list is never modified. */
  get all(): readonly Entry[] {
    return this.#all.current;
  }

  /**
   * The hooks not excluded by the tool name in a payload, in order; all if the name is unknown. A returned list is
   * never modified.
   */
  offeredFor(payload: Payload): readonly Entry[] {
    if (this.#byTool.size === 0) return this.#all.current;
    let own: unknown;
    let foreign: unknown;
    try {
      own = ownToolName(payload);
      foreign = foreignToolName(payload);
    } catch {
      // If an accessor throws, each hook that reads it must fail by itself.
      return this.#all.current;
    }
    const ours = agentToolName(own);
    // A name that an agent's protocol has read is ours already.
    if (ours !== undefined && foreign !== undefined) return this.#all.current;
    return this.#offeredFor(this.#known(own), this.#known(foreign ?? ours));
  }

  add(entry: Entry): void {
    if (isShadow(entry)) return this.#shadow.add(entry);
    this.#all.add(entry);
    const tools = entry.hook.matcher?.tools;
    if (!tools) this.#unnamed.add(entry);
    for (const name of tools ?? []) addTo(this.#byTool, name, entry);
    this.#forget();
  }

  remove(entry: Entry): void {
    if (isShadow(entry)) return this.#shadow.remove(entry);
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

  /** The tool name, if a hook names it. All other names are equivalent for the index and are not cached. */
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
    // Counted after the cache was cleared: `#forget` relies on a count of 0 meaning that it is empty.
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

const NO_ENTRIES: readonly Entry[] = [];

function isShadow({ hook }: Entry): boolean {
  return hook.mode === "audit";
}

/** Entries in execution order. A list that was handed out is copied before a change. */
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

  /** Index of an entry, or where it would be inserted; no two entries compare equal. */
  #placeOf(entry: Entry): number {
    let from = 0;
    let to = this.#entries.length;
    // Fast path: most entries are added at the end.
    if (to === 0 || compareOrder(this.#entries[to - 1] as Entry, entry) < 0) return to;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (compareOrder(this.#entries[middle] as Entry, entry) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
