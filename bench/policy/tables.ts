import type { Figures } from "./figures.ts";

/** The figures of one corpus. */
export interface Measured {
  readonly corpus: string;
  /** Whether its other lines are wanted allowed. */
  readonly wantsAllowed: boolean;
  readonly struck: number;
  /** By name of a preset, or of a rival: of all lines, and of those that are not struck. */
  readonly all: Readonly<Record<string, Figures>>;
  readonly kept: Readonly<Record<string, Figures>>;
}

export const RIVAL = "cc-safety-net";

/** The tables of the page and of the terminal, in Markdown. */
export function tables(measured: readonly Measured[], presets: readonly string[]): string {
  const verdicts = presets.map((preset) => {
    const rows = measured.map((one) => verdictRow(one, preset));
    return `${capital(preset)}:\n\n${table(VERDICT_HEAD, rows)}`;
  });
  const times = table(
    ["time a line, µs (median, 95 %)", ...presets, RIVAL],
    measured.map(({ corpus, all }) => [
      corpus,
      ...[...presets, RIVAL].map((name) => timeOf(all[name])),
    ]),
  );
  return `${verdicts.join("\n")}\n${times}`;
}

const VERDICT_HEAD = [
  "corpus (lines to stop, to allow)",
  "stop (refuse)",
  "false",
  `${RIVAL} stop`,
  "false",
  "struck lines",
  "stop without them",
  "false without them",
];

function verdictRow(
  { corpus, wantsAllowed, struck, all, kept }: Measured,
  preset: string,
): string[] {
  const [ours, theirs, rest] = [all[preset], all[RIVAL], kept[preset]];
  const wrong = (figures: Figures | undefined): string =>
    wantsAllowed ? percent(figures?.wrong) : "–";
  return [
    `${corpus} (${ours?.stops ?? 0}, ${ours?.allows ?? 0})`,
    `${percent(ours?.stop)} (${percent(ours?.refuse)})`,
    wrong(ours),
    percent(theirs?.stop),
    wrong(theirs),
    String(struck),
    percent(rest?.stop),
    wrong(rest),
  ];
}

function percent(share: number | undefined): string {
  return share === undefined || Number.isNaN(share) ? "–" : `${(share * 100).toFixed(1)} %`;
}

function timeOf(figures: Figures | undefined): string {
  return figures === undefined ? "–" : `${figures.median.toFixed(0)}, ${figures.p95.toFixed(0)}`;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const [header, ...lines] = [head, ...rows].map((cells) => `| ${cells.join(" | ")} |\n`);
  return `${header}|${"---|".repeat(head.length)}\n${lines.join("")}`;
}
