import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { importCommand } from "../../../src/cli/import.ts";
import { OrcsError } from "../../../src/core/errors.ts";
import { folder } from "../engine/orcs/engine.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
});

const GUARD = `#!/bin/sh
grep -q "git push --force" || exit 0
echo "no force push" >&2
exit 2
`;
/** Denies by a variable that its line does not name: an import cannot know of it. */
const FREEZE = `#!/bin/sh
[ -z "$FREEZE" ] || { echo "frozen" >&2; exit 2; }
`;

function project(): string {
  const at = folder();
  mkdirSync(join(at, "hooks"));
  for (const [name, text] of Object.entries({ "guard.sh": GUARD, "freeze.sh": FREEZE })) {
    writeFileSync(join(at, "hooks", name), text);
    chmodSync(join(at, "hooks", name), 0o755);
  }
  const hook = (command: string) => ({ type: "command", command });
  const hooks = {
    PreToolUse: [
      {
        matcher: "Bash",
        hooks: [hook("./hooks/guard.sh"), hook("$CLAUDE_PROJECT_DIR/hooks/freeze.sh")],
      },
    ],
  };
  writeFileSync(join(at, "settings.json"), JSON.stringify({ hooks }));
  return at;
}

/** What the command prints. */
async function compared(at: string, ...more: readonly string[]): Promise<string> {
  vi.spyOn(process, "cwd").mockReturnValue(at);
  const printed: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => printed.push(String(text)) > 0);
  const args = ["--from", "claude-code", join(at, "settings.json"), "--compare", ...more];
  await importCommand().parseAsync(args, { from: "user" });
  return printed.join("");
}

test("the imported commands decide as the original ones, on events by the agent's table", async () => {
  expect(await compared(project())).toBe("5 events, 0 with another decision\n");
  expect(process.exitCode).toBeUndefined();
});

test("another decision on a recorded event is printed, and the exit code is 1", async () => {
  const at = project();
  vi.stubEnv("FREEZE", "1");
  const call = (command: string) => ({
    hook_event_name: "PreToolUse",
    session_id: "s",
    cwd: "/nowhere",
    tool_name: "Bash",
    tool_input: { command },
  });
  const recorded = [call("git push --force"), { hook_event_name: "Stop" }, call("ls")];
  const events = join(at, "events.jsonl");
  writeFileSync(events, recorded.map((each) => JSON.stringify(each)).join("\n"));
  const text =
    "event 3, PreToolUse: in the agent deny (frozen), imported nothing\n2 events, 1 with another decision\n";
  expect(await compared(at, events)).toBe(text);
  expect(process.exitCode).toBe(1);
  expect(JSON.parse(await compared(at, events, "--json"))).toEqual({
    ok: false,
    events: 2,
    differ: [
      {
        number: 3,
        event: "PreToolUse",
        original: { decision: "deny", reason: "frozen" },
        imported: { decision: "nothing", did: {} },
      },
    ],
    skipped: 0,
  });
});

test("events that no command is on are an error", async () => {
  const at = project();
  await expect(compared(at, join(at, "missing.jsonl"))).rejects.toThrow("there is no file");
  writeFileSync(join(at, "none.jsonl"), "{}\n");
  await expect(compared(at, join(at, "none.jsonl"))).rejects.toThrow(OrcsError);
});
