import { expect, test } from "vitest";
import { HOST_NAMES } from "../../../../src/core/hosts.ts";
import { readHookOptions } from "../../../../src/daemon/hook/hook-options.ts";

const NONE = {
  config: undefined,
  timeoutMs: undefined,
  spentMs: 0,
  strict: false,
  http: false,
  carried: false,
};
const FOLDERS = ["--config-dir", "/c d", "--state-dir=/s"];

test.each(HOST_NAMES)("readHookOptions accepts --host %s", (host) => {
  expect(readHookOptions(["--host", host])).toEqual({ ...NONE, host });
  expect(readHookOptions([`--host=${host}`])).toEqual({ ...NONE, host });
});

test.each([
  [["--host", "codex", "--config", "a b=c.toml"], { config: "a b=c.toml" }],
  [["--config=a=b", "--host=codex"], { config: "a=b" }],
  [["--host", "codex", "--timeout", "1.5"], { timeoutMs: 1500 }],
  [["--host", "gemini", "--host", "codex", "--timeout=86400"], { timeoutMs: 86_400_000 }],
  [["--host", "codex", "--config", "--timeout"], { config: "--timeout" }],
  [["--host", "codex", "--strict"], { strict: true }],
  [["--host", "codex", "--http"], { http: true }],
  [["--host", "codex", "--timeout", "60", "--spent", "7"], { timeoutMs: 60_000, spentMs: 7000 }],
  [["--host", "codex", ...FOLDERS], { folders: { config: "/c d", state: "/s" } }],
  [
    ["--host", "codex", ...FOLDERS, "--id", "a.b"],
    { folders: { config: "/c d", state: "/s" }, id: "a.b" },
  ],
])("readHookOptions reads %j", (args, read) => {
  expect(readHookOptions(args)).toEqual({ ...NONE, host: "codex", ...read });
});

test.each([
  [[], "--host must be one of claude-code, codex, gemini, cursor, copilot, qwen"],
  [["--host"], "--host needs a value"],
  [["--host", "Codex"], "--host must be one of claude-code, codex, gemini, cursor, copilot, qwen"],
  [
    ["--host", "constructor"],
    "--host must be one of claude-code, codex, gemini, cursor, copilot, qwen",
  ],
  [["--hosts", "codex"], 'unknown argument "--hosts"'],
  [["codex"], 'unknown argument "codex": use --host codex'],
  [["--", "--host", "codex"], 'unknown argument "--"'],
  [["--host", "codex", "--config-dir", "/c"], "--config-dir needs --state-dir"],
  [["--host", "codex", "--state-dir", "/c"], "--config-dir needs --state-dir"],
  [
    ["--host", "codex", "--config-dir", "c", "--state-dir", "/s"],
    "--config-dir and --state-dir must be absolute paths",
  ],
  [["--host", "codex", "--id", "a.b"], "--id needs --config-dir and --state-dir"],
  [["--host", "codex", "--spent", "-1"], "--spent must be a number of seconds"],
  [["__proto__=1"], 'unknown argument "__proto__=1"'],
  ...["0", "-1", "NaN", "Infinity", "1s", "", " ", "86401"].map((seconds) => [
    ["--host", "codex", "--timeout", seconds],
    "--timeout must be a number of seconds",
  ]),
] as [string[], string][])("readHookOptions rejects %j: %s", (args, why) => {
  expect(readHookOptions(args)).toBe(why);
});
