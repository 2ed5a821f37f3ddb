import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { endServices, installed, judged, MAIN, person, play, put } from "./machine.ts";
import { PROGRAMS } from "./programs.ts";

const FILES = { "src/main.ts": "export {};\n", "src/deep/a.bin": "\0\x01\r\n", ".env": "KEY=1\n" };
const CONFIG = `[[hooks]]\nscript = "orcs:undo"\n[[hooks]]\nscript = "orcs:shell-guard"\n`;

/** A session that removes a folder and edits, and what `orcs undo` brings back. @returns what must hold, and whether it does */
export async function undone(name: string, folder: string) {
  const program = PROGRAMS[name];
  if (!program) throw new Error(`nothing is known of ${name}`);
  const { root, home, project, env } = person(`undone-${name}`, program.home);
  put(join(home, ".config/orcs/orcs.toml"), CONFIG);
  for (const [path, text] of Object.entries(FILES)) put(join(project, path), text);
  const orcs = (...args: string[]): string =>
    execFileSync(process.execPath, [MAIN, ...args], { cwd: project, env, encoding: "utf8" });
  execFileSync("git", ["init", "-q"], { cwd: project, env });
  execFileSync(process.execPath, [MAIN, "install", "--host", name, "--user", "--yes"], {
    cwd: project,
    env,
    stdio: "ignore",
  });
  // Codex does not run `rm -rf` without a person, whatever hooks say.
  const removing = name === "codex" ? "rm -r src" : "rm -rf src";
  const commands = [removing, "git clean -fdx"];
  const { bin } = installed(program, folder);
  const { code } = await play(program, commands, { bin, cwd: project, env });
  const isThere = (): string[] =>
    Object.keys(FILES).filter((path) => existsSync(join(project, path)));
  const left = isThere();
  const listed = orcs("undo", "--list");
  orcs("undo", "--yes");
  const once = isThere();
  orcs("undo", "--yes");
  const same = Object.entries(FILES).every(
    ([path, text]) => readFileSync(join(project, path), "latin1") === text,
  );
  endServices(home);
  const findings = {
    [`the session ended by itself (exit ${code})`]: code === 0,
    [`${removing} and git clean -fdx ran`]: left.length === 0,
    "orcs undo --list shows both": commands.every((command) => listed.includes(command)),
    "orcs undo brings back what the last one removed": once.join() === ".env",
    "the next one brings back the rest, byte for byte": same,
  };
  return judged(root, findings);
}
