import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProcess } from "../../machine/index.ts";
import { fillRoot, machineProgram } from "./sandbox-root.ts";

/** A program that a line started. */
export interface Ran {
  readonly argv: readonly string[];
  /** Empty if it was not recorded. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A bash that runs lines where it can reach nothing: each program that it starts is a stub that records its arguments.
 */
export interface Sandbox {
  /**
   * Run lines, each in a bash of its own.
   * @returns for each line, what it started
   */
  run(lines: readonly string[]): Promise<readonly (readonly Ran[])[]>;
  close(): void;
}

/** Time limit of one run. A line that runs longer than 2 s is killed. */
const MOST_MS = 20_000;

/**
 * Open a sandbox: namespaces of their own for files, processes and the network, by `bwrap` or `unshare`, and a root
 * that holds only copies of harmless programs and stubs.
 * @param stubbed programs of the forbidden commands
 * @returns why there is none on this machine, in one line
 */
export async function openSandbox(
  stubbed: readonly string[],
  withEnvironment = false,
): Promise<Sandbox | { readonly why: string }> {
  if (process.platform !== "linux")
    return { why: `there are no namespaces on ${process.platform}` };
  const root = mkdtempSync(join(tmpdir(), "orcs-fuzz-"));
  const close = (): void => rmSync(root, { recursive: true, force: true });
  const filled = await fillRoot(root, stubbed, withEnvironment);
  if ("why" in filled) {
    close();
    return filled;
  }
  for (const entry of entries(root, filled.enter)) {
    const [ran = []] = await runIn(entry, ["git probe"]);
    if (!ran.some(({ argv }) => argv[1] === "probe")) continue;
    return { run: (lines) => runIn(entry, lines), close };
  }
  close();
  return { why: "neither bwrap nor unshare can make namespaces" };
}

/** How the root is entered: a program and its arguments. */
type Entry = readonly [file: string, ...args: string[]];

function entries(root: string, enter: string): readonly Entry[] {
  const [bwrap, unshare] = [machineProgram("bwrap"), machineProgram("unshare")];
  const all: Entry[] = [];
  if (unshare !== undefined) {
    const own = "--user --map-root-user --mount --pid --net --ipc --uts --fork --kill-child".split(
      " ",
    );
    all.push([unshare, ...own, "bash", "-c", enter, "enter", root]);
  }
  // Its own /proc also shows the machine; this one is second for that reason.
  if (bwrap !== undefined) {
    const own = "--unshare-all --die-with-parent --new-session --cap-drop ALL".split(" ");
    const files = ["--ro-bind", root, "/", "--tmpfs", "/run", "--dev", "/dev", "--proc", "/proc"];
    all.push([bwrap, ...own, ...files, "--chdir", "/", "/.orcs/bash", "/.orcs/driver"]);
  }
  return all;
}

/** Run lines where an entry leads to, each in a bash of its own. @returns for each line, what it started */
async function runIn(entry: Entry, lines: readonly string[]): Promise<readonly (readonly Ran[])[]> {
  const [file, ...args] = entry;
  const result = await runProcess({
    file,
    args,
    cwd: "/",
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    stdin: lines.map((line) => `${line.replaceAll("\0", "")}\0`).join(""),
    timeoutMs: MOST_MS,
    maxOutputBytes: 2 ** 26,
  });
  if (result.kind === "not_started") return lines.map(() => []);
  const records = readRecords(new TextDecoder().decode(result.stdout));
  if (records) return lines.map((_, at) => records.get(at) ?? []);
  // One of them did not end, or ended the others.
  if (lines.length < 2) return lines.map(() => []);
  const half = Math.ceil(lines.length / 2);
  return [
    ...(await runIn(entry, lines.slice(0, half))),
    ...(await runIn(entry, lines.slice(half))),
  ];
}

/** What stubs recorded, by the number of the line; undefined if the records are not complete. */
function readRecords(text: string): Map<number, Ran[]> | undefined {
  const tokens = text.split("\0");
  if (tokens.at(-2) !== "end") return undefined;
  const records = new Map<number, Ran[]>();
  for (let at = 0; at < tokens.length - 2;) {
    const line = Number(tokens[at]);
    const count = Number(tokens[at + 1]);
    const argv = tokens.slice(at + 2, at + 3 + count);
    const env: Record<string, string> = {};
    for (at += 3 + count; at < tokens.length - 2 && tokens[at] !== ""; at++) {
      const [name = "", ...value] = (tokens[at] ?? "").split("=");
      env[name] = value.join("=");
    }
    at++;
    const same = records.get(line);
    if (same) same.push({ argv, env });
    else records.set(line, [{ argv, env }]);
  }
  return records;
}
