import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFile, runProcess } from "../../machine/index.ts";

/**
 * Programs that are real in the sandbox, because they only start others, or print. All others record and do nothing.
 */
const REAL_PROGRAMS = (
  "base64 bash cat chmod chrt dash env find flock ionice nice nohup rev setarch setsid sh taskset tee time timeout " +
  "tr true xargs"
).split(" ");

/** Programs that the sandbox itself needs, in a folder of its own. */
const OWN_PROGRAMS = ["bash", "cat", "env", "mkdir", "sh", "umount"];

/** Programs that record what they get and do nothing, besides those of the forbidden commands. */
const STUBS =
  "curl dd docker git gh kubectl ls make mkfs mv node npm npx python python3 rm scp shred sleep ssh tar terraform wget".split(
    " ",
  );

/** Folders in which each program is found. All are the same folder. */
const BIN = "usr/bin";
const BIN_LINKS = ["bin", "sbin", "usr/sbin", "usr/local/bin"];

/** Folders; `run` is writable, in memory. */
const FOLDERS = ["dev", "etc", "old", "proc", "run", "usr/lib", "var"];

const LINKS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(BIN_LINKS.map((link) => [link, `/${BIN}`])),
  ...Object.fromEntries(["home", "rec", "tmp"].map((name) => [name, `/run/${name}`])),
  "dev/fd": "/proc/self/fd",
  "dev/stdin": "/proc/self/fd/0",
  "dev/stdout": "/proc/self/fd/1",
  "dev/stderr": "/proc/self/fd/2",
};

/**
 * A program that records its arguments, one file for each process, and does nothing: the number of the line, the number
 * of words, the words, and the environment if it is wanted, each followed by a NUL; an empty one ends it.
 */
function stub(withEnvironment: boolean, then = ""): string {
  const environment = withEnvironment ? "/.orcs/env -0; " : "";
  return `#!/.orcs/sh
read -r n < /rec/line
{ printf '%s\\0' "$n" "$#" "$0" "$@"; ${environment}printf '\\0'; } >> "/rec/r.$$"
${then}`;
}

/** Options with which these start no command. */
const STARTS_NOTHING: Readonly<Record<string, string>> = {
  sudo: "-[vVKl] | -[A-Za-z][vVKl]",
  doas: "-[!ausn]* | --?*",
};

/** Programs that need more than the sandbox has, imitated: they record, and start the command. */
export const IMITATED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["sudo", "doas", "fakeroot", "chronic", "unbuffer", "busybox", "stdbuf"].map((name) => [
      name,
      `while [ $# -gt 0 ]; do
  case $1 in
    --) shift; break ;;
    ${STARTS_NOTHING[name] === undefined ? "" : `${STARTS_NOTHING[name]}) exit 1 ;;`}
    -[${name === "sudo" ? "c" : ""}ughpCDRTrtUoe]) shift 2 ;;
    -*) shift ;;
    ${name === "sudo" ? '*=*) export "$1"; shift ;;' : ""}
    *) break ;;
  esac
done
[ $# -eq 0 ] || exec "$@"
`,
    ]),
  ),
  ...Object.fromEntries(
    ["su", "script"].map((name) => [
      name,
      `while [ $# -gt 0 ]; do
  case $1 in
    -c | -qc | --command) exec sh -c "$2" ;;
    *) shift ;;
  esac
done
`,
    ]),
  ),
};

/** Runs the lines that it reads, each ended by a NUL, and prints what the stubs recorded. */
const DRIVER = `
export PATH=/usr/local/bin:/usr/bin:/bin HOME=/home/me LANG=C LC_ALL=C USER=me SHELL=/bin/bash
mapfile -d '' lines
n=0
[ \${#lines[@]} -eq 0 ] || eval "/.orcs/mkdir -p /run/rec /run/tmp /run/home/me/{0..$((\${#lines[@]} - 1))}"
for line in "\${lines[@]}"; do
  echo "$n" > /rec/line
  cd "/home/me/$n"
  # Lines wait for nothing: their input is empty, and sleep is a stub. So the time of the processor is enough as a limit.
  # Descriptor 9 is open as long as anything that the line started runs.
  held=$(ulimit -t 2; exec 9>&1 </dev/null >/dev/null 2>&1 /.orcs/bash -c "$line")
  n=$((n + 1))
done
shopt -s nullglob
files=(/rec/r.*)
[ \${#files[@]} -eq 0 ] || /.orcs/cat "\${files[@]}"
printf 'end\\0'
`;

/**
 * Enters the root in namespaces of its own: nothing of the machine is left but memory, \`/dev/null\` and \`/proc/PID\`.
 */
const ENTER = `set -e
root=$1
mount --bind "$root" "$root"
mount -t tmpfs -o size=32m,mode=755 tmpfs "$root/run"
mount -t proc -o subset=pid proc "$root/proc" || true
mount --bind /dev/null "$root/dev/null"
mount -o remount,ro,bind "$root"
cd "$root"
pivot_root . old
cd /
/.orcs/umount -l /old
exec /.orcs/bash /.orcs/driver
`;

/** Where a program of the machine is; undefined if it is not installed. */
export function machineProgram(name: string): string | undefined {
  const path = process.env["PATH"] ?? "";
  const folders = [...path.split(":"), "/usr/bin", "/bin", "/usr/sbin", "/sbin"];
  return folders
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, name))
    .find(existsSync);
}

const PROGRAM = { mode: 0o755 };

/**
 * Fill an empty folder with what is the whole file system of the sandbox: a copy of bash and of harmless programs with
 * their libraries, and stubs for all others.
 * @param stubbed programs of the forbidden commands
 * @returns the script that enters it, or why there can be none
 */
export async function fillRoot(
  root: string,
  stubbed: readonly string[],
  withEnvironment: boolean,
): Promise<{ readonly enter: string } | { readonly why: string }> {
  for (const folder of [...FOLDERS, BIN, ".orcs"])
    mkdirSync(join(root, folder), { recursive: true });
  for (const [link, target] of Object.entries(LINKS)) {
    mkdirSync(dirname(join(root, link)), { recursive: true });
    symlinkSync(target, join(root, link));
  }
  createFile(join(root, "dev/null"), "");
  const copied: string[] = [];
  const copy = (name: string, folder: string): boolean => {
    const from = machineProgram(name);
    if (from === undefined) return false;
    createFile(join(root, folder, name), readFileSync(from), PROGRAM);
    copied.push(from);
    return true;
  };
  const missing = OWN_PROGRAMS.filter((name) => !copy(name, ".orcs"));
  if (missing.length > 0) return { why: `not installed: ${missing.join(", ")}` };
  const own = new Set(stubbed);
  for (const name of REAL_PROGRAMS) if (!own.has(name)) copy(name, BIN);
  const write = (path: string, text: string): void => createFile(join(root, path), text, PROGRAM);
  for (const [name, script] of Object.entries(IMITATED)) {
    if (!own.has(name)) write(`${BIN}/${name}`, stub(withEnvironment, script));
  }
  write(".orcs/stub", stub(withEnvironment));
  const isThere = (name: string): boolean => existsSync(join(root, BIN, name));
  for (const name of new Set([...stubbed, ...STUBS])) {
    if (!isThere(name)) symlinkSync("/.orcs/stub", join(root, BIN, name));
  }
  write(".orcs/driver", DRIVER);
  const libraries = await librariesOf(copied);
  if (!libraries) return { why: "ldd does not tell the libraries of bash" };
  for (const library of libraries) {
    const to = join(root, library);
    mkdirSync(dirname(to), { recursive: true });
    createFile(to, readFileSync(library), PROGRAM);
  }
  return { enter: ENTER };
}

/** The libraries that programs load, with the loader. */
async function librariesOf(programs: readonly string[]): Promise<readonly string[] | undefined> {
  const result = await runProcess({
    file: "ldd",
    args: [...new Set(programs)],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" },
    timeoutMs: 10_000,
    maxOutputBytes: 2 ** 20,
  });
  // Its code is not 0 if one of the programs is a script.
  if (result.kind === "not_started") return undefined;
  const text = new TextDecoder().decode(result.stdout);
  const found = Array.from(text.matchAll(/(?:=>\s+|^\s+)(\/\S+)\s+\(/gm), ([, path = ""]) => path);
  return found.length === 0 ? undefined : [...new Set(found)];
}
