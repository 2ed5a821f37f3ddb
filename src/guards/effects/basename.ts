/** The last name of a path. */
export function basename(text: string): string {
  return /([^/]+)\/*$/.exec(text)?.[1] ?? text;
}
