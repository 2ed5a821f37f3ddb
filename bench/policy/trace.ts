import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CWD } from "./corpus.ts";
import type { Line } from "./corpus.ts";

/** What a line did in the sandbox. */
export interface Trace {
  readonly ran: readonly { readonly cwd: string; readonly argv: readonly string[] }[];
  /** Files that were there before, and are gone or changed. */
  readonly changed: number;
  /** The status that it ended with. */
  readonly code: number;
}

/** Programs that run others, or read and print: they do so in the sandbox, and are recorded. */
const CARRIERS = words(`
  bash sh dash env xargs find awk mawk gawk sed perl python3 python make git ls cat echo printf tr base64 head tail cut
  rev sort uniq seq grep tee true false test basename dirname readlink realpath nohup nice timeout setsid stdbuf ionice
  flock script xxd mktemp date wc sleep cp mv touch mkdir ln chmod which pwd id uname expr od tac paste comm diff
`);
/** Programs that do what their own words say and start no others: recording them is to see all that they do. */
const ACTORS = words(`
  rm rmdir unlink shred dd truncate chown chgrp mount umount fdisk wipefs parted curl wget kill killall pkill halt reboot
  shutdown poweroff mkfs mkfs.ext4 zip unzip
`);

/** Whether nothing that this program does is hidden by its stub. */
export function isSeen(program: string): boolean {
  return ACTORS.includes(program) || (CARRIERS.includes(program) && isInstalled(program));
}

function isInstalled(program: string): boolean {
  return existsSync(join("/usr/bin", program));
}

/** Programs that only record, whatever a line does to reach their names: actors, and what might start others. */
const STUBS = [
  ...ACTORS,
  ...words(`
    sudo doas su ssh scp sftp rsync nc ncat docker podman kubectl helm terraform aws gcloud az psql mysql sqlite3 mongosh
    redis-cli npm npx pnpm yarn node systemctl service init crontab at diskutil tar gh glab vim vi ed nano emacs watch
    parallel busybox
  `),
];

/** What the files of the sandbox are, each with one line of text, and so is its working directory a repository. */
const SEED = words(`
  work/project/README.md work/project/file.txt work/project/package.json work/project/src/index.ts work/project/src/a.txt
  work/project/build/out.js work/project/dist/out.js work/project/node_modules/x/index.js work/project/docs/a.md
  work/project/data/db.sqlite work/project/.env work/other/file.txt home/me/.bashrc home/me/notes.txt home/me/.ssh/id_rsa
  home/me/Documents/a.txt home/me/.aws/credentials etc/hosts etc/shadow etc/cron.d/x boot/vmlinuz srv/data.txt
  var/log/syslog tmp/file.txt tmp/test/file.txt dev/sda dev/sdb dev/nvme0n1 mnt/data.txt Users/me/notes.txt
`);

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

const SCRIPT = fileURLToPath(new URL("./sandbox.sh", import.meta.url));
/** The whole of a run, with what is set up. */
const PATIENCE_MS = 20_000;

/** A place where lines run and are recorded. */
export interface Sandbox {
  /** Undefined where the line ran on and on, ended the sandbox, or kept it from being read. */
  run(line: Pick<Line, "line" | "cwd">): Promise<Trace | undefined>;
  close(): void;
}

/** Throws where the system has no user namespaces. */
export function openSandbox(): Sandbox {
  const base = mkdtempSync(join(tmpdir(), "orcs-policy-"));
  mkdirSync(join(base, "root"));
  for (const file of SEED) {
    mkdirSync(dirname(join(base, "seed", file)), { recursive: true });
    writeFileSync(join(base, "seed", file), `${file}\n`);
  }
  writeFileSync(join(base, "seed/etc/passwd"), "root:x:0:0::/root:/bin/bash\n");
  writePrograms(join(base, "seed"));
  const project = join(base, "seed/work/project");
  const git = (...args: readonly string[]): void => {
    const identity = ["-c", "user.name=me", "-c", "user.email=me@example.com"];
    execFileSync("git", ["-C", project, ...identity, ...args], { stdio: "ignore" });
  };
  git("init", "-b", "main");
  git("add", "README.md", "src", "package.json", "docs");
  git("commit", "-m", "first");
  git("branch", "feature");
  writeFileSync(join(project, "src/index.ts"), "changed, and not committed\n");
  return {
    run: (line) => traced(base, line),
    close: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** `/usr/bin` and `/bin` of the sandbox, and `/stub`, from which the script makes one for what else a line names. */
function writePrograms(seed: string): void {
  for (const folder of ["usr/bin", "bin"]) mkdirSync(join(seed, folder), { recursive: true });
  writeFileSync(join(seed, "stub"), programOf("@NAME@", "exit 0"));
  const write = (name: string, then: string): void => {
    for (const folder of ["usr/bin", "bin"])
      writeFileSync(join(seed, folder, name), programOf(name, then), { mode: 0o755 });
  };
  for (const name of STUBS) write(name, INSTEAD[name] ?? "exit 0");
  for (const name of CARRIERS) {
    if (isInstalled(name)) write(name, `exec -a ${name} /real/bin/${name} "$@"`);
    else write(name, "exit 0");
  }
  write(FETCHED, "exit 0");
}

/** What fetched code runs: seen in a trace, the line ran what it fetched. */
export const FETCHED = "downloaded-code";
const FETCHES = `echo ${FETCHED}`;
/** What stubs do beside recording themselves. */
const INSTEAD: Readonly<Record<string, string>> = {
  curl: FETCHES,
  wget: FETCHES,
  nc: FETCHES,
  ncat: FETCHES,
  sudo: 'while [ "${1#-}" != "$1" ]; do shift; done; [ $# = 0 ] || exec "$@"',
};

/** A program that records its folder and its words, whatever name it is copied to. `-p` keeps BASH_ENV out. */
function programOf(name: string, then: string): string {
  const record = `{ printf "\\0%s" "$PWD" "${name}" "$@"; printf "\\0\\n"; } >>/recorded`;
  return `#!/real/bin/bash -p\n${record}\n${then}\n`;
}

async function traced(
  base: string,
  { line, cwd = CWD }: Pick<Line, "line" | "cwd">,
): Promise<Trace | undefined> {
  const child = spawn("unshare", ["-Urmpnif", "--kill-child", "bash", SCRIPT, base, cwd], {
    env: { PATH: process.env["PATH"] },
    stdio: ["pipe", "pipe", "pipe"],
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  const parts: Buffer[] = [];
  let told = "";
  child.stdout.on("data", (part: Buffer) => void parts.push(part));
  child.stderr.on("data", (part: Buffer) => void (told += part.toString()));
  child.stdin.on("error", () => {});
  child.stdin.end(line);
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (status !== 0) {
    if (told.includes("unshare:") || told.includes("mount:")) throw new Error(told.trim());
    return undefined;
  }
  return parsed(Buffer.concat(parts).toString());
}

/** `CODE\0CHANGED\0`, then of each program `\0CWD\0NAME\0ARGUMENT…\0` and a line break. */
export function parsed(text: string): Trace | undefined {
  const [code, changed] = text.split("\0", 2);
  if (code === undefined || changed === undefined) return undefined;
  const rest = text.slice(code.length + changed.length + 2);
  const ran = rest
    .split(/\0\n(?=\0|$)/)
    .filter((record) => record !== "")
    .map((record) => {
      const [cwd = "", ...argv] = record.replace(/^\0/, "").split("\0");
      return { cwd, argv };
    });
  // Killed: it ran on and on.
  if (Number(code) === KILLED) return undefined;
  return { ran, changed: Number(changed), code: Number(code) };
}

const KILLED = 137;
