import { isAbsolute, join, relative, resolve } from "node:path";
import {
  CONFIG_NAME,
  isTable,
  readTomlFile,
  SHIPPED_HOOKS,
  TrustStore,
} from "../../config/index.ts";
import type { HookEntry, LoadedConfig } from "../../config/index.ts";
import { equalJson, isPlainObject, OLD_VERBS, SERVICE_ROUTES, VERBS } from "../../core/index.ts";
import type { Diagnostic, Json, JsonObject, Loosens, ServiceRoute } from "../../core/index.ts";
import {
  defaultUserDir,
  followedPath,
  machineFolder,
  userFolder,
  userStateDir,
  OWN_PACKAGE,
} from "../../machine/index.ts";
import { PLUGIN_AGENTS } from "../../formats/index.ts";
import { scriptEntry } from "./loading/script-entry.ts";
import type { CreateOrcsOptions } from "./options.ts";

/** The policy: its file, and its id in front of coding agents. */
const SCRIPT = "orcs:self-guard";
const FILE = join(SHIPPED_HOOKS, "self-guard.lua");
/** The priority before all others: a hook that ends the chain must not run first. */
const FIRST = -(2 ** 31);

/**
 * A configuration with `orcs:self-guard` in front of its hooks, where it is enabled. A configuration that names the
 * policy itself gets the same options.
 */
export function withSelfGuard<Config extends LoadedConfig>(
  config: Config,
  asked: Pick<CreateOrcsOptions, "selfGuard" | "stateDir" | "auditDir">,
  cwd: string,
): Config {
  const { selfGuard = false } = asked;
  const isEnforced = config.machine?.enforcesHooks === true;
  const isWanted = selfGuard !== false && (config.settings.self_guard ?? (isEnforced || ownWord()));
  const isNamed = config.hooks.some(isSelfGuard);
  if (!isWanted && !isNamed) return config;
  const given = typeof selfGuard === "object" ? selfGuard : {};
  const known = knowledge(config, asked, cwd, given);
  const hooks = config.hooks.map((entry) =>
    isSelfGuard(entry) ? { ...entry, options: { ...known, ...entry.options } } : entry,
  );
  if (!isWanted) return { ...config, hooks };
  const others = hooks.filter(({ id }) => id !== SCRIPT);
  const taken = hooks.filter(({ id }) => id === SCRIPT).map(ignored);
  return {
    ...config,
    hooks: [{ ...entryWith(known), rank: isEnforced ? -2 : 0 }, ...others],
    warnings: [...config.warnings, ...taken],
  };
}

/**
 * The `self_guard` value of the user's own configuration, when another one is loaded instead of it; true when it cannot
 * be read.
 */
function ownWord(): boolean {
  const read = readTomlFile(join(defaultUserDir(), CONFIG_NAME), CONFIG_NAME);
  return !("tree" in read && isTable(read.tree) && read.tree["self_guard"] === false);
}

function isSelfGuard({ handler }: HookEntry): boolean {
  return handler.kind === "script" && handler.file === FILE;
}

function ignored(hook: HookEntry): Diagnostic {
  const message = `the id ${JSON.stringify(hook.id)} belongs to a built-in policy; this hook is ignored`;
  const hint = "give it a different id";
  return { code: "ORCS1016", severity: "warning", message, place: hook.place, hint };
}

/** The paths to protect, as options of the policy. */
function knowledge(
  { hooks, settings, projectTrust, machine }: LoadedConfig,
  { stateDir, auditDir }: Pick<CreateOrcsOptions, "stateDir" | "auditDir">,
  cwd: string,
  given: Readonly<Record<string, Json>>,
): JsonObject {
  const { state, audit } = settings.paths;
  const kept = [userStateDir(), stateDir, auditDir === false ? undefined : auditDir, state, audit];
  const routes: readonly ServiceRoute[] = Object.values(SERVICE_ROUTES);
  const known: Record<string, Json> = {
    state: withReal(kept, cwd),
    // A project may remove its own node_modules with the package in it; a coding agent's entry that uses that package
    // passes it in `given`.
    program: isOfProject(cwd) ? [] : withReal([OWN_PACKAGE], cwd),
    package: withReal([OWN_PACKAGE], cwd),
    // Also where there is no configuration of the machine yet: an agent may run as root.
    config: withReal([defaultUserDir(), machine?.directory], cwd).concat(machineFolder() ?? []),
    settings: pluginFiles(cwd),
    verbs: looseningVerbs(),
    routes: routes.filter(({ loosens }) => loosens).map(({ path }) => path),
    dev: devProjects().map((folder): Json => {
      if (projectTrust?.directory !== folder) return { folder };
      const scripts = hooks.flatMap(({ handler, rank }) =>
        rank === 1 && "file" in handler ? handler.file : [],
      );
      const folders = settings.scripts.dirs.filter((dir) => dir.startsWith(`${folder}/`));
      return { folder, files: [...new Set([...scripts, ...folders])] };
    }),
  };
  for (const [name, value] of Object.entries(given)) {
    const own = known[name];
    known[name] = Array.isArray(own) && Array.isArray(value) ? [...own, ...value] : value;
  }
  return known;
}

/** Whether the package is in a `node_modules` of the project that contains a folder, or is that project. */
function isOfProject(cwd: string): boolean {
  const [, project] = /^(.*)[/\\]node_modules[/\\]/.exec(OWN_PACKAGE) ?? [];
  const inside = relative(project ?? OWN_PACKAGE, cwd);
  return !inside.startsWith("..") && !isAbsolute(inside);
}

/** Each folder as named, and its real path. */
function withReal(folders: readonly (string | undefined)[], cwd: string): string[] {
  const all = folders.flatMap((folder) => {
    if (folder === undefined) return [];
    const absolute = resolve(cwd, folder);
    try {
      return [absolute, followedPath(absolute, cwd, cwd)];
    } catch {
      return [absolute];
    }
  });
  return [...new Set(all)];
}

/** The files with which coding agents load orcs as a plugin, in any project and in the user's folders. */
function pluginFiles(cwd: string): string[] {
  const agents = Object.values(PLUGIN_AGENTS);
  const ofUser = agents.map(({ userFolder: own, file }) =>
    join(userFolder("XDG_CONFIG_HOME", ".config"), own, file),
  );
  const ofProjects = agents.map(({ projectFolder, file }) => `${projectFolder}/${file}`);
  return [...ofProjects, ...withReal(ofUser, cwd)];
}

/** By the first word, with those of the commands below it; the names that were valid before are denied as well. */
function looseningVerbs(): JsonObject {
  const verbs: Record<string, Json> = {};
  for (const [name, { loosens }] of Object.entries<{ loosens: Loosens }>(VERBS)) {
    const [verb = "", word] = name.split(" ");
    const rule = ruleOf(loosens);
    if (rule === undefined) continue;
    if (word === undefined) verbs[verb] = rule;
    else verbs[verb] = { below: { ...belowIn(verbs[verb]), [word]: rule } };
  }
  for (const [old, name] of Object.entries(OLD_VERBS)) {
    const rule = ruleOf(VERBS[name].loosens);
    if (rule !== undefined) verbs[old] = rule;
  }
  return verbs;
}

function belowIn(rule: Json | undefined): JsonObject {
  const below = isPlainObject(rule) ? rule["below"] : undefined;
  return isPlainObject(below) ? below : {};
}

function ruleOf(loosens: Loosens): Json | undefined {
  if (typeof loosens === "boolean") return loosens || undefined;
  return "flags" in loosens ? { flags: [...loosens.flags] } : { unless: [...loosens.unless] };
}

/** Dev-trusted folders; none when the trust store cannot be used, because nothing is trusted then. */
function devProjects(): string[] {
  try {
    const projects = [...new TrustStore().all().projects.values()];
    return projects.flatMap((decision) => ("dev" in decision ? Object.keys(decision.folders) : []));
  } catch {
    return [];
  }
}

function entryWith(options: JsonObject): HookEntry {
  return {
    ...scriptEntry(FILE, { options, roots: [], packaged: undefined }),
    id: SCRIPT,
    idGiven: true,
    priority: FIRST,
    handler: { kind: "script", script: SCRIPT, file: FILE },
    origin: "built-in",
  };
}

/** The path of the user's own configuration, which may not exist. */
export function ownConfiguration(): string {
  return join(defaultUserDir(), CONFIG_NAME);
}

/** Keys of the user's own configuration that may change without a question. */
const FREE = new Set(["debug", "model"]);

/**
 * Whether a new text of the user's own configuration keeps its meaning, apart from comments, tests and display
 * settings. An added hook counts as a change, like a removed one: it may end the chain before all others, or run a
 * command.
 * @throws Error when it is not TOML
 */
export function keepsConfiguration(before: string | undefined, after: string): boolean {
  const then = tomlOf(after);
  if (then["self_guard"] === false) return false;
  return equalJson(heldOf(tomlOf(before ?? "")), heldOf(then));
}

/**
 * Whether a new text of the user's own configuration takes something away: a hook, or a setting in its present value. A
 * hook that is added takes nothing.
 * @throws Error when it is not TOML
 */
export function takesAway(before: string, after: string): boolean {
  const [was, now] = [heldOf(tomlOf(before)), heldOf(tomlOf(after))] as const;
  const { hooks: old, ...others } = was;
  const { hooks, ...rest } = now;
  const items: unknown[] = listed(hooks);
  return (
    !equalJson(others, rest) ||
    !listed(old).every((hook) => items.some((each) => equalJson(hook, each)))
  );
}

function listed(hooks: unknown): unknown[] {
  const list = isPlainObject(hooks) ? hooks["hooks"] : hooks;
  return Array.isArray(list) ? (list as unknown[]) : [];
}

/** The part that may not change: everything but the free keys and the tests of hooks. */
function heldOf(tree: Record<string, unknown>): Record<string, unknown> {
  const { hooks, agents } = tree;
  const entries = Object.entries(tree).filter(([key]) => !FREE.has(key));
  return { ...Object.fromEntries(entries), hooks: untested(hooks), agents: ofAgents(agents) };
}

/** `[[hooks]]`, or `[[hooks.hooks]]`. */
function untested(hooks: unknown): unknown {
  if (isPlainObject(hooks)) return { ...hooks, hooks: untested(hooks["hooks"]) };
  if (!Array.isArray(hooks)) return hooks;
  return hooks.map((hook: unknown) => (isPlainObject(hook) ? { ...hook, tests: undefined } : hook));
}

function ofAgents(agents: unknown): unknown {
  if (!isPlainObject(agents)) return agents;
  return Object.fromEntries(
    Object.entries(agents).map(([name, agent]) => [
      name,
      isPlainObject(agent) ? { ...agent, hooks: untested(agent["hooks"]) } : agent,
    ]),
  );
}

/** @throws Error when it is not TOML */
export function tomlOf(text: string): Record<string, unknown> {
  const read = readTomlFile(CONFIG_NAME, CONFIG_NAME, () => Buffer.from(text));
  if (read.mistake || !isPlainObject(read.tree)) throw new Error("it is not valid TOML");
  return read.tree;
}
