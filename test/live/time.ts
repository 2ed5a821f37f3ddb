import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { endServices, installed, play, put } from "./machine.ts";
import { PROGRAMS } from "./programs.ts";

// npm run live:time -- [--programs DIR] [--calls 200] [--rounds 5] [--orcs FOLDER]: how long a session of the real Claude
// Code takes, in which its model runs a command so many times in a row: without hooks, with a hook that reads its event
// and no more, and with orcs and ten Lua hooks, asked by commands and over HTTP. In turns; the best of each counts.

const { values } = parseArgs({
  options: {
    programs: { type: "string" },
    calls: { type: "string", default: "200" },
    rounds: { type: "string", default: "5" },
    orcs: { type: "string", default: fileURLToPath(new URL("../../..", import.meta.url)) },
  },
});
const MAIN = join(values.orcs, "dist/cli/main.js");
const program = PROGRAMS["claude-code"]!;
const folder = values.programs ?? mkdtempSync(join(tmpdir(), "orcs-live-programs-"));
const { bin } = installed(program, folder);
const calls = Number(values.calls);

const HOOKS = Array.from(
  { length: 10 },
  (_, i) => `orcs.hook{ id = "h${i}", point = "tool.pre_execute",
  handler = function(ctx) if ctx.payload.args.command == "rm ${i}" then return orcs.deny("no") end end }`,
).join("\n");
const READER = {
  hooks: {
    PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command: "sh -c 'cat >/dev/null'" }] }],
  },
};

/** What stands in front of the calls, by its name: what prepares a home directory and a project for it. */
const WAYS: Readonly<Record<string, (machine: Machine) => void>> = {
  "no hook": () => undefined,
  "sh -c 'cat >/dev/null'": ({ home }) => {
    put(join(home, ".claude/settings.json"), JSON.stringify(READER));
  },
  "orcs, commands": (machine) => withOrcs(machine, "command"),
  "orcs, HTTP": (machine) => withOrcs(machine, "http"),
};

interface Machine {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

function withOrcs({ project, env }: Machine, transport: string): void {
  put(join(project, "orcs.toml"), '[[hooks]]\nscript = "ten.lua"\n');
  put(join(project, "hooks/ten.lua"), HOOKS);
  const install = ["install", "--host", "claude-code", "--transport", transport];
  for (const verb of [["trust"], install]) {
    execFileSync(process.execPath, [MAIN, ...verb, "--yes"], {
      cwd: project,
      env,
      stdio: "ignore",
    });
  }
}

const root = mkdtempSync(join(tmpdir(), "orcs-live-time-"));
const machines = Object.entries(WAYS).map(([name, prepare], i) => {
  const [home, project] = [join(root, `${i}/home`), join(root, `${i}/project`)];
  const runtime = join(root, `${i}/run`);
  for (const dir of [home, project]) mkdirSync(dir, { recursive: true });
  mkdirSync(runtime, { mode: 0o700 });
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, XDG_RUNTIME_DIR: runtime };
  const machine = { home, project, env };
  prepare(machine);
  return { name, machine, times: [] as number[] };
});
try {
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const { machine, times } of machines) times.push(await session(machine));
  }
} finally {
  for (const { machine } of machines) endServices(machine.home);
}
const [, base] = machines;
const least = (times: readonly number[]): number => Math.min(...times);
for (const { name, times } of machines) {
  const ratio = least(times) / least(base?.times ?? []);
  const all = times.map((ms) => Math.round(ms)).join(" ");
  process.stdout.write(`${name.padEnd(24)} ${ratio.toFixed(2)} × that hook; ms: ${all}\n`);
}
rmSync(root, { recursive: true, force: true, maxRetries: 5 });

/** Milliseconds of one session. */
async function session({ project, env }: Machine): Promise<number> {
  const commands = Array.from({ length: calls }, () => "true");
  const { ms, code, output, ended } = await play(program, commands, { bin, cwd: project, env });
  if (!ended) {
    throw new Error(`the session ended early, with exit code ${code}: ${output.slice(-2000)}`);
  }
  return ms;
}
