import { stripVTControlCharacters } from "node:util";
import { escapeControl, escapedChar, escapedUnits } from "../core/index.ts";

/** Rows as text in columns; the last column has its own width. */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const all = [header, ...rows];
  const widths = header.map((_, i) => Math.max(...all.map((row) => width(row[i]))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) =>
        i === row.length - 1 ? cell : cell + " ".repeat((widths[i] ?? 0) - width(cell)),
      )
      .join("  ")
      .trimEnd();
  return [line(header), line(widths.map((columns) => "─".repeat(columns))), ...rows.map(line)].join(
    "\n",
  );
}

/** The width of a cell on a terminal, without colours. */
function width(cell = ""): number {
  return stripVTControlCharacters(cell).length;
}

/** Escape control characters, so that an agent's text cannot control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (char) =>
    char === "\n" ? "\\n" : `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/** Invisible and directional characters, joiners, other line breaks, lone surrogates. */
const UNTRUSTED = /(?! )[\p{Cf}\p{Co}\p{Cs}\p{Z}]/gu;

/** Escape untrusted text: it cannot control the terminal, break the line, or make the line look like another. */
export function escapeUntrusted(text: string): string {
  return escapeControl(text).replaceAll("\t", "\\t").replaceAll(UNTRUSTED, escapedChar);
}

/** The first lines of a message of several, as one: what is wrong, and where. */
export function oneLine(text: string): string {
  return printable(text.split(/\n+/).slice(0, 2).join(": "));
}

/** Directional marks and other invisible characters. */
export const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A value as JSON, with what JSON allows and a terminal interprets or does not show escaped. */
export function escapedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapedUnits);
}

/** Truncate a text to `most` characters. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** A number of things: "1 line", "2 lines". */
export function counted(count: number, thing: string, things = `${thing}s`): string {
  return `${count} ${count === 1 ? thing : things}`;
}
