import { execSync } from "node:child_process";

/** The commands that the model runs, one in each turn. */
export const commands = JSON.parse(process.argv[2]);

/** What the tool `exec` does. */
export function shell(command) {
  return execSync(command, { encoding: "utf8" });
}
