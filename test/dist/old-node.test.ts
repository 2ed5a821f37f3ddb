import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, ROOT } from "./orcs.ts";

/** Real ones, by path; without, this Node says that it is one. */
const OLD = (process.env["ORCS_OLD_NODES"] ?? "").split(":").filter((path) => existsSync(path));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(node: string | undefined, args: readonly string[], dir: string): Promise<Ended> {
  const file = join(dir, "node");
  const posing = `Object.defineProperty(process.versions, "node", { value: "18.20.8" });
Object.defineProperty(process, "version", { value: "v18.20.8" });`;
  writeFileSync(join(dir, "old.cjs"), node === undefined ? posing : "");
  const words = `"${node ?? process.execPath}" --require "${join(dir, "old.cjs")}" "$@"`;
  writeFileSync(file, `#!/bin/sh\nexec ${words}\n`, { mode: 0o755 });
  const env = { PATH: `${dir}:/usr/bin:/bin`, HOME: dir };
  return new Promise((resolve) => {
    const [program = "", ...rest] = args;
    const child = execFile(program, rest, { cwd: dir, env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
    child.stdin?.end(EVENT);
  });
}

const EVENT = JSON.stringify({
  hook_event_name: "PreToolUse",
  session_id: "s",
  tool_name: "Bash",
  tool_input: { command: "ls" },
});
const PROGRAM = `import { createOrcs } from ${JSON.stringify(join(ROOT, "dist/index.js"))};
await createOrcs({ config: false }).catch((error) => {
  console.error(error.message);
  process.exitCode = 2;
});`;
const TOLD =
  /^(ORCS1024: )?orcs needs Node 20\.19 or later, and this is v\d+\.\d+\.\d+ \(.*\): install a later one \(https:\/\/nodejs\.org\).*\n$/;

test.each(
  [undefined, ...OLD].flatMap((node) =>
    [
      ["orcs", ["node", join(ROOT, "bin/orcs.cjs"), "status"]],
      [
        "the hook of an agent",
        ["node", join(ROOT, "bin/orcs.cjs"), "hook", "--host", "claude-code"],
      ],
      ["the launcher", [join(ROOT, "bin/orcs-hook"), "hook", "--host", "claude-code"]],
      ["a program", ["node", "program.mjs"]],
    ].map(([what, args]) => ({ node, what, args: args as string[] })),
  ),
)("an old Node ($node) is told in one line to $what", async ({ node, args }) => {
  const dir = folder({ "program.mjs": PROGRAM });
  const { code, stdout, stderr } = await run(node, args, dir);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(TOLD);
});
