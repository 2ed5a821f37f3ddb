import { afterEach, expect, test, vi } from "vitest";
import type { HostName } from "../../../../src/core/hosts.ts";
import { projectDirectory } from "../../../../src/daemon/address.ts";

afterEach(() => vi.unstubAllEnvs());

const NAMES: Readonly<Record<string, string>> = {
  CLAUDE_PROJECT_DIR: "/claude",
  GEMINI_PROJECT_DIR: "/gemini",
  CURSOR_PROJECT_DIR: "/cursor",
};

test.each<[HostName, string]>([
  ["claude-code", "/claude"],
  ["gemini", "/gemini"],
  ["cursor", "/cursor"],
  ["codex", process.cwd()],
])("projectDirectory of %s is %s", (host, directory) => {
  for (const [name, value] of Object.entries(NAMES)) vi.stubEnv(name, value);
  expect(projectDirectory(host)).toBe(directory);
});

test.each(["", ".", "sub", "~"])("projectDirectory ignores CLAUDE_PROJECT_DIR=%j", (value) => {
  vi.stubEnv("CLAUDE_PROJECT_DIR", value);
  expect(projectDirectory("claude-code")).toBe(process.cwd());
});
