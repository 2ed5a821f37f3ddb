import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { trusted } from "../trusted.ts";
import { folder, MAIN } from "./orcs.ts";
import { heard } from "./processes.ts";

/** What a service says at its start. */
export interface Said {
  readonly socket: string;
  readonly port: number | null;
  readonly pid: number;
}

/** A service as a process of its own. */
export interface Service {
  readonly child: ChildProcess;
  /** Resolves with the exit code and the signal. */
  readonly ended: Promise<unknown[]>;
  /** What it has said once it serves; undefined when it ended before. */
  readonly said: Promise<Said | undefined>;
  readonly stderr: () => string;
}

/** Whom the services trust, and what they remember: outside of every project. */
const STATE = folder();

/** Trust a project for the services, as it is; as it will be with `dev`. */
export function trustedByServices(dir: string, how?: Parameters<typeof trusted>[2]): Promise<void> {
  return trusted(dir, STATE, how);
}

/** Where nobody's own configuration and services are: below the directory. */
export function surroundings(dir: string): Record<string, string> {
  mkdirSync(join(dir, "run"), { recursive: true, mode: 0o700 });
  return {
    XDG_CONFIG_HOME: join(dir, "no-user"),
    XDG_STATE_HOME: STATE,
    XDG_RUNTIME_DIR: join(dir, "run"),
    NO_COLOR: "1",
  };
}

/** Start `orcs serve --json` in a directory; it is killed after the test. */
export function startServe(
  cwd: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = surroundings(cwd),
): Service {
  const child = spawn(process.execPath, [MAIN, "serve", "--json", ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const stderr = heard(child.stderr);
  const said = new Promise<Said | undefined>((resolve) => {
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (!stdout.endsWith("\n")) return;
      const said = JSON.parse(stdout) as Said | { readonly error: unknown };
      resolve("error" in said ? undefined : said);
    });
    child.on("close", () => resolve(undefined));
  });
  return { child, ended: once(child, "close"), said, stderr };
}

/** The same, once it serves. */
export async function serving(
  cwd: string,
  ...more: [args?: readonly string[], env?: Readonly<Record<string, string>>]
): Promise<Service & { readonly at: Said }> {
  const service = startServe(cwd, ...more);
  const at = await service.said;
  if (!at) {
    const { exitCode, signalCode } = service.child;
    throw new Error(`it ended (${signalCode ?? exitCode}): ${service.stderr()}`);
  }
  return { ...service, at };
}

/** Port and token of a service's HTTP side. */
export function httpOf({ socket }: Said): { port: number; token: string } {
  const file = socket.replace(/sock$/, "json");
  return JSON.parse(readFileSync(file, "utf8")) as { port: number; token: string };
}

/** Send one request; gives the line that answers it, or the error or end that came in its place. */
export function ask(socket: string, request: unknown): Promise<string> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    let text = "";
    connection.on("connect", () => connection.write(`${JSON.stringify(request)}\n`));
    connection.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      if (!text.includes("\n")) return;
      resolve(text.trimEnd());
      connection.destroy();
    });
    connection.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "error"));
    connection.on("close", () => resolve("closed"));
  });
}

/** The key of a discovered configuration, as events of coding agents name it. */
export function foundKey(dir: string, state = join(STATE, "orcs")): string {
  const settings = Object.keys(process.env).filter((name) => name.startsWith("ORCS_"));
  const variables = ["HOME", "TZ", ...settings.sort()].flatMap((name) =>
    process.env[name] ? `${name}=${process.env[name]}` : [],
  );
  return ["found", dir, join(dir, "no-user", "orcs"), state, ...variables].join("\n");
}

/** A request for the hooks of a service. */
export function dispatchAt(args: object) {
  const payload = { tool_name: "exec", args };
  return { v: 1, op: "dispatch", point: "tool.pre_execute", payload };
}
