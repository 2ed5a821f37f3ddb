import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { checkCommand } from "cc-safety-net/api";
import { createOrcs } from "orcs";
import { createShellReader } from "orcs/shell";
import type { Orcs } from "orcs";
import { parse } from "unbash";
import { median, timings } from "./measure.ts";
import type { Row } from "./report.ts";

/** What agents run all day; `%` is a number, so that no line comes twice. */
const USUAL = [
  "npm test -- --run test/unit/%.test.ts",
  "git status --short | head -%",
  'git add src/file%.ts && git commit -m "fix: the case of % items" && git push origin main',
  "cd packages/app% && npx tsc --noEmit -p tsconfig.json 2>&1 | grep -E 'error|warning' | head -20",
  "ls -la src/components/% && cat src/components/%/index.ts",
  "grep -rn 'createServer(%' src --include='*.ts' | head -50",
  "rm -rf dist/chunk-% && npm run build",
  "find src -name '*%.test.ts' -not -path './node_modules/*' | xargs wc -l | sort -n | tail -5",
  'for f in src/part%/*.ts; do echo "$f"; head -20 "$f"; done',
  "docker compose -f compose.%.yml up -d && docker compose logs --tail=50 web",
  "python3 -m pytest tests/test_%.py -x -q 2>&1 | tail -40",
  "sed -n '%,120p' src/engine/loop.ts",
  'curl -s "http://localhost:3000/api/items/%?limit=10" | jq -r ".items[].name"',
  "cargo build --release --package part% && ./target/release/part% --version",
  "node -e \"console.log(require('./package.json').version, %)\"",
  "mkdir -p out/run% && cp -r fixtures/* out/run%/ && tar czf out/run%.tgz -C out run%",
] as const;

/** Variants of each line: more than a reader remembers. */
const VARIANTS = 64;
const PROCESS_ROUNDS = 15;
/** Lines of at least so many characters tell what one of a hundred costs. */
const MIN_LENGTH = 70;

function variants(line: string): string[] {
  return Array.from({ length: VARIANTS }, (_, n) => line.replaceAll("%", String(100 + n)));
}

/** Goes round through the variants of a line. */
function turning<T>(lines: readonly string[], run: (line: string) => T): () => T {
  let next = 0;
  return () => run(lines[next++ % lines.length] ?? "");
}

/** Reading command lines, and the verdict of the guard that ships, beside another guard. */
export async function shellRows(): Promise<Row[]> {
  const orcs = await createOrcs({ config: { hooks: [{ script: "orcs:shell-guard" }] } });
  const reader = createShellReader({ home: "/home/me" });
  const perHundred = { read: [] as number[], parse: [] as number[] };
  const verdicts = { orcs: [] as number[], api: [] as number[] };
  await expectRefusals(orcs);
  for (const line of USUAL) {
    const lines = variants(line);
    const [read = NaN, parsed = NaN, ours = NaN, theirs = NaN] = await timings([
      { name: "read", run: turning(lines, (text) => reader.read(text, "/work/app")) },
      { name: "parse", run: turning(lines, (text) => parse(text)) },
      { name: "guard", run: turning(lines, (text) => verdict(orcs, text)) },
      { name: "api", run: turning(lines, (text) => checkCommand({ command: text, cwd: "/tmp" })) },
    ]);
    verdicts.orcs.push(ours);
    verdicts.api.push(theirs);
    const length = lines[0]?.length ?? 0;
    // What a line costs however short it is says nothing of one of a hundred characters.
    if (length < MIN_LENGTH) continue;
    perHundred.read.push((read / length) * 100);
    perHundred.parse.push((parsed / length) * 100);
  }
  await orcs.close();
  const read = median(perHundred.read);
  const guard = median(verdicts.orcs);
  const whole = ofProcess() * 1000;
  const slowest = longest();
  return [
    {
      key: "shell_read",
      what: "parsing and listing 100 characters of a command line, in µs; parsing alone",
      us: read,
      baseline: median(perHundred.parse),
      ratio: read,
    },
    {
      key: "shell_guard",
      what: "verdict of shell-guard on a usual command, in µs; cc-safety-net as a function",
      us: guard,
      baseline: median(verdicts.api),
      ratio: guard,
    },
    {
      key: "shell_guard_vs_process",
      what: "cc-safety-net as the process that an agent starts, against shell-guard",
      us: guard,
      baseline: whole,
      ratio: whole / guard,
    },
    {
      key: "shell_longest",
      what: "reading the slowest of lines made to be slow, in ms of processor time",
      us: slowest * 1000,
      ratio: slowest,
    },
  ];
}

/** Lines of 64 KB at most that take the reader long. Nothing else happens in a service while it reads. */
const SLOW = [
  `echo ${"$((".repeat(5_000)}1${"))".repeat(5_000)}`,
  `echo ${"${a:-".repeat(5_000)}a${"}".repeat(5_000)}`,
  "a;".repeat(30_000),
  "a $(b);".repeat(9_000),
  "sh -c 'a';".repeat(6_000),
  "a {b,c};".repeat(8_000),
  `${"a|".repeat(30_000)}a`,
] as const;

/** Milliseconds of processor time of the slowest line; of each, the best of five. */
function longest(): number {
  const reader = createShellReader();
  const once = (line: string): number => {
    const before = process.cpuUsage();
    reader.read(line);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  return Math.max(...SLOW.map((line) => Math.min(...Array.from({ length: 5 }, () => once(line)))));
}

function verdict(orcs: Orcs, command: string): ReturnType<Orcs["dispatch"]> {
  const payload = { tool_name: "exec", args: { command }, cwd: "/work/app" };
  return orcs.dispatch("tool.pre_execute", payload);
}

/** Both guards are in force, or there is nothing to compare. */
async function expectRefusals(orcs: Orcs): Promise<void> {
  const command = "git push --force origin main";
  const { action } = await verdict(orcs, command);
  const { kind } = checkCommand({ command, cwd: "/tmp" });
  if (action !== "abort" || kind !== "deny") throw new Error(`${command}: ${action}, ${kind}`);
}

/** Milliseconds of cc-safety-net's process for one event. */
function ofProcess(): number {
  const api = fileURLToPath(import.meta.resolve("cc-safety-net/api"));
  const program = api.replace(/api\.js$/, "bin/cc-safety-net.js");
  const event = {
    session_id: "s",
    cwd: "/tmp",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "git push --force" },
  };
  const input = JSON.stringify(event);
  const samples = Array.from({ length: PROCESS_ROUNDS }, () => {
    const started = performance.now();
    const ended = spawnSync(process.execPath, [program, "hook", "--claude-code"], {
      input,
      encoding: "utf8",
    });
    if (!ended.stdout.includes("deny"))
      throw new Error(`cc-safety-net: ${ended.stdout} ${ended.stderr}`);
    return performance.now() - started;
  });
  return median(samples);
}
