import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./measure.ts";
import type { Row } from "./report.ts";

const ROUNDS = 40;
const MAIN = fileURLToPath(new URL("../../bin/orcs.cjs", import.meta.url));
const EVENT = JSON.stringify({
  session_id: "s",
  transcript_path: "/tmp/t.jsonl",
  cwd: "/tmp",
  permission_mode: "default",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "git push --force", description: "push" },
  tool_use_id: "toolu_1",
});
const GUARD = `
[[hooks]]
id = "no-force"
point = "tool.pre_execute"
match = { tool = "exec", command = "push.*--force" }
handler_inline = 'orcs.deny("no force")'
`;

/** A directory with a configuration, and what a process is started with there. */
interface Project {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The processes that a host starts for an event, against one that does nothing. */
export async function hookRows(): Promise<Row[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "orcs-bench-")));
  const alone = project(join(folder, "alone"));
  const served = project(join(folder, "served"));
  const service = await serve(served);
  try {
    const nothing = (): number => took(["-e", "0"], alone);
    const withService = (): number => refused(served);
    const without = (): number => refused(alone);
    const [floor, quick, slow] = inTurn([nothing, withService, without]) as [
      number,
      number,
      number,
    ];
    return [
      row("hook_served", "orcs hook with a service against node -e 0", quick, floor),
      row("hook_alone", "orcs hook without a service against node -e 0", slow, floor),
    ];
  } finally {
    service.kill();
    rmSync(folder, { recursive: true });
  }
}

function project(cwd: string): Project {
  mkdirSync(join(cwd, "run"), { recursive: true });
  writeFileSync(join(cwd, "orcs.toml"), `[serve]\nauto = false\n${GUARD}`);
  const env = {
    ...process.env,
    CLAUDE_PROJECT_DIR: cwd,
    XDG_CONFIG_HOME: join(cwd, "none"),
    // Outside of the project: whom somebody trusts is no part of it.
    XDG_STATE_HOME: `${cwd}-state`,
    XDG_RUNTIME_DIR: join(cwd, "run"),
  };
  trust({ cwd, env });
  return { cwd, env };
}

/** What is found is inert until it is trusted. */
function trust({ cwd, env }: Project): void {
  const ended = spawnSync(process.execPath, [MAIN, "trust", "--yes"], { cwd, env });
  if (ended.status !== 0) throw new Error(`trust: exit ${ended.status}: ${String(ended.stderr)}`);
}

/** Medians of subjects that take turns: a slow moment of the machine hits all of them. */
function inTurn(subjects: readonly (() => number)[]): number[] {
  const samples: number[][] = subjects.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, subject] of subjects.entries()) samples[i]?.push(subject());
  }
  return samples.map(median);
}

function took(args: readonly string[], { cwd, env }: Project, stdout?: RegExp): number {
  const started = performance.now();
  const ended = spawnSync(process.execPath, args, { cwd, env, input: EVENT, encoding: "utf8" });
  const ms = performance.now() - started;
  if (ended.status !== 0 || (stdout && !stdout.test(ended.stdout))) {
    throw new Error(`exit ${ended.status}: ${ended.stdout} ${ended.stderr}`);
  }
  return ms;
}

function refused(where: Project): number {
  return took([MAIN, "hook", "--host", "claude-code", "--timeout", "60"], where, /no force/);
}

/** A service that answers. */
async function serve({ cwd, env }: Project): Promise<ChildProcess> {
  const child = spawn(process.execPath, [MAIN, "serve"], { cwd, env, stdio: "ignore" });
  const folder = join(cwd, "run", "orcs");
  const until = performance.now() + 20_000;
  while (performance.now() < until) {
    try {
      if (readdirSync(folder).some((name) => name.endsWith(".sock"))) return child;
    } catch {
      // It has not come so far.
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.kill();
  throw new Error("orcs serve did not come up");
}

function row(key: string, what: string, ms: number, floor: number): Row {
  return { key, what, us: ms * 1000, baseline: floor * 1000, ratio: ms / floor };
}
