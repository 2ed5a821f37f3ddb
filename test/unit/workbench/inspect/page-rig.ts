import { request } from "node:http";
import { onTestFinished } from "vitest";
import type { FeedItem } from "../../../../src/daemon/feed/seen-dispatch.ts";
import { History } from "../../../../src/workbench/inspect/history.ts";
import type { InspectorOptions } from "../../../../src/workbench/inspect/inspector.ts";
import { Inspector } from "../../../../src/workbench/inspect/inspector.ts";

/** A dispatch as a feed tells it. */
export function seen(id: string, more: Readonly<Record<string, unknown>> = {}): FeedItem {
  return {
    dispatch_id: id,
    began: 1_000,
    at: 1_001,
    point: "tool.pre_execute",
    component: "agent::claude-code",
    channel: "main",
    principal: { type: "host", id: "main" },
    payload: { tool_name: "exec", args: { command: "git push --force" } },
    outcome: { action: "abort", reason: "no force", hook: "guard", edits: [] },
    duration_ms: 0.5,
    hooks: [{ hook: "guard", status: "ran", action: "abort", reason: "no force" }],
    ...more,
  } as FeedItem;
}

/** A page that is served for one test. */
export async function pageRig(options: Partial<InspectorOptions> = {}) {
  const history = new History();
  const file = { type: "text/html", body: Buffer.from("the page"), gzip: Buffer.from("zipped") };
  const inspector = new Inspector({
    directory: "/nowhere",
    history,
    files: new Map([["/", file]]),
    source: () => ({ watches: "here", state: "connected" }),
    ...options,
  });
  await inspector.listen(0);
  onTestFinished(() => inspector.close());
  return { inspector, history, visitor: new Visitor(inspector.port) };
}

export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Sends requests as a browser does, or as one never would. */
export class Visitor {
  readonly port: number;
  cookie: string | undefined;
  /** The secret of the tab. */
  tab: string | undefined;

  constructor(port: number) {
    this.port = port;
  }

  /** Open a link, and keep its secrets. */
  async open(link: string): Promise<Got> {
    const got = await this.get(new URL(link).pathname);
    const [cookie] = (got.headers["set-cookie"] ?? []) as string[];
    this.cookie = cookie?.split(";")[0];
    this.tab = /#tab=([\w-]+)/.exec(got.body)?.[1];
    return got;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Got> {
    return this.#send("GET", path, headers);
  }

  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Got> {
    const own = { origin: `http://127.0.0.1:${this.port}`, "content-type": "application/json" };
    return this.#send("POST", path, { ...own, ...headers }, JSON.stringify(body));
  }

  #send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Got> {
    const own: Record<string, string> = {
      ...(this.cookie !== undefined && { cookie: this.cookie }),
      ...(this.tab !== undefined && { "x-orcs-tab": this.tab }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        { host: "127.0.0.1", port: this.port, path, method, headers: { ...own, ...headers } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => {
            chunks.push(chunk);
            // A stream does not end by itself.
            if (response.headers["content-type"] === "text/event-stream") response.destroy();
          });
          response.on("error", () => undefined);
          response.on("close", () => {
            const { statusCode: status = 0, headers } = response;
            resolve({ status, headers, body: Buffer.concat(chunks).toString("utf8") });
          });
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }
}
