import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { POLICIES } from "../../src/cli/init-files.ts";
import { commitAll, orcs, PATIENT, project, ROOT } from "./orcs.ts";

const SAMPLE = join(ROOT, "examples/release-notes.lua");
const NOTES = "dist/notes/RELEASE_NOTES.md";

/** What a policy does to the sample agent, and to one event. */
interface Case {
  readonly options?: string;
  /** What stderr of the sample agent says. */
  readonly said: RegExp;
  /** What the notes say that it writes; undefined when it writes none. */
  readonly notes: RegExp | undefined;
  readonly event: readonly [point: string, ...args: string[]];
  readonly answer: RegExp;
}

const CASES: Readonly<Record<string, Case>> = {
  "shell-guard": {
    said: /not pushed: denied by hook shell-guard: .*--force-with-lease/,
    notes: /token in the settings reads: not-a-real/,
    event: ["tool.pre_execute", "tool=Bash", "command=sudo sh -c 'git clean -fdx'"],
    answer: /^abort by shell-guard: .*git clean -n/,
  },
  "secret-guard": {
    options: '{ deny = ["sample.ini"] }',
    said: /not pushed/,
    notes: /token in the settings reads: none/,
    event: ["tool.pre_execute", "tool=Read", "file_path=.env"],
    answer: /^abort by secret-guard: .*\.env\.example/,
  },
  "path-guard": {
    options: '{ roots = ["src"] }',
    said: /not written: denied by hook path-guard: .*is outside the writable folders: src/,
    notes: undefined,
    event: ["tool.pre_execute", "tool=exec", "command=echo x > orcs.toml"],
    answer: /^abort by path-guard: /,
  },
  "keep-checks": {
    said: /wrote dist\/notes/,
    notes: /1 changes/,
    event: ["tool.pre_execute", "tool=exec", "command=git commit --no-verify -m x"],
    answer: /^continue, ask by keep-checks: keep-checks: /,
  },
  "mask-secrets": {
    said: /wrote dist\/notes/,
    notes: /token in the settings reads: \[redacted\]/,
    event: ["tool.post_execute", "tool=read", "path=a"],
    answer: /^continue/,
  },
  budget: {
    options: "{ session = { calls = 2 } }",
    said: /not written: denied by hook budget-calls: budget: 2 of 2 calls/,
    notes: undefined,
    event: ["tool.pre_execute", "tool=exec", "command=ls"],
    answer: /^continue/,
  },
  approve: {
    options: '{ rules = [{ runs = ["git push"], reason = "It leaves the machine." }] }',
    said: /not pushed: denied by hook approve: needs approval, but nobody is available to ask/,
    notes: /1 changes/,
    event: ["tool.pre_execute", "tool=exec", "command=cd x && sudo git push"],
    answer: /^continue, ask by approve: approve: It leaves the machine/,
  },
  "loop-guard": {
    said: /wrote dist\/notes/,
    notes: /1 changes/,
    event: ["tool.pre_execute", "tool=exec", "command=ls"],
    answer: /^continue/,
  },
  undo: {
    said: /wrote dist\/notes/,
    notes: /1 changes/,
    event: ["tool.pre_execute", "tool=exec", "command=rm -rf src"],
    answer: /^continue/,
  },
};

test("every shipped policy has a case here", () => {
  expect(Object.keys(CASES).sort()).toEqual(POLICIES.map(({ name }) => name).sort());
});

describe.each(Object.entries(CASES))("policy %s", { concurrent: true }, (name, it) => {
  const options = it.options === undefined ? "" : `options = ${it.options}\n`;
  const config = `[permissions]\nroot = "."\n[[hooks]]\nscript = "orcs:${name}"\n${options}${PATIENT}`;
  const files = {
    "orcs.toml": config,
    "package.json": '{ "version": "1.0.0" }',
    "src/a.ts": "export function a() {}\n",
    "examples/settings/sample.ini": readFileSync(
      join(ROOT, "examples/settings/sample.ini"),
      "utf8",
    ),
  };

  test("works for the sample agent and a single event", async () => {
    const cwd = await project(files);
    commitAll(cwd);
    const ran = await orcs(["run", SAMPLE, "--config", "orcs.toml"], { cwd });
    expect(ran.stderr).toMatch(it.said);
    const notes = join(cwd, NOTES);
    expect(existsSync(notes)).toBe(it.notes !== undefined);
    if (it.notes) expect(readFileSync(notes, "utf8")).toMatch(it.notes);
    expect(ran.code).toBe(it.notes ? 0 : 2);
    const evaluated = await orcs(["eval", ...it.event, "--config", "orcs.toml"], { cwd });
    expect(evaluated.stdout).toMatch(it.answer);
    expect(evaluated.stdout).toContain(name);
    expect(evaluated.code).toBe(0);
  });

  test("gives the same results with worker isolation", async () => {
    const cwd = await project({ "orcs.toml": `${config}isolation = "worker"\n` });
    const { code, stdout } = await orcs(["eval", ...it.event, "--config", "orcs.toml"], { cwd });
    expect(stdout).toMatch(it.answer);
    expect(stdout).toContain(name);
    expect(code).toBe(0);
  });
});
