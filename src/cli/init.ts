import { resolve } from "node:path";
import { isTrusted, messageOf, type TrustState } from "../core/index.ts";
import { type FileChange, statusOf, textOf, writeAtomically } from "./atomic-writes.ts";
import {
  DEFAULT_TOOLS,
  exampleTool,
  expectTools,
  initFiles,
  POLICIES,
  policyNames,
} from "./init-files.ts";
import { JSON_OUTPUT } from "./options.ts";
import { print, tell, tellOfOrcs } from "./output.ts";
import { ask, confirm, decline, expectTerminal, isYes } from "./question.ts";
import { type SuggestedPack, suggestedPacks } from "./suggested-packs.ts";
import { printable } from "./table.ts";
import { textDiff } from "./text-diff.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";

const OPTIONS = {
  dir: value("<dir>", "the folder of the project; default: the working directory"),
  tools: value("<names>", `tools that the guard applies to; default: ${DEFAULT_TOOLS}`),
  policies: value("<names>", "built-in policies to activate: names, all or none; default: none"),
  yes: flag("do not ask: use the defaults and append to existing files", { short: "y" }),
  dev: flag(
    "trust the folder and every later change to it, so that saved hooks become active at once",
  ),
  package: value(
    "<name>",
    "begin an npm package of hooks with this name instead; no file is overwritten",
    { conflicts: ["policies"] },
  ),
  json: JSON_OUTPUT,
};
type InitOptions = OptionsOf<typeof OPTIONS>;

/** `orcs init`: create a first hook with its tests, its configuration, and files for editors. */
export const initCommand = verbCommand("init", {
  options: OPTIONS,
  run: (options) =>
    options.package === undefined ? init(options) : initPackage(options.package, options),
});

async function init(options: InitOptions): Promise<void> {
  const dir = resolve(options.dir ?? ".");
  const asks = options.yes !== true;
  if (asks) expectTerminal("init");
  const hasGuard = textOf("hooks/guard.lua", resolve(dir, "hooks/guard.lua")) !== undefined;
  const tools = options.tools ?? (asks && !hasGuard ? await askTools() : DEFAULT_TOOLS);
  const mayAsk = asks && !hasGuard && options.policies === undefined;
  const policies = mayAsk ? await askPolicies() : policyNames(options.policies ?? "none");
  const packs = policies.includes("shell-guard") ? suggestedPacks(dir) : [];
  const isNamed = !asks || options.policies !== undefined;
  const enabled = packs.length === 0 || isNamed || (await arePacksWanted(packs)) ? packs : [];
  const names = enabled.map(({ pack }) => pack);
  const changes = initFiles(dir, tools, policies, names);
  if (asks && !(await areWanted(changes))) return decline();
  // Loading these modules takes time: the questions come first.
  const { expectStore, mayTrust, settleTrust } = await import("./init-trust.ts");
  if (options.dev === true) expectStore();
  const isDev = options.dev === true || (asks && mayTrust(dir) && (await isDevWanted()));
  writeAtomically(changes);
  const added = writesPacks(changes, names) ? enabled : [];
  const event = `tool=${exampleTool(tools)} command="git push --force"`;
  const suggested = ["orcs test", `orcs eval tool.pre_execute ${event}`];
  const written = { dir, changes, suggested, packs: added, state: await settleTrust(dir, isDev) };
  print(options.json === true ? reportJson(written) : report(written));
}

/** Asks nothing: it only creates files. */
async function initPackage(name: string, options: InitOptions): Promise<void> {
  const { dir: written = ".", tools = DEFAULT_TOOLS, dev = false, json = false } = options;
  const dir = resolve(written);
  const { packageFiles } = await import("./packages/begin-package.ts");
  const changes = packageFiles(dir, name, tools);
  const { expectStore, settleTrust } = await import("./init-trust.ts");
  if (dev) expectStore();
  writeAtomically(changes);
  const state = await settleTrust(dir, dev);
  const done = { dir, changes, packs: [], state, suggested: ["orcs test", "orcs package pack"] };
  print(json ? reportJson(done) : report(done));
}

/** The written files, and whether their hooks are active. */
interface Written {
  readonly dir: string;
  readonly changes: readonly FileChange[];
  /** Commands to try once the hooks are active. */
  readonly suggested: readonly string[];
  /** The packs of shell-guard that were switched on. */
  readonly packs: readonly SuggestedPack[];
  readonly state: TrustState;
}

/** Whether a change writes the packs: a hook that is there already is left as it is. */
function writesPacks(changes: readonly FileChange[], names: readonly string[]): boolean {
  const text = `enable = [${names.map((name) => JSON.stringify(name)).join(", ")}]`;
  return changes.some(({ before = "", after }) => after.includes(text) && !before.includes(text));
}

/** An author of hooks wants each save to be active. */
async function isDevWanted(): Promise<boolean> {
  return isYes(
    await ask(
      "Trust this folder and every later change to it, so that saved hooks become active at once (dev trust)? [y/N] ",
    ),
  );
}

/** Ask until the answer can be used. */
async function askUntil<T>(question: string, read: (answer: string) => T): Promise<T> {
  for (;;) {
    const answer = await ask(question);
    try {
      return read(answer.trim());
    } catch (thrown) {
      tellOfOrcs(messageOf(thrown).replace(/^ORCS\d+: /, ""));
    }
  }
}

function askTools(): Promise<string> {
  return askUntil(`Which tools run commands? [${DEFAULT_TOOLS}] `, (answer) => {
    if (answer !== "") expectTools(answer);
    return answer || DEFAULT_TOOLS;
  });
}

function askPolicies(): Promise<readonly string[]> {
  const width = Math.max(...POLICIES.map(({ name }) => name.length));
  const lines = POLICIES.map(({ name, does }) => `  ${name.padEnd(width)}  ${does}`);
  tell(`Built-in policies:\n${lines.join("\n")}`);
  return askUntil("Which of them should be active (names, all, none)? [none] ", policyNames);
}

async function arePacksWanted(packs: readonly SuggestedPack[]): Promise<boolean> {
  tell(`Rules of shell-guard that fit this project:\n${packLines(packs)}`);
  return !/^no?$/i.test((await ask("Switch them on? [Y/n] ")).trim());
}

function packLines(packs: readonly SuggestedPack[]): string {
  const width = Math.max(...packs.map(({ pack }) => pack.length));
  return packs.map(({ pack, file }) => `  ${pack.padEnd(width)}  ${printable(file)}`).join("\n");
}

/** Asks whether existing files may change; each change is shown. */
async function areWanted(changes: readonly FileChange[]): Promise<boolean> {
  const changed = changes.filter((change) => statusOf(change) === "changed");
  if (changed.length === 0) return true;
  for (const { path, before = "", after } of changed) {
    const lines = textDiff(before, after).split("\n").map(printable).join("\n");
    tell(`\n${path}\n${lines}`);
  }
  const files = changed.length === 1 ? "this file" : `these ${changed.length} files`;
  return confirm(`Change ${files}?`);
}

/** Suggested next steps, in order. */
function next({ suggested, state }: Written): string[] {
  return [...(isTrusted({ state }) ? [] : ["orcs trust --dev"]), ...suggested];
}

function report(written: Written): string {
  const lines = written.changes.map((change) => `${statusOf(change).padEnd(9)}  ${change.path}`);
  const commands = next(written).map((command) => `  ${command}`);
  const dev = written.state === "dev" ? [`dev-trusted  ${written.dir}`] : [];
  const { packs } = written;
  const switched =
    packs.length > 0 ? ["", "Rules of shell-guard switched on, for:", packLines(packs)] : [];
  return [...lines, ...dev, ...switched, "", "Try next:", ...commands].join("\n");
}

function reportJson(written: Written): string {
  const { changes, packs, state } = written;
  const files = changes.map((change) => ({ path: change.path, status: statusOf(change) }));
  return JSON.stringify({
    ok: true,
    files,
    ...(packs.length > 0 && { packs }),
    trust: state,
    next: next(written),
  });
}
