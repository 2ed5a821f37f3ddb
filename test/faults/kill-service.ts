import { readdirSync, readFileSync, utimesSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { orcs } from "../dist/orcs.ts";
import type { Ended } from "../dist/orcs.ts";
import { surroundings } from "../dist/service.ts";

/** Refuses every force push, after a while in which its service may die. */
export const SLOW_GUARD = `
[lua]
max_run_ms = 5000
max_chain_ms = 20000
[[hooks]]
id = "slow-guard"
point = "tool.pre_execute"
match = { tool = "exec" }
handler_inline = '''
orcs.sleep(50)
if ctx.payload.args.command:find("--force", 1, true) then return orcs.deny("no force") end
'''
`;

/** How a call of a host's ended: what its hook process said. */
export type Verdict =
  | "refused by the hook"
  | "refused, for the service was lost"
  | "passed"
  /** A host would let the call pass. */
  | "broken"
  | "hung";

/** What came of it all. */
export interface Killing {
  readonly kills: number;
  /** By what was asked for, then by what came of it. */
  readonly verdicts: Readonly<Record<"forbidden" | "harmless", Partial<Record<Verdict, number>>>>;
  /** What hook processes said that a host cannot read as an answer. */
  readonly broken: readonly Ended[];
}

const AT_A_TIME = 4;
/** From a service that listens until it is killed: enough for a request to be anywhere between here and there. */
const MAX_LIFE_MS = 600;
const PATIENCE_MS = 20_000;

/**
 * Run hooks of Claude Code's as whole processes, four at a time, while the service that they ask is killed again
 * and again. They start the next one themselves.
 * @param dir a project whose orcs.toml is `SLOW_GUARD`
 * @param random below 1
 * @throws Error when no service comes up within 20 seconds
 */
export async function killServices(
  dir: string,
  rounds: number,
  random: () => number,
): Promise<Killing> {
  const verdicts: Killing["verdicts"] = { forbidden: {}, harmless: {} };
  const broken: Ended[] = [];
  const over = new AbortController();
  const load = async (worker: number): Promise<void> => {
    for (let call = worker; !over.signal.aborted; call++) {
      const kind = call % AT_A_TIME === 0 ? "harmless" : "forbidden";
      const ended = await hookProcess(dir, kind === "harmless" ? "ls" : "git push --force");
      const verdict = verdictOf(ended);
      if (verdict === "broken" || verdict === "hung") broken.push(ended);
      verdicts[kind][verdict] = (verdicts[kind][verdict] ?? 0) + 1;
    }
  };
  const loads = Array.from({ length: AT_A_TIME }, (_, worker) => load(worker));
  let kills = 0;
  try {
    while (kills < rounds) {
      const { pid, log } = await livingService(dir);
      await pause(random() * MAX_LIFE_MS);
      // One that gave way to another in the meantime was not killed.
      if (!signalled(pid, "SIGKILL")) continue;
      kills++;
      // Hooks take it that one which wrote a moment ago is still coming up.
      utimesSync(log, 0, 0);
    }
  } finally {
    over.abort();
    await Promise.all(loads);
    await endLast(dir);
  }
  return { kills, verdicts, broken };
}

function hookProcess(dir: string, command: string): Promise<Ended> {
  const event = {
    session_id: "s",
    cwd: dir,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "t",
  };
  const env = { ...surroundings(dir), CLAUDE_PROJECT_DIR: dir };
  return orcs(["hook", "--host", "claude-code"], { cwd: dir, env, stdin: JSON.stringify(event) });
}

/** As Claude Code reads it: exit code 2 refuses, else JSON on stdout counts; whatever else there is, it goes on. */
function verdictOf({ code, stdout, stderr }: Ended): Verdict {
  if (code === null) return "hung";
  if (code === 2) return stderr.includes("ORCS7002") ? LOST : "refused by the hook";
  if (code !== 0) return "broken";
  if (stdout === "") return "passed";
  try {
    const { hookSpecificOutput: said } = JSON.parse(stdout) as {
      hookSpecificOutput?: { permissionDecision?: string; permissionDecisionReason?: string };
    };
    if (said?.permissionDecision !== "deny") return "broken";
    const reason = said.permissionDecisionReason ?? "";
    if (reason.includes("ORCS7002")) return LOST;
    return reason.includes("no force") ? "refused by the hook" : "broken";
  } catch {
    return "broken";
  }
}

const LOST = "refused, for the service was lost";

/** The service that listens, once one does. */
async function livingService(dir: string): Promise<Found> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const found = filesOf(dir);
    // For a moment, the file still names the last one while the next one listens already.
    if (found && signalled(found.pid, 0) && (await listens(found.socket))) return found;
    await pause(5);
  }
  throw new Error("no service has come up");
}

/** Whether there was a process to send it to. */
function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

interface Found {
  readonly socket: string;
  readonly log: string;
  readonly pid: number;
}

function filesOf(dir: string): Found | undefined {
  const folder = join(dir, "run/orcs");
  try {
    const name = readdirSync(folder).find((file) => file.endsWith(".pid")) ?? "";
    const pid = Number(readFileSync(join(folder, name), "utf8"));
    // 0 would be this process and all it belongs to.
    if (!(pid > 1)) return undefined;
    const at = (end: string): string => join(folder, name.replace(/pid$/, end));
    return { socket: at("sock"), log: at("log"), pid };
  } catch {
    return undefined;
  }
}

function listens(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.on("connect", () => {
      connection.destroy();
      resolve(true);
    });
    connection.on("error", () => resolve(false));
  });
}

/** Those that are still coming up find nobody to serve and nobody who waits for them. */
async function endLast(dir: string): Promise<void> {
  for (let quiet = 0; quiet < 20; quiet++) {
    const found = filesOf(dir);
    if (found && (await listens(found.socket))) {
      signalled(found.pid, "SIGTERM");
      quiet = 0;
    }
    await pause(100);
  }
}
