// Which files one tool call and one event of a coding agent pass through, and how often control moves between them.
// Instruments a copy of the single modules in build/ and runs it: `npm run trace`. `--list` prints the files too, `--page`
// writes the figures into docs/explanation/architecture.md.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expectChanged } from "./replaced.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PLACE = mkdtempSync(join(tmpdir(), "orcs-trace-"));
const COPY = join(PLACE, "package");
const PROJECT = join(PLACE, "project");
const PLAIN = process.argv.includes("--json");
const LIST = process.argv.includes("--list");
const PAGE = process.argv.includes("--page") && join(ROOT, "docs/explanation/architecture.md");

/** What every instrumented function calls. SIGUSR2 begins a trace, or ends it and writes it down. */
const RECORDER = `import { writeFileSync } from "node:fs";
let moves;
export function trace(file) {
  if (moves !== undefined && moves[moves.length - 1] !== file) moves.push(file);
}
export function toggle() {
  if (moves === undefined) return void (moves = []);
  const done = moves;
  moves = undefined;
  writeFileSync(process.env.TRACE_FILE, JSON.stringify(done));
  process.stderr.write("traced\\n");
}
process.on("SIGUSR2", toggle);
`;
/** Three hooks: one that reads, one that would deny, one that rewrites. */
const HOOKS = {
  guard: `return {
  id = "guard", point = "tool.pre_execute",
  match = { tool = "exec" },
  handler = function(ctx)
    if ctx.payload.args.command:find("push --force", 1, true) then return orcs.deny("no") end
  end,
}
`,
  read: `return {
  id = "read", point = "tool.pre_execute",
  handler = function(ctx)
    if ctx.payload.args.command == "rm -rf /" then return orcs.deny("no") end
  end,
}
`,
  rewrite: `return {
  id = "rewrite", point = "tool.pre_execute",
  handler = function(ctx)
    ctx.payload.args.command = "nice " .. ctx.payload.args.command
  end,
}
`,
};
const CONFIG = `[serve]
auto = false
${Object.keys(HOOKS)
  .map((id) => `[[hooks]]\nid = "${id}"\nscript = "${id}.lua"\n`)
  .join("")}`;

try {
  prepare();
  const results = { tool_call: await traceToolCall(), event: await traceEvent() };
  if (PLAIN) console.log(JSON.stringify(results));
  else for (const [name, moves] of Object.entries(results)) print(name, moves);
  if (PAGE) writePage(results);
} finally {
  rmSync(PLACE, { recursive: true, force: true });
}

function print(name, moves) {
  const files = [...new Set(moves)];
  console.log(`${name}: ${files.length} files, ${moves.length - 1} moves between them`);
  if (LIST) console.log(files.map((file) => `  ${file}`).join("\n"));
}

function writePage({ tool_call: call, event }) {
  const row = (what, moves) => `| ${what} | ${new Set(moves).size} | ${moves.length - 1} |\n`;
  const rows =
    row("a tool call with three Lua hooks", call) +
    row("an event with three Lua hooks and the self-guard, in the service", event);
  const table = /(\| \| files \| moves \|\n\|---\|---\|---\|\n)(?:\|.*\n)+/g;
  const text = readFileSync(PAGE, "utf8");
  writeFileSync(PAGE, expectChanged(text, table, `$1${rows}`));
}

/** A wrapped tool under three Lua hooks, called once before. */
async function traceToolCall() {
  const program = join(PROJECT, "agent.mjs");
  writeFileSync(
    program,
    `import { createOrcs } from ${JSON.stringify(join(COPY, "dist/index.js"))};
import { toggle } from ${JSON.stringify(join(COPY, "dist/trace.mjs"))};
const orcs = await createOrcs({ config: "orcs.toml" });
const exec = orcs.wrapTool("exec", async ({ command }) => "ran " + command);
await exec({ command: "git status" });
toggle();
await exec({ command: "git log" });
toggle();
await orcs.close();
`,
  );
  const out = join(PLACE, "tool_call.json");
  execFileSync(process.execPath, [program], { cwd: PROJECT, env: environment(out), stdio: "pipe" });
  return JSON.parse(readFileSync(out, "utf8"));
}

/** One event of Claude Code on the service's side, after one before. */
async function traceEvent() {
  const out = join(PLACE, "event.json");
  const main = join(COPY, "serve.mjs");
  writeFileSync(main, `import { runProgram } from "./dist/cli/program.js";\nawait runProgram();\n`);
  const service = spawn(process.execPath, [main, "serve", "--json", "--config", "orcs.toml"], {
    cwd: PROJECT,
    env: environment(out),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let told = "";
  service.stderr.setEncoding("utf8").on("data", (text) => (told += text));
  try {
    await Promise.race([once(service.stdout, "data"), once(service, "exit")]);
    if (service.exitCode !== null) throw new Error(`orcs serve ended: ${told}`);
    sendEvent("git status");
    service.kill("SIGUSR2");
    await new Promise((resolve) => setTimeout(resolve, 300));
    sendEvent("git log");
    service.kill("SIGUSR2");
    while (!told.includes("traced")) await once(service.stderr, "data");
  } finally {
    service.kill("SIGKILL");
  }
  const moves = JSON.parse(readFileSync(out, "utf8"));
  // The service looks at its files now and then; the event begins where its line is read.
  return moves.slice(moves.indexOf("daemon/service/socket-server.js"));
}

function sendEvent(command) {
  const event = {
    session_id: "s",
    transcript_path: null,
    cwd: PROJECT,
    hook_event_name: "PreToolUse",
    permission_mode: "default",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "t",
  };
  const orcs = join(COPY, "bin/orcs.cjs");
  execFileSync(process.execPath, [orcs, "hook", "--host", "claude-code", "--config", "orcs.toml"], {
    cwd: PROJECT,
    env: environment(""),
    input: JSON.stringify(event),
    stdio: ["pipe", "pipe", "inherit"],
  });
}

function environment(trace) {
  return {
    ...process.env,
    TRACE_FILE: trace,
    XDG_CONFIG_HOME: join(PLACE, "config"),
    XDG_STATE_HOME: join(PLACE, "state"),
    XDG_RUNTIME_DIR: join(PLACE, "run"),
    NO_COLOR: "1",
  };
}

/** The package with every function instrumented, and a project with three hooks. */
function prepare() {
  mkdirSync(join(PLACE, "run"), { mode: 0o700 });
  mkdirSync(join(PROJECT, "hooks"), { recursive: true });
  writeFileSync(join(PROJECT, "orcs.toml"), CONFIG);
  for (const [id, code] of Object.entries(HOOKS)) {
    writeFileSync(join(PROJECT, "hooks", `${id}.lua`), code);
  }
  mkdirSync(COPY);
  for (const name of ["bin", "hooks", "lua", "package.json"]) {
    cpSync(join(ROOT, name), join(COPY, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(COPY, "node_modules"));
  // What asks the service is the bundle, as installed; the service is found by the path of the package.
  cpSync(join(ROOT, "dist/bundle"), join(COPY, "dist/bundle"), { recursive: true });
  const build = join(ROOT, "build");
  for (const name of readdirSync(build, { recursive: true })) {
    if (!name.endsWith(".js")) continue;
    const file = join(COPY, "dist", name);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, instrumented(name, readFileSync(join(build, name), "utf8")));
  }
  writeFileSync(join(COPY, "dist/trace.mjs"), RECORDER);
}

function instrumented(name, text) {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const call = `__trace(${JSON.stringify(name)})`;
  const insertions = [];
  const visit = (node) => {
    const body = ts.isFunctionLike(node) ? node.body : undefined;
    if (body !== undefined && ts.isBlock(body))
      insertions.push([body.getStart(file) + 1, `${call};`]);
    else if (body !== undefined)
      insertions.push([body.getStart(file), `(${call},`], [body.end, ")"]);
    ts.forEachChild(node, visit);
  };
  visit(file);
  let code = text;
  for (const [at, what] of insertions.sort(([a], [b]) => b - a)) {
    code = code.slice(0, at) + what + code.slice(at);
  }
  const from = relative(join(name, ".."), "trace.mjs");
  return `import { trace as __trace } from "${from.startsWith(".") ? from : `./${from}`}";${code}`;
}
