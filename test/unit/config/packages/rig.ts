import type { Command } from "commander";
import { vi } from "vitest";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readPackage } from "../../../../src/config/packages/read-package.ts";
import { LOCK_NAME, lockedPackage, lockText } from "../../../../src/config/packages/lock-file.ts";

/** Files by path. */
export type Files = Readonly<Record<string, string>>;

/** A hook that denies what a module of its package says. */
export const GUARD = `
local paths = require "paths"
return { point = "tool.pre_execute", match = { tool = "Bash" }, handler = function(ctx)
  if paths.is_prod(ctx.payload.args.command) then
    return { action = "abort", reason = "no " .. (orcs.options.target or "?") }
  end
end }
`;

/** The files of the package `@acme/guards`. */
export const GUARDS: Files = {
  "package.json": JSON.stringify({
    name: "@acme/guards",
    version: "1.0.0",
    orcs: {
      hooks: { "no-prod": "hooks/no-prod.lua", note: "hooks/note.lua" },
      options: { target: "prod" },
      requires: ">=0.1.0",
    },
  }),
  "hooks/no-prod.lua": GUARD,
  "hooks/note.lua": `return { point = "tool.pre_execute", handler = function(ctx) ctx.metadata.said = "note" end }\n`,
  "lua/paths.lua": `return { is_prod = function(text) return text:find("prod", 1, true) ~= nil end }\n`,
};

/** The same package with other fields of `orcs`. */
export function manifest(orcs: unknown, others: object = {}): Files {
  return {
    "package.json": JSON.stringify({ name: "@acme/guards", version: "1.0.0", orcs, ...others }),
  };
}

export function write(dir: string, files: Files): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  return dir;
}

/** Install a package in a folder. */
export function install(dir: string, files: Files = GUARDS, name = "@acme/guards"): string {
  return write(join(dir, "node_modules", name), files);
}

/** Link a package in a folder to the place where it is worked on. */
export function linked(dir: string, target: string, name = "@acme/guards"): void {
  const path = join(dir, "node_modules", name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

/** Write the lock of a folder for the package as it is. */
export function lock(dir: string, name = "@acme/guards"): void {
  const found = readPackage(join(dir, "node_modules", name), name);
  writeFileSync(join(dir, LOCK_NAME), lockText(new Map([[name, lockedPackage(found)]])));
}

/** What a verb prints to stdout, run in a folder. Its exit code is set as in a process of its own. */
export async function verb(command: Command, cwd: string, ...args: string[]): Promise<Printed> {
  const { text, code } = await noted(command, cwd, ...args);
  return { text, code };
}

/** The same, with what it prints to stderr. */
export async function noted(
  command: Command,
  cwd: string,
  ...args: string[]
): Promise<Printed & { readonly notes: string }> {
  const printed: string[] = [];
  const notes: string[] = [];
  const spies = [
    vi.spyOn(process, "cwd").mockReturnValue(cwd),
    vi.spyOn(process.stdout, "write").mockImplementation((text) => printed.push(String(text)) > 0),
    vi.spyOn(process.stderr, "write").mockImplementation((text) => notes.push(String(text)) > 0),
  ];
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await command.exitOverride().parseAsync(args, { from: "user" });
    const code = Number(process.exitCode ?? 0);
    return { text: printed.join(""), code, notes: notes.join("") };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}

/** What a verb printed, and its exit code. */
export interface Printed {
  readonly text: string;
  readonly code: number;
}
