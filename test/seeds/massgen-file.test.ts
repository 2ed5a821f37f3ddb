import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Orcs } from "../../src/engine/orcs/orcs.ts";
import { folder, Lines, open } from "../unit/engine/orcs/engine.ts";
import { HAS_PYTHON, PATH_WITH_PYTHON, script } from "./scripts/interpreters.ts";

/**
 * The configuration of seed 004 (MassGen) as it stands: lists of hooks by event, and Python functions. As an object it runs
 * in docs/how-to/coming-from/massgen.md.
 */

beforeEach(() => void vi.stubEnv("PATH", PATH_WITH_PYTHON));
afterEach(() => void vi.unstubAllEnvs());

const PYTHON = { name: "in Python", program: "python3", extension: "py" } as const;
const text = (...path: string[]): string => readFileSync(join(...path), "utf8");
const write = (path: string) => ({ tool_name: "Write", args: { path, content: "x" } });

describe.skipIf(!HAS_PYTHON)("Decision 2: the example as it stands", () => {
  const IN_TOML = `[[hooks.PreToolUse]]
matcher = "*"
handler = "massgen.hooks.audit_all_tools"
type = "python"

[[agents]]
id = "agent1"

[[agents.backend.hooks.PreToolUse]]
matcher = "Write"
handler = "custom_write_hook.py"
type = "command"

[agents.backend.hooks.PostToolUse]
override = true

[[agents.backend.hooks.PostToolUse.hooks]]
handler = "agent1_logging.py"
type = "command"
`;
  /** Its handlers, none of which is executable. */
  const HANDLERS = {
    "massgen/__init__.py": "",
    "massgen/hooks.py": `import pathlib
def audit_all_tools(event):
    with pathlib.Path("audit.log").open("a") as log:
        log.write(f"{event.hook_type} {event.agent_id} {event.tool_name} {event.timestamp.year > 2000}\\n")
`,
    "custom_write_hook.py": script("custom_write_hook", PYTHON),
    "agent1_logging.py": script("agent1_logging", PYTHON),
  };

  test("in TOML; each call selects its agent", async () => {
    const cwd = folder({ ...HANDLERS, "orcs.toml": IN_TOML });
    const logger = new Lines();
    const orcs = await open({ cwd, config: "orcs.toml", logger });
    const of = (agent_id: string) => ({ ...write("/etc/passwd"), agent_id });
    const [first, second] = [
      await orcs.dispatch("PreToolUse", of("agent1")),
      await orcs.dispatch("PreToolUse", of("agent2")),
    ];
    expect(first).toMatchObject({ action: "abort", reason: "absolute path: /etc/passwd" });
    expect(second.action).toBe("continue");
    expect(text(cwd, "audit.log")).toBe(
      "PreToolUse agent1 Write True\nPreToolUse agent2 Write True\n",
    );
    const after = await orcs.dispatch("PostToolUse", { ...of("agent1"), result: "ok" });
    expect(after.inject).toEqual([{ content: "noted: Write", strategy: "tool_result" }]);
    expect(logger.lines).toEqual([]);
  });

  const callable = async (body: string): Promise<{ orcs: Orcs; logger: Lines }> => {
    const hook = { name: "h", handler: "hook.run", type: "python" };
    const cwd = folder({ "hook.py": `import dataclasses, sys\n${body}` });
    const logger = new Lines();
    return { orcs: await open({ cwd, config: { hooks: { PreToolUse: [hook] } }, logger }), logger };
  };
  const RESULT = `@dataclasses.dataclass
class HookResult:
    allowed: bool = True
    reason: str = None
`;

  test.each([
    ["a dictionary", `def run(event): return {"allowed": False, "reason": event.tool_name}`],
    ["a dataclass", `${RESULT}def run(event): return HookResult(False, event.tool_name)`],
    ["a coroutine", `async def run(event): return {"allowed": False, "reason": event.tool_name}`],
    [
      "what it prints is not its result",
      `def run(event):\n    print('{"allowed": true}')\n    return {"allowed": False, "reason": "Write"}`,
    ],
  ])("a Python callable: %s", async (_, body) => {
    const { orcs, logger } = await callable(body);
    expect(await orcs.dispatch("PreToolUse", write("a"))).toMatchObject({ reason: "Write" });
    expect(logger.lines).toEqual([]);
  });

  test.each([
    // Decision 6: an import error denies, an error at run time does not.
    ["no function of the name", "def other(event): pass", "abort", /cannot import hook\.run/],
    ["no function", "run = 1", "abort", /is not a function/],
    ["an error in the module", "raise ValueError('x')", "abort", /ValueError/],
    ["a module that ends the process", "sys.exit(0)", "abort", /cannot import/],
    ["an import in the function", "def run(event): import no_such", "abort", /no_such/],
    ["a result of another type", "def run(event): return False", "abort", /./],
    ["a function that ends the process", "def run(event): sys.exit(0)", "continue", /ended/],
    ["an exception", "def run(event): raise ValueError('x')", "continue", /ValueError/],
  ])("a Python callable that fails: %s", async (_, body, action, why) => {
    const { orcs, logger } = await callable(body);
    expect((await orcs.dispatch("PreToolUse", write("a"))).action).toBe(action);
    expect(logger.lines).toEqual([expect.stringMatching(/^error: hook h failed at tool/)]);
    expect(logger.lines[0]).toMatch(why);
  });

  test("a module in the working directory does not replace one of the configuration", async () => {
    const { orcs } = await callable(`def run(event): return {"allowed": False, "reason": "mine"}`);
    const cwd = folder({
      "hook.py": "def run(event): return None",
      "json.py": "raise SystemExit(0)",
      "sitecustomize.py": "raise SystemExit(0)",
    });
    expect(await orcs.dispatch("PreToolUse", { ...write("a"), cwd })).toMatchObject({
      reason: "mine",
    });
  });
});
