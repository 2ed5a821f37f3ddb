import { spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../dist/orcs.ts";

/** A program that a test gets from npm: it is installed once, into a folder that is not part of the repository. */
export interface NpmTool {
  readonly name: string;
  /** Exact. */
  readonly version: string;
  /** Its JavaScript, in `node_modules`. */
  readonly main: string;
  /** What is not tested without it. */
  readonly tests: string;
  /** Versions of packages that it needs. */
  readonly overrides?: Readonly<Record<string, string>>;
}

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  /** What it wrote to stdout and stderr. */
  readonly text: string;
}

/** Long, because the machine may have other things to do. */
const NPM_MS = 240_000;

/** The path of a program's JavaScript; undefined, with a line that nobody misses, if it cannot be installed. */
export async function npmTool(tool: NpmTool): Promise<string | undefined> {
  const { name, version, overrides = {} } = tool;
  const home = join(ROOT, "node_modules/.cache", `${name.replace("/", "-")}-${version}`);
  const main = join(home, "node_modules", tool.main);
  const mark = join(home, "installed");
  if (existsSync(mark) && existsSync(main)) return main;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, overrides }));
  // Without a network, a test is skipped soon.
  const quick = ["--fetch-retries=1", "--fetch-timeout=60000", "--no-audit", "--no-fund"];
  const args = ["install", "--ignore-scripts", ...quick, `${name}@${version}`];
  const { code, text } = await ended("npm", args, { cwd: home, env: process.env });
  if (code === 0 && existsSync(main)) {
    writeFileSync(mark, "");
    return main;
  }
  const why = text.trim().slice(0, 500) || `npm ended with code ${code}`;
  notTested(tool.tests, `${name} ${version} cannot be installed: ${why}`);
  return undefined;
}

/** Print that tests are skipped, so that nobody takes it for a success. */
export function notTested(what: string, why: string): void {
  process.stderr.write(`\n*** NOT TESTED: ${what}. ${why} ***\n\n`);
}

/** Run a program to its end. One that cannot be started ends without a code. */
export function ended(
  file: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
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
    child.on("error", (error) => resolve({ code: null, text: `${text}${error.message}` }));
    child.on("close", (code) => resolve({ code, text }));
  });
}
