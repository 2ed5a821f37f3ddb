import { expect, test } from "vitest";
import { guard, judged } from "./guard.ts";
import type { Verdict } from "./guard.ts";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { open } from "../../engine/engine.ts";
import { slowTest } from "../../../slow-test.ts";

/** What becomes of calls: arguments, the rest of the payload, verdict. */
const CALLS: readonly (readonly [args: JsonObject, payload: JsonObject, verdict: Verdict])[] = [
  [{ command: "rm -rf /" }, {}, "refuse"],
  [{ cmd: "rm -rf /" }, {}, "refuse"],
  [{ script: "rm -rf /" }, {}, "refuse"],
  [{ script: "() => { if (a) { return b } }" }, {}, "pass"],
  [{ command: ["bash", "-lc", "rm -rf /"] }, {}, "refuse"],
  [{ command: ["rm", "-rf", "/"] }, {}, "refuse"],
  [{ command: ["rm -rf /"] }, {}, "refuse"],
  [{ command: ["echo", "rm -rf /"] }, {}, "pass"],
  [{ command: ["git", "commit", "-m", "; rm -rf /"] }, {}, "pass"],
  [{ command: ["echo", "a", ";", "rm", "-rf", "/"] }, {}, "pass"],
  [{ command: "ls", cmd: "git push -f" }, {}, "refuse"],
  [{ command: "" }, {}, "pass"],
  [{ command: [] }, {}, "pass"],
  [{ command: null }, {}, "pass"],
  [{ path: "rm -rf /" }, {}, "pass"],
  [{ command: "view", path: "a" }, {}, "pass"],
  // Where it runs.
  [{ command: "rm -rf src" }, {}, "pass"],
  [{ command: "rm -rf ." }, {}, "refuse"],
  [{ command: "rm -rf ../x" }, {}, "refuse"],
  [{ command: "rm -rf /work/p/src" }, {}, "refuse"],
  [{ command: "rm -rf /work/p/src" }, { cwd: "/work/p" }, "pass"],
  [{ command: "rm -rf /work/p/src" }, { sandbox_root: "/work/p" }, "pass"],
  [{ command: "rm -rf ../b" }, { cwd: "/work/p/a", sandbox_root: "/work/p" }, "pass"],
  [{ command: "rm -rf ../.." }, { cwd: "/work/p/a", sandbox_root: "/work/p" }, "refuse"],
  [{ command: "rm -rf .." }, { cwd: "/work/p/a", sandbox_root: "/work/p" }, "refuse"],
  [{ command: "rm -rf src", cwd: "packages/a" }, { cwd: "/work/p" }, "pass"],
  [{ command: "rm -rf ../b", cwd: "packages/a" }, { cwd: "/work/p" }, "pass"],
  [{ command: "rm -rf ../..", cwd: "packages/a" }, { cwd: "/work/p" }, "refuse"],
  [{ command: "rm -rf nginx", workdir: "/etc" }, { cwd: "/work/p" }, "refuse"],
  [{ command: "rm -rf nginx", workdir: "/etc" }, {}, "refuse"],
  [{ command: "rm -rf src", cwd: "/work/p" }, {}, "pass"],
  [{ command: "rm -rf *", cwd: "/work/p" }, {}, "refuse"],
  [{ command: "rm -rf x", cwd: "/" }, {}, "refuse"],
  [{ command: "rm -rf x" }, { cwd: "/" }, "refuse"],
  [{ command: "rm -rf x" }, { cwd: "/usr/lib" }, "refuse"],
  [{ command: "rm -rf src" }, { cwd: "/app" }, "pass"],
  [{ command: "rm -rf ." }, { cwd: "/app" }, "refuse"],
  [{ command: "rm -rf src" }, { cwd: "/home/me/p" }, "pass"],
  [{ command: "rm -rf ~/p/src" }, { cwd: "/home/me/p" }, "refuse"],
  [{ command: "rm -rf node_modules" }, { cwd: "/home/me" }, "pass"],
  [{ command: "rm -rf Documents" }, { cwd: "/home/me" }, "refuse"],
  [{ command: "rm -rf .ssh" }, { cwd: "/home/me" }, "refuse"],
  [{ command: "rm -rf src" }, { cwd: "/tmp/p" }, "pass"],
  [{ command: "rm -rf ." }, { cwd: "/tmp/p" }, "refuse"],
  [{ command: "rm -rf .." }, { cwd: "/tmp/p/q" }, "refuse"],
  [{ command: "rm -rf .git" }, { cwd: "/tmp/p" }, "refuse"],
  [{ command: "rm -rf x" }, { cwd: "relative" }, "pass"],
  // Tools of another shell.
  [{ command: "$x = Get-ChildItem; $x.Count" }, { tool_name: "PowerShell" }, "pass"],
  [{ command: "ConvertFrom-Json (Get-Content a.json -Raw)" }, { tool_name: "pwsh" }, "pass"],
  [{ command: "if (Test-Path x) { Get-ChildItem }" }, { tool_name: "PowerShell" }, "pass"],
  [{ command: "if (Test-Path x) { ri -r ~ }" }, { tool_name: "PowerShell" }, "refuse"],
  [{ command: "rm -r ~" }, { tool_name: "PowerShell" }, "refuse"],
  [{ command: "git push --force" }, { tool_name: "PowerShell" }, "refuse"],
  [{ command: "$f = { ri -r ~ }; & $f" }, { tool_name: "PowerShell" }, "refuse"],
  [{ command: "& $x" }, { tool_name: "PowerShell" }, "ask"],
  [{ command: "Get-ChildItem (" }, { tool_name: "PowerShell" }, "ask"],
  [{ command: "rd /s /q C:\\" }, { tool_name: "cmd" }, "refuse"],
];

test("orcs:shell-guard judges calls by their arguments and directory", async () => {
  const orcs = await guard();
  for (const [args, payload, verdict] of CALLS) {
    const given = await judged(orcs, args, payload);
    expect(given.verdict, `${JSON.stringify([args, payload])} ${given.reason ?? ""}`).toBe(verdict);
  }
});

test("orcs:shell-guard applies to tools of any name", async () => {
  const orcs = await guard();
  for (const tool_name of ["exec", "Bash", "run_shell_command", "local_shell", "mcp__x__y"]) {
    const outcome = await orcs.dispatch("tool.pre_execute", {
      tool_name,
      args: { command: "rm -rf /" },
    });
    expect(outcome.action, tool_name).toBe("abort");
  }
});

test.each<[Json]>([[7], [true], [{ a: "rm -rf /" }], [["rm", 7]], [[["rm"]]], [["rm", null, "/"]]])(
  "orcs:shell-guard does not allow a command that is no text: %j",
  async (command) => {
    const orcs = await guard();
    const { verdict, reason } = await judged(orcs, { command });
    expect(verdict).toBe("refuse");
    expect(reason).toContain("shell-guard: command is");
  },
);

const BAD: Readonly<Record<string, string>> = {
  "NUL bytes": "ls\0rm -rf /",
  "an unterminated quote": 'rm -rf "/',
  "64 KB of parentheses": "(".repeat(65_536),
  "10,000 pipes": Array.from({ length: 10_001 }, () => "ls").join("|"),
  "10,000 pipes to rm": `${"ls|".repeat(10_000)}rm -rf /`,
  "deep substitution": `${"$(".repeat(5000)}rm -rf /${")".repeat(5000)}`,
  "more than 64 KB": `echo ${"a".repeat(70_000)}; rm -rf /`,
  "a here-document without an end": "sh <<X\nrm -rf /",
  "find with 30,000 parentheses": `find . ${"\\( ".repeat(20_000)}-delete`,
  "a lone surrogate": "rm -rf /\ud800",
};

slowTest("invalid input is denied or needs approval, and no hook fails", async () => {
  const orcs = await guard();
  for (const [name, command] of Object.entries(BAD)) {
    const { verdict, reason } = await judged(orcs, { command });
    if (name === "10,000 pipes") continue;
    expect(verdict, name).not.toBe("pass");
    expect(reason, name).not.toContain("failed");
  }
});

test("orcs:shell-guard is not bypassed by CRLF", async () => {
  const orcs = await guard();
  expect((await judged(orcs, { command: "ls\r\nrm -rf /\r\n" })).verdict).toBe("refuse");
});

const PERMISSIONS: readonly (readonly [payload: JsonObject, action: string, decision?: string])[] =
  [
    [{ command: "git push --force" }, "abort"],
    [{ command: "exec", args: { command: "rm -rf /" } }, "abort"],
    [{ command: "git push --force", args: { command: "ls" } }, "abort"],
    [{ command: "ls", args: { command: "rm -rf $X" } }, "continue", "ask"],
    [{ command: "git status" }, "continue"],
    [{ tool_name: "read", args: { path: "x" } }, "continue"],
  ];

test("orcs:shell-guard applies to permission checks", async () => {
  const orcs = await guard();
  for (const [payload, action, decision] of PERMISSIONS) {
    const outcome = await orcs.dispatch("auth.pre_check", payload);
    expect(outcome.action, JSON.stringify(payload)).toBe(action);
    if (outcome.action === "continue") expect(outcome.decision).toBe(decision);
  }
});

const OPTIONS: readonly (readonly [
  options: JsonObject,
  lines: Readonly<Record<string, Verdict>>,
])[] = [
  [
    { dynamic: "allow" },
    {
      "$X -rf /": "pass",
      'echo "unterminated': "pass",
      "$X; rm -rf /": "refuse",
    },
  ],
  [
    { dynamic: "ask" },
    {
      "rm -rf $X": "ask",
    },
  ],
  [
    { dynamic: "abort" },
    {
      "rm -rf $X": "refuse",
    },
  ],
  [
    { level: "paranoid" },
    {
      "rm -rf $X": "refuse",
    },
  ],
  [
    { level: "paranoid", dynamic: "allow" },
    {
      "rm -rf $X": "pass",
    },
  ],
  [
    { level: "strict", dynamic: "abort" },
    {
      $X: "refuse",
    },
  ],
  [
    { roots: ["/srv/builds"] },
    {
      "rm -rf /srv/builds/1": "pass",
      "rm -rf /srv/builds": "refuse",
      "rm -rf /srv/builds/*": "refuse",
      "rm -rf /srv": "refuse",
      "rm -rf src": "refuse",
    },
  ],
  [
    { roots: ["dist", "./out/"] },
    {
      "rm -rf dist/a out/b": "pass",
    },
  ],
  [
    { roots: ["dist"] },
    {
      "rm -rf dist": "refuse",
      "rm -rf src": "refuse",
      "rm -rf dist/../src": "refuse",
    },
  ],
  [
    { roots: [] },
    {
      "rm -rf build": "refuse",
      "rm -rf /tmp/x": "pass",
    },
  ],
  [
    { roots: ["/"] },
    {
      "rm -rf /srv/x/y": "pass",
      "rm -rf /srv": "refuse",
      "rm -rf ~": "refuse",
      "rm -rf .": "refuse",
    },
  ],
  [
    { roots: [".."] },
    {
      "rm -rf ../other": "pass",
      "rm -rf ..": "refuse",
    },
  ],
  [
    { allow: ["git clean -f*"] },
    {
      "git clean -fdx": "pass",
      "git clean -fdx src": "refuse",
      "git clean -fdx && git reset --hard": "refuse",
    },
  ],
  [
    { allow: ["git clean -f* *"] },
    {
      "git clean -fdx src": "pass",
    },
  ],
  [
    { allow: ["git push --force *"] },
    {
      "sudo git push --force origin x": "pass",
      "/usr/bin/git push --force": "pass",
    },
  ],
  [
    { allow: ["git push --force origin a.b"] },
    {
      "git push --force origin aXb": "refuse",
    },
  ],
  [
    { allow: ["git push --force origin *"] },
    {
      "git push --force origin $X": "pass",
    },
  ],
  [
    { allow: ["git push --force origin a*"] },
    {
      "git push --force origin $X": "refuse",
    },
  ],
  [
    { allow: ["$EDITOR2 *"] },
    {
      "$EDITOR2 a.txt": "pass",
    },
  ],
  [
    { allow: ["rm"] },
    {
      "rm -rf /": "refuse",
    },
  ],
];

slowTest("options have their documented effect", async () => {
  for (const [options, lines] of OPTIONS) {
    const orcs = await guard(options);
    for (const [command, verdict] of Object.entries(lines)) {
      const given = await judged(orcs, { command });
      expect(given.verdict, `${JSON.stringify(options)} ${command} ${given.reason ?? ""}`).toBe(
        verdict,
      );
    }
  }
});

test.each<[JsonObject, string]>([
  [{ levels: "strict" }, 'the option levels is "strict", expected level, dynamic, roots or allow'],
  [{ level: "Strict" }, 'the option level is "Strict", expected "default", "strict" or "paranoid"'],
  [{ level: 2 }, "the option level is 2, expected"],
  [{ dynamic: "deny" }, 'the option dynamic is "deny", expected "allow", "ask" or "abort"'],
  [{ dynamic: true }, "the option dynamic is true, expected"],
  [{ roots: "." }, 'the option roots is ".", expected a list of texts'],
  [{ roots: [1] }, "the option roots is [1], expected a list of texts"],
  [{ roots: [""] }, 'the option roots is [""], expected a list of texts'],
  [{ roots: { a: "." } }, "expected a list of texts"],
  [{ allow: "git *" }, 'the option allow is "git *", expected a list of texts'],
  [{ allow: ["*"] }, 'the option allow is "*", expected patterns that begin with a program'],
])("orcs:shell-guard reports an option error at load: %j", async (options, message) => {
  await expect(
    open({ config: { hooks: [{ script: "orcs:shell-guard", options }] } }),
  ).rejects.toThrow(message);
});

test("orcs:shell-guard works with worker isolation", async () => {
  const orcs = await open({
    config: { hooks: [{ script: "orcs:shell-guard" }], lua: { isolation: "worker" } },
  });
  expect((await judged(orcs, { command: "sudo sh -c 'rm -rf /'" })).verdict).toBe("refuse");
  expect((await judged(orcs, { command: 'rm -rf "$X"' })).verdict).toBe("ask");
  expect((await judged(orcs, { command: "git status && npm test" })).verdict).toBe("pass");
});
