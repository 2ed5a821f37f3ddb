/** Beyond this many pairs of lines the whole text counts as changed. */
const MOST_PAIRS = 4_000_000;

/** Lines of two texts in one list: `- ` only in the first, `+ ` only in the second. */
export function lineDiff(one: readonly string[], other: readonly string[]): string[] {
  const lines: string[] = [];
  const common = commonLengths(one, other);
  const width = other.length + 1;
  let i = 0;
  let j = 0;
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      lines.push(`  ${one[i++]}`);
      j++;
      continue;
    }
    const without = common?.[(i + 1) * width + j] ?? 0;
    const withNext = common?.[i * width + j + 1] ?? 0;
    if (i < one.length && (j === other.length || without >= withNext)) lines.push(`- ${one[i++]}`);
    else lines.push(`+ ${other[j++]}`);
  }
  return lines;
}

/** For each pair of positions, the number of common lines in the rest; undefined when there are too many. */
function commonLengths(one: readonly string[], other: readonly string[]): Uint32Array | undefined {
  const width = other.length + 1;
  if ((one.length + 1) * width > MOST_PAIRS) return undefined;
  const common = new Uint32Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      const at = i * width + j;
      common[at] =
        one[i] === other[j]
          ? 1 + (common[at + width + 1] ?? 0)
          : Math.max(common[at + width] ?? 0, common[at + 1] ?? 0);
    }
  }
  return common;
}

/** A name that one table has and another does not, or that stands for something else there. */
export type MapChange<Key extends string> = { readonly [K in Key]: string } & {
  readonly is: "changed" | "new" | "gone";
};

/** How a table differs from an earlier one, sorted by name. @param key of the name in the result */
export function mapChanges<Key extends string>(
  was: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  key: Key,
): MapChange<Key>[] {
  const names = [...new Set([...was.keys(), ...now.keys()])].sort();
  return names.flatMap((name) => {
    if (was.get(name) === now.get(name)) return [];
    const is = !was.has(name) ? "new" : now.has(name) ? "changed" : "gone";
    return { [key]: name, is } as MapChange<Key>;
  });
}
