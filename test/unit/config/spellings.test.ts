import { describe, expect, test } from "vitest";
import { SPELLINGS } from "../../../src/config/spellings.ts";
import { errorOf, loadToml } from "./folder.ts";

const hookOf = async (lines: string) => {
  const { hooks } = await loadToml(`[[hooks]]\n${lines}\nhandler_inline = "return nil"\n`);
  return hooks[0];
};

describe("alternative key spellings have the documented meaning", () => {
  const values: Readonly<Record<keyof typeof SPELLINGS, [string, string]>> = {
    event: [`"PreToolUse"`, `"tool.pre_execute"`],
    name: [`"guard"`, `"guard"`],
    timeout_sec: ["2.5", "2500"],
    matcher: [`"Write|Edit"`, `"Write|Edit"`],
    tool_matcher: [`"Bash*"`, `"Bash*"`],
    path_pattern: [`"*.rs"`, `"*.rs"`],
    command_pattern: [`"rm"`, `"rm"`],
    session_id: [`"s-1"`, `"s-1"`],
    async_execution: ["true", "true"],
  };

  test.each(Object.entries(values))("%s", async (key, [value, meant]) => {
    const canonical = SPELLINGS[key as keyof typeof SPELLINGS].join(".");
    const point = key === "event" ? "" : `point = "PreToolUse"\n`;
    const one = await hookOf(`${point}${key} = ${value}`);
    const two = await hookOf(`${point}${canonical} = ${meant}`);
    const same = expect.any(String) as unknown; // each is loaded in a folder of its own
    expect({ ...one, baseDir: same }).toEqual({ ...two, baseDir: same });
  });
});

test.each(["PreToolUse", "pre_tool_use", "PRETOOLUSE", "BeforeTool", "tool.pre_execute"])(
  "point spelled %s",
  async (name) => {
    const hook = await hookOf(`event = "${name}"`);
    expect(hook?.point?.name).toBe("tool.pre_execute");
  },
);

test("spellings for different conditions combine with match", async () => {
  const hook = await hookOf(
    `event = "PreToolUse"\ntool_matcher = "Bash"\nsession_id = "s"\nmatch = { command = "rm" }`,
  );
  expect(hook?.match).toEqual({ tool: "Bash", session: "s", command: "rm" });
});

test("a timeout in seconds is rounded to milliseconds, at least 1", async () => {
  expect((await hookOf(`event = "Stop"\ntimeout_sec = 0.0001`))?.timeoutMs).toBe(1);
  const { diagnostics } = await errorOf(
    loadToml(`[[hooks]]\ntimeout_sec = 1e7\nevent="Stop"\nhandler_inline = "x"`),
  );
  expect(diagnostics).toMatchObject([{ code: "ORCS1004", place: { line: 2 } }]);
});
