import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openBothSets } from "../../../../src/workbench/replay/baseline-hooks.ts";
import type { BothSets } from "../../../../src/workbench/replay/baseline-hooks.ts";
import { replay } from "../../../../src/workbench/replay/replay.ts";
import type { ReplayDifference } from "../../../../src/workbench/replay/replay-result.ts";
import { errorOf, folder } from "../../engine/orcs/engine.ts";
import { command, event, recordOf } from "./replay-rig.ts";

const CONFIG = `
[scripts]
dirs = ["../shared"]
[[hooks]]
id = "guard"
point = "tool.pre_execute"
script = "guard.lua"
`;
const guard = (word: string): string =>
  `return function(ctx)\n  if ctx.payload.args.command == "${word}" then return orcs.deny("no ${word}") end\nend\n`;

function git(dir: string, ...args: string[]): void {
  const identity = [
    "-c",
    "user.name=t",
    "-c",
    "user.email=t@localhost",
    "-c",
    "commit.gpgsign=false",
  ];
  execFileSync("git", [...identity, ...args], { cwd: dir, stdio: "pipe" });
}

/** A repository whose first revision refuses `rm`, and whose working tree refuses `mv`. */
function repository(): string {
  const dir = folder({ "project/orcs.toml": CONFIG, "shared/guard.lua": guard("rm") });
  git(dir, "init", "-q", "-b", "trunk");
  git(dir, "add", ".");
  git(dir, "commit", "-q", "-m", "one");
  git(dir, "tag", "first");
  writeFileSync(join(dir, "shared/guard.lua"), guard("mv"));
  return dir;
}

async function sets(config: string | undefined, against: string, cwd: string): Promise<BothSets> {
  const both = await openBothSets(config, against, cwd);
  onTestFinished(() => both.close());
  return both;
}

async function differences(both: BothSets, file: string): Promise<ReplayDifference[]> {
  const found: ReplayDifference[] = [];
  const logger = { debug: none, info: none, warn: none, error: none };
  await replay({
    file,
    set: { ...both.set, logger },
    against: { ...both.against, logger },
    differs: (difference) => found.push(difference),
  });
  return found;
}

const RECORD = () => recordOf([command("ls"), command("rm"), command("mv")]);
const left = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith("orcs-replay-"));

describe("replay against a git revision", () => {
  test("uses the scripts as they were, also outside the project folder, and removes its temporary files", async () => {
    const dir = repository();
    const before = left();
    const both = await sets("project/orcs.toml", "first", dir);
    const found = await differences(both, RECORD());
    expect(found.map(({ event: number, was, is }) => [number, was.by, is.by])).toEqual([
      [2, { hook: "guard", source: { file: "first:shared/guard.lua", line: 1 } }, undefined],
      [3, undefined, { hook: "guard", source: { file: "shared/guard.lua", line: 1 } }],
    ]);
    both.close();
    expect(left().filter((name) => !before.includes(name))).toEqual([]);
  });

  test("does not write to the repository", async () => {
    const dir = repository();
    await sets("project/orcs.toml", "HEAD", dir);
    const status = execFileSync("git", ["status", "--porcelain"], { cwd: dir, encoding: "utf8" });
    expect(status).toBe(" M shared/guard.lua\n");
  });

  test.each([
    ["--output=/tmp/orcs-replay-evil", "invalid revision name"],
    ["-h", "invalid revision name"],
    ["", "invalid revision name"],
    ["no-such-revision", "Needed a single revision"],
    ["first:shared/guard.lua", "Needed a single revision"],
  ])("%j is rejected", async (revision, why) => {
    const dir = repository();
    const before = left();
    // An empty name would be the folder itself.
    const error = await errorOf(sets("project/orcs.toml", revision || "-", dir));
    expect(error.code).toBe("ORCS5001");
    expect(error.message).toContain(why);
    expect(left().filter((name) => !before.includes(name))).toEqual([]);
  });

  test("is rejected without a repository, or without the configuration in it", async () => {
    const none = folder({ "orcs.toml": "" });
    const outside = await errorOf(sets("orcs.toml", "HEAD", none));
    expect(outside.message).toMatch(
      /ORCS5001: HEAD is neither a folder nor a git revision: .*repository/,
    );
    const dir = repository();
    writeFileSync(join(dir, "new.toml"), "");
    const missing = await errorOf(sets("new.toml", "first", dir));
    expect(missing.message).toBe("ORCS5001: revision first has no new.toml");
  });
});

describe("replay against a folder", () => {
  test("loads its orcs.toml with its own scripts", async () => {
    const dir = folder({
      "now/orcs.toml": '[[hooks]]\nscript = "g.lua"\nid = "g"\npoint = "tool.pre_execute"\n',
      "now/hooks/g.lua": guard("mv"),
      "then/orcs.toml": '[[hooks]]\nscript = "g.lua"\nid = "g"\npoint = "tool.pre_execute"\n',
      "then/hooks/g.lua": guard("rm"),
    });
    const found = await differences(await sets("now/orcs.toml", "then", dir), RECORD());
    expect(found.map(({ event: number, was, is }) => [number, was.by, is.by])).toEqual([
      [2, { hook: "g", source: { file: "then/hooks/g.lua", line: 1 } }, undefined],
      [3, undefined, { hook: "g", source: { file: "now/hooks/g.lua", line: 1 } }],
    ]);
  });

  test("resolves path matchers against the recorded project for both hook sets", async () => {
    const toml =
      '[[hooks]]\nid = "g"\npoint = "tool.pre_execute"\nmatch = { path = "src/*.ts" }\nhandler_inline = "return orcs.deny(\'no\')"\n';
    const dir = folder({ "now/orcs.toml": toml, "then/orcs.toml": toml });
    const path = join(dir, "now/src/a.ts");
    const file = recordOf([event({ payload: { tool_name: "read", args: { path } } })]);
    const both = await openBothSets("orcs.toml", "../then", join(dir, "now"));
    expect(await differences(both, file)).toEqual([]);
    const seen: string[] = [];
    await replay({
      file,
      ...both,
      differs: none,
      replayed: (_, { outcome }) => seen.push(outcome.action),
    });
    // And it is not for want of a match.
    const alone = { file, set: both.against, differs: none };
    await replay({ ...alone, replayed: (_, { outcome }) => seen.push(outcome.action) });
    expect(seen).toEqual(["abort"]);
  });

  test("without a configuration is rejected", async () => {
    const dir = folder({ "orcs.toml": "" });
    mkdirSync(join(dir, "empty"));
    const error = await errorOf(sets("orcs.toml", "empty", dir));
    expect(error.message).toBe("ORCS5001: there is no orcs.toml in empty");
  });

  test("with the same name as a revision takes precedence", async () => {
    const dir = repository();
    mkdirSync(join(dir, "first"));
    expect((await errorOf(sets("project/orcs.toml", "first", dir))).message).toContain(
      "no orcs.toml",
    );
  });
});

test("a discovered configuration must exist and be trusted for replay", async () => {
  const dir = folder({ "orcs.toml": "", "then/orcs.toml": "" });
  const home = process.env["XDG_STATE_HOME"];
  process.env["XDG_STATE_HOME"] = folder();
  onTestFinished(() => {
    if (home === undefined) delete process.env["XDG_STATE_HOME"];
    else process.env["XDG_STATE_HOME"] = home;
  });
  expect((await errorOf(sets(undefined, "then", dir))).code).toBe("ORCS8001");
  const nowhere = folder();
  symlinkSync(join(dir, "then"), join(nowhere, "then"));
  expect((await errorOf(sets(undefined, "then", nowhere))).code).toBe("ORCS5001");
});

function none(): void {
  // Not looked at.
}
