import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { folder, ROOT } from "../dist/orcs.ts";

/** Runs on Node 20; later ones (6.10) need 22. */
const VERSION = "5.33.0";
const HOME = join(ROOT, "node_modules/.cache", `verdaccio-${VERSION}`);
const MAIN = join(HOME, "node_modules/verdaccio/bin/verdaccio");
const INSTALLED = join(HOME, "installed");

/** Long, because the machine may have other things to do. */
const START_MS = 60_000;
const NPM_MS = 240_000;

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  /** What it wrote to stdout and stderr. */
  readonly text: string;
}

/** A registry on the loopback interface. */
export interface Registry {
  readonly url: string;
  /** Run npm in a folder, with this registry only. */
  npm(cwd: string, ...args: string[]): Promise<ProgramEnd>;
  close(): Promise<void>;
}

/** Whether the registry can be started: it is installed once, from the network. */
export async function hasRegistry(): Promise<boolean> {
  if (existsSync(INSTALLED)) return true;
  rmSync(HOME, { recursive: true, force: true });
  mkdirSync(HOME, { recursive: true });
  // Its dependency names a tag instead of a version, which a mirror may not have.
  const manifest = { private: true, overrides: { "node-fetch": "2.7.0" } };
  writeFileSync(join(HOME, "package.json"), JSON.stringify(manifest));
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", `verdaccio@${VERSION}`];
  const { code, text } = await run("npm", args, { cwd: HOME, env: process.env });
  if (code === 0 && existsSync(MAIN)) {
    writeFileSync(INSTALLED, "");
    return true;
  }
  process.stderr.write(
    `\n*** NOT TESTED: packages from a registry. verdaccio ${VERSION} cannot be installed: ${text.slice(0, 500)} ***\n\n`,
  );
  return false;
}

/** Start an empty registry to which everybody may publish. */
export async function startRegistry(): Promise<Registry> {
  const dir = folder({
    "config.yaml": `
storage: ./storage
uplinks: {}
auth: { htpasswd: { file: ./htpasswd } }
packages: { "**": { access: $all, publish: $all } }
log: { type: stdout, format: pretty, level: warn }
`,
  });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const config = join(dir, "config.yaml");
  const env = { ...process.env, HOME: dir, NODE_ENV: "production" };
  const args = [MAIN, "--config", config, "--listen", `127.0.0.1:${port}`];
  const server = spawn(process.execPath, args, { cwd: dir, env, stdio: "ignore" });
  await answering(`${url}-/ping`, server);
  // npm wants a token, and the registry asks for none.
  writeFileSync(
    join(dir, "npmrc"),
    `registry=${url}\n//127.0.0.1:${port}/:_authToken=none\ncache=${join(dir, "cache")}\naudit=false\nfund=false\nupdate-notifier=false\n`,
  );
  return {
    url,
    npm: (cwd, ...rest) => run("npm", rest, { cwd, env: npmEnvironment(join(dir, "npmrc")) }),
    close: () => ended(server),
  };
}

/** The environment without what npm, which may run the tests, sets for its children. */
function npmEnvironment(userconfig: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  return { ...Object.fromEntries(own), npm_config_userconfig: userconfig };
}

async function answering(url: string, server: ChildProcess): Promise<void> {
  const until = Date.now() + START_MS;
  while (Date.now() < until && server.exitCode === null) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok === true) return;
    await sleep(100);
  }
  await ended(server);
  throw new Error(`the registry does not answer at ${url}`);
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGKILL");
  await gone;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

function run(
  file: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      env,
      timeout: NPM_MS,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part: string) => (text += part));
    }
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, text }));
  });
}
