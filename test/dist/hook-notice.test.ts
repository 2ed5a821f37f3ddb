import { expect, test } from "vitest";
import { ALONE, CALLS, GUARD, HookRig } from "./hook-rig.ts";
import { folder } from "./orcs.ts";

const NOTICE = "orcs: the hooks of ";

/** A project that nobody has trusted. */
function cloned(): { rig: HookRig; env: Record<string, string> } {
  const rig = new HookRig({ "orcs.toml": `${ALONE}${GUARD}` });
  // Limits of the user's own hold for self-guard, which is active without the project.
  const own = folder({ "orcs/orcs.toml": ALONE });
  return { rig, env: { XDG_STATE_HOME: folder(), XDG_CONFIG_HOME: own } };
}

test("orcs hook in an untrusted project runs no hooks and prints one notice per session", async () => {
  const { rig, env } = cloned();
  const ask = () => rig.command("codex", "rm -rf build", { env });
  const first = await ask();
  // The person and the model.
  const told = expect.stringContaining(`${NOTICE}${rig.dir} are inactive`) as string;
  expect(JSON.parse(first.stdout)).toEqual({
    systemMessage: told,
    hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: told },
  });
  const others = await Promise.all(Array.from({ length: 20 }, ask));
  expect(others.map(({ code, stdout }) => `${code}${stdout}`)).toEqual(Array(20).fill("0"));
  const next = { ...CALLS.codex("ls"), session_id: "other" };
  expect((await rig.ask("codex", next, { env })).stdout).toContain(NOTICE);
});

test("orcs hook: twenty concurrent processes print one notice to the user and one to the model", async () => {
  const { rig, env } = cloned();
  const all = await Promise.all(
    Array.from({ length: 20 }, () => rig.command("claude-code", "ls", { env })),
  );
  // The two may be in the answers of two processes.
  for (const key of ["systemMessage", "additionalContext"]) {
    const notice = `"${key}":"${NOTICE}`;
    expect(all.filter(({ stdout }) => stdout.includes(notice))).toHaveLength(1);
  }
});

test("orcs hook for Cursor: a notice goes to stderr, and denies the next call, where alone it is certain to be seen", async () => {
  const { rig, env } = cloned();
  const start = { ...CALLS.cursor("ls"), hook_event_name: "sessionStart", session_id: "c" };
  const first = await rig.ask("cursor", start, { env });
  // To the model; the person sees nothing of it.
  expect(JSON.parse(first.stdout)).toEqual({
    additional_context: expect.stringContaining(NOTICE) as string,
  });
  expect(first.stderr).toContain(`\n${NOTICE}`);
  const second = await rig.ask("cursor", start, { env });
  expect(second.stdout).toBe("{}\n");
  expect(second.stderr).not.toContain(NOTICE);
  const third = await rig.command("cursor", "ls", { env });
  expect(JSON.parse(third.stdout)).toMatchObject({
    permission: "deny",
    user_message: expect.stringContaining(NOTICE.replace("orcs: ", "")) as string,
  });
});

test("orcs hook for Gemini CLI: log output does not mix with the result", async () => {
  const says = `[[hooks]]\nid = "says"\npoint = "tool.on_list"\nhandler_inline = 'orcs.log("warn", "look")'\n`;
  const replaces = `${says}[[hooks]]\npoint = "tool.on_list"\nhandler_inline = 'return orcs.replace({ "exec" })'\n`;
  const event = {
    session_id: "s",
    hook_event_name: "BeforeToolSelection",
    cwd: "/tmp",
    llm_request: { model: "m", messages: [] },
  };
  const ask = async (toml: string) => {
    const rig = new HookRig({ "orcs.toml": `${ALONE}${toml}` });
    return rig.ask("gemini", event, { args: ["--config", "orcs.toml"] });
  };
  expect(await ask(says)).toEqual({ code: 0, stdout: "", stderr: "" });
  const answered = await ask(replaces);
  expect(answered.stdout).toContain("allowedFunctionNames");
  expect(answered.stderr).toContain("look");
  const { rig, env } = cloned();
  expect(await rig.ask("gemini", event, { env })).toEqual({ code: 0, stdout: "", stderr: "" });
  // It was not told there, so the next one tells it.
  expect((await rig.command("gemini", "ls", { env })).stdout).toContain(NOTICE);
});
