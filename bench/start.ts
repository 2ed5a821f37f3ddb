import { spawn, spawnSync } from "node:child_process";
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
import { median, quantile } from "./measure.ts";
import type { Row } from "./report.ts";

// What starts as a process: measured as it is installed, for a checkout says nothing of how long it takes to start.

const ROUNDS = 40;
const HOOKS = 10;
/** Starts of which the slowest of a hundred counts. */
const STARTS = 300;
/** What is denied by one of the hooks. */
const DENIED = eventOf("s", "git push --force");

function eventOf(session: string, command: string): string {
  return JSON.stringify({
    session_id: session,
    transcript_path: "/tmp/t.jsonl",
    cwd: "/tmp",
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command, description: "push" },
    tool_use_id: "toolu_1",
  });
}

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

/** An agent that imports the package and makes no engine. */
const IMPORTS = `import "orcs";
`;
/** One with a single hook. */
const ONE_HOOK = `import { createOrcs } from "orcs";
const hook = { point: "tool.pre_execute", handler_inline: 'return orcs.deny("no")' };
const orcs = await createOrcs({ config: { hooks: [hook] } });
console.log((await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: { command: "ls" } })).reason);
await orcs.close();
`;
/** One with the four guards that judge a call. */
const FOUR_GUARDS = `import { createOrcs } from "orcs";
const names = ["shell-guard", "path-guard", "secret-guard", "self-guard"];
const hooks = names.map((name) => ({ point: "tool.pre_execute", script: "orcs:" + name }));
const orcs = await createOrcs({ config: { hooks } });
console.log((await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: { command: "ls" } })).action);
await orcs.close();
`;
/** The least that a program with a Lua VM can take: an ES module, wasmoon's build as it is, and an empty state. */
const EMPTY_STATE = `import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const file = createRequire(import.meta.url).resolve("wasmoon/dist/glue.wasm");
const module = new WebAssembly.Module(readFileSync(file));
const imports = {};
for (const each of WebAssembly.Module.imports(module)) (imports[each.module] ??= {})[each.name] = () => 0;
const vm = new WebAssembly.Instance(module, imports).exports;
vm.emscripten_stack_init();
vm.__wasm_call_ctors();
console.log(vm.luaL_newstate() !== 0);
`;
/** What they are written to and called by. */
const PROGRAMS = {
  empty: { text: "", says: "" },
  state: { text: EMPTY_STATE, says: "true" },
  imports: { text: IMPORTS, says: "" },
  one: { text: ONE_HOOK, says: "no" },
  guards: { text: FOUR_GUARDS, says: "continue" },
} as const;
const ONE_HOOK_TOML = `serve = { auto = false }
[[hooks]]
point = "tool.pre_execute"
handler_inline = 'if ctx.payload.args.command:find("force") then return orcs.deny("no") end'
`;
/** Runs of which the one that took the least processor time counts: neighbours only add to it. */
const RUNS = 9;

/** A process that is started again and again. */
interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** What its stdout must hold. */
  readonly says?: string;
  /** Its input the n-th time. */
  readonly event?: (n: number) => string;
}

type Project = "served" | "alone" | "one" | "defaults";

/** One package as it is installed, with a project that has ten hooks, one that is alone, and one of `orcs init`. */
class Installed {
  readonly #folder: string;
  readonly #home: string;
  readonly #bin: string;
  readonly #program: string;
  #defaults: Start | undefined;

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
    mkdirSync(join(folder, "one"));
    writeFileSync(join(folder, "one/orcs.toml"), ONE_HOOK_TOML);
    for (const [name, { text }] of Object.entries(PROGRAMS))
      writeFileSync(join(folder, "app", `${name}.mjs`), text);
    mkdirSync(join(this.#home, "run"), { recursive: true, mode: 0o700 });
    mkdirSync(join(folder, "defaults"));
    this.#orcs("defaults", ["init", "--yes", "--policies", "all"]);
    for (const name of ["served", "alone", "one", "defaults"] as const)
      this.#orcs(name, ["trust", "--yes"]);
    this.#orcs("served", ["install", "--host", "claude-code", "--user", "--yes"]);
  }

  /** `orcs` with its arguments in one of the projects. */
  start(name: Project, args: readonly string[], says?: string): Start {
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

  /** A program that uses the package, or what any has to. */
  program(name: keyof typeof PROGRAMS): Start {
    const file = join(this.#folder, "app", `${name}.mjs`);
    return { ...this.start("alone", [], PROGRAMS[name].says), args: [file] };
  }

  /** The same with every policy that `orcs init` offers, and a call that all of them let pass. */
  defaults(): Start {
    this.#defaults ??= this.entry("defaults");
    // A call that comes again and again is denied.
    const event = (n: number): string => eventOf(`s${n >> 4}`, `git log -n ${n + 1}`);
    return { ...this.#defaults, event, says: "" };
  }

  /** The command that the host runs, as it was installed, with a service that answers. */
  entry(name: Project = "served"): Start {
    const settings = JSON.parse(
      readFileSync(join(this.#home, ".claude/settings.json"), "utf8"),
    ) as { hooks: { PreToolUse: { hooks: { command: string }[] }[] } };
    const command = settings.hooks.PreToolUse[0]?.hooks[0]?.command ?? "";
    const start = { ...this.start(name, [], "no"), file: "/bin/sh", args: ["-c", command] };
    // The first starts the service, and the next ones find it.
    const run = join(this.#home, "run/orcs");
    const sockets = (): number =>
      existsSync(run) ? readdirSync(run).filter((file) => file.endsWith(".sock")).length : 0;
    const before = sockets();
    for (let tries = 0; tries < 200; tries++) {
      took({ ...start, event: (n) => eventOf(`e${n}`, "git push --force") }, tries);
      if (sockets() > before && tries > 2) return start;
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

  #orcs(name: Project, args: readonly string[]): void {
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
      each.defaults(),
      each.start(
        "one",
        ["eval", "--config", "orcs.toml", "tool.pre_execute", "tool=exec", "command=ls"],
        "continue",
      ),
      each.start("one", ["hook", "--host", "claude-code"], "no"),
    ];
    const floors = [floor("/bin/sh", ["-c", "true"]), floor(process.execPath, ["-e", "0"])];
    const subjects = [...floors, ...sets(now), ...(old ? sets(old) : [])];
    const [sh = 0, node = 0, ...rest] = inTurn(subjects, ROUNDS).map(median);
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
      [
        "start_defaults",
        "an event as it is installed, all shipped policies, against sh -c true",
        sh,
      ],
      ["start_eval_one", "orcs eval of one hook in a named configuration, against node -e 0", node],
      [
        "start_cold_one",
        "an event without a service, one hook and self-guard, against node -e 0",
        node,
      ],
    ] as const;
    const rows = whats.map(([key, what, against], i) => {
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
    const nothing = floor(process.execPath, ["-e", "0"]);
    return [
      ...rows,
      ...processorRows(nothing, now),
      besideBusyLoop([now, ...(old ? [old] : [])], floors[0]),
    ];
  } finally {
    now.close();
    old?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Processor time of programs that embed the package, all threads included, and of what they cannot do without. */
function processorRows(nothing: Start, now: Installed): Row[] {
  const names = ["empty", "state", "imports", "one", "guards"] as const;
  const subjects = [nothing, ...names.map((name) => now.program(name))];
  // The first run after an installation keeps what was compiled.
  for (const subject of subjects) took(subject);
  const least = subjects.map(() => Infinity);
  for (let run = 0; run < RUNS; run++) {
    for (const [i, subject] of subjects.entries())
      least[i] = Math.min(least[i] ?? Infinity, processorMs(subject));
  }
  const [node = NaN, ...rest] = least;
  const whats = [
    ["cpu_empty", "processor time of an empty ES module, against node -e 0"],
    ["cpu_state", "the same of one with an empty Lua state"],
    ["cpu_import", 'the same of import "orcs"'],
    ["cpu_one_hook", "the same of a program with one Lua hook that decides once"],
    ["cpu_guards", "the same with the four guards that judge a call"],
  ] as const;
  return whats.map(([key, what], i) => {
    const ms = rest[i] ?? NaN;
    return { key, what, us: ms * 1000, baseline: node * 1000, ratio: ms / node };
  });
}

/** User and system time of a process in milliseconds, as its shell reports it. */
function processorMs({ file, args, cwd, env }: Start): number {
  const timed = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null';
  const ended = spawnSync("bash", ["-c", timed, "bash", file, ...args], {
    cwd,
    env,
    encoding: "utf8",
  });
  if (ended.status !== 0) throw new Error(`${args.join(" ")}: ${ended.stderr}`);
  const [user = NaN, system = NaN] = ended.stderr.trim().split(" ").map(Number);
  return (user + system) * 1000;
}

/** The slowest of a hundred events with all shipped policies, while another process computes. */
function besideBusyLoop([now, old]: readonly Installed[], floor: Start | undefined): Row {
  const loop = spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });
  try {
    const subjects = [floor, now?.defaults(), old?.defaults()].filter((each) => each !== undefined);
    const [sh = NaN, ms = NaN, was] = inTurn(subjects, STARTS).map((all) => quantile(all, 0.99));
    return {
      key: "start_defaults_p99",
      what: "the same beside a busy loop, 99th percentile, as milliseconds",
      us: ms * 1000,
      baseline: sh * 1000,
      ratio: ms,
      before: was,
    };
  } finally {
    loop.kill("SIGKILL");
  }
}

/** Milliseconds of subjects that take turns: a slow moment of the machine hits all of them. */
function inTurn(subjects: readonly Start[], rounds: number): number[][] {
  const samples: number[][] = subjects.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, subject] of subjects.entries()) samples[i]?.push(took(subject, round));
  }
  return samples;
}

/** Milliseconds until a process has ended. */
function took({ file, args, cwd, env, says, event }: Start, n = 0): number {
  const input = event?.(n) ?? DENIED;
  const began = performance.now();
  const ended = spawnSync(file, args, { cwd, env, input, encoding: "utf8" });
  const ms = performance.now() - began;
  if (ended.status !== 0 || (says !== undefined && !ended.stdout.includes(says))) {
    throw new Error(`${args.join(" ")}: exit ${ended.status}: ${ended.stdout} ${ended.stderr}`);
  }
  return ms;
}
