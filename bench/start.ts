import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installed, packed } from "./installed.ts";
import { median } from "./measure.ts";
import type { Row } from "./report.ts";

// What starts as a process: measured as it is installed, for a checkout says nothing of how long it takes to start.

const ROUNDS = 40;
const HOOKS = 10;
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
const LUA = Array.from(
  { length: HOOKS },
  (_, i) => `orcs.hook{ id = "h${i}", point = "tool.pre_execute", handler = function(ctx)
  local command = ctx.payload.args.command
  if command and command:find("push%s+${i === HOOKS - 1 ? "%-%-force" : `nothing${i}`}") then return orcs.deny("no") end
end }
`,
).join("");

/** An agent that embeds the package, until its engine has decided once. */
const PROGRAM = `import { createOrcs } from "orcs";
const orcs = await createOrcs({ config: "orcs.toml" });
console.log((await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: { command: "ls" } })).action);
`;

/** A process that is started again and again. */
interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** What its stdout must hold. */
  readonly says?: string;
}

/** One package as it is installed, with a project that has ten hooks, and one that is alone. */
class Installed {
  readonly #folder: string;
  readonly #home: string;
  readonly #bin: string;
  readonly #program: string;

  constructor(archive: string, folder: string) {
    this.#folder = folder;
    this.#home = join(folder, "home");
    this.#bin = join(installed(archive, join(folder, "app")), "bin/orcs.cjs");
    this.#program = join(folder, "app/program.mjs");
    writeFileSync(this.#program, PROGRAM);
    for (const name of ["served", "alone"] as const) {
      const cwd = join(folder, name);
      mkdirSync(join(cwd, "hooks"), { recursive: true });
      writeFileSync(
        join(cwd, "orcs.toml"),
        `serve = { auto = ${name === "served"} }\n[[hooks]]\nscript = "ten.lua"\n`,
      );
      writeFileSync(join(cwd, "hooks/ten.lua"), LUA);
    }
    mkdirSync(join(this.#home, "run"), { recursive: true, mode: 0o700 });
    for (const name of ["served", "alone"] as const) this.#orcs(name, ["trust", "--yes"]);
    this.#orcs("served", ["install", "--host", "claude-code", "--user", "--yes"]);
  }

  /** `orcs` with its arguments in one of the projects. */
  start(name: "served" | "alone", args: readonly string[], says?: string): Start {
    const cwd = join(this.#folder, name);
    const env = {
      PATH: process.env["PATH"],
      HOME: this.#home,
      XDG_RUNTIME_DIR: join(this.#home, "run"),
      CLAUDE_PROJECT_DIR: cwd,
    };
    return {
      file: process.execPath,
      args: [this.#bin, ...args],
      env,
      cwd,
      ...(says !== undefined && { says }),
    };
  }

  /** The program that embeds the package, with the ten hooks. */
  embedding(): Start {
    return { ...this.start("alone", [], "continue"), args: [this.#program] };
  }

  /** The command that the host runs, as it was installed, with a service that answers. */
  entry(): Start {
    const settings = JSON.parse(
      readFileSync(join(this.#home, ".claude/settings.json"), "utf8"),
    ) as { hooks: { PreToolUse: { hooks: { command: string }[] }[] } };
    const command = settings.hooks.PreToolUse[0]?.hooks[0]?.command ?? "";
    const start = { ...this.start("served", [], "no"), file: "/bin/sh", args: ["-c", command] };
    // The first starts the service, and the next ones find it.
    const run = join(this.#home, "run/orcs");
    for (let tries = 0; tries < 200; tries++) {
      took(start);
      const sockets = existsSync(run)
        ? readdirSync(run).filter((file) => file.endsWith(".sock"))
        : [];
      if (sockets.length > 0 && tries > 2) return start;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
    throw new Error("no service was started");
  }

  close(): void {
    const run = join(this.#home, "run/orcs");
    for (const name of existsSync(run) ? readdirSync(run) : []) {
      if (!name.endsWith(".pid")) continue;
      try {
        process.kill(Number(readFileSync(join(run, name), "utf8")));
      } catch {
        // It has ended by itself.
      }
    }
  }

  #orcs(name: "served" | "alone", args: readonly string[]): void {
    took(this.start(name, args));
  }
}

/**
 * Processes of the package as it is packed and installed, against the least that could be started.
 * @param before an archive of an older one, measured in the same run
 */
export function startRows(before = process.env["ORCS_BENCH_BEFORE"]): Row[] {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "orcs-bench-")));
  const now = new Installed(packed(join(folder, "packed")), join(folder, "now"));
  const old = before === undefined ? undefined : new Installed(before, join(folder, "before"));
  try {
    const floor = (file: string, args: readonly string[]): Start => ({
      ...now.start("alone", []),
      file,
      args,
    });
    const sets = (each: Installed): readonly Start[] => [
      each.entry(),
      each.start("served", ["hook", "--host", "claude-code"], "no"),
      each.start("alone", ["hook", "--host", "claude-code"], "no"),
      each.start("alone", ["--help"], "Usage"),
      each.start("alone", ["eval", "tool.pre_execute", "tool=exec", "command=ls"], "continue"),
      each.embedding(),
    ];
    const floors = [floor("/bin/sh", ["-c", "true"]), floor(process.execPath, ["-e", "0"])];
    const [sh = 0, node = 0, ...rest] = inTurn([
      ...floors,
      ...sets(now),
      ...(old ? sets(old) : []),
    ]);
    const whats = [
      [
        "start_entry",
        `an event as it is installed, a service, ${HOOKS} Lua hooks, against sh -c true`,
        sh,
      ],
      ["start_served", "the same by Node, against node -e 0", node],
      ["start_cold", `an event without a service, ${HOOKS} Lua hooks, against node -e 0`, node],
      ["start_help", "orcs --help against node -e 0", node],
      ["start_eval", "orcs eval against node -e 0", node],
      ["start_import", `a program that imports orcs, ${HOOKS} Lua hooks, against node -e 0`, node],
    ] as const;
    return whats.map(([key, what, against], i) => {
      const ms = rest[i] ?? 0;
      const was = rest[whats.length + i];
      return {
        key,
        what,
        us: ms * 1000,
        baseline: against * 1000,
        ratio: ms / against,
        before: was === undefined ? undefined : was / against,
      };
    });
  } finally {
    now.close();
    old?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Medians of subjects that take turns: a slow moment of the machine hits all of them. */
function inTurn(subjects: readonly Start[]): number[] {
  const samples: number[][] = subjects.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, subject] of subjects.entries()) samples[i]?.push(took(subject));
  }
  return samples.map(median);
}

/** Milliseconds until a process has ended. */
function took({ file, args, cwd, env, says }: Start): number {
  const began = performance.now();
  const ended = spawnSync(file, args, { cwd, env, input: EVENT, encoding: "utf8" });
  const ms = performance.now() - began;
  if (ended.status !== 0 || (says !== undefined && !ended.stdout.includes(says))) {
    throw new Error(`${args.join(" ")}: exit ${ended.status}: ${ended.stdout} ${ended.stderr}`);
  }
  return ms;
}
