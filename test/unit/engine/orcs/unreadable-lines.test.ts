import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";
import type { Orcs } from "../../../../src/engine/orcs/orcs.ts";
import type { TraceEntry } from "../../../../src/core/outcome.ts";
import { folder, Lines, open } from "./engine.ts";

/** Lines that bash runs, or that somebody's shell may, and that cannot be read to their end. */
const UNREADABLE: readonly (readonly [name: string, line: string, why: string])[] = [
  ["a word too many", "ls\nfi", "syntax error: unexpected token 'fi'"],
  ["an operator too many", "; ls", "syntax error: unexpected token ';'"],
  ["a quote without an end", "echo 'a", "syntax error: unterminated single quote"],
  [
    "a long comment",
    `#${"x".repeat(70_000)}\ngit push --force`,
    "it is longer than 65536 characters",
  ],
  [
    "many parentheses",
    `${"(".repeat(100)}git push -f${")".repeat(100)}`,
    "it is nested too deeply",
  ],
  ["many wrappers", `${"env ".repeat(300)}git push --force`, "its expansion is too large"],
  ["a NUL", "echo \0; git push --force", "it contains a NUL byte"],
  ["PowerShell that computes", "iex $x", "it is unknown what invoke-expression runs"],
  ["the script of a shell", `sh -c "ls; fi"`, "syntax error: unexpected token 'fi'"],
];

const RUNS = { runs: ["git push --force"] };
const SAID = (why: string): string => `orcs could not parse this command line (${why})`;

/** What a hook returns, in Lua; as JSON for the other kinds of handlers. */
const LUA: Readonly<Record<string, string>> = {
  deny: `return orcs.deny("no")`,
  ask: `return orcs.ask("sure?")`,
  bare: `return { action = "continue", decision = "defer" }`,
  allow: `return { action = "continue", decision = "allow", reason = "fine", inject = "x", stop = true }`,
  skip: `return orcs.skip("done")`,
  retry: `return orcs.retry(1)`,
  rewrite: `ctx.payload.args.command = "ls"; ctx.metadata.seen = true`,
  "ask and rewrite": `ctx.payload.args.command = "ls"; return orcs.ask("sure?")`,
  nothing: ``,
};

async function outcomeOf(orcs: Orcs, command: string | string[], more: object = {}) {
  const payload = { tool_name: "exec", args: { command }, ...more };
  return await orcs.dispatch("tool.pre_execute", payload as never);
}

function entry(trace: readonly TraceEntry[] | undefined, id: string): TraceEntry | undefined {
  return trace?.find((one) => one.id === id);
}

describe.each(["thread", "worker"] as const)(
  "match.runs on an unparsable command line: Lua on the %s",
  (isolation) => {
    const logger = new Lines();
    let orcs: Orcs;
    afterAll(() => orcs.close());
    beforeAll(async () => {
      const hooks = Object.entries(LUA).map(([id, handler_inline]) => ({
        id,
        point: "tool.pre_execute",
        match: { ...RUNS, session: id },
        handler_inline: `function(ctx) ${handler_inline} end`,
      }));
      // Stands behind all of them, and sees what they have left.
      const last = {
        id: "last",
        point: "tool.pre_execute",
        priority: 200,
        handler_inline: `function(ctx) return { inject = ctx.payload.args.command:sub(1, 40) } end`,
      };
      const config = { hooks: [...hooks, last], lua: { isolation } };
      const overrides = { lua: { max_run_ms: 5000, max_chain_ms: 20_000 } };
      orcs = await createOrcs({ config, logger, trace: true, overrides });
    });

    test.each(UNREADABLE)(
      "%s: deny and ask apply, other results are dropped",
      async (_, command, why) => {
        const of = (id: string) => outcomeOf(orcs, command, { session_id: id });
        expect(await of("deny")).toMatchObject({
          action: "abort",
          reason: `${SAID(why)}: no`,
          hook: "deny",
        });
        const asked = await of("ask");
        expect(asked).toMatchObject({
          action: "continue",
          decision: "ask",
          reason: `${SAID(why)}: sure?`,
          hook: "ask",
        });
        expect(entry(asked.trace, "ask")).toMatchObject({ status: "ran", unreadable: why });
        expect(await of("bare")).toMatchObject({ decision: "defer", reason: SAID(why) });
        for (const [id, dropped] of [
          ["allow", ["allow", "stop", "inject"]],
          ["skip", ["skip"]],
          ["retry", ["retry"]],
          ["rewrite", ["/payload/args/command", "/metadata/seen"]],
          ["nothing", undefined],
        ] as const) {
          const outcome = await of(id);
          expect(outcome, id).toMatchObject({ action: "continue", inject: [command.slice(0, 40)] });
          expect("decision" in outcome, id).toBe(false);
          expect(outcome.ctx.payload["args"], id).toEqual({ command });
          expect(outcome.ctx.metadata, id).toEqual({});
          const traced = entry(outcome.trace, id);
          expect(traced, id).toMatchObject({ status: "ran", action: "continue", unreadable: why });
          expect(traced?.dropped?.toSorted(), id).toEqual(dropped?.toSorted());
          expect(traced?.changed, id).toBeUndefined();
        }
        expect(await of("ask and rewrite")).toMatchObject({
          decision: "ask",
          ctx: { payload: { args: { command } } },
        });
      },
    );

    test("a dropped result is logged", async () => {
      await outcomeOf(orcs, "ls\nfi", { session_id: "skip" });
      expect(logger.lines.join("\n")).toMatch(/warn: hook skip at tool\.pre_execute: skip/);
    });

    test("the parsable part is matched as usual; allow is dropped for a partly parsable line", async () => {
      for (const rest of [
        "\nfi",
        "; )",
        `\n${"#".repeat(70_000)}`,
        "\0",
        ` ${"#".repeat(70_000)}`,
      ]) {
        const of = (id: string) =>
          outcomeOf(orcs, `cd x && git push -f${rest}`, { session_id: id });
        const denied = await of("deny");
        expect(denied).toMatchObject({ action: "abort", reason: "no" });
        expect(entry(denied.trace, "deny")).not.toHaveProperty("unreadable");
        expect(await of("ask")).toMatchObject({ decision: "ask", reason: "sure?" });
        expect(await of("skip")).toMatchObject({ action: "skip", result: "done" });
        const rewritten = await of("rewrite");
        expect(rewritten.ctx.payload["args"]).toEqual({ command: "ls" });
        const allowed = await of("allow");
        expect("decision" in allowed).toBe(false);
        expect(entry(allowed.trace, "allow")?.dropped).toEqual(["allow"]);
      }
      const whole = await outcomeOf(orcs, "git push -f", { session_id: "allow" });
      expect(whole).toMatchObject({ action: "continue", decision: "allow", reason: "fine" });
    });
  },
);

test('the other keys of match must hold too for an unparsable line, and "?" selects such lines', async () => {
  const match = { ...RUNS, tool: "Bash", command: "zz" };
  const hook = (id: string, more: object) => ({
    id,
    point: "tool.pre_execute",
    match: more,
    handler_inline: `orcs.deny("${id}")`,
  });
  const orcs = await open({
    config: {
      hooks: [
        hook("other-tool", { ...match, tool: "Read" }),
        hook("other-command", { ...match, command: "^aa" }),
        hook("other-session", { ...match, session: "s" }),
        hook("all", match),
        hook("unknown", { runs: "?" }),
      ],
    },
    trace: true,
  });
  const outcome = await outcomeOf(orcs, "zz 'a", { tool_name: "Bash" });
  expect(outcome).toMatchObject({
    action: "abort",
    hook: "all",
    reason: `${SAID("syntax error: unterminated single quote")}: all`,
  });
  expect(outcome.trace?.map(({ failing }) => failing).slice(0, 3)).toEqual([
    "tool",
    "command",
    "session",
  ]);
  const unknown = await outcomeOf(orcs, "zz 'a", { tool_name: "exec" });
  expect(unknown).toMatchObject({ action: "abort", hook: "unknown", reason: "unknown" });
  // Where there is no command, there is nothing that cannot be read.
  expect(await outcomeOf(orcs, [], {})).toMatchObject({ action: "continue" });
});

test("match.runs on an unparsable line: argument lists, and auth.pre_check", async () => {
  const orcs = await open({ trace: true });
  orcs.on("tool.pre_execute", RUNS, () => ({ action: "abort", reason: "no" }));
  orcs.on("auth.pre_check", RUNS, () => ({ action: "abort", reason: "no" }));
  const reason = `${SAID("syntax error: unterminated single quote")}: no`;
  const line = ["bash", "-lc", "echo 'a"];
  expect(await outcomeOf(orcs, line)).toMatchObject({ action: "abort", reason });
  const asked = await orcs.dispatch("auth.pre_check", { command: "echo 'a" } as never);
  expect(asked).toMatchObject({ action: "abort", reason });
});

test("match.runs on an unparsable line: functions, modules, commands and webhooks", async () => {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.end(JSON.stringify({ decision: "allow" })));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => void server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const cwd = folder({
    "m.mjs": `export const allow = () => ({ decision: "allow" });\nexport const deny = () => ({ action: "abort", reason: "m" });`,
  });
  const hook = (id: string, more: object) => ({
    id,
    point: "tool.pre_execute",
    match: { ...RUNS, session: id },
    ...more,
  });
  const printing = (text: string) => ({
    shell: { command: `echo '${text}'`, parse_result: true },
  });
  const orcs = await open({
    cwd,
    config: {
      hooks: [
        hook("module allows", { module: "./m.mjs#allow" }),
        hook("module denies", { module: "./m.mjs#deny" }),
        hook("command allows", printing(`{"decision":"allow"}`)),
        hook("command denies", printing(`{"action":"abort","reason":"c"}`)),
        hook("webhook allows", { webhook: { url, allow_hosts: ["127.0.0.1"] } }),
      ],
    },
    trace: true,
  });
  orcs.on("tool.pre_execute", { ...RUNS, session: "function skips" }, (ctx) => {
    ctx.payload["args"] = { command: "ls" };
    return { action: "skip", result: 1 };
  });
  const of = (id: string) => outcomeOf(orcs, "ls\nfi", { session_id: id });
  const why = "syntax error: unexpected token 'fi'";
  expect(await of("module denies")).toMatchObject({ reason: `${SAID(why)}: m` });
  expect(await of("command denies")).toMatchObject({ reason: `${SAID(why)}: c` });
  for (const id of ["module allows", "command allows", "webhook allows", "function skips"]) {
    const outcome = await of(id);
    expect(outcome.action, id).toBe("continue");
    expect("decision" in outcome, id).toBe(false);
    expect(outcome.ctx.payload["args"]).toEqual({ command: "ls\nfi" });
    const dropped = outcome.trace?.flatMap((one) => one.dropped ?? []);
    expect(dropped, id).toContain(id === "function skips" ? "skip" : "allow");
  }
});

test("at post points an unparsable line keeps the hook's changes", async () => {
  const orcs = await open({ trace: true });
  orcs.on("tool.post_execute", { runs: ["cat .env"] }, () => ({
    action: "replace",
    result: "[masked]",
  }));
  const payload = { tool_name: "exec", args: { command: "cat .env\0" }, result: "SECRET" };
  const { ctx } = await orcs.dispatch("tool.post_execute", payload as never);
  expect(ctx.payload["result"]).toBe("[masked]");
  const other = { ...payload, args: { command: "'" } };
  const masked = await orcs.dispatch("tool.post_execute", other as never);
  expect(masked.ctx.payload["result"]).toBe("[masked]");
  expect(masked.trace?.[0]).toMatchObject({ unreadable: expect.stringContaining("quote") });
});
