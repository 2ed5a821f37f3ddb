import { basename, dirname, extname } from "node:path";

/** Programs that only start others: the name is that of what they start. */
const LAUNCHERS = new Set(
  "node npx npm pnpm yarn bun bunx deno tsx uv uvx pipx python python3 ruby php java docker podman sh bash env".split(
    " ",
  ),
);
const LAUNCHER_VERBS = new Set(["run", "exec", "dlx", "x"]);
/** Names of files and folders that say nothing of what is in them. */
const PLAIN = new Set(
  "index main server cli app start run mcp stdio dist build lib out src bin __main__".split(" "),
);

/**
 * A name for a server, from the command that starts it: of `npx -y @scope/server-files@1.2 /tmp` it is
 * `server-files`.
 */
export function serverName([file = "", ...args]: readonly string[]): string {
  const program = plainName(file);
  if (!LAUNCHERS.has(program)) return valid(program);
  const target = args.find((arg) => !arg.startsWith("-") && !LAUNCHER_VERBS.has(arg));
  return valid(target === undefined ? program : targetName(target));
}

/** Whether a name can stand in `mcp::<name>`. */
export function isServerName(name: string): boolean {
  return name !== "" && valid(name) === name;
}

/** The last part of a path that says something; of a package, without scope and version. */
function targetName(target: string): string {
  const path = target.replace(/(?<=[^/])@[^/@]*$/, "");
  for (let at = path; basename(at) !== ""; at = dirname(at)) {
    const name = plainName(at);
    if (!PLAIN.has(name) && name !== "." && name !== "..") return name;
    if (dirname(at) === at) break;
  }
  return plainName(path);
}

function plainName(path: string): string {
  const extension = /^\.(?:[cm]?[jt]s|py|rb|php|jar|exe|cmd|sh)$/.test(extname(path));
  return basename(path, extension ? extname(path) : "");
}

function valid(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, "-").replaceAll(/^-+|-+$/g, "") || "server";
}
