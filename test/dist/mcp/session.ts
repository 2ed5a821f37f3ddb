import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { folder, MAIN, ROOT } from "../orcs.ts";

export const FAKE = join(ROOT, "test/dist/mcp/fake-server.mjs");

type Message = Record<string, any>;

/** `orcs mcp` in front of a server, with this process as the client, line by line. */
export class Session {
  readonly child: ChildProcess;
  readonly cwd: string;
  /** Lines that the client was sent, without their ends. */
  readonly lines: string[] = [];
  stderr = "";
  /** Of the lines, those that are messages. */
  readonly #messages: Message[] = [];
  /** Pieces of the line that has not ended: of many megabytes, it is put together once. */
  #rest: string[] = [];

  constructor(cwd: string, command: readonly string[], options: readonly string[] = []) {
    this.cwd = cwd;
    this.child = spawn(process.execPath, [MAIN, "mcp", ...options, "--", ...command], {
      cwd,
      env: environment(cwd),
    });
    this.child.stdin?.on("error", () => undefined);
    this.child.stdout?.on("data", (chunk: Buffer) => {
      const [first = "", ...more] = chunk.toString("latin1").split("\n");
      this.#rest.push(first);
      for (const next of more) {
        this.#take(this.#rest.join(""));
        this.#rest = [next];
      }
    });
    this.child.stderr?.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    onTestFinished(() => void this.child.kill("SIGKILL"));
  }

  say(...messages: (Message | string)[]): void {
    for (const message of messages) {
      this.child.stdin?.write(
        typeof message === "string" ? message : `${JSON.stringify(message)}\n`,
      );
    }
  }

  /** The next answer to this id. */
  async answer(id: unknown): Promise<Message> {
    // Only of what hangs there is no answer: a busy machine may take half a minute for megabytes.
    for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
      const found = this.#messages.find((message) => message["id"] === id);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`no answer to ${String(id)}: ${this.lines.join("\n")}\n${this.stderr}`);
  }

  answersTo(id: unknown): Message[] {
    return this.#messages.filter((message) => message["id"] === id);
  }

  /** Close the client's end, and give the exit code. */
  async end(): Promise<number | null> {
    this.child.stdin?.end();
    return this.ended();
  }

  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null)
      await once(this.child, "close");
    return this.child.exitCode;
  }

  #take(line: string): void {
    this.lines.push(line);
    try {
      this.#messages.push(JSON.parse(line) as Message);
    } catch {
      // Some of what servers write is no message.
    }
  }
}

/** A session with the server that misbehaves, and these hooks. */
export function withFake(toml: string, mode = "", options: readonly string[] = []): Session {
  const cwd = folder({ "orcs.toml": toml });
  return new Session(cwd, [process.execPath, FAKE, mode], ["--config", "orcs.toml", ...options]);
}

export function environment(cwd: string): Record<string, string> {
  const { PATH = "" } = process.env;
  return {
    PATH,
    HOME: cwd,
    XDG_STATE_HOME: join(cwd, "state"),
    XDG_CONFIG_HOME: join(cwd, "none"),
  };
}

export function call(id: unknown, name: string, args: unknown = {}): Message {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}

export function textOf(answer: Message): string {
  return (answer["result"] as Message)["content"][0].text as string;
}
