import { onTestFinished } from "vitest";
import type { TraceContext } from "../../../../src/core/trace-context.ts";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import type { CreateOrcsOptions } from "../../../../src/engine/orcs/options.ts";
import type { RefusedEvent } from "../../../../src/engine/orcs/audit/log-entries.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import { McpProxy } from "../../../../src/daemon/mcp/proxy.ts";

type Message = Record<string, any>;

/** A proxy with a real engine; what it sends is kept, as text. */
export class Rig {
  readonly toClient: string[] = [];
  readonly toServer: string[] = [];
  /** The last line that went either way, as bytes. */
  last: Buffer | undefined;
  readonly log: string[] = [];
  /** What was written down as refused, in order. */
  readonly refused: RefusedEvent[] = [];
  readonly proxy: McpProxy;

  readonly engine: () => Promise<Orcs>;

  constructor(engine: () => Promise<Orcs>, trace?: TraceContext) {
    this.engine = engine;
    const keep = (level: string) => (text: string) => void this.log.push(`${level}: ${text}`);
    this.proxy = new McpProxy({
      use: async (run) => run(await engine()),
      refused: async (refusal) => void this.refused.push(refusal),
      component: "mcp::files",
      server: "files",
      sessionId: "s1",
      cwd: "/work",
      trace,
      log: { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") },
      toClient: (line) => {
        this.last = line;
        this.toClient.push(line.toString());
      },
      toServer: (line) => {
        this.last = line;
        this.toServer.push(line.toString());
      },
    });
  }

  /** The client says something: a message, or a line as it is. */
  client(said: Message | string): this {
    this.proxy.fromClient(bytesOf(said));
    return this;
  }

  server(said: Message | string): this {
    this.proxy.fromServer(bytesOf(said));
    return this;
  }

  /** Everything that can happen by itself has happened: hooks here wait for nothing outside. */
  async quiet(): Promise<this> {
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    return this;
  }

  get clientGot(): Message[] {
    return this.toClient.map((line) => JSON.parse(line) as Message);
  }

  /** Without so many lines at the beginning. */
  clientGotAfter(lines: number): Message[] {
    return this.toClient.slice(lines).map((line) => JSON.parse(line) as Message);
  }

  get serverGot(): Message[] {
    return this.toServer.map((line) => JSON.parse(line) as Message);
  }
}

/** A rig whose engine has these hooks; the session has begun with `initialize`. */
export async function rig(
  hooks: CreateOrcsOptions["hooks"] = [],
  config: CreateOrcsOptions["config"] = false,
  trace?: TraceContext,
): Promise<Rig> {
  const silent = { debug: none, info: none, warn: none, error: none };
  const orcs = await createOrcs({ config, hooks, logger: silent, ...trace });
  onTestFinished(() => orcs.close());
  return initialized(new Rig(() => Promise.resolve(orcs), trace));
}

export function initialized(made: Rig): Rig {
  made.client({ jsonrpc: "2.0", id: "init", method: "initialize", params: {} });
  made.server({ jsonrpc: "2.0", id: "init", result: {} });
  made.toClient.length = 0;
  made.toServer.length = 0;
  return made;
}

export function call(id: unknown, name: string, args?: unknown): Message {
  return {
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, ...(args !== undefined && { arguments: args }) },
  };
}

export function textResult(id: unknown, text: string, more: Message = {}): Message {
  return { jsonrpc: "2.0", id, result: { content: [{ type: "text", text }], ...more } };
}

export function line(message: unknown): string {
  return `${JSON.stringify(message)}\n`;
}

function bytesOf(said: Message | string): Buffer {
  return Buffer.from(typeof said === "string" ? said : line(said));
}

function none(): void {}
