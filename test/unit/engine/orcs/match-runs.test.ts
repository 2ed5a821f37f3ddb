import { expect, test } from "vitest";
import { call, folder, open } from "./engine.ts";

const TOML = `
[[hooks]]
id = "lone"
point = "PreToolUse"
match.runs = "git push --force"
handler_inline = 'orcs.deny("lone")'

[[hooks]]
id = "listed"
point = "PreToolUse"
match = { tool = "exec", runs = ["rm -r*", "?"] }
handler_inline = 'orcs.deny("listed")'

[[hooks]]
script = "s.lua"
`;
const SCRIPT = `
orcs.hook {
  id = "runs-later", point = "PreToolUse", match = { runs = "git clean -f" },
  handler = function() return orcs.deny("runs-later") end,
}
return {
  id = "scripted", point = "PreToolUse", match = { runs = { "git stash drop", "git reset --hard" } },
  handler = function() return orcs.deny("scripted") end,
}
`;

test("match.runs works in TOML, scripts and code, and the trace shows where it failed", async () => {
  const cwd = folder({ "orcs.toml": TOML, "hooks/s.lua": SCRIPT });
  const orcs = await open({ cwd, config: "orcs.toml", trace: true });
  orcs.on("tool.pre_execute", { runs: ["kubectl delete"] as const }, () => ({
    action: "abort",
    reason: "coded",
  }));
  const reasonOf = async (command: unknown): Promise<string | undefined> => {
    const payload = { ...call("exec"), args: { command } } as ReturnType<typeof call>;
    const outcome = await orcs.dispatch("tool.pre_execute", payload);
    return outcome.action === "abort" ? outcome.reason : undefined;
  };
  expect(await reasonOf("sh -c 'git push -f'")).toBe("lone");
  expect(await reasonOf(["rm", "-fr", "x"])).toBe("listed");
  expect(await reasonOf("$X")).toBe("listed");
  expect(await reasonOf("git -C d reset --hard HEAD~1")).toBe("scripted");
  expect(await reasonOf("git clean -xdf")).toBe("runs-later");
  expect(await reasonOf("kubectl -n a delete pod x")).toBe("coded");
  expect(await reasonOf("git push && rm x && git reset")).toBeUndefined();

  const { trace } = await orcs.dispatch("tool.pre_execute", {
    ...call("exec"),
    args: { command: "ls" },
  });
  expect(trace?.map(({ status, failing }) => [status, failing])).toEqual(
    Array.from({ length: 5 }, () => ["not_matched", "runs"]),
  );
  expect(orcs.registry.get("lone")?.match).toEqual({ runs: ["git push --force"] });
});

test("an invalid runs pattern in a script is rejected at load with ORCS1012", async () => {
  const cwd = folder({
    "orcs.toml": '[[hooks]]\nscript = "s.lua"\n',
    "hooks/s.lua": `return { point = "PreToolUse", match = { runs = { "a", "b | c" } }, handler = print }`,
  });
  await expect(open({ cwd, config: "orcs.toml" })).rejects.toThrow(
    /ORCS1012: match\.runs\[2\]: .*write one pattern for each/,
  );
});
