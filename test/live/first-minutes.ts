import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { endServices, installed, run } from "./machine.ts";
import { modelServer } from "./model-server.ts";
import { PROGRAMS } from "./programs.ts";

// npm run first-minutes -- [--programs DIR]: from the packed archive, in an empty folder with an empty home directory,
// to a refused call in a session of Claude Code, whose model is scripted. Prints each command with its time, and fails
// above one command or ten seconds from the installed package on, or when a file is written into the project. Claude
// Code itself is no part of the time: who guards an agent has it already. It is taken from DIR, or from npm. Needs the
// network.

const MOST_MS = 10_000;
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const CLAUDE = PROGRAMS["claude-code"];
if (!CLAUDE) throw new Error("test/live/programs.ts has no claude-code");
const argsOf = (url: string): readonly string[] => CLAUDE.args(url);
const REASON = "overwrites what others may have pushed";

const { values } = parseArgs({ options: { programs: { type: "string" } } });
const programs = values.programs ?? mkdtempSync(join(tmpdir(), "orcs-first-programs-"));
const root = mkdtempSync(join(tmpdir(), "orcs-first-"));
const [home, project, prefix] = ["home", "project", "global"].map((name) => join(root, name)) as [
  string,
  string,
  string,
];
for (const dir of [home, project, prefix]) mkdirSync(dir);
execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", root], {
  cwd: ROOT,
  stdio: ["ignore", "ignore", "inherit"],
});
const archive = readdirSync(root).find((name) => name.endsWith(".tgz")) ?? "";
const { bin } = installed(CLAUDE, programs);
const model = await modelServer(
  [CLAUDE.shell("git push --force"), { text: "finished" }],
  CLAUDE.speak,
  CLAUDE.position,
);
const env = {
  PATH: [join(prefix, "bin"), dirname(bin), dirname(process.execPath), process.env["PATH"]].join(
    delimiter,
  ),
  HOME: home,
  npm_config_prefix: prefix,
  ...registryEnv(),
  XDG_RUNTIME_DIR: root,
  ...CLAUDE.env(model.url),
};
let total = 0;

async function step(shown: string, file: string, words: readonly string[]): Promise<string> {
  const began = performance.now();
  const { code, output } = await run(file, words, project, env);
  const ms = performance.now() - began;
  total += ms;
  process.stdout.write(`${(ms / 1000).toFixed(1).padStart(6)} s  ${shown}\n`);
  if (code !== 0) throw new Error(`it ended with ${code}:\n${output}`);
  return output;
}

/** How this machine reaches a registry: no part of an empty home directory. */
function registryEnv(): NodeJS.ProcessEnv {
  const asked = (key: string): string =>
    execFileSync("npm", ["config", "get", key], { cwd: root, encoding: "utf8" }).trim();
  const network = Object.entries(process.env).filter(([name]) =>
    /proxy$|^NODE_EXTRA_CA/i.test(name),
  );
  return {
    ...Object.fromEntries(network),
    npm_config_userconfig: asked("userconfig"),
    npm_config_globalconfig: asked("globalconfig"),
    npm_config_registry: asked("registry"),
  };
}

try {
  await step(`npm install --global ./${archive}`, "npm", ["install", "--global", `../${archive}`]);
  total = 0;
  process.stdout.write(await step("orcs on --yes", "orcs", ["on", "--yes"]));
  const said = await step('claude -p "publish the branch"', bin, argsOf(model.url));
  const told = model.requests.some((body) => body.includes(REASON)) || said.includes(REASON);
  const files = readdirSync(project);
  const isInTime = total <= MOST_MS;
  process.stdout.write(
    `${(total / 1000).toFixed(1).padStart(6)} s  from the installed package; files in the project: ${files.length}; the guard ${told ? "refused, and the model was told why" : "did NOT refuse"}\n`,
  );
  process.stdout.write(await step("orcs status", "orcs", ["status"]));
  await step("orcs off --purge --yes", "orcs", ["off", "--purge", "--yes"]);
  if (!told || files.length > 0 || !isInTime) process.exitCode = 1;
} finally {
  await model.close();
  endServices(home);
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  if (values.programs === undefined)
    rmSync(programs, { recursive: true, force: true, maxRetries: 5 });
}
