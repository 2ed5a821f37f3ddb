import { equalJson } from "../../../core/index.ts";
import type {
  Awaitable,
  Json,
  LocalStateStore,
  SharedStateStore,
  StateStore,
} from "../../../core/index.ts";
import { isSameValue } from "../state/local-store.ts";

/** What stands for a key that a shadow hook has deleted. */
const DELETED: Json = { "orcs:deleted": true };

/**
 * `orcs.state` as shadow hooks see it: what they write goes to a copy, and a key that none of them has written is as in
 * the real state.
 * @param own keeps what they write
 */
export function shadowState(
  real: LocalStateStore | SharedStateStore,
  own: LocalStateStore,
): LocalStateStore | SharedStateStore {
  return real.waits
    ? ({ ...shadowOf(real, own), for: (user) => shadowOf(real.for(user), own) } as SharedStateStore)
    : (shadowOf(real, own) as LocalStateStore);
}

function shadowOf(real: StateStore, own: LocalStateStore): StateStore {
  const isDeleted = (value: Json | undefined): boolean =>
    value !== undefined && equalJson(value, DELETED);
  const get = (key: string): Awaitable<Json | undefined> => {
    const written = own.get(key);
    if (written === undefined) return real.get(key);
    return isDeleted(written) ? undefined : written;
  };
  const remove = (key: string, was: boolean): boolean => {
    if (was) own.set(key, DELETED);
    return was;
  };
  return {
    waits: real.waits,
    get,
    set: (key, value) => own.set(key, value),
    delete: (key) => after(get(key), (value) => remove(key, value !== undefined)),
    compareAndSet: (key, expected, value) =>
      after(get(key), (held) => {
        if (!isSameValue(held, expected)) return false;
        if (value === undefined) remove(key, held !== undefined);
        else own.set(key, value);
        return true;
      }),
    incr(key: string, by: number, ttlMs?: number, max?: number): Awaitable<never> {
      const count = (): never => own.incr(key, by, ttlMs, max) as never;
      const written = own.get(key);
      if (isDeleted(written)) own.delete(key);
      // When a real counter expires is not known: one with a time to live begins anew.
      if (written !== undefined || ttlMs !== undefined) return count();
      return after(real.get(key), (value) => {
        if (value !== undefined && own.get(key) === undefined) own.set(key, value);
        return count();
      });
    },
  };
}

/** Go on with a result, at once if it is there. */
function after<T, R>(value: Awaitable<T>, use: (value: T) => R): Awaitable<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
