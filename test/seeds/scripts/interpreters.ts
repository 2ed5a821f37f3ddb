import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** An interpreter for the seeds' scripts: Python where it is installed, and always Node with ports of them. */
export interface Interpreter {
  /** For the test's name. */
  readonly name: string;
  /** What stands before the name of a script. */
  readonly program: string;
  readonly extension: "py" | "mjs";
}

const PYTHON = programOf("python3");
/** Whether tests of Python functions can run. */
export const HAS_PYTHON = PYTHON !== undefined;

/** `PATH` with Python itself in front: a launcher that chooses a version takes longer than a hook. */
export const PATH_WITH_PYTHON = [
  ...(PYTHON === undefined ? [] : [dirname(PYTHON)]),
  process.env["PATH"],
].join(delimiter);

/** The ports always run; where Python is missing, their tests say that they run in its stead. */
export const INTERPRETERS: readonly Interpreter[] = [
  ...(HAS_PYTHON ? [{ name: "in Python", program: "python3", extension: "py" } as const] : []),
  {
    name: HAS_PYTHON ? "ported to Node" : "ported to Node (no python3 here)",
    program: "node",
    extension: "mjs",
  },
];

/** The text of one of the scripts beside this file. */
export function script(name: string, { extension }: Interpreter): string {
  return readFileSync(fileURLToPath(new URL(`${name}.${extension}`, import.meta.url)), "utf8");
}

/** The file of a Python that runs with no more of the environment than hooks get. */
function programOf(name: string): string | undefined {
  const { PATH } = process.env;
  const env = { HOME: homedir(), ...(PATH !== undefined && { PATH }) };
  const print = "import json, sys; print(sys.executable, end='')";
  const { status, stdout } = spawnSync(name, ["-c", print], { env, encoding: "utf8" });
  return status === 0 && stdout !== "" ? stdout : undefined;
}
