import type { Edit } from "../../core/hook.ts";
import { getOwn, setOwn } from "../../core/json.ts";

/** A place in a list of edits that holds a part of the context as the host has it, by its number. */
export type SharedPart = readonly [part: number, ...path: (string | number)[]];

type Container = Record<string, unknown> | unknown[];

/**
 * Take out of edits what they share with the context: a list that grew by one item still holds the
 * host's other items, and they must come back as the very things they are (a Date among them has no copy).
 *
 * @param numberOf the number of a part of the context
 */
export function takeOutShared(
  edits: readonly Edit[],
  numberOf: (value: unknown) => number | undefined,
): { edits: readonly Edit[]; shared: readonly SharedPart[] } {
  const shared: SharedPart[] = [];
  if (!edits.some(({ value }) => typeof value === "object" && value !== null)) {
    return { edits, shared };
  }
  const walk = (container: Container, path: (string | number)[]): void => {
    for (const [key, value] of Object.entries(container)) {
      if (typeof value !== "object" || value === null) continue;
      const number = numberOf(value);
      if (number === undefined) walk(value as Container, [...path, key]);
      else {
        shared.push([number, ...path, key]);
        put(container, key, null);
      }
    }
  };
  const own = edits.map((edit) => ({ ...edit }));
  own.forEach((edit, i) => walk(edit, [i]));
  return { edits: own, shared };
}

/** Put back what was taken out. */
export function putBackShared(
  edits: readonly Edit[],
  shared: readonly SharedPart[],
  original: (part: number) => unknown,
): void {
  for (const [part, ...path] of shared) {
    let at = edits as unknown as Container;
    for (const key of path.slice(0, -1)) {
      at = getOwn(at as Record<string, unknown>, String(key)) as Container;
    }
    put(at, String(path.at(-1)), original(part));
  }
}

function put(container: Container, key: string, value: unknown): void {
  if (Array.isArray(container)) container[Number(key)] = value;
  else setOwn(container, key, value);
}
