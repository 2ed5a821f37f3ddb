import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { HOME, PROJECT } from "./world.ts";

/** What a line really did. */
export interface Traced {
  /** Absolute paths, as seen in the sandbox. */
  readonly written: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
  readonly attributes: ReadonlySet<string>;
  /** Programs that were started. */
  readonly run: ReadonlySet<string>;
  readonly status: number | null;
}

const CALLS =
  "open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,chmod,fchmodat,chown," +
  "lchown,fchownat,link,linkat,symlink,symlinkat,truncate,execve,chdir,fchdir,clone,clone3,fork,vfork,mknod,mknodat";

const SANDBOX =
  "--unshare-all --die-with-parent --new-session --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --tmpfs /run " +
  `--chdir ${PROJECT} --clearenv --setenv HOME ${HOME} --setenv PATH /usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`;

/** Run a line in a sandbox without a network, of which only `root` can be written, and list what it did. */
export function traced(line: string, root: string): Traced {
  const trace = join(root, "trace");
  const { status } = spawnSync(
    "bwrap",
    [
      ...SANDBOX.split(" "),
      "--bind",
      root,
      "/mnt",
      ...`strace -f -y -s 4096 -o /mnt/trace -e trace=${CALLS} timeout -k 1 4 bash -c`.split(" "),
      `ulimit -u 200 -f 20000; ${line}`,
    ],
    { timeout: 8000, stdio: ["ignore", "ignore", "ignore"], killSignal: "SIGKILL" },
  );
  return { ...parsed(existsSync(trace) ? readFileSync(trace, "utf8") : ""), status };
}

type Sets = Omit<Traced, "status">;

/** The shell that strace starts is no part of the line. */
const OWN_PROCESSES = 2;

function parsed(trace: string): Sets {
  const folders = new Map<string, string>();
  const pending = new Map<string, string>();
  const found = {
    written: new Set<string>(),
    removed: new Set<string>(),
    attributes: new Set<string>(),
    run: new Set<string>(),
  };
  let started = 0;
  for (const row of trace.split("\n")) {
    const [, pid = "", rest = ""] = /^(\d+)\s+(.*)$/.exec(row) ?? [];
    let call = rest;
    if (call.endsWith("<unfinished ...>")) {
      pending.set(pid, call.slice(0, -"<unfinished ...>".length));
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(call);
    if (resumed) call = (pending.get(pid) ?? "") + (resumed[1] ?? "");
    const [, name = "", args = "", result = ""] =
      /^(\w+)\((.*)\)\s+=\s+(-?\d+.*)$/.exec(call) ?? [];
    if (name === "" || result.startsWith("-1")) continue;
    const cwd = folders.get(pid) ?? PROJECT;
    if (/^(?:clone3?|v?fork)$/.test(name)) folders.set(/^\d+/.exec(result)?.[0] ?? "", cwd);
    const paths = pathsIn(args, cwd);
    const [first, second] = paths;
    if (first === undefined) continue;
    if (name === "chdir") folders.set(pid, first);
    else if (name === "execve") {
      if (++started > OWN_PROCESSES) found.run.add(first);
    } else if (/^(?:open|openat|openat2|creat)$/.test(name)) {
      if (name === "creat" || /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(args))
        found.written.add(first);
    } else if (/^(?:unlink|rmdir)/.test(name)) {
      // What the line has made itself and removes again is gone without a trace.
      if (!found.written.delete(first)) found.removed.add(first);
    } else if (name.startsWith("rename")) {
      if (!found.written.delete(first)) found.removed.add(first);
      if (second !== undefined) found.written.add(second);
    } else if (/^(?:mkdir|mknod|truncate)/.test(name)) found.written.add(first);
    else if (/^(?:link|symlink)/.test(name)) found.written.add(paths.at(-1) ?? first);
    else if (/^(?:f?chmod|[lf]?chown)/.test(name)) found.attributes.add(first);
  }
  return found;
}

/** A text as strace quotes it: an octal escape is a byte, of which only names with other letters have one. */
function unescaped(quoted: string): string {
  const text = quoted.replaceAll(/\\(?:(\d{1,3})|[^])/g, (escape, octal?: string) =>
    octal ? "?" : escape,
  );
  return JSON.parse(`"${text}"`) as string;
}

/** The paths in the arguments of a call, absolute: strace shows the folders of descriptors. */
function pathsIn(args: string, cwd: string): string[] {
  const found: string[] = [];
  for (const [, folder, quoted = ""] of args.matchAll(
    /(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/g,
  )) {
    found.push(resolve(folder ?? cwd, unescaped(quoted)));
  }
  return found;
}
