import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { quickTest as it, repeatedTest } from "../../slow-test.ts";
import { folder } from "../engine/orcs/engine.ts";
import { expectSameHoweverWritten, expectVerdictOnAnything } from "./any-spelling.ts";
import { guard } from "./guard-rig.ts";
import { ASKED, CALLS, INSTRUCTIONS, PROJECT } from "./path-guard-lines.ts";

describe("orcs:path-guard", () => {
  it("asks about unknown targets, or follows its option", async () => {
    await (await guard("path-guard", PROJECT)).expectCommands("ask", ASKED);
    await (
      await guard("path-guard", PROJECT, { dynamic: "abort" })
    ).expectCommands("refuse", ASKED);
    await (await guard("path-guard", PROJECT, { dynamic: "allow" })).expectCommands("pass", ASKED);
  });

  it("says what asks about the instructions of agents", async () => {
    const paths = await guard("path-guard", PROJECT);
    await paths.expectCommands("ask", INSTRUCTIONS);
    const edit = { file_path: `${PROJECT}/CLAUDE.md`, old_string: "a", new_string: "b" };
    expect(await paths.call("Edit", edit)).toEqual({
      verdict: "ask",
      reason: `path-guard: "${PROJECT}/CLAUDE.md" instructs coding agents (CLAUDE.md). May it be changed?`,
    });
  });

  it("recognizes the tools of all coding agents", async () => {
    const paths = await guard("path-guard", PROJECT);
    const wrong: unknown[] = [];
    for (const [tool, args, expected] of CALLS) {
      const found = await paths.call(tool, args);
      if (found.verdict !== expected) wrong.push([tool, args, found]);
    }
    expect(wrong).toEqual([]);
  });

  it("follows symlinks", async () => {
    const dir = folder({ "orcs.toml": "", "a.txt": "", "src/a.ts": "" });
    const away = realpathSync(mkdtempSync(join(homedir(), ".orcs-test-")));
    onTestFinished(() => rmSync(away, { recursive: true, force: true }));
    mkdirSync(join(away, "deep"));
    writeFileSync(join(away, "file"), "");
    symlinkSync(away, join(dir, "out"));
    symlinkSync(join(away, "file"), join(dir, "file"));
    symlinkSync(join(away, "none"), join(dir, "dangling"));
    symlinkSync("orcs.toml", join(dir, "config"));
    symlinkSync("src", join(dir, "in"));
    symlinkSync("a.txt", join(dir, "b.txt"));
    symlinkSync(join(away, "deep"), join(dir, "src/deep"));
    symlinkSync("loop", join(dir, "loop"));
    symlinkSync(dir, join(away, "back"));
    const paths = await guard("path-guard", dir);
    await paths.expectCommands("refuse", [
      "echo > out/x",
      "echo > file",
      "echo > dangling",
      "echo > config",
      "tee config",
      "cd out && echo > x",
      "echo > src/deep/../x",
      "cd src/deep && echo > ../x",
      "rm out/file",
      "rm -rf out/",
      "rm out/*",
      "cp a.txt out",
      "chmod 600 file",
      "sed -i s/a/b/ config",
      "echo > loop",
      "mv a.txt out/a.txt",
    ]);
    await paths.expectCommands("pass", [
      "echo > in/x",
      "echo > b.txt",
      "rm out",
      "rm file dangling loop",
      "mv out elsewhere",
      `echo > ${away}/back/a.txt`,
      "echo > src/a.ts",
    ]);
    for (const [args, verdict] of [
      [{ path: "out/x", content: "" }, "refuse"],
      [{ path: "dangling", content: "" }, "refuse"],
      [{ path: "config", content: "" }, "refuse"],
      [{ path: "loop", content: "" }, "refuse"],
      [{ path: "a\0b", content: "" }, "refuse"],
      [{ path: "in/x", content: "" }, "pass"],
      [{ path: `${away}/back/x`, content: "" }, "pass"],
    ] as const) {
      expect([args.path, (await paths.call("write", args)).verdict]).toEqual([args.path, verdict]);
    }

    // The directory is reached through a link, and so are roots.
    const linked = await guard("path-guard", join(away, "back"));
    await linked.expectCommands("pass", ["touch a", `touch ${dir}/a`, `touch ${away}/back/a`]);
    await linked.expectCommands("refuse", [`touch ${away}/a`, "echo > orcs.toml"]);
    const rooted = await guard("path-guard", dir, { roots: ["out"] });
    await rooted.expectCommands("pass", ["touch out/a", `touch ${away}/a`]);
    await rooted.expectCommands("refuse", ["touch a", "touch in/a"]);
  });

  it("protects a project in a temporary folder", async () => {
    const paths = await guard("path-guard", folder());
    await paths.expectCommands("refuse", ["touch orcs.toml", "rm yarn.lock"]);
    await paths.expectCommands("pass", ["touch a", `touch ${tmpdir()}/yarn.lock`]);
  });

  it("denies arguments of the wrong type", async () => {
    const paths = await guard("path-guard", PROJECT);
    for (const args of [{ path: 7, content: "" }, { command: 7 }, { file_path: true }]) {
      const found = await paths.call("write", args);
      expect(found).toMatchObject({ verdict: "refuse" });
      expect(found.reason).toContain("which is not a string");
    }
  });

  it("returns a decision for any input", async () => {
    await expectVerdictOnAnything(await guard("path-guard", PROJECT));
  });

  repeatedTest("decides the same for every spelling of a path", async () => {
    const dir = PROJECT;
    const paths = await guard("path-guard", dir);
    const names = ["a.txt", "orcs.toml", "web/yarn.lock", "../a", "src/a.ts"];
    const shapes = [
      "echo > PATH",
      "rm -f PATH",
      "cp x PATH",
      "sed -i s/a/b/ PATH",
      "cat PATH",
      "dd of=PATH",
    ];
    await expectSameHoweverWritten(paths, dir, names, shapes);
  });
});
