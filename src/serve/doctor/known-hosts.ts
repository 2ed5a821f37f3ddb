import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { HostName } from "../../core/hosts.ts";

/** What a host is called, how it is started, and what it tells its hooks by the environment. */
interface KnownHost {
  readonly label: string;
  readonly program: string;
  /** Variables that its hooks get. Source: protocols.md. */
  env(project: string): Readonly<Record<string, string>>;
  /** What it hands the line of a hook to. @param own the user's shell */
  shell(own: string): readonly [file: string, ...args: string[]];
}

const sh = () => ["/bin/sh", "-c"] as const;

export const KNOWN_HOSTS: Readonly<Record<HostName, KnownHost>> = {
  "claude-code": {
    label: "Claude Code",
    program: "claude",
    env: (project) => ({ CLAUDE_PROJECT_DIR: project }),
    shell: sh,
  },
  codex: {
    label: "Codex",
    program: "codex",
    env: () => ({}),
    shell: (own) => [own, "-lc"],
  },
  gemini: {
    label: "Gemini CLI",
    program: "gemini",
    env: (project) => ({
      GEMINI_PROJECT_DIR: project,
      GEMINI_CWD: project,
      GEMINI_SESSION_ID: "orcs-doctor",
      CLAUDE_PROJECT_DIR: project,
    }),
    shell: () => ["bash", "-c"],
  },
  cursor: {
    label: "Cursor",
    program: "cursor-agent",
    env: (project) => ({ CURSOR_PROJECT_DIR: project, CURSOR_VERSION: "" }),
    shell: sh,
  },
};

/** Where a program is on a path; undefined when it is on none of it. It is not started: some write files then. */
export function findProgram(name: string, path: string | undefined): string | undefined {
  return (path ?? "")
    .split(delimiter)
    .flatMap((folder) => (folder === "" ? [] : [join(folder, name)]))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
