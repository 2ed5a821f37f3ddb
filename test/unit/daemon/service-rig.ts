import { serviceKey } from "../../../src/daemon/address.ts";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { configPlace } from "../../../src/config/trust/config-place.ts";
import type { ServiceAddress } from "../../../src/daemon/address.ts";
import { Daemon } from "../../../src/daemon/service/daemon.ts";
import type { DaemonOptions } from "../../../src/daemon/service/daemon.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { folder, Lines } from "../engine/orcs/engine.ts";

/** Refuses what has `--force`, and takes `wait` milliseconds before it answers anything. */
export const GUARD = `
[lua]
max_run_ms = 5000
max_chain_ms = 20000
[[hooks]]
id = "guard"
point = "tool.pre_execute"
handler_inline = '''
local args = ctx.payload.args
if args.wait then orcs.sleep(args.wait) end
if args.command and args.command:find("--force", 1, true) then return orcs.deny("no force") end
'''
`;

/** A service in this process, on files of its own; it has stopped after the test. */
export interface ServiceRig {
  readonly daemon: Daemon;
  readonly address: ServiceAddress;
  readonly key: string;
  readonly dir: string;
  readonly logger: Lines;
}

export async function serviceRig(
  files: Readonly<Record<string, string>> = {},
  options: Partial<DaemonOptions> = {},
): Promise<ServiceRig> {
  const rig = idleRig(files, options);
  await rig.daemon.start();
  return rig;
}

/** The same, not started yet. */
export function idleRig(
  files: Readonly<Record<string, string>> = {},
  options: Partial<DaemonOptions> = {},
): ServiceRig {
  const dir = folder({ "orcs.toml": GUARD, ...files });
  const logger = new Lines();
  const place = configPlace(dir, "orcs.toml");
  const address = options.address ?? addressIn(folder());
  // Where its audit log is kept.
  vi.stubEnv("XDG_STATE_HOME", join(dir, "state"));
  const daemon = new Daemon({ place, logger, isBackground: false, address, ...options });
  onTestFinished(() => daemon.abort("the test is over"));
  return { daemon, address, key: serviceKey(place), dir, logger };
}

export function addressIn(dir: string): ServiceAddress {
  return {
    folder: dir,
    socket: join(dir, "s.sock"),
    entry: join(dir, "s.hook"),
    pid: join(dir, "s.pid"),
    lock: join(dir, "s.lock"),
    wellKnown: join(dir, "s.json"),
    log: join(dir, "s.log"),
  };
}

/** A request that runs the guard. */
export function dispatchRequest(
  args: JsonObject,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const payload = { tool_name: "exec", args };
  return { v: 1, op: "dispatch", point: "tool.pre_execute", payload, ...more };
}

/** An event of Claude Code's for a command. */
export function preToolUse(command: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    session_id: "s",
    cwd: "/tmp",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "t",
    ...more,
  };
}

/** What a service answered to one line. */
export type Answer = Record<string, unknown> & {
  readonly id?: string | number;
  readonly action?: string;
  /** The message of the error, which begins with its code. */
  readonly error?: string;
};

/** A client that writes what it likes. */
export class LineClient {
  readonly answers: Answer[] = [];
  isClosed = false;
  readonly socket: Socket;
  #text = "";

  constructor(path: string) {
    this.socket = connect({ path, allowHalfOpen: true });
    this.socket.setEncoding("utf8");
    this.socket.on("data", (text: string) => {
      const lines = (this.#text + text).split("\n");
      this.#text = lines.pop() ?? "";
      for (const line of lines) {
        const answer = JSON.parse(line) as Omit<Answer, "error"> & {
          error?: { message: string } | string;
        };
        const { error } = answer;
        const text = typeof error === "object" ? error.message : error;
        this.answers.push(text === undefined ? (answer as Answer) : { ...answer, error: text });
      }
    });
    this.socket.on("error", () => undefined);
    // As `askService` does, it goes when the other side has.
    this.socket.on("end", () => this.socket.end());
    this.socket.on("close", () => (this.isClosed = true));
    onTestFinished(() => void this.socket.destroy());
  }

  send(...requests: readonly unknown[]): void {
    this.socket.write(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
  }
}

/** How an HTTP request was answered. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** The port and the token that a service has written down. */
export function httpOf({ address }: ServiceRig): { port: number; token: string } {
  return JSON.parse(readFileSync(address.wellKnown, "utf8")) as { port: number; token: string };
}

interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  /** Default: the right one. */
  readonly token?: string | undefined;
}

/** An HTTP request with every header as it is given; a header with an empty text is left out. */
export function http(
  rig: ServiceRig,
  path: string,
  { method = "POST", headers = {}, body = "", ...more }: HttpRequest = {},
): Promise<HttpReply> {
  const { port, token } = httpOf(rig);
  const bearer = "token" in more ? more.token : token;
  const all = {
    "content-type": "application/json",
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: "127.0.0.1", port, path, method, headers: sent as Record<string, string> },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        );
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}
