import { expect, test } from "vitest";
import { ALONE, GUARD, HookRig } from "./hook-rig.ts";
import { folder } from "./orcs.ts";

const NOTICE = "orcs: the hooks of ";

/** A project that nobody has trusted. */
function cloned(): { rig: HookRig; env: Record<string, string> } {
  const rig = new HookRig({ "orcs.toml": `${ALONE}${GUARD}` });
  // Limits of the user's own hold for self-guard, which is active without the project.
  const own = folder({ "orcs/orcs.toml": ALONE });
  return { rig, env: { XDG_STATE_HOME: folder(), XDG_CONFIG_HOME: own } };
}

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
});
