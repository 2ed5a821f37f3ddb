/** @returns a text with what matches replaced; a build in which nothing matches any more must not pass */
export function expectChanged(text, pattern, replacement) {
  const changed = text.replaceAll(pattern, replacement);
  if (changed === text) throw new Error(`${pattern} matches nothing`);
  return changed;
}
