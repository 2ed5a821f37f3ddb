import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { createOrcs } from "orcs";

/** A line that runs a script of a repository. */
interface Run {
  readonly line: string;
  readonly folder: string;
}

const USAGE = `npm run bench:scripts -- DIR

  DIR  a folder with repositories: their scripts, Makefiles and package.json are judged as if they were run
`;
/** The most targets of a Makefile that are run. */
const MOST_TARGETS = 80;
/** Scripts that took longest, which are printed. */
const MOST_SLOWEST = 15;

function* filesBelow(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name === ".git" || name === "node_modules") continue;
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) yield* filesBelow(path);
    else if (stats?.isFile()) yield path;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

const INTERPRETERS: Readonly<Record<string, string>> = {
  sh: "bash",
  bash: "bash",
  py: "python3",
  js: "node",
  mjs: "node",
  rb: "ruby",
  pl: "perl",
};

function* linesOf(path: string, root: string): Generator<string> {
  const name = relative(root, path);
  const text = readFileSync(path, "utf8");
  const cd = dirname(name) === "." ? "" : `cd ${quoted(dirname(name))} && `;
  const interpreter = INTERPRETERS[/\.(\w+)$/.exec(name)?.[1] ?? ""];
  if (basename(name) === "package.json") {
    for (const script of scriptsOf(text)) yield `${cd}npm run ${quoted(script)}`;
  } else if (/^(?:GNU)?makefile$/i.test(basename(name))) {
    const found = text.matchAll(/^([A-Za-z][\w.-]*)\s*:(?!=)/gm);
    const targets = new Set(Array.from(found, ([, target = ""]) => target));
    for (const target of [...targets].slice(0, MOST_TARGETS)) yield `${cd}make ${target}`;
  } else if (basename(name) === "justfile") yield `${cd}just`;
  else if (basename(name) === "Dockerfile") yield `docker build ${quoted(dirname(name))}`;
  else if (interpreter !== undefined) yield `${interpreter} ${quoted(name)}`;
  else if (text.startsWith("#!")) yield `./${quoted(name)}`;
}

function scriptsOf(text: string): readonly string[] {
  try {
    return Object.keys((JSON.parse(text) as { scripts?: object }).scripts ?? {});
  } catch {
    return [];
  }
}

function* runsBelow(folder: string): Generator<Run> {
  for (const name of readdirSync(folder)) {
    const root = join(folder, name);
    if (!statSync(root).isDirectory()) continue;
    for (const path of filesBelow(root))
      for (const line of linesOf(path, root)) yield { line, folder: root };
  }
}

const [given] = process.argv.slice(2);
if (given === undefined) {
  console.error(USAGE);
  process.exitCode = 2;
} else await measure(resolve(given));

async function measure(folder: string): Promise<void> {
  const orcs = await createOrcs({
    config: { hooks: [{ script: "orcs:shell-guard" }, { script: "orcs:self-guard" }] },
  });
  const times: number[] = [];
  const slowest: { readonly ms: number; readonly run: string }[] = [];
  let stopped = 0;
  for (const { line, folder: cwd } of runsBelow(folder)) {
    const begin = process.cpuUsage();
    const payload = { tool_name: "exec", args: { command: line }, cwd };
    const outcome = await orcs.dispatch("tool.pre_execute", payload);
    const { user, system } = process.cpuUsage(begin);
    const ms = (user + system) / 1_000;
    times.push(ms);
    slowest.push({ ms, run: `${relative(folder, cwd)}: ${line}` });
    if (slowest.length > 2 * MOST_SLOWEST) shortened(slowest);
    const asks = outcome.action === "continue" && outcome.decision === "ask";
    if (outcome.action !== "abort" && !asks) continue;
    stopped++;
    console.log(`${relative(folder, cwd)}: ${line}\n  ${outcome.reason ?? ""}`);
  }
  await orcs.close();
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  const percent = ((100 * stopped) / times.length).toFixed(2);
  console.log("slowest:");
  for (const { ms, run } of shortened(slowest)) console.log(`  ${ms.toFixed(0)} ms  ${run}`);
  console.log(`${times.length} scripts, ${stopped} stopped (${percent} %)`);
  console.log(`processor time: p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(0.99999)} ms`);
}

/** Leave the slowest ones, the slowest first. */
function shortened<Timed extends { readonly ms: number }>(times: Timed[]): readonly Timed[] {
  times.sort((a, b) => b.ms - a.ms).splice(MOST_SLOWEST);
  return times;
}
