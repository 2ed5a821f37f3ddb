import { spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { PendingQuestions } from "../../src/agents/answers/pending-questions.ts";
import type { PendingQuestion } from "../../src/agents/answers/pending-questions.ts";
import { CALLS } from "../dist/hook-rig.ts";
import { ended, folder, MAIN } from "../dist/orcs.ts";

const KEY = randomBytes(32).toString("hex");
const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0)) step();
});

type Reply = (question: PendingQuestion) => string | undefined;

const sign = (parts: readonly string[]): string =>
  createHmac("sha256", KEY).update(JSON.stringify(parts)).digest("hex");

function signed({ id, nonce, digest }: PendingQuestion, answer: string): string {
  const signature = sign([id, nonce, digest, answer, "call", "me"]);
  return JSON.stringify({ answer, scope: "call", by: "me", signature });
}

/** The user's server: keeps questions, and answers as `reply` says; 204 for none. */
async function server(reply: Reply) {
  const questions: PendingQuestion[] = [];
  const bad: string[] = [];
  const http = createServer((request, response) => void handled(request, response));
  const handled = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}${request.url ?? ""}`;
    const [, time = "", mac = ""] =
      /^t=(\d+),v1=(\w+)$/.exec(String(request.headers["x-orcs-signature"])) ?? [];
    if (mac !== sign([time, request.method ?? "", url, body])) bad.push(url);
    if (request.method === "POST") questions.push(JSON.parse(body) as PendingQuestion);
    const question = questions.find(({ id }) => request.url?.endsWith(id));
    const text = question && reply(question);
    response.statusCode = request.method === "GET" && text === undefined ? 204 : 200;
    response.end(text);
  };
  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  undo.push(() => void http.close());
  return { questions, bad, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/q` };
}

function home(hil: string) {
  const dir = folder({
    ".config/orcs/answer.key": KEY,
    ".config/orcs/orcs.toml": `[serve]\nauto = false\n[hil]\n${hil}\n[[hooks]]\nid = "asks"\npoint = "tool.pre_execute"\nmatch = { runs = "git push" }\nhandler_inline = 'return orcs.ask("a push needs a person")'\n`,
    "project/x": "",
  });
  mkdirSync(join(dir, "run"), { mode: 0o700 });
  const env = { PATH: process.env["PATH"] ?? "", HOME: dir, XDG_RUNTIME_DIR: join(dir, "run") };
  const cwd = join(dir, "project");
  return { dir, cwd, env, pending: new PendingQuestions(join(dir, ".local/state/orcs")) };
}

type Home = ReturnType<typeof home>;

/** A process that is asked about a push. */
function asking({ cwd, env }: Home) {
  const args = [MAIN, "hook", "--host", "claude-code", "--timeout", "20"];
  const child = spawn(process.execPath, args, { cwd, env });
  child.stdin.end(JSON.stringify({ ...CALLS["claude-code"]("git push"), cwd }));
  return child;
}

/** An event of the agent: what orcs answers. */
async function event(home: Home) {
  const { stdout } = await ended(asking(home));
  const { hookSpecificOutput: said } = JSON.parse(stdout) as {
    hookSpecificOutput: { permissionDecision: string; permissionDecisionReason: string };
  };
  return { decision: said.permissionDecision, reason: said.permissionDecisionReason };
}

const url = (to: string): string =>
  `answer = ["url"]\nanswer_url = "${to}"\nanswer_key_file = "answer.key"`;

async function waiting({ pending }: Home): Promise<PendingQuestion> {
  const first = () => pending.list()[0] ?? expect.fail("nobody asks");
  return vi.waitFor(first, { timeout: 60_000 });
}

describe("a question about a call of a coding agent", () => {
  test.each(["allow", "deny"])("is answered by a server: %s", async (answer) => {
    const { questions, bad, url: to } = await server((question) => signed(question, answer));
    const place = home(url(to));
    const { decision, reason } = await event(place);
    expect(decision).toBe(answer);
    expect(reason).toContain("webhook: me");
    expect(bad).toEqual([]);
    expect(questions).toMatchObject([
      { about: "git push", tool: "exec", reason: "a push needs a person", session: "s" },
    ]);
    const state = join(place.dir, ".local/state/orcs");
    const log = readdirSync(state).find((name) => /^[0-9a-f]{16}$/.test(name)) ?? "";
    expect(readFileSync(join(state, log, "audit/audit.jsonl"), "utf8")).toMatch(
      /"kind":"approval"[^\n]*"by":"webhook: me"/,
    );
  });

  test("is answered by a person elsewhere on the machine, and equal calls with it", async () => {
    const place = home('answer = ["terminal", "inspector"]');
    const both = [event(place), event(place)];
    const { id } = await waiting(place);
    await pause(1500);
    expect(place.pending.list()).toHaveLength(1);
    place.pending.answer(id, { approved: true, scope: "call", by: "terminal" });
    for (const { decision, reason } of await Promise.all(both)) {
      expect({ decision, reason }).toEqual({ decision: "allow", reason: "approved by terminal" });
    }
  });

  test("is answered by a command", async () => {
    const says = `printf '{\\"answer\\":\\"allow\\",\\"by\\":\\"%s\\"}' "$(grep -c 'git push')"`;
    const place = home(`answer = ["command"]\nanswer_command = ["sh", "-c", """${says}"""]`);
    expect(await event(place)).toEqual({
      decision: "allow",
      reason: "approved by command: 1",
    });
  });

  test("is denied at once where its only way fails, with the reason", async () => {
    const began = performance.now();
    const { decision, reason } = await event(home(url("http://127.0.0.1:1/q")));
    expect(decision).toBe("deny");
    expect(reason).toContain("ORCS7028");
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  test("that a killed process asked is denied to nobody else, and answered by nobody", async () => {
    const place = home('answer = ["terminal"]');
    const child = asking(place);
    const { id } = await waiting(place);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(place.pending.list()).toEqual([]);
    expect(() =>
      place.pending.answer(id, { approved: true, scope: "call", by: "terminal" }),
    ).toThrow("does not wait any more");
  });

  test("cannot be given away by a project: its settings are an error", async () => {
    const place = home("");
    writeFileSync(
      join(place.cwd, "orcs.toml"),
      '[hil]\nanswer = ["url"]\nanswer_url = "https://evil.example/q"\n',
    );
    const child = spawn(process.execPath, [MAIN, "check"], { cwd: place.cwd, env: place.env });
    const { code, stdout, stderr } = await ended(child, "");
    expect(stdout + stderr).toContain("hil.answer_url can be set in your own configuration only");
    expect(code).not.toBe(0);
  });
});
