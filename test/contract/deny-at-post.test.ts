import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { HookEngine, HookResponse } from "../../src/agents/adapters/a3s.ts";
import { HookEvent, HookRegistry, HookResult } from "../../src/agents/adapters/v3.ts";
import type { HostName } from "../../src/core/hosts.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import { pointSet } from "../../src/core/points.ts";
import { createOrcs } from "../../src/engine/create-orcs.ts";
import type { Orcs } from "../../src/engine/orcs/orcs.ts";
import type { HostAnswer, HostOptions } from "../../src/formats/host-protocol.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import { errorOf, Lines, open } from "../unit/engine/orcs/engine.ts";

/**
 * A denial at a post point, in each language in which a hook can say it: what has run has run, and nobody is given
 * what came of it. Lua on the thread and on a worker: test/dist/deny-at-post.test.ts.
 */

const SECRET = "sk-very-secret-0123456789";
const WHY = "it holds a key";

const lua = (code: string) => ({ handler_inline: code });
const prints = (protocol: string, answer: unknown) => ({
  shell: { command: `printf '%s' '${JSON.stringify(answer)}'`, protocol, parse_result: true },
});
const exits2 = (protocol: string) => ({
  shell: { command: `echo '${WHY}' >&2; exit 2`, protocol },
});
const abort = { action: "abort", reason: WHY };
const deny = { decision: "deny", reason: WHY };
const block = { decision: "block", reason: WHY };

/** What a configuration says of the hook, by the language of its answer. */
const LANGUAGES: Readonly<Record<string, object>> = {
  "orcs.deny": lua(`orcs.deny("${WHY}")`),
  "a Lua table": lua(`return { action = "abort", reason = "${WHY}" }`),
  "a decision in Lua": lua(`return { decision = "deny", reason = "${WHY}" }`),
  "on_error = open": { ...lua(`orcs.deny("${WHY}")`), on_error: "open" },
  "JSON of a command": prints("orcs", abort),
  "a decision of a command": prints("orcs", deny),
  "exit code 2": exits2("orcs"),
  "claude-code, block": prints("claude-code", block),
  "claude-code, permissionDecision": prints("claude-code", {
    hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: WHY },
  }),
  "claude-code, continue: false": prints("claude-code", { continue: false, stopReason: WHY }),
  "claude-code, exit code 2": exits2("claude-code"),
  "codex, block": prints("codex", block),
  "codex, exit code 2": exits2("codex"),
  "gemini, deny": prints("gemini", deny),
  "gemini, block": prints("gemini", block),
  "gemini, exit code 2": exits2("gemini"),
  "cursor, permission": prints("cursor", { permission: "deny", user_message: WHY }),
  "cursor, exit code 2": exits2("cursor"),
  "cocode, Reject": prints("cocode", { Reject: { reason: WHY } }),
  "massgen, allowed": prints("massgen", { allowed: false, reason: WHY }),
  "massgen, deny": prints("massgen", deny),
};

/** What calls a tool through orcs gets of it. */
async function expectWithheld(orcs: Orcs, calls: unknown[], logger: Lines): Promise<void> {
  const error = await errorOf(() => call()).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "ORCS2001", fields: { hook: "h", reason: WHY } });
  const answer = await orcs.get("fetch", {});
  expect(answer).toEqual({ ok: false, error: `denied by hook h: ${WHY}` });
  const payload = { tool_name: "fetch", args: {} };
  const invoked = await orcs.invoke("tool.execute", payload, () => ({ text: SECRET }));
  expect(invoked).toMatchObject({ action: "abort", hook: "h", reason: WHY });
  expect(calls).toHaveLength(2);
  expect(JSON.stringify([error, answer, invoked]) + String(error)).not.toContain(SECRET);
  expect(logger.lines).toEqual([]);
}

let wrapped: (args: JsonObject) => Promise<unknown>;
const call = (): Promise<unknown> => wrapped({});

async function withTool(hooks: readonly object[]) {
  const logger = new Lines();
  const orcs = await open({ config: { hooks }, logger });
  const calls: unknown[] = [];
  wrapped = orcs.wrapTool("fetch", () => {
    calls.push(1);
    return { text: SECRET };
  }) as typeof wrapped;
  return { orcs, calls, logger };
}

describe("a tool result that a post hook denies is not returned", () => {
  test.each(Object.entries(LANGUAGES))("%s", async (_, hook) => {
    const behind = lua(`error("not reached")`);
    const point = "tool.post_execute";
    const { orcs, calls, logger } = await withTool([
      { id: "h", point, ...hook },
      { id: "behind", point, ...behind },
    ]);
    await expectWithheld(orcs, calls, logger);
  });

  test.each<[string, () => unknown]>([
    ["an action", () => abort],
    ["a decision", () => deny],
    ["later", () => Promise.resolve(abort)],
  ])("TypeScript, %s", async (_, handler) => {
    const { orcs, calls, logger } = await withTool([]);
    orcs.hook({ id: "h", point: "PostToolUse", handler: handler as () => undefined });
    await expectWithheld(orcs, calls, logger);
  });

  test("also through orcs/a3s and orcs/v3 on the same engine", async () => {
    const a3s = await withTool([]);
    const engine = new HookEngine(a3s.orcs);
    engine.register({ id: "h", event_type: "post_tool_use" });
    engine.register_handler("h", { handle: () => HookResponse.block(WHY) });
    await expectWithheld(a3s.orcs, a3s.calls, a3s.logger);
    const v3 = await withTool([]);
    new HookRegistry(v3.orcs).add(HookEvent.PostToolUse, () => HookResult.deny(WHY));
    const error = await errorOf(() => call());
    expect(error).toMatchObject({ code: "ORCS2001", fields: { reason: WHY } });
    expect(JSON.stringify(error)).not.toContain(SECRET);
  });

  test.each<[string, string]>([
    ["an unknown word", '{ action = "block", reason = "x" }'],
    ["another one", '{ decision = "block", reason = "x" }'],
    ["in capitals", '{ action = "ABORT", reason = "x" }'],
    ["a stray key", '{ action = "abort", reason = "x", message = "y" }'],
    ["two words", '{ action = "abort", decision = "deny" }'],
    ["a result beside it", '{ action = "replace", result = "***", decision = "deny" }'],
    ["a reason that is none", '{ action = "abort", reason = 5 }'],
  ])("a misspelled denial is a failure and returns nothing: %s", async (_, answer) => {
    const hook = { id: "h", point: "tool.post_execute", ...lua(`return ${answer}`) };
    const { orcs, logger } = await withTool([hook]);
    const got = await orcs.get("fetch", {});
    expect(got).toMatchObject({ ok: false, error: expect.stringContaining("hook h failed: ") });
    expect(JSON.stringify(got)).not.toContain(SECRET);
    expect(logger.lines).toHaveLength(1);
    // Where the hook itself says what becomes of its failures, that holds.
    const open_ = await withTool([{ ...hook, on_error: "open" }]);
    expect(await open_.orcs.get("fetch", {})).toMatchObject({ ok: true });
  });

  test("ask at a post point is a failure, and on_error decides", async () => {
    const hook = { id: "h", point: "tool.post_execute", ...lua('orcs.ask("sure?")') };
    const passes = await withTool([hook]);
    expect(await passes.orcs.get("fetch", {})).toEqual({ ok: true, text: SECRET });
    const closed = await withTool([{ ...hook, on_error: "closed" }]);
    expect(JSON.stringify(await closed.orcs.get("fetch", {}))).not.toContain(SECRET);
  });
});

const EITHER = pointSet().all.filter(({ phase }) => phase !== "pre");

test.each(["orcs.deny", "massgen, deny"])(
  "denial at each point other than pre points: %s",
  async (language) => {
    const hook = LANGUAGES[language];
    const { orcs, logger } = await withTool(
      EITHER.map(({ name: point }) => ({ id: `h@${point}`, point, ...hook })),
    );
    for (const { name: point, phase } of EITHER) {
      const payload = {
        tool_name: "t",
        args: {},
        id: "r",
        operation: "o",
        prompt: "p",
        event: "e",
        ...(point === "request.post_dispatch" && { category: "c" }),
      };
      const outcome = await orcs.dispatch<string>(point, payload);
      const logged = logger.lines.splice(0);
      if (phase === "post") {
        expect(outcome, point).toMatchObject({ action: "abort", hook: `h@${point}`, reason: WHY });
        expect(logged, point).toEqual([]);
      } else {
        expect(outcome.action, point).toBe("continue");
        expect(logged, point).toEqual([expect.stringMatching(/^error: hook h@\S+ failed at /)]);
      }
    }
  },
);

/** Events as hosts really sent them, after something has happened. */
const OPTIONS: readonly HostOptions[] = [
  { ask: "deny", rewrite: "refuse" },
  { ask: "pass", rewrite: "approve" },
];
const RESULTS: Readonly<Record<string, string>> = {
  PostToolUse: "tool_response",
  AfterTool: "tool_response",
  AfterModel: "llm_response",
  postToolUse: "tool_output",
};
const textAt = (event: JsonObject, key: string): string => {
  const value = event[key];
  return typeof value === "string" ? value : "";
};
const recorded = (host: HostName): JsonObject[] =>
  readFileSync(new URL(`../fixtures/${host}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject)
    .filter((event) => textAt(event, "hook_event_name") in RESULTS);
const SENT = (["claude-code", "codex", "gemini", "cursor"] as const).flatMap((host) =>
  recorded(host).map((event, i) => {
    const name = textAt(event, "hook_event_name");
    return [host, `${name} ${textAt(event, "tool_name")} ${i + 1}`, name, event] as const;
  }),
);

/** Cursor takes another result of MCP tools alone; nothing hides what its own tools gave. */
const shows = (host: string, event: JsonObject): boolean =>
  host === "cursor" && !textAt(event, "tool_name").startsWith("MCP:");

describe("after a denial at a post point the coding agent's model reads the reason instead of the result", () => {
  const engines = new Map<string, Promise<Orcs>>();
  afterAll(async () => {
    for (const orcs of engines.values()) await (await orcs).close();
  });
  /** An engine whose hook `h` denies at a point, made once for all events. */
  function denying(point: string, language: string): Promise<Orcs> {
    const key = `${point} ${language}`;
    const known = engines.get(key);
    if (known) return known;
    const hooks = [{ id: "h", point, ...LANGUAGES[language] }];
    const made = createOrcs({ config: { hooks }, logger: new Lines() });
    engines.set(key, made);
    return made;
  }

  test.each(SENT)("%s, %s", async (host, _, name, event) => {
    const key = RESULTS[name] ?? "";
    const sent = { ...event, [key]: secretly(event[key] ?? null) };
    expect(JSON.stringify(sent)).toContain(SECRET);
    const protocol = await HOSTS[host].load();
    const decoded = protocol.decode(sent as JsonObject);
    for (const language of ["orcs.deny", "claude-code, block"]) {
      const { point, payload, component } = decoded;
      const orcs = await denying(point, language);
      const outcome = (await orcs.dispatch(point, payload, { component })) as Outcome;
      for (const options of OPTIONS) {
        const answer = protocol.encode(decoded, outcome, options);
        expect(JSON.stringify(answer)).not.toContain(SECRET);
        expect(JSON.stringify(answer)).toContain(`denied by hook h: ${WHY}`);
        if (shows(host, event)) expect(answer.downgrades).not.toEqual([]);
        else expect(modelReads(answer)).toContain(WHY);
        if (host === "claude-code") {
          const { updatedToolOutput: shown } = specificOf(answer);
          expect(shapeOf(shown)).toEqual(shapeOf(sent[key]));
        }
      }
    }
  });

  test("Claude Code: a denied image is replaced by text", async () => {
    const protocol = await HOSTS["claude-code"].load();
    const [event] = recorded("claude-code");
    const file = { base64: SECRET, type: "image/png", originalSize: 5 };
    const sent = { ...event, tool_name: "Read", tool_response: { type: "image", file } };
    const decoded = protocol.decode(sent as unknown as JsonObject);
    const orcs = await denying(decoded.point, "orcs.deny");
    const outcome = (await orcs.dispatch(decoded.point, decoded.payload)) as Outcome;
    const answer = protocol.encode(decoded, outcome, OPTIONS[0] as HostOptions);
    expect(specificOf(answer)["updatedToolOutput"]).toEqual({
      type: "text",
      file: {
        filePath: "",
        numLines: 1,
        startLine: 1,
        totalLines: 1,
        content: `denied by hook h: ${WHY}`,
      },
    });
  });
});

/** The words of tools' results that say what the rest of them is. */
const KEPT = ["text", "create", "update", "content", "files_with_matches", "filePath"];

/** A value with the secret in each of its texts. */
function secretly(value: unknown): unknown {
  if (typeof value === "string") return KEPT.includes(value) ? value : `${value} ${SECRET}`;
  if (Array.isArray(value)) return value.map(secretly);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === "filePath" ? item : secretly(item)]),
  );
}

/** What a host that checks the shape of a result looks at. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shapeOf(item)]));
}

function specificOf({ output }: HostAnswer): Record<string, unknown> {
  return (output?.["hookSpecificOutput"] ?? {}) as Record<string, unknown>;
}

/** What of an answer stands where the model reads the result. */
function modelReads(answer: HostAnswer): string {
  const { updatedToolOutput } = specificOf(answer);
  const { reason, updated_mcp_tool_output } = answer.output ?? {};
  return JSON.stringify([updatedToolOutput, reason, updated_mcp_tool_output]);
}
