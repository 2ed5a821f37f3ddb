import { spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { askPerson } from "../../src/agents/answers/ask-person.ts";
import { PendingQuestions } from "../../src/agents/answers/pending-questions.ts";
import type { PendingQuestion } from "../../src/agents/answers/pending-questions.ts";
import { ApprovalCodes } from "../../src/workbench/inspect/approval-codes.ts";
import { History } from "../../src/workbench/inspect/history.ts";
import { Inspector } from "../../src/workbench/inspect/inspector.ts";
import { Questions } from "../../src/workbench/inspect/questions.ts";
import { placeRoutes } from "../../src/workbench/inspect/routes.ts";
import { CALLS } from "../dist/hook-rig.ts";
import { ended, folder, MAIN } from "../dist/orcs.ts";
import { isWholeRun } from "../slow-test.ts";

// 1,000 answers over real HTTP that nobody gave, or that came too late: no call goes on by one of them.

const KEY = randomBytes(32).toString("hex");
const quiet = { debug: none, info: none, warn: none, error: none };
let tried = 0;
afterAll(() => {
  process.stdout.write(`${tried} answers were tried\n`);
  if (isWholeRun) expect(tried).toBeGreaterThanOrEqual(1000);
});

function none(): void {}

const sign = (parts: readonly string[], key = KEY): string =>
  createHmac("sha256", key).update(JSON.stringify(parts)).digest("hex");
const text = (about: string, session: string, way: string) => ({
  about,
  tool: "exec",
  args: { command: about },
  effects: [],
  agent: "claude-code",
  session,
  ways: [way],
});
const digest = (about: string): string => PendingQuestions.digestOf("exec", { about }, "/work");

/** An answer with its signature. */
function signed({ id, nonce, digest: of }: PendingQuestion, answer = "allow", key = KEY): string {
  const signature = sign([id, nonce, of, answer, "call", "me"], key);
  return JSON.stringify({ answer, scope: "call", by: "me", signature });
}

type Reply = (asked: PendingQuestion, other: PendingQuestion, response: ServerResponse) => void;
const says =
  (body: (asked: PendingQuestion, other: PendingQuestion) => string, status = 200): Reply =>
  (asked, other, response) =>
    void response.writeHead(status).end(body(asked, other));

/** What a server may say that does not know the key, or that repeats what it has heard. */
const FORGED: readonly Reply[] = [
  says((asked) => signed(asked, "allow", "k".repeat(64))),
  says((asked) => signed(asked, "allow", "")),
  says((asked) => signed({ ...asked, nonce: "0" })),
  says((asked) => signed({ ...asked, id: "0" })),
  says((asked) => signed({ ...asked, digest: "0" })),
  says((asked) => signed(asked, "deny").replace("deny", "allow")),
  says((asked) => signed(asked).replace("call", "session")),
  says((asked) => signed(asked).replace("call", "always")),
  says((asked) => signed(asked).replace('"me"', '"you"')),
  says((asked) => signed(asked).replace('"allow"', "true")),
  // Another question's own answer.
  says((_, other) => signed(other)),
  says(() => '{"answer":"allow"}'),
  says(() => '{"answer":"allow","scope":"call","by":"me","signature":""}'),
  says((asked) => `[${signed(asked)}]`),
  says(() => "<html>approved</html>"),
  says(() => "true"),
  says((asked) => signed(asked), 201),
  says((asked) => signed(asked), 500),
  // The parts without the borders between them.
  says((asked) => {
    const parts = [asked.id, asked.nonce, asked.digest, "allow", "call", "me"].join("");
    const signature = createHmac("sha256", KEY).update(parts).digest("hex");
    return JSON.stringify({ answer: "allow", scope: "call", by: "me", signature });
  }),
  // Signed as a request is.
  says((asked) => {
    const signature = sign(["0", "GET", asked.id, ""]);
    return JSON.stringify({ answer: "allow", scope: "call", by: "me", signature });
  }),
  // The right answer, behind more than is read.
  says((asked) => `${signed(asked).slice(0, -1)},"pad":"${"x".repeat(2e6)}"}`),
  (asked, _, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:1/${asked.id}` }).end(signed(asked));
  },
  (_, __, response) => void response.destroy(),
];

test("a server that does not know the key, or is late", async () => {
  const asked: PendingQuestion[] = [];
  let at = 0;
  const handled = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    if (request.method === "POST") {
      asked.push(JSON.parse(body) as PendingQuestion);
      return void response.end();
    }
    const question = asked.find(({ id }) => request.url?.endsWith(id));
    const other = asked.find(({ id }) => !request.url?.endsWith(id));
    if (!question || !other) return void response.writeHead(204).end();
    tried++;
    const left = question.until - Date.now();
    // Right, and too late: when it comes, the call was denied.
    if (left < 1100) return void setTimeout(() => response.end(signed(question)), left + 300);
    FORGED[at++ % FORGED.length]?.(question, other, response);
  };
  const http = createServer((request, response) => void handled(request, response));
  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void http.close());
  const dir = folder({ "answer.key": KEY });
  const ways = {
    answer: ["url" as const],
    answer_url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/q`,
    answer_key_file: join(dir, "answer.key"),
  };
  const questions = new PendingQuestions(dir);
  const until = Date.now() + 16_000;
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => {
      const asked = text(`git push ${i}`, `s${i}`, "url");
      return askPerson(asked, digest(`${i}`), until, ways, quiet, questions);
    }),
  );
  expect(answers.filter(({ approved }) => approved)).toEqual([]);
  expect(at).toBeGreaterThan(500);
  // Replayed afterwards: nobody waits.
  for (const { id } of asked) {
    const yes = { approved: true, scope: "call", by: "webhook" } as const;
    expect(() => questions.answer(id, yes)).toThrow("ORCS5001");
    tried++;
  }
  expect(yesIn(dir)).toEqual([]);
}, 60_000);

/** The questions that were approved. */
function yesIn(folder: string): string[] {
  const at = join(folder, "questions");
  const answers = readdirSync(at).filter((name) => name.endsWith(".answer"));
  return answers.filter((name) => readFileSync(join(at, name), "utf8").includes("true"));
}

test("a page that is only fetched, or that is not the person's", async () => {
  const dir = folder();
  const pending = new PendingQuestions(dir);
  const shown: string[] = [];
  const show = (_: unknown, code: string): void => void shown.push(code);
  const times = { now: 0 };
  const codes = new ApprovalCodes(() => times.now, { perMinute: 1000 });
  const questions = new Questions({ show, codes, pending });
  const history = new History();
  const place = { config: undefined, directory: "/" };
  const routes = placeRoutes({
    history,
    place,
    auditDir: async () => "/",
    questions,
    recordUndo: async () => undefined,
  });
  const inspector = new Inspector({
    directory: "/nowhere",
    history,
    files: new Map(),
    source: () => ({ watches: "here", state: "connected" }),
    routes,
  });
  await inspector.listen(0);
  onTestFinished(() => inspector.close());
  const own = `127.0.0.1:${inspector.port}`;
  const open = (about: string): string => {
    const opened = pending.open(
      text(about, about, "inspector"),
      digest(about),
      Date.now() + 60_000,
    );
    return "question" in opened ? opened.question.id : "";
  };

  type Headers = Readonly<Record<string, string>>;
  const send = (method: string, path: string, headers: Headers, body = "", isHalf = false) => {
    tried++;
    return new Promise<{ status: number; headers: IncomingMessage["headers"]; body: string }>(
      (resolve) => {
        const at = { host: "127.0.0.1", port: inspector.port, path, method, headers };
        const sent = httpRequest(at, (response) => {
          let got = "";
          response.on("data", (chunk: Buffer) => (got += String(chunk)));
          response.on("error", none);
          const { statusCode: status = 0, headers: of } = response;
          response.on("close", () => resolve({ status, headers: of, body: got }));
        });
        sent.on("error", () => resolve({ status: 0, headers: {}, body: "" }));
        if (!isHalf) return void sent.end(body);
        sent.write(body);
        setTimeout(() => sent.destroy(), 100);
      },
    );
  };

  const opened = await send("GET", new URL(inspector.newLink()).pathname, { host: own });
  const cookie = opened.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  const tab = /#tab=([\w-]+)/.exec(opened.body)?.[1] ?? "";
  const mine = { host: own, cookie, "x-orcs-tab": tab, origin: `http://${own}` };
  const json = { ...mine, "content-type": "application/json" };
  const without = (...names: (keyof typeof json)[]): Headers =>
    Object.fromEntries(Object.entries(json).filter(([name]) => !names.some((one) => one === name)));
  const APPROVE = "/api/questions/approve";

  for (let round = 0; round < 20; round++) {
    const [id, other] = [open(`push ${round}`), open(`pull ${round}`)];
    questions.showCode(id);
    const code = shown.at(-1) ?? "";
    questions.showCode(other);
    const others = shown.at(-1) ?? "";
    const body = JSON.stringify({ id, code });
    const query = `${APPROVE}?id=${id}&code=${code}`;
    for (const method of ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"]) {
      await send(method, query, json);
      await send(method, APPROVE, json, method === "GET" ? "" : body);
    }
    await send("POST", query, json, "{}");
    await send("POST", APPROVE, without("cookie"), body);
    await send("POST", APPROVE, without("x-orcs-tab"), body);
    await send("POST", APPROVE, without("origin"), body);
    await send("POST", APPROVE, without("content-type"), body);
    await send("POST", APPROVE, { ...json, "content-type": "text/plain" }, body);
    await send("POST", APPROVE, { ...json, origin: "http://evil.example" }, body);
    await send("POST", APPROVE, { ...json, origin: "null" }, body);
    await send("POST", APPROVE, { ...json, host: `evil.example:${inspector.port}` }, body);
    await send("POST", APPROVE, { ...json, "sec-fetch-site": "cross-site" }, body);
    await send("POST", APPROVE, json, `[${body}]`);
    await send("POST", APPROVE, json, body.slice(0, -1));
    await send("POST", APPROVE, json, body, true);
    if (round === 0) await send("POST", APPROVE, json, `${" ".repeat(5e6)}${body}`);
    await send("POST", APPROVE, json, JSON.stringify({ id, code: others }));
    await send("POST", APPROVE, json, JSON.stringify({ id, code: true }));
    // Denied: the right code comes second, and with another one at the same time.
    await send("POST", "/api/questions/deny", json, JSON.stringify({ id }));
    const twice = await Promise.all([1, 2].map(() => send("POST", APPROVE, json, body)));
    expect(twice.map(({ status }) => status)).toEqual([422, 422]);
    // Too late.
    times.now += 121_000;
    const late = JSON.stringify({ id: other, code: others });
    expect((await send("POST", APPROVE, json, late)).status).toBe(422);
    // The person's own works, so that all of this was not refused for another reason; a second time it does not.
    if (round > 0) continue;
    questions.showCode(other);
    const right = JSON.stringify({ id: other, code: shown.at(-1) });
    expect((await send("POST", APPROVE, json, right)).status).toBe(200);
    expect((await send("POST", APPROVE, json, right)).status).toBe(422);
  }
  expect(yesIn(dir)).toHaveLength(1);
}, 60_000);

test("a service that is killed while a call waits: it is denied, and its agent reads why", async () => {
  const dir = folder({
    ".config/orcs/orcs.toml": `[hil]\nanswer = ["terminal"]\n[[hooks]]\nid = "asks"\npoint = "tool.pre_execute"\nhandler_inline = 'return orcs.ask("sure?")'\n`,
    "project/x": "",
  });
  const run = join(dir, "run");
  mkdirSync(run, { mode: 0o700 });
  const env = { PATH: process.env["PATH"] ?? "", HOME: dir, XDG_RUNTIME_DIR: run };
  const at = { cwd: join(dir, "project"), env };
  const service = spawn(process.execPath, [MAIN, "serve", "--background"], {
    ...at,
    stdio: "ignore",
  });
  onTestFinished(() => void service.kill("SIGKILL"));
  const pending = new PendingQuestions(join(dir, ".local/state/orcs"));
  const sockets = () => readdirSync(run, { recursive: true }).map(String);
  while (!sockets().some((name) => name.endsWith(".sock"))) await pause(50);
  const args = [MAIN, "hook", "--host", "claude-code", "--timeout", "60"];
  const agent = ended(
    spawn(process.execPath, args, at),
    JSON.stringify(CALLS["claude-code"]("git push")),
  );
  while (pending.list().length === 0) await pause(50);
  service.kill("SIGKILL");
  const { stdout } = await agent;
  expect(stdout).toContain('"permissionDecision":"deny"');
  expect(stdout).toMatch(/service/);
  // Its sockets are closed a moment before the system says that it has ended.
  await vi.waitFor(() => expect(pending.list()).toEqual([]));
}, 60_000);
