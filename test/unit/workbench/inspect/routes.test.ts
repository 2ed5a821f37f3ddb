import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { EventFeed } from "../../../../src/daemon/feed/event-feed.ts";
import { History } from "../../../../src/workbench/inspect/history.ts";
import { numbersOf } from "../../../../src/workbench/inspect/numbers.ts";
import type { Question } from "../../../../src/workbench/inspect/api.ts";
import { Questions } from "../../../../src/workbench/inspect/questions.ts";
import { placeRoutes } from "../../../../src/workbench/inspect/routes.ts";
import { folder, open } from "../../engine/orcs/engine.ts";
import { pageRig } from "./page-rig.ts";

// What the page has its server do, with a configuration that is named.

const GUARD = `return {
  id = "guard",
  point = "tool.pre_execute",
  match = { tool = "exec" },
  handler = function(ctx)
    orcs.log("info", "looked")
    if ctx.payload.args.command:find("--force", 1, true) then return orcs.deny("no force") end
  end,
}
`;
const CONFIG = `
[lua]
max_run_ms = 5000
max_chain_ms = 20000
[[hooks]]
script = "hooks/guard.lua"
[[hooks]]
id = "inline"
point = "tool.pre_execute"
match = { tool = "move" }
handler_inline = 'return orcs.deny("no moves")'
`;

async function rig(
  files: Readonly<Record<string, string>> = {},
  deps: ConstructorParameters<typeof Questions>[0] = {},
) {
  const dir = folder({ "hooks/guard.lua": GUARD, "orcs.toml": CONFIG, ...files });
  vi.stubEnv("XDG_STATE_HOME", join(dir, "state"));
  const config = join(dir, "orcs.toml");
  const history = new History();
  const orcs = await open({ config, cwd: dir, overrides: {} });
  const feed = new EventFeed();
  feed.attach(orcs);
  const happened = async (tool_name: string, args: object): Promise<string> => {
    await orcs.dispatch("tool.pre_execute", { tool_name, args: { ...args } });
    const { items } = feed.take(100);
    history.add(items);
    return items.at(-1)?.dispatch_id ?? "";
  };
  const undone: string[] = [];
  const routes = placeRoutes({
    history,
    place: { config, directory: dir },
    auditDir: async () => join(dir, "audit"),
    questions: new Questions(deps),
    recordUndo: async (_, { id }) => void undone.push(id),
  });
  const { visitor, inspector } = await pageRig({ history, routes, directory: dir });
  await visitor.open(inspector.newLink());
  const post = async (path: string, body: object) => {
    const { status, body: text } = await visitor.post(`/api/${path}`, body);
    return answerOf(status, text);
  };
  const read = async (path: string) => {
    const { status, body } = await visitor.get(`/api/${path}`);
    return answerOf(status, body);
  };
  return { dir, happened, history, post, read, undone };
}

function answerOf(status: number, body: string): Readonly<Record<string, unknown>> {
  return { status, ...(JSON.parse(body) as object) };
}

const FORCE = { command: "git push --force" };

test("a denied call becomes a test beside the hook, which passes", async () => {
  const { dir, happened, post } = await rig();
  const id = await happened("exec", FORCE);
  const saved = { file: "hooks/guard_test.lua", ok: true, passed: 1, failed: 0, is_new: true };
  expect(await post("save-test", { id })).toMatchObject({ status: 200, ...saved });
  const text = readFileSync(join(dir, "hooks/guard_test.lua"), "utf8");
  expect(text).toContain('assert.equal("no force", outcome.reason)');
  // Once.
  expect(await post("save-test", { id })).toMatchObject({ ...saved, is_new: false });
  expect(readFileSync(join(dir, "hooks/guard_test.lua"), "utf8")).toBe(text);
});

test("a file of tests that exists is appended to", async () => {
  const own =
    '-- mine\ndescribe("mine", function() it("holds", function() assert.equal(1, 1) end) end)';
  const { dir, happened, post } = await rig({ "hooks/guard_test.lua": own });
  const id = await happened("exec", FORCE);
  expect(await post("save-test", { id })).toMatchObject({ ok: true, passed: 2 });
  expect(readFileSync(join(dir, "hooks/guard_test.lua"), "utf8")).toContain(own);
});

test("no test is written through a link or into a pipe", async () => {
  const { dir, happened, post } = await rig();
  const id = await happened("exec", FORCE);
  const file = join(dir, "hooks/guard_test.lua");
  const target = join(dir, "trust.json");
  writeFileSync(target, "{}");
  for (const make of [
    () => symlinkSync(target, file),
    () => symlinkSync(join(dir, "nowhere"), file),
    () => execFileSync("sh", ["-c", 'mkfifo "$0"', file]),
  ]) {
    make();
    const denied = await post("save-test", { id });
    expect(denied).toMatchObject({ status: 422, error: { code: "ORCS5002" } });
    rmSync(file);
  }
  expect(readFileSync(target, "utf8")).toBe("{}");
  expect(readdirSync(join(dir, "hooks"))).toEqual(["guard.lua"]);
});

test("a test that would fail is not written", async () => {
  const { dir, happened, post } = await rig();
  const id = await happened("exec", FORCE);
  writeFileSync(join(dir, "hooks/guard.lua"), GUARD.replace("no force", "another reason"));
  expect(await post("save-test", { id })).toMatchObject({
    status: 422,
    error: { code: "ORCS8007" },
  });
  expect(existsSync(join(dir, "hooks/guard_test.lua"))).toBe(false);
});

test("no test is written into a package or the state folder", async () => {
  for (const home of ["node_modules/guards", "state/orcs/guards"]) {
    const { dir, happened, post } = await rig({
      [`${home}/guard.lua`]: GUARD,
      "orcs.toml": CONFIG.replace("hooks/guard.lua", `${home}/guard.lua`),
    });
    mkdirSync(join(dir, "state/orcs"), { recursive: true });
    const id = await happened("exec", FORCE);
    const denied = await post("save-test", { id });
    expect(denied).toMatchObject({ status: 422, error: { code: "ORCS8007" } });
    expect(existsSync(join(dir, home, "guard_test.lua"))).toBe(false);
  }
});

test("a hook in the configuration cannot be saved as a test, and says so", async () => {
  const { happened, post } = await rig();
  const id = await happened("move", { path: "a" });
  expect(await post("save-test", { id })).toMatchObject({
    status: 422,
    error: { message: expect.stringContaining("is not in its own script") as string },
  });
});

test("a replay runs the hooks as they are, or an edited script, which is not saved", async () => {
  const { dir, happened, post } = await rig();
  const id = await happened("exec", FORCE);
  const same = await post("replay", { id });
  expect(same).toMatchObject({ differs: [], is: { action: "abort", hook: "guard" } });
  expect(same["logs"]).toEqual([expect.stringContaining("looked")]);
  const source = "hooks/guard.lua";
  const text = GUARD.replace("--force", "--nothing");
  const other = await post("replay", { id, edited: { source, text } });
  expect(other).toMatchObject({ was: { action: "abort" }, is: { action: "continue" } });
  expect(other["differs"]).toContain("action");
  const broken = await post("replay", { id, edited: { source, text: "return {" } });
  expect(broken).toMatchObject({ problems: [{ severity: "error", file: source }] });
  expect(readFileSync(join(dir, source), "utf8")).toBe(GUARD);
});

test("a replay runs no tool", async () => {
  const looks = `return {
  id = "guard", point = "tool.pre_execute", match = { tool = "exec" },
  handler = function(ctx)
    local out = orcs.write("ran", "x")
    if not out.ok then return orcs.deny(out.error) end
  end,
}`;
  const { dir, happened, post } = await rig({ "hooks/other.lua": looks });
  const id = await happened("exec", FORCE);
  const edited = { source: "hooks/guard.lua", text: looks };
  expect(await post("replay", { id, edited })).toMatchObject({ unrecorded: ["write"] });
  expect(existsSync(join(dir, "ran"))).toBe(false);
});

test("only scripts of the configuration are read", async () => {
  const { dir, read, happened, post } = await rig({ "secret.lua": "x" });
  const script = await read("script?source=hooks/guard.lua");
  expect(script).toMatchObject({ status: 200, text: GUARD });
  const id = await happened("exec", FORCE);
  for (const source of ["secret.lua", join(dir, "secret.lua"), "/etc/passwd", "orcs.toml", ""]) {
    const path = `script?source=${encodeURIComponent(source)}`;
    expect(await read(path)).toMatchObject({ status: 422 });
    const edited = { source, text: "return {}" };
    expect(await post("replay", { id, edited })).toMatchObject({ status: 422 });
  }
});

test("a text is checked without being run", async () => {
  const { post } = await rig();
  expect(await post("check", { text: "local x = " })).toMatchObject({
    problems: [{ severity: "error", line: 1 }],
  });
  expect(await post("check", { text: "while true do end" })).toMatchObject({ status: 200 });
  expect(await post("check", { text: GUARD })).toMatchObject({ problems: [] });
});

test("the active hooks are listed in their order", async () => {
  const { read } = await rig();
  expect(await read("sets")).toMatchObject({
    hooks: [
      { id: "guard", point: "tool.pre_execute", match: { tool: "exec" }, enabled: true },
      { id: "inline" },
    ],
  });
});

test("what the undo point of a call gives back is shown, and restored with the code for exactly that", async () => {
  const codes: [about: readonly string[] | undefined, code: string][] = [];
  const show = ({ effects }: Question, code: string): void => void codes.push([effects, code]);
  const config = '[[hooks]]\nscript = "orcs:undo"\n';
  const { dir, happened, history, post, read, undone } = await rig(
    { "orcs.toml": config, "src/a.txt": "one\n" },
    { show },
  );
  const file = join(dir, "src/a.txt");
  const id = await happened("exec", { command: "rm -rf src" });
  const { undo: point } = history.after(0, 10).rows[0] ?? {};
  expect(await read(`dispatch/${id}`)).toMatchObject({ undo: { id: point, changes: [] } });
  rmSync(join(dir, "src"), { recursive: true });
  const changes = [`bring back  ${join(dir, "src")}`, `bring back  ${file}`];
  expect(await read(`dispatch/${id}`)).toMatchObject({ undo: { id: point, changes } });
  // Without its code, with another one, and with one for what it would have done before.
  expect(await post("undo/restore", { id, code: "AAAAAAAA" })).toMatchObject({ status: 422 });
  expect(await post("undo/code", { id })).toMatchObject({ status: 200 });
  expect(codes).toEqual([[changes, expect.any(String)]]);
  mkdirSync(join(dir, "src"));
  const code = codes[0]?.[1];
  expect(await post("undo/restore", { id, code })).toMatchObject({ status: 422 });
  expect([existsSync(file), undone]).toEqual([false, []]);
  await post("undo/code", { id });
  const restored = await post("undo/restore", { id, code: codes[1]?.[1] });
  expect(restored).toMatchObject({ status: 200, undo: { changes: [] } });
  expect([readFileSync(file, "utf8"), undone]).toEqual(["one\n", [point]]);
  expect(await post("undo/restore", { id, code: codes[1]?.[1] })).toMatchObject({ status: 422 });
});

test("numbers count what the log has of each hook and day", () => {
  const dir = folder();
  const at = Date.UTC(2026, 10, 24, 12);
  expect(numbersOf(dir, 3, at)).toEqual({
    days: ["2026-11-22", "2026-11-23", "2026-11-24"],
    entries: 0,
    hooks: [],
    shadow: [],
  });
});
