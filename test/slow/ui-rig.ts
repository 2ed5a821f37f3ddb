import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { folder, PATIENT, ROOT } from "../dist/orcs.ts";
import { ask, dispatchAt, serving, surroundings, trustedByServices } from "../dist/service.ts";

/** A guard in a script of its own, and hooks that do something else. */
export const GUARDED = {
  "hooks/no-force.lua": `-- Nobody's work is lost.
return {
  id = "no-force",
  point = "tool.pre_execute",
  match = { tool = "exec" },
  handler = function(ctx)
    local command = ctx.payload.args.command
    if command:find("--force", 1, true) then return orcs.deny("a force push loses work") end
  end,
}
`,
  "orcs.toml": `${PATIENT}
[[hooks]]
script = "hooks/no-force.lua"

[[hooks]]
id = "short-log"
point = "tool.pre_execute"
match = { tool = "exec", command = '^git log' }
handler_inline = 'ctx.payload.args.command = ctx.payload.args.command .. " -n 20"; return ctx'

[[hooks]]
id = "no-remote"
priority = 1
point = "tool.pre_execute"
mode = "audit"
match = { tool = "exec", command = '^git push' }
handler_inline = 'return orcs.deny("not to a remote")'

[[hooks]]
id = "only-writes"
point = "tool.pre_execute"
match = { tool = "write" }
handler_inline = 'return orcs.ask("really?")'
`,
};

export interface Ui {
  readonly dir: string;
  readonly url: string;
  readonly port: number;
  readonly service: Awaited<ReturnType<typeof serving>>;
  /** Run the hooks on a call, in the service. */
  call(args: object, more?: object): Promise<Readonly<Record<string, unknown>>>;
}

/** A service, and `orcs ui` beside it; both are gone after the test. */
export async function startUi(
  files: Readonly<Record<string, string>> = GUARDED,
  before: (service: Ui["service"], dir: string) => Promise<unknown> = async () => undefined,
): Promise<Ui> {
  const dir = folder(files);
  await trustedByServices(dir);
  const service = await serving(dir);
  await before(service, dir);
  const { url, port } = linkIn(await startPage(dir, ["ui", "--json"]).line());
  const call: Ui["call"] = (args, more) => callAt(service.at.socket, args, more);
  return { dir, url, port, service, call };
}

/** Run the hooks on a call, in a service. */
export async function callAt(
  socket: string,
  args: object,
  more: object = {},
): ReturnType<Ui["call"]> {
  const request = dispatchAt(args);
  const payload = { ...request.payload, ...more };
  return JSON.parse(await ask(socket, { ...request, payload })) as never;
}

/** What `orcs ui --json` says. */
export function linkIn(line: string): { readonly url: string; readonly port: number } {
  return JSON.parse(line) as { url: string; port: number };
}

export interface PageProcess {
  readonly child: ChildProcess;
  /** What it has printed. */
  readonly text: () => string;
  /** The next whole line. */
  line(): Promise<string>;
  /** Wait until it has printed something. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
}

/** A command that serves the page; it is gone after the test. @param terminal whether it has one */
export function startPage(
  cwd: string,
  args: readonly string[],
  { terminal = false }: { readonly terminal?: boolean } = {},
): PageProcess {
  const command = [process.execPath, join(ROOT, "dist/cli/main.js"), ...args];
  const [file = "", ...rest] = terminal ? ["python3", "-c", PTY, ...command] : command;
  const child = spawn(file, rest, {
    cwd,
    env: { ...process.env, ...surroundings(cwd) },
    // The input stays open: a terminal would be hung up.
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGTERM"));
  let text = "";
  let isOver = false;
  child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
  child.on("close", () => (isOver = true));
  let taken = 0;
  const shows = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (let left = 600; left > 0; left--) {
      const found = pattern.exec(text.slice(taken));
      if (found) {
        taken += found.index + found[0].length;
        return found;
      }
      if (isOver) throw new Error(`it has ended, and printed ${text}`);
      await setTimeout(100);
    }
    throw new Error(`${String(pattern)} is not in ${text}`);
  };
  const line = async (): Promise<string> => (await shows(/^(.*)\r?\n/m))[1] ?? "";
  return { child, text: () => text, line, shows };
}

/** Gives a command a terminal, whose output is copied to stdout. */
const PTY = `
import os, pty, signal, sys
pid, master = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
while True:
    try:
        data = os.read(master, 65536)
    except OSError:
        break
    if not data:
        break
    os.write(1, data)
`;
