import { expect, test } from "vitest";
import { call, errorOf, folder, open } from "./engine.ts";

const TOML = `
[[hooks]]
id = "ci"
point = "PreToolUse"
match = { writes = ".github/**" }
handler_inline = 'orcs.deny("ci")'

[[hooks]]
id = "hosts"
point = "PreToolUse"
match = { connects = ["!*.corp.example", "!localhost"] }
handler_inline = 'orcs.deny("hosts")'

[[hooks]]
id = "notes"
point = "PreToolUse"
match = { reads = "notes/**", unsure = "ignore" }
handler_inline = 'orcs.deny("notes")'

[[hooks]]
script = "s.lua"
`;
const SCRIPT = `return {
  id = "seen", point = "PreToolUse", match = { session = "lua", removes = { "keep/**" }, unsure = "match" },
  handler = function(ctx)
    local effects, unread, malformed = orcs.effects(ctx)
    return orcs.deny(("%d %s %s %s"):format(#effects, effects[1].kind, tostring(unread), tostring(malformed)))
  end,
}`;

async function engine(): Promise<
  (tool: string, args: object, session?: string) => Promise<string>
> {
  const cwd = folder({ "orcs.toml": TOML, "hooks/s.lua": SCRIPT });
  const orcs = await open({ cwd, config: "orcs.toml", trace: true });
  return async (tool, args, session = "s") => {
    const payload = { ...call(tool), args, cwd, session_id: session } as ReturnType<typeof call>;
    const outcome = await orcs.dispatch("tool.pre_execute", payload);
    if (outcome.action === "abort") return `deny: ${outcome.reason}`;
    return outcome.action === "continue" && outcome.decision !== undefined
      ? `${outcome.decision}: ${outcome.reason}`
      : "pass";
  };
}

test("one line holds for every way to write a file, and asks where it is not sure", async () => {
  const decide = await engine();
  const exec = (command: string) => decide("exec", { command });
  expect(await exec("echo x > .github/ci.yml")).toBe("deny: ci");
  expect(await decide("Write", { file_path: ".github/a", content: "" })).toBe("deny: ci");
  expect(await exec("touch $F")).toBe("ask: it writes $F (unknown): ci");
  expect(await exec('sh -c "$X"')).toMatch(/^ask: it runs .* \(unknown\): ci$/);
  expect(await exec("touch 'a")).toMatch(/^ask: orcs could not read all of it \(.*\): ci$/);
  expect(await exec("touch a")).toBe("pass");
  expect(await decide("WebFetch", { url: "https://example.com" })).toBe("deny: hosts");
  expect(await decide("WebFetch", { url: "https://a.corp.example" })).toBe("pass");
  expect(await decide("Read", { file_path: "notes/a" })).toBe("deny: notes");
  expect(await decide("any", { path: "notes/a" })).toBe("pass");
  expect(await decide("exec", { command: "rm keep/a" }, "lua")).toBe("deny: 2 run nil nil");
  expect(await decide("exec", { command: "rm $F; echo 'a" }, "lua")).toMatch(
    /^deny: 3 run syntax error.* false$/,
  );
});

test("a question is a denial where nobody can be asked, and nobody else's decision changes", async () => {
  const orcs = await open({ trace: true });
  orcs.on("tool.post_execute", { writes: "a" }, () => ({ action: "abort", reason: "late" }));
  orcs.hook({
    id: "unsure",
    point: "tool.pre_execute",
    match: { writes: "a" },
    handler: () => ({ action: "continue", decision: "allow" }),
  });
  const args = { command: "touch $F" };
  const before = await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args });
  expect(before).toMatchObject({
    action: "continue",
    trace: [{ unsure: "it writes $F (unknown)", dropped: ["allow"] }],
  });
  expect(before.action === "continue" && before.decision).toBeFalsy();
  const payload = { tool_name: "exec", args, result: "" };
  expect(await orcs.dispatch("tool.post_execute", payload)).toMatchObject({
    action: "abort",
    reason: "late",
  });
  orcs.on("tool.pre_execute", { tool: "exec" }, () => ({ action: "abort", reason: "sure" }));
  expect(await orcs.dispatch("tool.pre_execute", { tool_name: "exec", args })).toMatchObject({
    action: "abort",
    reason: "sure",
  });
});

test("tools of a program declare what they do", async () => {
  const orcs = await open({
    tools: {
      deploy: {
        effects: [
          { kind: "connect", target: "deploy.example.com" },
          { kind: "read", arg: "folder", recursive: true },
        ],
      },
    },
  });
  const payload = { tool_name: "deploy", args: { folder: "/b" } };
  expect(orcs.effects(payload)).toMatchObject({
    effects: [
      { kind: "connect", target: "deploy.example.com", sure: true },
      { kind: "read", target: "/b", recursive: true },
    ],
  });
  orcs.on("tool.pre_execute", { connects: "*.example.com" }, () => ({
    action: "abort",
    reason: "no",
  }));
  expect(await orcs.dispatch("tool.pre_execute", payload)).toMatchObject({ action: "abort" });
  const tools = { x: { effects: [{ kind: "reads" as never }] } };
  expect((await errorOf(open({ tools }))).message).toContain(
    "the tool x has an effect of the unknown kind reads; did you mean read?",
  );
});
