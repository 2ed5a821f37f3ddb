/** A text with its control characters escaped, so that it cannot forge a line or steer a terminal. */
export function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (char) =>
    char === "\t" ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
