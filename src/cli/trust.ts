import { existsSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { OrcsError, type TrustState, renderDiagnostic } from "../core/index.ts";
import { defaultUserDir, hasMachineFile, machineFile, realpath } from "../machine/index.ts";
import { checkConfiguration, type Checked } from "../workbench/index.ts";
import { acceptChanges, openChanges } from "../agents/index.ts";
import {
  type Handler,
  type HookEntry,
  type LiveEndpoint,
  type ProjectInspection,
  type SettingsTable,
  TrustStore,
  UserConfiguration,
  expectTrustable,
  inspectProject,
  isPathInside,
  isTable,
  projectFor,
  revoke,
  trust,
} from "../config/index.ts";
import { requireTrustLine, writeTrustLine } from "./audit-trust.ts";
import { confirm, decline, expectTerminal } from "./question.ts";
import { EXIT, JSON_OUTPUT } from "./options.ts";
import { print, tell } from "./output.ts";
import { escapeUntrusted, escapedJson, renderTable } from "./table.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";

const OPTIONS = {
  yes: flag("do not ask", { short: "y", conflicts: ["show", "list"] }),
  digest: value("<digest>", "do not ask if the files have exactly this digest (sha256-…)", {
    conflicts: ["show", "revoke", "list", "dev", "user"],
  }),
  show: flag("only show; exit with 1 when the files differ from the trusted ones", {
    conflicts: ["revoke"],
  }),
  revoke: flag("no longer trust this folder; its hooks become inactive", { conflicts: ["dev"] }),
  dev: flag("trust this folder and every later change to it, until revoked", {
    conflicts: ["show"],
  }),
  list: flag("list all trusted projects", { conflicts: ["show", "revoke", "dev"] }),
  user: flag("trust your own configuration as it is now", {
    conflicts: ["show", "revoke", "dev", "list"],
  }),
  accept: flag("accept changes of files that decide whether hooks run", {
    conflicts: ["show", "revoke", "dev", "list", "user", "digest"],
  }),
  json: JSON_OUTPUT,
};
type TrustOptions = OptionsOf<typeof OPTIONS>;

/** `orcs trust`: show what a project's configuration would run, and seal it. */
export const trustCommand = verbCommand("trust", {
  refine: (dir) => dir.default("."),
  options: OPTIONS,
  help: "Example:\n  orcs trust --show\n  orcs trust --yes ~/work/project",
  run: runTrust,
});

async function runTrust(options: TrustOptions, dir: string): Promise<void> {
  const store = new TrustStore();
  if (options.list === true) return list(store, options);
  if (options.revoke === true) return revokeTrust(dir, store, options);
  if (options.user === true) return acceptUser(store, options);
  if (options.accept === true) return accept(options);
  const look = await inspectProject(dir, store);
  if (options.show === true) return show(look, options);
  const isDev = options.dev === true;
  expectTrustable(look, store, isDev);
  if (!isDev) await expectDecisions({ cwd: look.directory });
  const isConsent = options.yes === true || options.digest !== undefined;
  const { digest: wanted } = options;
  if (wanted !== undefined && wanted.replace(/^sha256-/, "") !== look.digest) {
    const why = `${escapeUntrusted(look.directory)} has the digest sha256-${look.digest}, not ${escapeUntrusted(wanted)}: look at it with orcs trust --show`;
    throw new OrcsError("ORCS8001", why);
  }
  if (!isConsent) expectTerminal("trust", options.json, WAYS);
  if (options.json !== true) tell(lookText(look));
  const { directory, digest } = look;
  if (!isConsent && !(await isWanted(look, isDev))) {
    await written("refused", directory, digest);
    return decline("Nothing was trusted.");
  }
  await written(isDev ? "dev" : "granted", directory, isDev ? undefined : digest);
  trust(look, store, isDev);
  if (options.json === true) {
    return printSafe({ ...lookJson(look), state: isDev ? "dev" : "trusted", sealed: !isDev });
  }
  print(`${isDev ? "dev-trusted" : "trusted"}  ${escapeUntrusted(directory)}`);
}

/** @throws OrcsError ORCS1015 when a hook drops its decision, so that what looks like a guard lets everything pass */
async function expectDecisions(place: { cwd: string } | { config: string }): Promise<Checked> {
  const checked = await checkConfiguration(place);
  const dropped = checked.diagnostics.filter(({ code }) => code === "ORCS1114");
  if (dropped.length === 0) return checked;
  throw new OrcsError("ORCS1015", dropped.map((each) => renderDiagnostic(each)).join("\n"));
}

/** Accept the current state of the user's own configuration. @throws OrcsError ORCS1015 when it has errors */
async function acceptUser(store: TrustStore, { json }: TrustOptions): Promise<void> {
  const user = new UserConfiguration(defaultUserDir(), store);
  if (user.isThere) {
    const checked = await expectDecisions({ config: user.file });
    if (checked.loaded === undefined) {
      const all = checked.diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n");
      throw new OrcsError("ORCS1015", `${escapeUntrusted(user.file)} has errors:\n${all}`);
    }
  }
  const state = await user.accept();
  if (json === true) return printSafe({ file: user.file, state });
  const effect = state === "kept" ? "active as it is" : "gone: no hooks of your own are active";
  print(`${escapeUntrusted(user.file)}  ${effect}`);
}

/** Accept what was put back, or waits for a person. */
async function accept({ yes, json }: TrustOptions): Promise<void> {
  const changes = openChanges();
  if (changes.length > 0 && yes !== true) {
    expectTerminal("trust", json, WAYS);
    tell(changes.map(({ text }) => escapeUntrusted(text)).join("\n"));
    if (!(await confirm("Accept this as it was changed?"))) {
      process.exitCode = EXIT.findings;
      return;
    }
  }
  for (const { path, digest } of changes) {
    await requireTrustLine({ action: "accepted", directory: dirname(path), file: path, digest });
  }
  await acceptChanges();
  if (json === true) return printSafe({ accepted: changes.map(({ path }) => path) });
  const lines = changes.map(({ path }) => `accepted  ${escapeUntrusted(path)}`);
  print(lines.length > 0 ? lines.join("\n") : "nothing was changed");
}

/** Trust needs a person, or one of these. */
const WAYS = "--yes or --digest";

function isWanted({ directory }: ProjectInspection, isDev: boolean): Promise<boolean> {
  return confirm(
    isDev
      ? `Let whatever ${escapeUntrusted(directory)} will hold run as you, until revoked?`
      : "Let this run as it is now?",
  );
}

function show(look: ProjectInspection, { json }: TrustOptions): void {
  if (json === true) printSafe(lookJson(look));
  else print(lookText(look));
  if (!look.isSealed && look.standing.state !== "dev") process.exitCode = EXIT.findings;
}

async function revokeTrust(dir: string, store: TrustStore, { json }: TrustOptions): Promise<void> {
  // Also works when the folder or its configuration is gone; nothing of it is read.
  const project = projectFor(dir, store);
  const asked = realpath(resolve(dir));
  const directory = project?.directory ?? asked;
  // A misspelt folder must not select the project around it.
  if (asked !== directory && !existsSync(asked)) {
    const why = `${escapeUntrusted(asked)} does not exist and has no trust entry; to revoke the trust in the project that contains this path: orcs trust --revoke ${escapeUntrusted(directory)}`;
    throw new OrcsError("ORCS5001", why);
  }
  const was = project?.decision !== undefined;
  if (project && was) {
    await written("revoked", directory);
    revoke(project, store);
  } else {
    process.exitCode = EXIT.findings;
  }
  if (json === true) return printSafe({ ok: was, directory, state: "unknown" });
  print(`${was ? "not trusted any more" : "was not trusted"}  ${escapeUntrusted(directory)}`);
}

/** Recorded before it is done. @throws OrcsError ORCS8005 when it must not be done unrecorded */
async function written(
  action: Parameters<typeof writeTrustLine>[0]["action"],
  directory: string,
  digest?: string,
): Promise<void> {
  const isStricter = action === "refused" || action === "revoked";
  await (isStricter ? writeTrustLine : requireTrustLine)({ action, directory, digest });
}

function list(store: TrustStore, { json }: TrustOptions): void {
  const all = [...store.all().projects].flatMap(([key, decision]) => {
    const folders = Object.keys(decision.folders);
    const directory = folders[0] ?? key;
    const is_gone = folders.every((folder) => !existsSync(folder));
    const shared = { directory, folders, is_gone };
    return "dev" in decision
      ? [{ ...shared, state: "dev", at: decision.at }]
      : decision.sets.map(({ digest, branch, at }) => {
          return { ...shared, state: "trusted", at, branch, digest: `sha256-${digest}` };
        });
  });
  if (json === true) return printSafe(all);
  const rows = all.map((each) => {
    const branch = "branch" in each && typeof each.branch === "string" ? each.branch : "";
    const where = `${each.directory}${each.is_gone ? "  (the folder is gone)" : ""}`;
    return [each.state, escapeUntrusted(each.at), escapeUntrusted(branch), escapeUntrusted(where)];
  });
  const header = ["", "since", "branch", "project"];
  print(rows.length === 0 ? "nothing is trusted" : renderTable(header, rows));
}

function printSafe(value: unknown): void {
  print(escapedJson(value));
}

const STATES: Record<TrustState, string> = {
  trusted: "trusted",
  dev: "dev-trusted",
  unknown: "not trusted",
  store: "not trusted",
};

/** What a project would run, as text. */
function lookText(look: ProjectInspection): string {
  const { directory, standing, layers, configError, ignored, problems } = look;
  const { state, why } = standing;
  const hooks = layers.flatMap((layer) => layer.hooks);
  const machine = machineFile();
  const parts = [
    hasMachineFile() ? `machine  ${machine}: its hooks run in every folder` : "",
    `${escapeUntrusted(directory)}: ${STATES[state]}${look.isSealed ? "" : `, ${escapeUntrusted(why)}`}`,
    hooks.length === 0
      ? "hooks  none"
      : renderTable(["hooks", "at", "where", "what", "may use"], hooks.map(hookRow)),
    lines(
      "settings",
      layers.flatMap(({ settings }) => stated(settings)),
    ),
    lines("tools", tools(look)),
    lines("files", fileLines(look)),
    lines("not sealed", look.unsealed.map(unsealedLine)),
    lines(
      "ignored",
      ignored.map(({ message, place }) => `${place?.file}:${place?.line} ${message}`),
    ),
    lines(
      "problems",
      problems.map(({ code, message }) => `${code} ${message}`),
    ),
    configError ? configError.message.split("\n").map(escapeUntrusted).join("\n") : "",
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** The documented form of `--json`. */
function lookJson({
  directory,
  standing,
  layers,
  digest,
  content,
  changed,
  ...look
}: ProjectInspection) {
  const { state, why } = standing;
  const files = [...content.files].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    directory,
    state,
    why,
    digest: `sha256-${digest}`,
    /** Whether the folder has exactly the content of a trusted set. */
    sealed: look.isSealed,
    files: Object.fromEntries(files.map(([name, { hash }]) => [name, hash])),
    changed,
    unsealed: look.unsealed.map(({ hook, what }) => ({
      source: `${hook.place.file}:${hook.place.line}`,
      what,
    })),
    hooks: layers.flatMap(({ hooks }) => hooks.map(hookJson)),
    settings: Object.assign({}, ...layers.map(({ settings }) => settings)) as SettingsTable,
    ...(look.settings && { permissions: look.settings.permissions }),
    ignored: look.ignored,
    problems: [...look.problems, ...(look.configError?.diagnostics ?? [])],
  };
}

function hookRow({ id, idGiven, point, agent, place, handler }: HookEntry): string[] {
  const [kind, what, uses] = described(handler);
  return [
    escapeUntrusted(idGiven ? id : "(unnamed)"),
    point?.name ?? "(its script says)",
    escapeUntrusted(`${place.file}:${place.line}${agent === undefined ? "" : ` (agent ${agent})`}`),
    escapeUntrusted(`${kind} ${what}`),
    escapeUntrusted(uses.join(", ")),
  ];
}

function hookJson({ id, idGiven, point, agent, place, handler }: HookEntry) {
  const [kind, what, uses] = described(handler);
  const source = `${place.file}:${place.line}`;
  // Undefined keys are left out of the JSON.
  return { id: idGiven ? id : undefined, point: point?.name, agent, source, kind, what, uses };
}

/** The kind of a handler, what it is, and what it may use besides the context. */
function described(handler: Handler): readonly [kind: string, what: string, uses: string[]] {
  switch (handler.kind) {
    case "script":
      return ["lua", handler.script, ["the sandbox"]];
    case "inline":
      const [first = "", ...more] = handler.code.trim().split("\n");
      return ["lua", more.length === 0 ? first : `${first} …`, ["the sandbox"]];
    case "shell":
      return handler.pythonFunction === undefined
        ? ["command", handler.command, asUser(handler)]
        : ["python", handler.pythonFunction, asUser(handler)];
    case "webhook":
      return ["webhook", `${handler.method} ${handler.url}`, overNetwork(handler)];
    case "live":
      return describedLive(handler.endpoint);
    case "module":
      return ["javascript", `${handler.file}#${handler.exportName}`, asUser(handler)];
  }
}

function describedLive(endpoint: LiveEndpoint): ReturnType<typeof described> {
  switch (endpoint.kind) {
    case "process":
      return ["process", endpoint.argv.join(" "), asUser(endpoint)];
    case "socket":
      return ["socket", endpoint.path, []];
    case "url":
      return ["url", endpoint.url, overNetwork(endpoint)];
  }
}

function asUser({ env }: { readonly env: readonly string[] }): string[] {
  return ["your account", ...env.map(variable)];
}

function overNetwork({
  allowEnv,
  allowHosts,
}: Pick<LiveEndpoint & { readonly kind: "url" }, "allowEnv" | "allowHosts">): string[] {
  return [...allowEnv.map(variable), ...allowHosts.map((host) => `private host ${host}`)];
}

function variable(name: string): string {
  return `$${name}`;
}

function stated(settings: SettingsTable): string[] {
  return Object.entries(settings).flatMap(([section, value]) => {
    if (!isTable(value))
      return value === undefined ? [] : [`${section} = ${JSON.stringify(value)}`];
    return Object.entries(value).flatMap(([key, inner]) =>
      inner === undefined ? [] : [`${section}.${key} = ${JSON.stringify(inner)}`],
    );
  });
}

/** What Lua can do through tools. */
function tools({ settings }: ProjectInspection): string[] {
  if (!settings) return [];
  const { capabilities, root, grants } = settings.permissions;
  const commands = grants === undefined ? "any command" : `commands: ${grants.join(", ")}`;
  return [`${capabilities.join(", ")} in ${root}; ${commands}`];
}

function unsealedLine({ hook, what }: ProjectInspection["unsealed"][number]): string {
  const { id, idGiven, place, baseDir } = hook;
  const isInFolder = isAbsolute(what) && isPathInside(baseDir, what);
  const how = isInFolder ? `; write "$ORCS_DIR/${relative(baseDir, what)}"` : "";
  return `${what}  (${idGiven ? id : "unnamed"}, ${place.file}:${place.line}): not sealed, it may be another program at each run${how}`;
}

function fileLines({ content, changed }: ProjectInspection): string[] {
  const files = [...content.files].sort(([a], [b]) => (a < b ? -1 : 1));
  const become = new Map(changed.map(({ name, is }) => [name, is]));
  const gone = changed.filter(({ is }) => is === "gone");
  const marked = (name: string): string => {
    const is = become.get(name);
    return is === undefined ? name : `${name}  (${is})`;
  };
  return [
    ...files.map(([name, { hash }]) => `${hash.slice(0, 12)}  ${marked(name)}`),
    ...gone.map(({ name }) => `${"".padEnd(12)}  ${marked(name)}`),
  ];
}

function lines(title: string, all: readonly string[]): string {
  if (all.length === 0) return "";
  return all
    .map((line, i) => `${(i === 0 ? title : "").padEnd(12)}${escapeUntrusted(line)}`)
    .join("\n");
}
