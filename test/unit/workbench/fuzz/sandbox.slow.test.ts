import { existsSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { forbiddenPatterns } from "../../../../src/workbench/fuzz/forbidden.ts";
import { openOracle } from "../../../../src/workbench/fuzz/fuzz.ts";
import type { HookDefinition } from "../../../../src/engine/orcs/options.ts";
import { openSandbox, type Sandbox } from "../../../../src/workbench/fuzz/sandbox.ts";
import { fuzz } from "../../../../src/workbench/testing.ts";
import { folder } from "../../engine/orcs/engine.ts";

const opened = await openSandbox(["git"], true);
const isThere = !("why" in opened);

describe.skipIf(!isThere)("the sandbox", () => {
  const sandbox = opened as Sandbox;
  const witness = join(tmpdir(), `orcs-fuzz-witness-${process.pid}`);
  let ran: readonly (readonly string[])[][];

  const LINES = {
    plain: "git push --force",
    paths: "/usr/bin/git a; /bin/git b; cd /; usr/local/bin/git c",
    wrappers:
      "sudo -u root env nice git a | cat; echo | xargs timeout 5 git b; find . -maxdepth 0 -exec git {} +",
    words: `git 'a b' '' $'c\\nd'`,
    background: "setsid git a >/dev/null 2>&1 & (git b &)",
    substitution: "cat <(git a) > >(git b)",
    outside: `echo x > ${witness}; git "$(echo /*)" "$(echo /old/*)" "$(cat /etc/passwd)" "$(cat ${process.execPath} | head -c 4)"`,
    write: "echo x > /usr/bin/git; echo x > /.orcs/stub; git $?",
    network: "echo x 2>/dev/null > /dev/tcp/127.0.0.1/22 || git none",
    endless: "while :; do :; done",
    "after it": "git a",
    "no real program": "/usr/lib/git-core/git push; perl -e 1; git $?",
  };

  beforeAll(async () => {
    const all = await sandbox.run(Object.values(LINES));
    ran = all.map((each) => each.map(({ argv }) => argv));
  }, 60_000);
  afterAll(() => {
    sandbox.close();
    rmSync(witness, { force: true });
  });

  /** What the line ran, sorted: some run side by side. */
  const of = (name: keyof typeof LINES): string[] =>
    (ran[Object.keys(LINES).indexOf(name)] ?? []).map((argv) => argv.join(" ")).toSorted();
  const GIT = "/usr/local/bin/git";

  it("records what stubs get", () => {
    expect(of("plain")).toEqual([`${GIT} push --force`]);
    expect(ran[3]).toEqual([[GIT, "a b", "", "c\nd"]]);
  });

  it("has stubs at every path, and only there", () => {
    expect(of("paths")).toEqual(["/bin/git b", "/usr/bin/git a", "usr/local/bin/git c"]);
    expect(of("no real program")).toEqual([`${GIT} 127`]);
  });

  it("has programs that start others", () => {
    const [sudo, ...gits] = of("wrappers").toReversed();
    expect(sudo).toBe("/usr/local/bin/sudo -u root env nice git a");
    expect(gits.toReversed()).toEqual([`${GIT} .`, `${GIT} a`, `${GIT} b`]);
  });

  it("waits for what a line starts", () => {
    expect(of("background")).toEqual([`${GIT} a`, `${GIT} b`]);
    expect(of("substitution")).toEqual([`${GIT} a`, `${GIT} b`]);
  });

  it("reaches no file and no network of the machine", () => {
    expect(existsSync(witness)).toBe(false);
    const [words = ""] = of("outside");
    expect(words).toMatch(/^\/usr\/local\/bin\/git \/bin \/dev \/etc \/home \S.* \/old\/\* {2}$/);
    expect(words).not.toContain("root:");
    expect(of("write")).toEqual([`${GIT} 1`]);
    expect(of("network")).toEqual([`${GIT} none`]);
  });

  it("ends a line that does not end, and runs the others", () => {
    expect(of("endless")).toEqual([]);
    expect(of("after it")).toEqual([`${GIT} a`]);
  });

  it("records the environment", async () => {
    const [[first] = []] = await sandbox.run(["A='x=y z' git a"]);
    expect(first?.env["A"]).toBe("x=y z");
  });
});

describe.skipIf(!isThere)("fuzz", () => {
  it("finds what a guard of text does not see, reduced, and leaves nothing behind", async () => {
    const temporary = folder();
    vi.stubEnv("TMPDIR", temporary);
    const guard: HookDefinition = {
      id: "guard",
      point: "tool.pre_execute",
      handler: ({ payload }) => {
        const line = String((payload["args"] as Record<string, unknown>)["command"]);
        // It knows everything but the program `nice`.
        return /\bnice\b/.test(line) && !/["'\\$`]/.test(line)
          ? undefined
          : { action: "abort", reason: "no" };
      },
    };
    const report = await fuzz({
      hooks: [guard],
      never: "git push --force",
      runs: 700,
      most: 3,
      seed: 2,
    });
    expect(report).toMatchObject({ ok: false, checkedBy: "sandbox", seed: 2 });
    expect(report.holes.length).toBeGreaterThan(0);
    for (const { rules, ran, guard: plain } of report.holes) {
      expect(rules.filter((rule) => rule.startsWith("nice"))).toHaveLength(1);
      expect(rules).toHaveLength(1);
      expect(ran).toEqual(["git", "push", "--force"]);
      expect(plain).toEqual({ hook: "guard", action: "abort", decision: "deny" });
    }
    vi.unstubAllEnvs();
    expect(readdirSync(temporary)).toEqual([]);
  }, 60_000);

  it("is told by the reader where bash starts no program", async () => {
    const oracle = await openOracle(forbiddenPatterns(["eval x"]));
    expect(oracle).toMatchObject({
      kind: "reader",
      why: "bash does not start a program for eval x",
    });
    expect(await oracle.ran(["eval x", "echo x"])).toEqual([["eval", "x"], undefined]);
    oracle.close();
  });
});
