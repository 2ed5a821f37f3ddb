import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brokenRows, report } from "../report.ts";
import type { Row } from "../report.ts";
import { CORPORA, corpusLines } from "./corpora.ts";
import type { Line } from "./corpus.ts";
import { figuresOf, judgedBy } from "./figures.ts";
import type { Judged } from "./figures.ts";
import { knownPresets, safetyNet, shellGuard } from "./guards.ts";
import type { Guard, Preset } from "./guards.ts";
import { everydayLines, ownLines } from "./own.ts";
import { writePage } from "./page.ts";
import { scriptLines } from "./scripts.ts";
import { gtfobinsFigures, nl2bashFigures, sessionFigures } from "./real-lines.ts";
import { readStruck, strikes } from "./struck.ts";
import { strike } from "./strike.ts";
import { RIVAL, tables } from "./tables.ts";
import type { Measured } from "./tables.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The loosest and the strictest: the page shows no others. */
const ON_PAGE: readonly string[] = ["default", "strict, all packs"];

const USAGE = `npm run bench:policy -- [--from DIR] [--corpus NAME] [--json] [--page] [--misses] [--strike]

  --from DIR   copies of the other guards' repositories; default: $ORCS_POLICY_CORPORA
  --corpus NAME  only this one of them; may be given more than once
  --json       figures as JSON instead of tables
  --page       write the tables into docs/explanation/guard-figures.md
  --misses     also print each line that the default preset judges otherwise than its corpus wants
  --sessions FILE, --nl2bash DIR, --gtfobins DIR
               instead: what the four guards make of the commands of real coding sessions (JSON lines, gzipped), of
               TellinaTool/nl2bash and of GTFOBins/GTFOBins.github.io
  --strike     run those lines in a sandbox first, and write bench/policy/struck.jsonl (needs user namespaces)
`;

const { values } = parseArgs({
  options: {
    from: { type: "string" },
    corpus: { type: "string", multiple: true },
    json: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
    misses: { type: "boolean", default: false },
    strike: { type: "boolean", default: false },
    sessions: { type: "string" },
    nl2bash: { type: "string" },
    gtfobins: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) process.stdout.write(USAGE);
else if (values.sessions ?? values.nl2bash ?? values.gtfobins) await realLines();
else await main();

async function realLines(): Promise<void> {
  const { sessions, nl2bash, gtfobins, misses } = values;
  if (sessions !== undefined) console.log(await sessionFigures(sessions));
  if (nl2bash !== undefined) console.log(await nl2bashFigures(nl2bash));
  if (gtfobins !== undefined) console.log(await gtfobinsFigures(gtfobins, misses));
}

/** A set of lines, and what is wanted of them. */
interface Group {
  readonly isPacks: boolean;
  readonly wantsAllowed: boolean;
  readonly lines: readonly Line[];
}

async function main(): Promise<void> {
  const foreign = foreignGroups(values.from ?? process.env["ORCS_POLICY_CORPORA"]);
  if (values.strike) await strike(foreign);
  const own = { isPacks: false, wantsAllowed: true, lines: ownLines("default") };
  const everyday = [everydayLines(), scriptLines(ROOT)].map((lines) => ({
    isPacks: false,
    wantsAllowed: true,
    lines,
  }));
  const presets = await knownPresets();
  const measured = await measure([...foreign, own, ...everyday], presets);
  const rows = rowsOf(measured);
  if (values.json) process.stdout.write(`${JSON.stringify({ measured, rows }, null, 2)}\n`);
  else {
    process.stdout.write(`${tables(measured, presets)}\n`);
    report(rows);
  }
  if (values.page)
    writePage(
      tables(
        measured,
        presets.filter((preset) => ON_PAGE.includes(preset)),
      ),
    );
  if (brokenRows(rows).length > 0) process.exitCode = 1;
}

function foreignGroups(from: string | undefined): Group[] {
  const wanted = values.corpus ?? CORPORA.map(({ name }) => name);
  return CORPORA.filter(({ name }) => wanted.includes(name)).flatMap((corpus) => {
    const lines = corpusLines(corpus, from);
    if (typeof lines !== "string") return [{ ...corpus, lines }];
    process.stderr.write(`${lines}\n`);
    return [];
  });
}

/** The groups under each preset and by the rival, one guard after the other. */
async function measure(groups: readonly Group[], presets: readonly Preset[]): Promise<Measured[]> {
  const isStruck = strikes(readStruck());
  // A struck line that is judged as its corpus wants is none that has to be struck.
  const counts = ({ line, verdict }: Judged): boolean =>
    (verdict === "pass") === (line.wants === "allow") || !isStruck(line);
  const judged = groups.map((): Record<string, Judged[]> => ({}));
  const judge = async (guard: Guard): Promise<void> => {
    for (const [index, { lines }] of groups.entries()) {
      const all = judged[index];
      process.stderr.write(`${guard.name}: ${lines.length} lines of ${lines[0]?.corpus ?? ""}\n`);
      if (all !== undefined) all[guard.name] = await judgedBy(guard, lines);
    }
    await guard.close();
  };
  for (const preset of presets) await judge(await shellGuard(preset));
  await judge(safetyNet());
  if (values.misses) for (const all of judged) printMisses(all["default"] ?? []);
  return groups.map(({ wantsAllowed, lines }, index) => {
    const all = Object.entries(judged[index] ?? {});
    return {
      corpus: lines[0]?.corpus ?? "",
      wantsAllowed,
      struck: (judged[index]?.["default"] ?? []).filter((one) => !counts(one)).length,
      all: Object.fromEntries(all.map(([name, each]) => [name, figuresOf(each)])),
      kept: Object.fromEntries(all.map(([name, each]) => [name, figuresOf(each.filter(counts))])),
    };
  });
}

function printMisses(judged: readonly Judged[]): void {
  for (const { line, verdict } of judged) {
    if ((verdict === "pass") !== (line.wants === "stop")) continue;
    const text = line.line.replaceAll("\n", "⏎");
    process.stderr.write(
      `${line.corpus} wants ${line.wants}: ${verdict}: ${text} [${line.source}]\n`,
    );
  }
}

/** What has a budget. */
function rowsOf(measured: readonly Measured[]): Row[] {
  const everyday = measured.filter(({ corpus }) => corpus === "everyday" || corpus === "scripts");
  const of = (name: string): number[] => measured.map(({ all }) => all[name]?.median ?? NaN);
  const [ours, theirs] = [mean(of("default")), mean(of(RIVAL))];
  const count = everyday.reduce((sum, { all }) => sum + (all["default"]?.allows ?? 0), 0);
  const stopped = everyday.reduce((sum, { all }) => {
    const { allows = 0, wrong = 0 } = all["default"] ?? {};
    return sum + Math.round(allows * wrong);
  }, 0);
  return [
    {
      key: "policy_time",
      what: `verdict of shell-guard, in µs; ${RIVAL} as a function`,
      us: ours,
      baseline: theirs,
      ratio: ours / theirs,
    },
    {
      key: "policy_everyday",
      what: `everyday lines and scripts that are stopped, in percent (${stopped} of ${count})`,
      us: ours,
      ratio: (stopped / count) * 100,
    },
  ];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
