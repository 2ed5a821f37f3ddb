import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The project within the sandbox, where each line starts. */
export const PROJECT = "/mnt/home/project";
export const HOME = "/mnt/home";

/** What lies there: the names that the lines of the tables use. */
const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    "a b c x y z f a.txt b.txt x.txt src/a.ts src/b.ts dir/a dir/x test/a.ts build/x dist/x docs/a.md README.md go.sum"
      .split(" ")
      .map((name) => [`home/project/${name}`, `${name}\n`]),
  ),
  "home/project/.env": "KEY=1\n",
  "home/project/package.json": '{ "name": "p", "scripts": { "build": "echo build" } }\n',
  "home/project/Makefile": "all:\n\techo all\n",
  "home/project/a.json": '{ "a": 1 }\n',
  "home/project/a.csv": "a,b\n1,2\n",
  "home/project/a.py": "print(1)\n",
  "home/project/a.sh": "echo a\n",
  "home/x": "x\n",
  "home/y": "y\n",
  "home/z/x": "x\n",
  "home/.bashrc": "# bash\n",
  "home/.netrc": "machine x\n",
  "home/.ssh/id_rsa": "key\n",
};

/** Make the world that each line gets a copy of. */
export function makeWorld(root: string): void {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const project = join(root, "home/project");
  const git = (...args: string[]): void =>
    void spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: project });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
  spawnSync("tar", ["czf", "a.tgz", "src"], { cwd: project });
  spawnSync("tar", ["cf", "a.tar", "src"], { cwd: project });
  spawnSync("zip", ["-qr", "a.zip", "src"], { cwd: project });
  spawnSync("gzip", ["-k", "c"], { cwd: project });
}

/** A copy of the world in a folder of its own. */
export function copyWorld(world: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(world, to, { recursive: true, preserveTimestamps: true });
}
