import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { anthropicPosition, speakAnthropic } from "./anthropic.ts";
import { endServices, judged, NPM_INSTALL, packed, person, put, ROOT, run } from "./machine.ts";
import { modelServer } from "./model-server.ts";
import { PROGRAMS } from "./programs.ts";

const TOKEN = "sk-live-0123456789abcdef";
const CONFIG = `
[[hooks]]
id = "no-pwned"
point = "tool.pre_execute"
match = { tool = "exec", command = "pwned" }
handler_inline = 'orcs.deny("no pwned files, please")'

[[hooks]]
id = "second"
point = "tool.pre_execute"
match = { tool = "exec", command = "echo first" }
handler_inline = 'ctx.payload.args.command = ctx.payload.args.command:gsub("first", "second")'

[[hooks]]
id = "mask"
point = "tool.post_execute"
match = { tool = "exec", command = "token" }
handler_inline = '''
local masked = orcs.json_encode(ctx.payload.result):gsub("sk%-live%-%w+", "MASKED")
return orcs.replace(orcs.json_decode(masked))
'''

[[hooks]]
id = "budget"
point = "tool.pre_execute"
match = { tool = "exec", command = "counted" }
handler_inline = '''
if orcs.state.incr("calls of " .. ctx.payload.session_id) > 1 then return orcs.deny("one call in a session") end
'''
`;
const COMMANDS = [
  "touch pwned",
  "echo first > changed.txt",
  "cat token.txt",
  "echo x >> counted.txt",
  "echo y >> counted.txt",
];

/** How an agent that is built with a library is run. */
interface Library {
  /** Packages, besides orcs. */
  readonly packages: readonly string[];
  /** Its agent is a program of its own, whose model is on a server. */
  readonly speaks?: true;
  /** It needs a newer Node than orcs, which is installed from npm, too; its recipe is in docs/how-to/libraries.md. */
  readonly recipe?: true;
}

/** A release line of Node that all recipes run on. */
const NEWER_NODE = "node@24";

/** The adapters of the package, and the recipes. Each agent is `packed-agents/NAME.mjs`; opencode is one itself. */
export const PACKED_AGENTS: Readonly<Record<string, Library>> = {
  "ai-sdk": { packages: ["ai@6"] },
  "openai-agents": { packages: ["@openai/agents-core@0.20"] },
  langchain: { packages: ["langchain@1"] },
  "claude-agent-sdk": { packages: ["@anthropic-ai/claude-agent-sdk@0.3"], speaks: true },
  "opencode-plugin": { packages: ["opencode-ai@1.18.33"], speaks: true },
  mastra: { packages: ["@mastra/core@1.71", "ai@6", "zod"], recipe: true },
  strands: { packages: ["@strands-agents/sdk@1.19", "zod"], recipe: true },
  pi: {
    packages: ["@earendil-works/pi-agent-core@0.87", "@earendil-works/pi-ai@0.87"],
    recipe: true,
  },
};

/**
 * Run an agent with the packed package and the library from npm, in an empty folder, against a scripted model.
 * @returns what must hold, and whether it does
 */
export async function packedAgent(name: string, { packages, speaks, recipe }: Library) {
  const { root, home, project, env: own } = person(name);
  // On Node 20, a library that depends on openai 7 needs openai 6: docs/how-to/libraries.md.
  const overrides = recipe === true ? {} : { openai: "^6.0.0" };
  const manifest = { private: true, type: "module", overrides };
  put(join(project, "package.json"), JSON.stringify(manifest));
  const install = [...NPM_INSTALL, packed(root), ...packages];
  if (recipe === true) install.push(NEWER_NODE);
  execFileSync("npm", install, { cwd: project, stdio: ["ignore", "ignore", "inherit"] });
  put(join(project, "orcs.toml"), CONFIG);
  put(join(project, "token.txt"), `token=${TOKEN}\n`);

  const script = COMMANDS.map((command) =>
    name === "opencode-plugin"
      ? { tool: "bash", input: { command, description: "a step" } }
      : { tool: "Bash", input: { command, description: "a step" } },
  );
  const model = await modelServer(
    [...script, { text: "finished" }],
    speakAnthropic,
    anthropicPosition,
  );
  const env = {
    ...own,
    ...(name === "claude-agent-sdk" && PROGRAMS["claude-code"]?.env(model.url)),
    ...(name === "opencode-plugin" && PROGRAMS["opencode"]?.env(model.url)),
  };
  const bin = (program: string): string => join(project, "node_modules/.bin", program);
  const started = Date.now();
  let ended;
  if (name === "opencode-plugin") {
    for (const args of [["trust"], ["install", "--host", "opencode", "--project"]]) {
      execFileSync(bin("orcs"), [...args, "--yes"], { cwd: project, env, stdio: "ignore" });
    }
    for (const [path, text] of Object.entries(PROGRAMS["opencode"]?.project?.(model.url) ?? {})) {
      put(join(project, path), text);
    }
    ended = await run(bin("opencode"), PROGRAMS["opencode"]?.args(model.url) ?? [], project, env);
  } else {
    for (const file of [`${name}.mjs`, "commands.mjs"]) {
      copyFileSync(join(ROOT, "test/live/packed-agents", file), join(project, file));
    }
    if (recipe === true) put(join(project, `orcs-${name}.mjs`), recipeOf(name));
    const node = recipe === true ? bin("node") : process.execPath;
    ended = await run(node, [`${name}.mjs`, JSON.stringify(COMMANDS)], project, env);
  }
  await model.close();
  const { code, output } = ended;
  const said = speaks === true ? model.requests.join("\n") : output;
  put(join(root, "output.txt"), `${output}\n${said}`);
  const text = (file: string): string =>
    existsSync(join(project, file)) ? readFileSync(join(project, file), "utf8") : "";
  const findings = {
    [`the agent ended by itself (${Date.now() - started} ms, exit ${code})`]:
      code === 0 && output.includes("finished"),
    "a denied command did not run": !existsSync(join(project, "pwned")),
    "the model was told why": said.includes("no pwned files, please"),
    "a rewritten command ran as rewritten": text("changed.txt") === "second\n",
    "a masked result reached the model masked": said.includes("MASKED") && !said.includes(TOKEN),
    "the budget of a session ended": text("counted.txt") === "x\n" && said.includes("one call in"),
  };
  endServices(home);
  return judged(root, findings);
}

/** The code of a recipe, from the page that shows it. */
function recipeOf(name: string): string {
  const page = readFileSync(join(ROOT, "docs/how-to/libraries.md"), "utf8");
  const [, code] =
    new RegExp(`title="orcs-${name}\\.mjs" file\n(.*?)\n\`\`\``, "s").exec(page) ?? [];
  if (code === undefined) throw new Error(`docs/how-to/libraries.md has no recipe for ${name}`);
  return code;
}
