import { join, posix } from "node:path";
import { isPackageName, MODULES } from "../../config/index.ts";
import { INSTALL_COMMAND, OrcsError, PACKAGE_NAME } from "../../core/index.ts";
import { ownVersion } from "../../machine/index.ts";
import { type FileChange, fileChange, statusOf } from "../atomic-writes.ts";
import { exampleTool, expectTools, REASON } from "../init-files.ts";

/** Files that must be new: without what init writes there, there is no package. */
const ESSENTIAL = ["package.json", "orcs.toml"];

/**
 * The files with which a package of hooks begins. An existing file stays as it is.
 * @param tools as in `match.tool`
 * @throws OrcsError ORCS5001 for the name or the tools, ORCS9308 when there is a package.json or an orcs.toml
 */
export function packageFiles(dir: string, name: string, tools: string): FileChange[] {
  // npm allows a hyphen in front, but it is another option: the name was left out.
  if (!isPackageName(name) || name.startsWith("-")) {
    const why = `${JSON.stringify(name)} is not a name of an npm package, such as @acme/guards`;
    throw new OrcsError("ORCS5001", why, { package: name });
  }
  expectTools(tools);
  const texts: Readonly<Record<string, string>> = {
    "package.json": manifestText(name),
    "hooks/no-force-push.lua": hookText(tools),
    "hooks/no-force-push_test.lua": testText(exampleTool(tools)),
    "README.md": readmeText(name),
    "orcs.toml": CONFIG,
    ".github/workflows/test.yml": WORKFLOW,
  };
  const changes = Object.entries(texts).map(([path, text]) =>
    fileChange(path, join(dir, path), (before) => before ?? text),
  );
  const kept = changes.filter((change) => statusOf(change) === "unchanged");
  const found = kept.map(({ path }) => path).filter((path) => ESSENTIAL.includes(path));
  if (found.length === 0) return changes;
  const why = `${dir} already has ${found.join(" and ")}: begin a package in an empty folder (--dir), or add the field "orcs" yourself`;
  throw new OrcsError("ORCS9308", why, { paths: found });
}

function manifestText(name: string): string {
  const manifest = {
    name,
    version: "0.1.0",
    description: "Hooks for orcs",
    keywords: ["orcs", "orcs-hooks"],
    files: ["hooks", "lua"],
    // The program that checks it is a development dependency that its author installs from an archive.
    scripts: { test: `${PACKAGE_NAME} pack` },
    orcs: {
      hooks: { "no-force-push": "hooks/no-force-push.lua" },
      options: { reason: REASON },
      requires: `>=${ownVersion()}`,
    },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function hookText(tools: string): string {
  return `-- Denies force pushes before they run. The option \`reason\` is what the agent reads.
---@type orcs.hook.tool.pre_execute
return {
  point = "tool.pre_execute",
  match = { tool = "${tools}", runs = { "git push --force" } },
  handler = function()
    return orcs.deny(orcs.options.reason)
  end,
}
`;
}

function testText(tool: string): string {
  return `local hook = orcs.test.load("no-force-push.lua", { reason = "not here" })

local function run(command)
  return hook:dispatch({ tool = "${tool}", args = { command = command } })
end

describe("no-force-push", function()
  it("denies a force push, with the reason of its options", function()
    local outcome = run("git push --force")
    assert.equal("abort", outcome.action)
    assert.equal("not here", outcome.reason)
  end)

  it("lets other pushes pass", function()
    assert.equal("continue", run("git push origin main").action)
    assert.equal("continue", run("git push --force-with-lease").action)
  end)
end)
`;
}

function readmeText(name: string): string {
  return `# ${name}

Hooks for orcs.

| hook | what it does |
| --- | --- |
| \`${name}/no-force-push\` | denies \`git push --force\` |

| option | default | what it is |
| --- | --- | --- |
| \`reason\` | ${REASON} | what the agent reads |

## Use it

\`\`\`sh
npm install --save-dev --ignore-scripts ${name}
orcs package add ${name}
orcs trust
\`\`\`

## Work on it

\`\`\`sh
orcs trust --dev  # once: saved hooks become active in this folder
orcs test
orcs package pack         # checks and tests the files that npm publishes
\`\`\`
`;
}

/** Not among the published files. */
const CONFIG = `# For work on this package: its own hooks, active in this folder. npm does not publish this file.
${packageConfig(["hooks/no-force-push.lua"])}`;

const WORKFLOW = `name: test
on: [push, pull_request]
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      # The archive of orcs in the repository, or: - run: npm ci --ignore-scripts
      # with orcs in package-lock.json. A bare name would install whatever has that name.
      - run: ${INSTALL_COMMAND}
      # orcs package pack
      - run: npm test
`;

/** A configuration with which a package uses itself: tests find its scripts and its modules. */
export function packageConfig(scripts: Iterable<string>): string {
  const folders = [...scripts].map((script) => posix.dirname(script));
  const dirs = [...new Set([...folders, MODULES])].map((dir) => JSON.stringify(dir));
  return `extends = ["./"]\n\n[scripts]\ndirs = [${dirs.join(", ")}]\n`;
}
