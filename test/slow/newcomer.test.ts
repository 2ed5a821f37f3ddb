import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { atTerminal, HAS_TERMINAL } from "../dist/at-terminal.ts";
import type { Steps } from "../dist/at-terminal.ts";
import { install, packed } from "../dist/installed.ts";
import { commitAll, folder } from "../dist/orcs.ts";
import type { Block, Page } from "../docs/pages.ts";
import { pages } from "../docs/pages.ts";
import { PageFolder } from "../docs/run-block.ts";

/**
 * `npm run newcomer`: what somebody does in the first hour, from the packed archive, with nothing but the commands and
 * snippets of the pages. Each block is taken from its page, and must come to what the page says. Prints for each task
 * the commands, the time they took, and the pages with the words up to the last block that was needed.
 */

/** What one task took. */
interface Took {
  readonly task: string;
  readonly commands: readonly string[];
  readonly ms: number;
  readonly page: string;
  readonly words: number;
}

const took: Took[] = [];
let home: string;
let archive: string;
let project: string;
let modules: string;

beforeAll(() => {
  home = folder({ ".claude/settings.json": '{\n  "model": "sonnet"\n}\n' });
  project = folder();
  archive = packed(project);
  modules = folder();
  install(archive, modules);
});

afterAll(() => {
  const rows = took.map(({ task, commands, ms, page, words }) =>
    [task, String(commands.length), (ms / 1000).toFixed(1), `${page} (${words} words)`].join(" | "),
  );
  process.stdout.write(`\n${["task | commands | s | page", ...rows].join("\n")}\n`);
});

function pageAt(path: string): Page {
  const page = pages().find((each) => each.path === path);
  if (!page) throw new Error(`there is no page ${path}`);
  return page;
}

/** The blocks of a page, or of one section of it, up to one that a test chooses. */
function needed(path: string, isLast: (block: Block) => boolean, section = "") {
  const { text, blocks } = pageAt(path);
  const lines = text.split("\n");
  const from = section === "" ? 0 : lines.indexOf(section);
  if (from < 0) throw new Error(`${path} has no section ${section}`);
  const own = blocks.filter(({ line }) => line > from);
  const last = own.find(isLast);
  if (!last) throw new Error(`${path} has no such block`);
  const read = lines.slice(from, last.line - 1 + last.text.split("\n").length).join(" ");
  return {
    page: path,
    words: read.split(/\s+/).length,
    blocks: own.slice(0, own.indexOf(last) + 1),
    last,
  };
}

/** The commands of a block: without what a page says about them, and the prompt of a shell. */
function commandsOf({ text }: Block): string[] {
  const lines = text.split("\n").map((line) => line.replace(/\s+# .*$/, "").replace(/^\$ /, ""));
  return lines.filter((line) => /^(orcs|npm|git)\b/.test(line));
}

const env = (): Record<string, string> => ({
  HOME: home,
  PATH: [join(home, "global/bin"), process.env["PATH"] ?? ""].join(":"),
  npm_config_prefix: join(home, "global"),
  XDG_CONFIG_HOME: "",
  XDG_STATE_HOME: "",
  XDG_RUNTIME_DIR: home,
  CLAUDE_CONFIG_DIR: "",
  NO_COLOR: "1",
});

/** Run a command of a page as somebody at a terminal does, who says yes. */
async function typed(line: string, cwd: string, steps: Steps = []): Promise<string> {
  const { code, stdout, terminal } = await atTerminal(["sh", "-c", line], cwd, steps, env());
  if (code !== 0) throw new Error(`${line} ended with ${code}:\n${terminal}${stdout}`);
  return `${terminal}${stdout}`;
}

const YES: Steps = [["[y/N]", "y\n"]];

describe.runIf(HAS_TERMINAL)("a newcomer", { timeout: 300_000 }, () => {
  test("installs, and is guarded", async () => {
    const { last, page, words } = needed(
      "README.md",
      ({ text }) => text.includes("\norcs\n"),
      "## Be guarded",
    );
    const [first = "", second = ""] = commandsOf(last);
    expect(first).toBe(`npm install --global ./${basename(archive)}`);
    // Without a network: what npm would fetch is what this checkout has.
    execFileSync("sh", [
      "-c",
      `mkdir -p "$1/global/bin" && ln -s "$2/.bin/"* "$1/global/bin"`,
      "sh",
      home,
      join(modules, "node_modules"),
    ]);
    const began = performance.now();
    const said = await typed(second, project, YES);
    took.push({
      task: "install",
      commands: [first, second],
      ms: performance.now() - began,
      page,
      words,
    });
    expect(said).toMatch(/Claude Code .*guarded|guarded .*Claude Code/i);
    expect(readdirSync(project)).toEqual([basename(archive)]);
  });

  const TASKS: readonly (readonly [task: string, page: string, kind: string])[] = [
    ["deny", "docs/how-to/deny.md", "sh"],
    ["rewrite", "docs/how-to/rewrite.md", "sh"],
    ["mask", "docs/how-to/mask.md", "ts"],
    ["ask", "docs/how-to/ask.md", "sh"],
    ["budget", "docs/how-to/budget.md", "ts"],
    ["per agent", "docs/how-to/per-agent.md", "sh"],
  ];
  test.each(TASKS)("does: %s", async (task, path, kind) => {
    const { blocks, page, words } = needed(path, ({ language }) => language === kind);
    const at = new PageFolder((dir) =>
      symlinkSync(join(modules, "node_modules"), join(dir, "node_modules")),
    );
    const began = performance.now();
    try {
      for (const block of blocks) await at.run(block);
    } finally {
      at.remove();
    }
    const commands = blocks.flatMap((block) =>
      block.language === "ts"
        ? ["node example.mjs"]
        : block.language === "sh"
          ? commandsOf(block)
          : [],
    );
    took.push({ task, commands, ms: performance.now() - began, page, words });
    expect(commands.length).toBeGreaterThan(0);
  });

  test("shares rules in a repository", async () => {
    const { last, page, words } = needed("docs/how-to/share.md", ({ text }) =>
      text.includes("git clone"),
    );
    const [toml] = pageAt("docs/how-to/deny.md").blocks;
    const theirs = folder({ "orcs.toml": toml?.text ?? "" });
    commitAll(theirs);
    const commands = commandsOf(last);
    const mine = folder();
    let cwd = mine;
    const began = performance.now();
    for (const line of commands) {
      const real = line
        .replace("git clone …", `git clone -q ${theirs} it`)
        .replace("cd …", "cd it");
      await typed(real, cwd, YES);
      cwd = join(mine, "it");
    }
    took.push({ task: "share", commands, ms: performance.now() - began, page, words });
    expect(await typed("orcs list", cwd)).toContain("no-force-push");
  });

  test("watches", async () => {
    const { last, page, words } = needed("docs/how-to/inspector.md", ({ text }) =>
      text.includes("$ orcs ui"),
    );
    const commands = commandsOf(last);
    expect(commands).toEqual(["orcs ui"]);
    const began = performance.now();
    const child = spawn("sh", ["-c", `exec ${commands[0]}`], {
      cwd: project,
      env: { ...process.env, ...env() },
    });
    try {
      const url = await new Promise<string>((resolve, reject) => {
        let said = "";
        const hear = (chunk: Buffer): void => {
          said += chunk.toString();
          const found = /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(said)?.[0];
          if (found !== undefined) resolve(found);
        };
        child.stdout.on("data", hear);
        child.stderr.on("data", hear);
        child.on("exit", () => reject(new Error(`it ended:\n${said}`)));
      });
      took.push({ task: "watch", commands, ms: performance.now() - began, page, words });
      expect((await fetch(url)).ok).toBe(true);
    } finally {
      child.kill();
    }
  });

  test("removes it", async () => {
    const { last, page, words } = needed(
      "README.md",
      ({ text }) => text.includes("\norcs off"),
      "## Be guarded",
    );
    const commands = commandsOf(last).filter((line) => line.startsWith("orcs off"));
    const began = performance.now();
    for (const line of commands) await typed(line, project, YES);
    took.push({ task: "remove", commands, ms: performance.now() - began, page, words });
    expect(readFileSync(join(home, ".claude/settings.json"), "utf8")).toBe(
      '{\n  "model": "sonnet"\n}\n',
    );
    expect(existsSync(join(home, ".config/orcs/orcs.toml"))).toBe(false);
    await typed("orcs off --purge --yes", project);
  });
});
