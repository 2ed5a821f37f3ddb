import { isAbsolute, relative } from "node:path";
import { isPathInside, isTable } from "../config/index.ts";
import type {
  Handler,
  LiveEndpoint,
  HookEntry,
  ProjectInspection,
  SettingsTable,
} from "../config/index.ts";
import { hasMachineFile, machineFile } from "../machine/index.ts";
import type { TrustState } from "../core/index.ts";
import { escapeUntrusted, renderTable } from "./table.ts";

const STATES: Record<TrustState, string> = {
  trusted: "trusted",
  dev: "dev-trusted",
  unknown: "not trusted",
  store: "not trusted",
};

/** What a project would run, as text. */
export function lookText(look: ProjectInspection): string {
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
export function lookJson({
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
