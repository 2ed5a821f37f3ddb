import { spawn } from "node:child_process";
import { join } from "node:path";
import type { HostName } from "../../src/core/hosts.ts";
import { trusted } from "../trusted.ts";
import { ended, folder, MAIN } from "./orcs.ts";
import type { Ended } from "./orcs.ts";

/** The start of an `orcs.toml`: no service, and limits that are not reached by accident. */
export const ALONE = "[serve]\nauto = false\n[lua]\nmax_run_ms = 5000\nmax_chain_ms = 20000\n";

/** A hook that refuses commands with `rm -rf`. */
export const GUARD = `[[hooks]]
id = "guard"
point = "tool.pre_execute"
match = { tool = "exec", command = "rm -rf" }
handler_inline = 'orcs.deny("not that")'
`;

/** Events before a tool call that run a command of an entry. */
export const GATES: Readonly<Record<HostName, string>> = {
  "claude-code": "PreToolUse",
  codex: "PreToolUse",
  gemini: "BeforeTool",
  cursor: "preToolUse",
  copilot: "PreToolUse",
  qwen: "PreToolUse",
};

/** A call of a command as each host tells it. */
export const CALLS: Readonly<Record<HostName, (command: string) => Record<string, unknown>>> = {
  "claude-code": (command) => ({
    ...common("PreToolUse"),
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "t",
  }),
  codex: (command) => ({
    ...common("PreToolUse"),
    turn_id: "1",
    model: "m",
    permission_mode: "default",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "t",
  }),
  gemini: (command) => ({
    ...common("BeforeTool"),
    timestamp: "2026-11-21T21:44:50.826Z",
    tool_name: "run_shell_command",
    tool_input: { command },
  }),
  cursor: (command) => ({
    conversation_id: "c",
    generation_id: "g",
    model: "m",
    hook_event_name: "beforeShellExecution",
    cursor_version: "2.1",
    workspace_roots: ["/tmp"],
    user_email: null,
    transcript_path: null,
    command,
    cwd: "/tmp",
  }),
  copilot: (command) => ({
    hook_event_name: "PreToolUse",
    session_id: "s",
    timestamp: "2026-11-24T04:06:56.141Z",
    cwd: "/tmp",
    tool_name: "Bash",
    tool_input: { command, description: "a step" },
  }),
  qwen: (command) => ({
    ...common("PreToolUse"),
    transcript_path: "",
    timestamp: "2026-11-24T03:49:44.158Z",
    permission_mode: "default",
    prompt_id: "s########0",
    tool_name: "run_shell_command",
    tool_input: { command, is_background: false },
    tool_use_id: "t",
    tool_call_id: "call_0",
  }),
};

function common(hook_event_name: string) {
  return { session_id: "s", transcript_path: null, cwd: "/tmp", hook_event_name };
}

/** How one call is made. */
export interface Asking {
  readonly args?: readonly string[];
  /** More of the environment; undefined takes out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Instead of the event. */
  readonly stdin?: string | Uint8Array;
  /** Leave stdin open. */
  readonly open?: boolean;
  readonly node?: readonly string[];
}

/**
 * A project with files in it, and processes of `orcs hook` there that know nothing of this user's. It is trusted as
 * it is when it is asked first.
 */
export class HookRig {
  readonly dir: string;
  /** Outside of the project: whom it trusts is no part of it. */
  readonly state = folder();
  #trusted: Promise<void> | undefined;

  constructor(files: Readonly<Record<string, string>>) {
    this.dir = folder(files);
    if (files["orcs.toml"] === undefined) this.#trusted = Promise.resolve();
  }

  /** Trust it as it is now; as it will be with `dev`. */
  async trust(how?: Parameters<typeof trusted>[2]): Promise<void> {
    await (this.#trusted = trusted(this.dir, this.state, how));
  }

  get env(): Record<string, string> {
    const { dir } = this;
    return {
      XDG_CONFIG_HOME: join(dir, "no-user"),
      XDG_RUNTIME_DIR: join(dir, "run"),
      XDG_STATE_HOME: this.state,
      NO_COLOR: "1",
    };
  }

  start(host: string, { args = [], env = {}, cwd, node = [] }: Asking = {}) {
    const names = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR"];
    const clean = Object.fromEntries(names.map((name) => [name, undefined]));
    return spawn(process.execPath, [...node, MAIN, "hook", "--host", host, ...args], {
      cwd: cwd ?? this.dir,
      // Only what hangs is killed: on a busy machine, ten at once take half a minute to start.
      timeout: 60_000,
      killSignal: "SIGKILL",
      env: { ...process.env, ...clean, ...this.env, ...env },
    });
  }

  /** Ask with an event, or with what stands on stdin in its place. */
  async ask(host: string, event: unknown, asking: Asking = {}): Promise<Ended> {
    if (!this.#trusted) await this.trust();
    await this.#trusted;
    const child = this.start(host, asking);
    child.stdin.write(asking.stdin ?? JSON.stringify(event));
    if (asking.open !== true) child.stdin.end();
    return ended(child);
  }

  /** Ask as one of the hosts about a command. */
  command(host: HostName, command: string, asking: Asking = {}): Promise<Ended> {
    return this.ask(host, CALLS[host](command), asking);
  }
}
