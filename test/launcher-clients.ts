import { spawnSync } from "node:child_process";
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { folder } from "./dist/orcs.ts";

/** What bin/orcs-hook needs of a system that has no more. */
export const TOOLS = "sh cat date timeout readlink node env id ls sed tr head".split(" ");

/** nc as the launcher calls it, for systems that have another one or none. */
const NC = `#!/usr/bin/env node
const socket = require("node:net").connect(process.argv[3]);
process.stdin.pipe(socket, { end: false });
socket.pipe(process.stdout);
socket.on("error", () => process.exit(1));
socket.on("close", () => process.stdin.destroy());
`;

export function pathOf(name: string): string | undefined {
  const { status, stdout } = spawnSync("/bin/sh", ["-c", `command -v ${name}`], {
    encoding: "utf8",
  });
  return status === 0 ? stdout.trim() : undefined;
}

/** A PATH on which the launcher finds one client: perl, curl or nc. */
export function pathWith(client: string): string {
  const dir = folder(client === "nc" ? { nc: NC } : {});
  if (client === "nc") chmodSync(join(dir, "nc"), 0o755);
  for (const name of client === "nc" ? TOOLS : [client, ...TOOLS]) {
    const path = pathOf(name);
    if (path === undefined) throw new Error(`${name} is not installed here`);
    symlinkSync(path, join(dir, name));
  }
  return dir;
}
