import { OrcsError } from "../core/errors.ts";
import type { Hook } from "../core/hook.ts";
import { PointHooks } from "./point-hooks.ts";
import type { Entry } from "./snapshot.ts";

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
  const why = `a hook with the id ${JSON.stringify(id)} is registered already`;
  return new OrcsError("ORCS2007", why, { hook: id });
}
