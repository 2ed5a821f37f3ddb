import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { completedCommands, completionCommand } from "../../../src/cli/completion.ts";
import { loadedCommand } from "../../../src/cli/verb-loaders.ts";
import { isVerb, VERBS } from "../../../src/core/cli-verbs.ts";

/** Loaded with this file: some packages that verbs load leave something in the global object. */
const verbs = await Promise.all(
  Object.keys(VERBS)
    .filter(isVerb)
    .map((verb) => loadedCommand(verb)),
);

let dir: string;
beforeAll(() => (dir = mkdtempSync(join(tmpdir(), "orcs-completion-"))));
afterAll(() => rmSync(dir, { recursive: true }));

async function scriptOf(shell: string): Promise<string> {
  const printed: string[] = [];
  const spy = vi
    .spyOn(process.stdout, "write")
    .mockImplementation((chunk) => printed.push(String(chunk)) > 0);
  try {
    await completionCommand(loadedCommand).parseAsync([shell], { from: "user" });
  } finally {
    spy.mockRestore();
  }
  const file = join(dir, shell);
  writeFileSync(file, printed.join(""));
  return file;
}

/** What a line with a cursor at its end is completed to: some of the words, and none of the others. */
const LINES: readonly [line: string, to: readonly string[], notTo: readonly string[]][] = [
  ["orcs pa", ["package"], ["list"]],
  ["orcs rules ", ["allow", "promote"], ["list"]],
  ["orcs rules promote --to ", ["warn", "enforce"], ["audit"]],
  ["orcs rules promote a-hook --t", ["--to"], ["--json"]],
  ["orcs test --ne", ["--never"], ["--json"]],
  ["orcs audit re", ["report"], ["replay"]],
  ["orcs audit report --sh", ["--shadow"], ["--json"]],
  ["orcs eval tool.p", ["tool.pre_execute", "tool.post_execute"], ["bus.pre_broadcast"]],
  ["orcs install --host cl", ["claude-code"], ["codex"]],
  ["orcs completion ", ["bash", "zsh", "fish"], ["eval"]],
];

const has = (shell: string): boolean => {
  const isThere = spawnSync(shell, ["-c", "true"]).status === 0;
  if (!isThere) process.stderr.write(`no ${shell} here: its completion is not tried\n`);
  return isThere;
};

describe("orcs completion", () => {
  it("knows every verb, its options and the words that they take", () => {
    const commands = verbs.flatMap((verb) => completedCommands(verb));
    expect(commands.filter(({ path }) => path.length === 1)).toHaveLength(verbs.length);
    expect(commands.map(({ path }) => path.join(" "))).toContain("audit report");
    const promote = commands.find(({ path }) => path[1] === "promote");
    expect(promote?.options).toContainEqual(
      expect.objectContaining({ flags: ["--to"], takesValue: true, words: ["warn", "enforce"] }),
    );
  });

  it.runIf(has("bash"))("completes in bash", async () => {
    const file = await scriptOf("bash");
    const ask =
      'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _orcs; printf "%s\\n" "${COMPREPLY[@]}"';
    for (const [line, to, notTo] of LINES) {
      const args = ["--norc", "-c", ask, "bash", file, ...line.split(" ")];
      const found = execFileSync("bash", args, { encoding: "utf8" }).split("\n");
      expect(found, line).toEqual(expect.arrayContaining([...to]));
      for (const other of notTo) expect(found, line).not.toContain(other);
    }
  });

  it.runIf(has("fish"))("completes in fish", async () => {
    const file = await scriptOf("fish");
    for (const [line, to, notTo] of LINES) {
      const ask = `source ${file}; complete -C '${line}'`;
      const env = { ...process.env, HOME: dir };
      const printed = execFileSync("fish", ["--no-config", "-c", ask], { encoding: "utf8", env });
      const found = printed.split("\n").map((each) => each.split("\t")[0]);
      expect(found, line).toEqual(expect.arrayContaining([...to]));
      for (const other of notTo) expect(found, line).not.toContain(other);
    }
  });

  it.runIf(has("zsh"))("is read by zsh", async () => {
    const file = await scriptOf("zsh");
    const ask = `autoload -Uz compinit && compinit -u -d ${dir}/dump && source ${file} && print $_comps[orcs]`;
    expect(execFileSync("zsh", ["-f", "-c", ask], { encoding: "utf8" })).toBe("_orcs\n");
  });

  it("refuses another shell", async () => {
    const command = completionCommand(loadedCommand)
      .exitOverride()
      .configureOutput({ writeErr: () => undefined });
    await expect(command.parseAsync(["tcsh"], { from: "user" })).rejects.toThrow(/bash, zsh, fish/);
  });
});
