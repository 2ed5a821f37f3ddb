import { spawnSync } from "node:child_process";
import { expect } from "vitest";
import { MAIN, start } from "./orcs.ts";

/** Runs a command with stdin and stderr at a terminal: when the terminal shows a text, an answer is typed. */
const PTY = `
import fcntl, json, os, pty, select, subprocess, sys, termios
command, cwd, steps = json.loads(sys.argv[1])
master, slave = pty.openpty()
before = termios.tcgetattr(slave)
def controlled():
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
child = subprocess.Popen(command, cwd=cwd, stdin=slave, stderr=slave, stdout=subprocess.PIPE,
                         preexec_fn=controlled)
shown, seen = b"", 0
while True:
    ended = child.poll() is not None
    ready, _, _ = select.select([master], [], [], 0 if ended else 0.05)
    if ready:
        shown += os.read(master, 65536)
        at = shown.find(steps[0][0].encode(), seen) if steps else -1
        if at >= 0:
            seen = at + len(steps[0][0])
            os.write(master, steps.pop(0)[1].encode())
    elif ended:
        break
print(json.dumps({
    "code": child.returncode,
    "stdout": child.stdout.read().decode(),
    "terminal": shown.decode().replace("\\r\\n", "\\n"),
    "restored": termios.tcgetattr(slave) == before,
}))
`;

/** How a command ended that had a terminal, and what it showed there. */
export interface AtTerminal {
  readonly code: number;
  readonly stdout: string;
  readonly terminal: string;
  /** Whether the terminal is set as it was. */
  readonly restored: boolean;
}

/** Whether this machine has what it takes. */
export const HAS_TERMINAL = spawnSync("python3", ["-c", "import fcntl, pty, termios"]).status === 0;

/** What a terminal shows, and what is typed then. */
export type Steps = readonly (readonly [shown: string, typed: string])[];

/** Run the built command line at a terminal. */
export function orcsAtTerminal(
  args: readonly string[],
  cwd: string,
  steps: Steps,
  env: Readonly<Record<string, string>> = {},
): Promise<AtTerminal> {
  return atTerminal([process.execPath, MAIN, ...args], cwd, steps, env);
}

/** Run a command at a terminal. */
export async function atTerminal(
  command: readonly string[],
  cwd: string,
  steps: Steps,
  env: Readonly<Record<string, string>> = {},
): Promise<AtTerminal> {
  const said = JSON.stringify([command, cwd, steps]);
  const { code, stdout, stderr } = await start("python3", ["-c", PTY, said], { cwd, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as AtTerminal;
}
