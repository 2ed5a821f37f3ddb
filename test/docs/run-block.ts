import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import ts from "typescript";
import { createOrcs } from "../../src/engine/create-orcs.ts";
import { defaultAuthority } from "../../src/engine/orcs/define-hooks.ts";
import type { Orcs } from "../../src/engine/orcs/orcs.ts";
import { CAPABILITIES } from "../../src/core/permission.ts";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import { Lines } from "../unit/engine/orcs/engine.ts";
import { wireExchange } from "./wire-exchange.ts";
import { pages, ROOT, setting } from "./pages.ts";
import type { Block } from "./pages.ts";

/** How pages name the folder that they are in. */
const SHOWN = "~/guarded";

/** The folder in which the blocks of one page run, one after the other. */
export class PageFolder {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), "orcs-docs-")));
  /** Outside of it: whom somebody trusts is no part of a project. */
  readonly #state = mkdtempSync(join(tmpdir(), "orcs-docs-state-"));
  #count = 0;

  /** @param install puts the package and its command into the folder's `node_modules`; default: the checkout */
  constructor(install: (dir: string) => void = linkCheckout) {
    install(this.dir);
    writeFileSync(join(this.dir, EXAMPLE_MODEL), exampleModel());
  }

  remove(): void {
    for (const folder of [this.dir, this.#state]) {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Do with a block what its kind asks for, and hold what it writes against what the page says. */
  async run(block: Block): Promise<void> {
    const { language, title, text, output } = block;
    if (title !== undefined) this.#write(title, text);
    if (title !== undefined && block.words.includes("file")) return;
    const kind = [language, ...block.words.filter((word) => !word.includes("="))].join(" ");
    const run = KINDS[kind];
    if (!run) throw new Error(`no test knows what a block of the kind "${kind}" is for`);
    const written = await run(this, block);
    if (output === undefined) return;
    if (typeof written !== "string") throw new Error("it writes nothing");
    if (kind === "lua handler") expectSameJson(written, output);
    else expectSame(written.replaceAll(this.dir, SHOWN), output);
  }

  /** The file of a block: its title, or one made up. */
  fileOf(block: Block, extension: string): string {
    const name = block.title ?? `block-${++this.#count}.${extension}`;
    if (block.title === undefined) this.#write(name, block.text);
    return name;
  }

  /** An engine in the folder, for as long as it is used. */
  async withEngine<T>(
    config: string | object,
    use: (orcs: Orcs, log: Lines) => Promise<T>,
  ): Promise<T> {
    const log = new Lines();
    const orcs = await createOrcs({
      cwd: this.dir,
      config: config as Record<string, unknown>,
      logger: log,
      output: (text) => log.info(text),
      trace: true,
      // Not to be reached because the machine has other things to do.
      overrides: { lua: { max_run_ms: 5000, max_chain_ms: 20_000 } },
    });
    try {
      return await use(orcs, log);
    } finally {
      await orcs.close();
    }
  }

  /** Run a program in the folder; what it wrote to stdout. */
  start(file: string, args: readonly string[], exit = 0): string {
    const env = {
      ...process.env,
      PATH: [
        join(this.dir, "node_modules/.bin"),
        dirname(process.execPath),
        process.env["PATH"],
      ].join(delimiter),
      XDG_CONFIG_HOME: join(this.dir, "no-user"),
      XDG_STATE_HOME: this.#state,
      NO_COLOR: "1",
    };
    const { stdout, stderr, status } = spawnSync(file, args, {
      cwd: this.dir,
      env,
      encoding: "utf8",
      timeout: 20_000,
    });
    if (status !== exit)
      throw new Error(`it ended with ${status}, not ${exit}:\n${stdout}${stderr}`);
    return stdout;
  }

  /** Whether a block above has written an `orcs.toml`. */
  hasConfig(): boolean {
    return existsSync(join(this.dir, "orcs.toml"));
  }

  #write(name: string, text: string): void {
    const file = join(this.dir, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The model that examples import, on whichever page they are; docs/how-to/libraries.md shows it. */
export const EXAMPLE_MODEL = "model.mjs";

export function exampleModel(): string {
  const blocks = pages().flatMap((page) => page.blocks);
  const found = blocks.find(({ title }) => title === EXAMPLE_MODEL);
  if (!found) throw new Error(`no page has a block with the title ${EXAMPLE_MODEL}`);
  return found.text;
}

/** Libraries that examples import. */
const LIBRARIES = [
  "@opentelemetry/api",
  "@opentelemetry/sdk-trace-base",
  "ai",
  "@anthropic-ai/claude-agent-sdk",
  "@openai/agents-core",
  "langchain",
  "@langchain/langgraph",
];

function linkCheckout(dir: string): void {
  const command = join(dir, "node_modules/.bin/orcs");
  mkdirSync(dirname(command), { recursive: true });
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${ROOT}dist/cli/main.js" "$@"\n`);
  chmodSync(command, 0o755);
  symlinkSync(ROOT, join(dir, "node_modules/orcs"));
  for (const name of LIBRARIES) {
    const link = join(dir, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), link);
  }
}

/** What is done with each kind of block; a string is what it wrote. */
const KINDS: Readonly<Record<string, (page: PageFolder, block: Block) => unknown>> = {
  ts: runTypeScript,
  // Examples of other systems as they stand there, whose types are looser.
  "ts unchecked": runTypeScript,
  js: (page, block) => page.start(process.execPath, [page.fileOf(block, "mjs")]),
  lua: loadScript,
  "lua handler": runHandler,
  "lua program": runProgram,
  toml: (page, block) =>
    page.withEngine(page.fileOf(block, "toml"), (orcs) => judgeRecorded(orcs, block)),
  sh: runShell,
  "sh terminal": (page, block) => runShell(page, { ...block, text: `exec 2>&1\n${block.text}` }),
  json: (_page, { text }) => JSON.parse(text) as unknown,
  text: () => undefined,
  "text wire": (page, { text }) => wireExchange(page.dir, text),
};

function runTypeScript(page: PageFolder, block: Block): string {
  const { outputText } = ts.transpileModule(block.text, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  });
  const file = page.fileOf({ ...block, title: undefined, text: outputText }, "mjs");
  return page.start(process.execPath, [file]);
}

function loadScript(page: PageFolder, block: Block): Promise<void> {
  const hooks = [{ script: join(page.dir, page.fileOf(block, "lua")) }];
  return page.withEngine({ hooks }, async (orcs) => {
    if (orcs.registry.size === 0) throw new Error("it defines no hook");
    await judgeRecorded(orcs, block);
  });
}

/** The recorded events of all agents. */
async function* recordedEvents() {
  for (const name of HOST_NAMES) {
    const protocol = await HOSTS[name].load();
    const lines = readFileSync(`${ROOT}test/fixtures/${name}.jsonl`, "utf8").trim().split("\n");
    for (const line of lines) yield protocol.decode(JSON.parse(line) as JsonObject);
  }
}

/** No hook in Lua may fail at an event that an agent has sent. Their tools only read, and no model answers. */
async function judgeRecorded(orcs: Orcs, block: Block): Promise<void> {
  if (setting(block, "fails") === "true" || OUTSIDE_LUA.test(block.text)) return;
  const { capabilities: _, ...authority } = defaultAuthority(orcs.settings.permissions);
  for await (const { point, payload, component, child } of recordedEvents()) {
    const hooks = orcs.registry.list().filter((hook) => hook.point.name === point);
    if (hooks.length === 0 || !hooks.every(({ source }) => source)) continue;
    const options = { component, child, authority: { ...authority, capabilities: READ } };
    const { trace = [] } = await orcs.dispatch(point, payload, options);
    for (const { id, status, reason = "" } of trace) {
      if (status === "failed" || status === "timed_out")
        throw new Error(`${id} at ${point}: ${reason}`);
    }
  }
}

const { READ } = CAPABILITIES;
/** Handlers that need a program or a server. */
const OUTSIDE_LUA = /^(?:shell|webhook|module|handler|type)\b.*=|^\[\[hooks\.|command *=/m;

/** Payloads for handlers to work on. */
const CALL = {
  tool_name: "exec",
  args: {
    command: "git push origin main",
    path: "src/a.ts",
    list: ["a", "b", "c"],
    nothing: null,
    count: 3,
  },
  capabilities: 127,
  session_id: "s-1",
};
const PAYLOADS: Readonly<Record<string, Record<string, unknown>>> = {
  "tool.pre_execute": CALL,
  "tool.post_execute": {
    ...CALL,
    result: { ok: true, stdout: "token=abc\n", stderr: "", code: 0 },
    elapsed_ms: 3,
  },
  "prompt.pre_submit": { prompt: "hello" },
};

function runHandler(page: PageFolder, block: Block): Promise<string> {
  const point = setting(block, "point") ?? "tool.pre_execute";
  const payload = PAYLOADS[point];
  if (!payload) throw new Error(`no payload to try ${point} with`);
  // The body of a function, whose first line is that of the block.
  const handler_inline = `function(ctx) ${block.text} end`;
  // What the handler calls itself must not come back to it.
  const match = point.startsWith("tool.") ? { tool: "exec", session: "s-1" } : {};
  const config = { hooks: [{ id: "block", point, match, handler_inline }] };
  return page.withEngine(config, async (orcs, log) => {
    const { trace = [], ctx } = await orcs.dispatch(point, payload);
    const [entry] = trace;
    if (entry?.status !== "ran")
      throw new Error(`it did not run: ${entry?.status} ${entry?.reason}`);
    return block.output === undefined ? printed(log) : JSON.stringify(ctx.payload["args"]);
  });
}

function runProgram(page: PageFolder, block: Block): Promise<string> {
  const config = page.hasConfig() ? "orcs.toml" : {};
  return page.withEngine(config, async (orcs, log) => {
    await orcs.runtime().run(page.fileOf(block, "lua"));
    return printed(log);
  });
}

/** What scripts have printed and given out. */
function printed({ lines }: Lines): string {
  return lines.map((line) => `${line.replace(/^info: /, "")}\n`).join("");
}

const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as {
  scripts: Record<string, string>;
};

/** What npm does by itself. */
const NPM_VERBS = new Set(["ci", "init", "install", "pack"]);

/** Lines that call npm need a network or are other tests: that there is such a script is all that is checked. */
function runShell(page: PageFolder, block: Block): string | undefined {
  const lines = block.text.split("\n");
  for (const command of lines.flatMap((line) => line.match(/\bnpm [^&|;#]+/g) ?? [])) {
    const [, verb = "", name = ""] = command.trim().split(/\s+/);
    const script = verb === "run" ? name : verb;
    if (!NPM_VERBS.has(verb) && !scripts[script])
      throw new Error(`there is no npm script ${script}`);
  }
  const rest = lines.filter((line) => !/^\s*npm /.test(line)).join("\n");
  if (rest.trim() === "") return undefined;
  return page.start("sh", ["-ec", rest], Number(setting(block, "exit") ?? 0));
}

function expectSameJson(actual: string, expected: string): void {
  if (!isDeepStrictEqual(JSON.parse(actual), JSON.parse(expected))) {
    throw new Error(`the arguments are others:\n${actual}`);
  }
}

/** Times and days differ from run to run, and columns with them. */
function expectSame(actual: string, expected: string): void {
  const plain = (text: string): string =>
    text
      .replaceAll(/\b\d+\.\d+\b/g, "#")
      .replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, "#")
      .replaceAll(/─+/g, "─")
      .replaceAll(/ {2,}/g, "  ")
      .replaceAll(/[ \t]+$/gm, "")
      .trim();
  if (plain(actual) === plain(expected)) return;
  throw new Error(`the output is another one:\n${actual}\ninstead of:\n${expected}`);
}
