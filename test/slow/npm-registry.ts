import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { folder } from "../dist/orcs.ts";
import type { NpmTool, ProgramEnd } from "./npm-tool.ts";
import { ended, npmTool } from "./npm-tool.ts";

/** Runs on Node 20; later ones (6.10) need 22. */
const VERSION = "5.33.0";
const VERDACCIO: NpmTool = {
  name: "verdaccio",
  version: VERSION,
  main: "verdaccio/bin/verdaccio",
  tests: "packages from a registry",
  // Its dependency names a tag instead of a version, which a mirror may not have.
  overrides: { "node-fetch": "2.7.0" },
};

/** Long, because the machine may have other things to do. */
const START_MS = 60_000;

/** A registry on the loopback interface. */
export interface Registry {
  readonly url: string;
  /** Run npm in a folder, with this registry only. */
  npm(cwd: string, ...args: string[]): Promise<ProgramEnd>;
  close(): Promise<void>;
}

/** The program of a registry; undefined if it cannot be installed. */
export function registryProgram(): Promise<string | undefined> {
  return npmTool(VERDACCIO);
}

/** Start an empty registry to which everybody may publish. */
export async function startRegistry(program: string): Promise<Registry> {
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
  const args = [program, "--config", config, "--listen", `127.0.0.1:${port}`];
  const server = spawn(process.execPath, args, { cwd: dir, env, stdio: "ignore" });
  await answering(`${url}-/ping`, server);
  // npm wants a token, and the registry asks for none.
  writeFileSync(
    join(dir, "npmrc"),
    `registry=${url}\n//127.0.0.1:${port}/:_authToken=none\ncache=${join(dir, "cache")}\naudit=false\nfund=false\nupdate-notifier=false\n`,
  );
  return {
    url,
    npm: (cwd, ...rest) => ended("npm", rest, { cwd, env: npmEnvironment(join(dir, "npmrc")) }),
    close: () => stopped(server),
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
  await stopped(server);
  throw new Error(`the registry does not answer at ${url}`);
}

async function stopped(server: ChildProcess): Promise<void> {
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
