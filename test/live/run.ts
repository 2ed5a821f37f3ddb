import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { answeredElsewhere } from "./answered.ts";
import { DISARMED, disarmedFromWithin } from "./disarm.ts";
import { canBeAMachine, everybodys } from "./everybody.ts";
import { agentFindings, LIBRARIES } from "./libraries.ts";
import { endServices, installed, judged, MAIN, person, play, put } from "./machine.ts";
import { PACKED_AGENTS, packedAgent } from "./packed-agents.ts";
import { PLUGINS, PROGRAMS } from "./programs.ts";
import type { Program } from "./programs.ts";
import { undone } from "./undone.ts";

// npm run live -- [--programs DIR] [NAME…]: the real programs, from npm, run against a scripted model with orcs
// installed in their settings, and agents that are built with the newest versions of libraries. Needs the network.
// `libraries` stands for all of the latter.

const TOKEN = "sk-live-0123456789abcdef";
const CONFIG = `
[hosts]
rewrite = "approve"

[[hooks]]
script = "guard.lua"
`;
const GUARD = `
orcs.hook{ id = "no-pwned", point = "tool.pre_execute", match = { tool = "exec", command = "pwned" },
  handler = function() return orcs.deny("no pwned files, please") end }
orcs.hook{ id = "asks", point = "tool.pre_execute", match = { tool = "exec", command = "asked" },
  handler = function() return orcs.ask("is anybody there?") end }
orcs.hook{ id = "second", point = "tool.pre_execute", match = { tool = "exec", command = "echo first" },
  handler = function(ctx)
    ctx.payload.args.command = ctx.payload.args.command:gsub("first", "second")
    return ctx
  end }
orcs.hook{ id = "mask", point = "tool.post_execute", match = { tool = "exec", command = "token" },
  handler = function(ctx)
    local masked = orcs.json_encode(ctx.payload.result):gsub("sk%-live%-%w+", "MASKED")
    return orcs.replace(orcs.json_decode(masked))
  end }
`;

/** What must hold of a session, and whether it does. */
type Findings = Readonly<Record<string, boolean>>;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { programs: { type: "string" } },
});
const folder = values.programs ?? mkdtempSync(join(tmpdir(), "orcs-live-programs-"));
// Another user runs them, too.
if (values.programs === undefined) chmodSync(folder, 0o755);
let failed = 0;
const isWanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name);
for (const [name, program] of Object.entries(PROGRAMS)) {
  if (!isWanted(name)) continue;
  const more = [...(program.sendsHttp ? ["http"] : []), ...(program.packaged ? ["plugin"] : [])];
  for (const transport of ["command", ...more]) {
    say(`${name}, ${transport}`, await session(name, program, transport));
  }
}
const isDisarmed = (name: string): boolean => isWanted(name) || positionals.includes("disarm");
for (const name of Object.keys(DISARMED).filter(isDisarmed)) {
  for (const isAlone of [false, true]) {
    const how = isAlone ? "without a service" : "with a service";
    say(`${name}, disarmed from within, ${how}`, await disarmedFromWithin(name, folder, isAlone));
  }
}
for (const name of Object.keys(PROGRAMS)) {
  if (!isWanted(name) && !positionals.includes("answered")) continue;
  // Its plugin asks nobody.
  if (name === "opencode") continue;
  say(`${name}, answered elsewhere`, await answeredElsewhere(name, folder));
}
for (const [name, program] of Object.entries(PROGRAMS)) {
  if (!isWanted(name) && !positionals.includes("everybody")) continue;
  if (canBeAMachine()) say(`${name}, for everybody`, await everybodys(name, program, folder));
  else process.stdout.write(`skipped ${name}, for everybody: only root can mount an /etc\n`);
}
for (const name of ["claude-code", "codex", "gemini"]) {
  if (isWanted(name) || positionals.includes("undone")) {
    say(`${name}, undone`, await undone(name, folder));
  }
}
const isWantedToo = (name: string): boolean => isWanted("libraries") || isWanted(name);
for (const name of Object.keys(LIBRARIES).filter(isWantedToo)) {
  say(name, agentFindings(name, folder));
}
for (const [name, agent] of Object.entries(PACKED_AGENTS)) {
  if (isWantedToo(name)) say(`${name}, packed`, await packedAgent(name, agent));
}
process.exitCode = failed === 0 ? 0 : 1;

function say(subject: string, findings: Findings): void {
  for (const [what, holds] of Object.entries(findings)) {
    if (!holds) failed++;
    process.stdout.write(`${holds ? "ok    " : "FAILED"} ${subject}: ${what}\n`);
  }
}

async function session(name: string, program: Program, transport: string): Promise<Findings> {
  const { bin, node } = installed(program, folder);
  const { root, home, project, env: own } = person(name, program.home);
  const other = join(root, "other");
  put(join(project, "orcs.toml"), CONFIG);
  put(join(project, "hooks/guard.lua"), GUARD + (program.field?.lua ?? ""));
  put(join(project, "token.txt"), `token=${TOKEN}\n`);
  put(join(other, "orcs.toml"), CONFIG);
  put(join(other, "hooks/guard.lua"), GUARD);
  const packaged = transport === "plugin" ? program.packaged : undefined;
  const globals = join(root, "bin");
  const env = { ...own, PATH: packaged ? `${globals}:${own.PATH}` : own.PATH };
  const install = ["install", "--host", name, "--user"];
  if (program.plugin === undefined) install.push("--transport", transport);
  if (packaged) {
    // As `npm install --global` does.
    mkdirSync(globals);
    for (const name of ["orcs.cjs", "orcs-hook"]) {
      symlinkSync(join(PLUGINS, "../bin", name), join(globals, name.replace(".cjs", "")));
    }
    if ("copy" in packaged) {
      cpSync(join(PLUGINS, name), join(home, packaged.copy), { recursive: true });
    }
  }
  for (const verb of packaged ? [["trust"]] : [["trust"], install]) {
    execFileSync(process.execPath, [MAIN, ...verb, "--yes"], {
      cwd: project,
      env,
      stdio: ["ignore", "ignore", verb[0] === "trust" ? "ignore" : "inherit"],
    });
  }

  /** One session of the program, in which its model runs these commands. */
  const played = async (cwd: string, commands: readonly string[]) => {
    const PATH = node === undefined ? env.PATH : `${node}:${env.PATH}`;
    const more = packaged && "args" in packaged ? packaged.args : [];
    const at = { bin, cwd, env: { ...env, PATH } };
    const { requests, ...ended } = await play(program, commands, at, { more });
    put(join(root, `${cwd === project ? "project" : "other"}-${Date.now()}.txt`), ended.output);
    return { said: requests.join("\n"), ...ended };
  };

  const first = await played(project, [
    "touch pwned",
    "touch asked",
    "echo first > changed.txt",
    "cat token.txt",
    `rm -rf ${join(home, ".local/state/orcs")}`,
    "orcs trust --revoke --yes",
    ...(program.plugin === undefined ? [] : [`rm -f ${join(home, program.plugin)}`]),
  ]);
  const changed = join(project, "changed.txt");
  const findings: Record<string, boolean> = {
    [`the session ended by itself (${first.ms} ms, exit ${first.code})`]: first.ended,
    "a refused command did not run": !existsSync(join(project, "pwned")),
    "the model was told why": first.said.includes("no pwned files, please"),
    "a command that its user is asked about did not run: there is no user": !existsSync(
      join(project, "asked"),
    ),
    ...(program.ignoresRewrites
      ? {
          "a command that a hook rewrote did not run, and the model was told the other arguments":
            !existsSync(changed) && first.said.includes("echo second"),
        }
      : {
          "a rewritten command ran as rewritten":
            existsSync(changed) && readFileSync(changed, "utf8") === "second\n",
        }),
    "a masked result reached the model masked":
      first.said.includes("MASKED") && !first.said.includes(TOKEN),
    "the state is there, and the model was told that it may not change it":
      existsSync(join(home, ".local/state/orcs/trust.json")) && first.said.includes("self-guard"),
  };
  if (program.field) {
    findings[program.field.what] = program.field.holds(home, first.said);
  }
  renameSync(join(project, "orcs.toml"), join(project, "x"));
  rmSync(join(project, "hooks"), { recursive: true });
  const moved = await played(project, ["touch pwned"]);
  findings["its files moved away, a refused command did not run"] =
    moved.ended && !existsSync(join(project, "pwned"));
  findings["the model was told that the folder differs"] =
    moved.said.includes("changed since then");
  const unknown = await played(other, ["touch pwned"]);
  const [what, isRun] = program.showsNoNotice
    ? ["while nobody has trusted the hooks, calls were denied", false]
    : ["hooks that nobody has trusted did not run", true];
  findings[what] = existsSync(join(other, "pwned")) === isRun;
  findings["the model was told that they are not active"] =
    unknown.said.includes("they are not trusted");
  if (program.shows) {
    findings["it can be found in the output"] = unknown.output.includes("they are not trusted");
  }
  if (program.plugin !== undefined) {
    const plugin = join(home, program.plugin);
    findings["the agent could not remove its plugin"] = existsSync(plugin);
    put(plugin, readFileSync(plugin, "utf8").replace("/adapters/", "/gone/"));
    const without = await played(other, ["touch without"]);
    findings["orcs gone, a command did not run, and the model was told how to install it"] =
      without.ended &&
      !existsSync(join(other, "without")) &&
      without.said.includes("npm install --global ./orcs-");
  }
  endServices(home);
  return judged(root, findings);
}
