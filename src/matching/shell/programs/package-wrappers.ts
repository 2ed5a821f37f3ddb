import type { Wrapper } from "./options.ts";
import { PLAIN } from "./options.ts";

const PACKAGE_RUNNER: Wrapper = {
  short: "cpw",
  long: [
    "cache",
    "call",
    "dir",
    "filter",
    "loglevel",
    "package",
    "prefix",
    "registry",
    "shell",
    "workspace",
  ],
  flags: [
    "bail",
    "ignore-existing",
    "include-workspace-root",
    "no",
    "no-install",
    "offline",
    "parallel",
    "prefer-offline",
    "quiet",
    "recursive",
    "silent",
    "workspaces",
    "yes",
  ],
  scripts: ["c", "call"],
};

const UV_RUN: Wrapper = {
  short: "pmn",
  long: [
    "python",
    "with",
    "with-editable",
    "with-requirements",
    "project",
    "directory",
    "extra",
    "group",
    "only-group",
    "package",
    "env-file",
    "index-url",
  ],
  flags: [
    "active",
    "all-extras",
    "all-groups",
    "dev",
    "exact",
    "frozen",
    "isolated",
    "locked",
    "no-cache",
    "no-dev",
    "no-project",
    "no-sync",
    "offline",
    "quiet",
    "verbose",
  ],
};

/** Programs that run commands of packages, environments and versions. */
export const PACKAGE_WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ["asdf", { next: { exec: PLAIN } }],
  ["bundle", { next: { exec: { flags: ["keep-file-descriptors"] } } }],
  [
    "bun",
    { next: { x: { short: "p", long: ["package"], flags: ["bun", "no-install", "verbose"] } } },
  ],
  ["bunx", { short: "p", long: ["package"], flags: ["bun", "no-install", "verbose"] }],
  [
    "conda",
    {
      next: {
        run: {
          short: "np",
          long: ["name", "prefix", "cwd"],
          flags: ["live-stream", "no-capture-output", "verbose"],
        },
      },
    },
  ],
  ["corepack", PLAIN],
  ["direnv", { next: { exec: { operands: 1 } } }],
  ["fnm", { next: { exec: { long: ["using"], after: ["--"] } } }],
  ["hatch", { short: "e", long: ["env"], next: { run: PLAIN } }],
  ["lerna", { next: { exec: { long: ["scope", "ignore", "concurrency"], after: ["--"] } } }],
  ["micromamba", { next: { run: { short: "np", long: ["name", "prefix", "cwd"] } } }],
  ["mise", { next: { exec: { after: ["--"] }, x: { after: ["--"] } } }],
  [
    "nix",
    {
      next: {
        develop: { after: ["-c", "--command"], operands: Infinity },
        shell: { after: ["-c", "--command"], operands: Infinity },
      },
    },
  ],
  [
    "nix-shell",
    { short: "pA", long: ["run", "command"], scripts: ["run", "command"], operands: Infinity },
  ],
  [
    "npm",
    {
      short: "Cw",
      long: ["prefix", "workspace", "loglevel", "userconfig"],
      flags: ["global", "silent", "quiet", "workspaces", "yes"],
      next: { exec: PACKAGE_RUNNER, x: PACKAGE_RUNNER, explore: { operands: 1 } },
    },
  ],
  ["npx", PACKAGE_RUNNER],
  ["nvm", { next: { exec: { operands: 1 }, run: { operands: 1 } } }],
  ["pdm", { short: "p", next: { run: PLAIN } }],
  ["pipenv", { next: { run: PLAIN } }],
  [
    "pnpm",
    {
      short: "CF",
      long: ["dir", "filter"],
      flags: ["recursive", "silent", "workspace-root"],
      next: { exec: PACKAGE_RUNNER, dlx: PACKAGE_RUNNER },
    },
  ],
  ["pnpx", PACKAGE_RUNNER],
  ["poetry", { short: "CP", long: ["directory", "project"], next: { run: PLAIN } }],
  ["pyenv", { next: { exec: PLAIN } }],
  ["rbenv", { next: { exec: PLAIN } }],
  ["rustup", { next: { run: { operands: 1, flags: ["install"] } } }],
  ["rye", { next: { run: PLAIN } }],
  ["tox", { short: "ec", next: { exec: { after: ["--"] } } }],
  [
    "uv",
    {
      long: ["directory", "project", "cache-dir"],
      flags: ["offline", "quiet", "verbose", "no-cache"],
      next: {
        run: UV_RUN,
        tool: { next: { run: { short: "p", long: ["from", "with", "python"] } } },
      },
    },
  ],
  [
    "uvx",
    {
      short: "p",
      long: ["from", "with", "python"],
      flags: ["isolated", "no-cache", "offline", "quiet"],
    },
  ],
  ["volta", { next: { run: { long: ["node", "npm", "yarn"] } } }],
  [
    "yarn",
    {
      long: ["cwd"],
      flags: ["silent"],
      next: { exec: PLAIN, dlx: { short: "p", long: ["package"], flags: ["quiet"] }, x: PLAIN },
    },
  ],
]);
