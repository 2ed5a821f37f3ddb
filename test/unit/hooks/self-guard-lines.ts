import { homedir } from "node:os";

export const HOME = homedir();
export const STATE = `${HOME}/.local/state/orcs`;
export const CONFIG = `${HOME}/.config/orcs`;
export const PROGRAM = "/opt/tools/node_modules/orcs";
export const RUNTIME = "/run-of-nobody/orcs";
export const PROJECT = "/work-of-nobody/project";
export const DEV = "/work-of-nobody/dev";

/** A written line: `@HOME@` stands for the home directory, `@PROGRAM@` and `@DEV@` for folders of the options. */
export function placed(line: string): string {
  return line.replaceAll("@HOME@", HOME).replaceAll("@PROGRAM@", PROGRAM).replaceAll("@DEV@", DEV);
}

/** What a project does with orcs in its own node_modules. */
export const OWN_MODULES: readonly string[] = [
  "rm -rf ./node_modules package-lock.json",
  "npx rimraf node_modules",
  "chown -R me .",
  "mv node_modules x",
  "find . -not -path './node_modules/*' -name '*.js' -delete",
  "find node_modules -name '*.d.ts' -delete",
  "rm -rf node_modules/.cache",
  "rm -rf node_modules/*",
  "rm -rf node_modules/o*",
  "tar xf node_modules.tar",
  "npm install orcs@latest",
  "rm -rf node_modules && npm install",
];
