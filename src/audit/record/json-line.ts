/**
 * A value as one line of JSON Lines.
 * @param value JSON; keys with undefined are left out
 * @param hasNegativeZero whether -0 is in it: JSON has a form for it, but `JSON.stringify` does not use it
 */
export function jsonLine(value: object, hasNegativeZero: boolean): string {
  return `${hasNegativeZero ? exact(value) : JSON.stringify(value)}\n`;
}

function exact(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(exact).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const known = Object.entries(value).filter(([, item]) => item !== undefined);
    return `{${known.map(([key, item]) => `${JSON.stringify(key)}:${exact(item)}`).join(",")}}`;
  }
  return Object.is(value, -0) ? "-0" : JSON.stringify(value);
}
