import { dirname, isAbsolute, join } from "node:path";
import { exactWords, HOST_NAMES, type Json, type PayloadOf } from "../core/index.ts";
import { HOSTS } from "../formats/index.ts";
import type { ConfigPlace } from "../config/index.ts";
import type { CreateOrcsOptions, HookDefinition } from "../engine/index.ts";
import { runtimeFolder, realIfThere } from "../machine/index.ts";
import {
  machineSettingsPath,
  otherNames,
  placeHere,
  SCOPES,
  settingsFolder,
  settingsPath,
} from "./install/settings-places.ts";
import type { SettingsPlace } from "./install/settings-places.ts";
import { readRecord, recordsFolder } from "./install/install-record.ts";

/** The priority before all others: a hook that ends the chain must not run first. */
const BEFORE_ALL = -(2 ** 31) - 1;

/** Engine options for answering coding agents: the policy that keeps orcs enabled. */
export function selfGuardOptions({
  config,
}: Pick<ConfigPlace, "config">): Pick<CreateOrcsOptions, "selfGuard" | "hooks" | "overrides"> {
  // Without a configuration this policy runs alone: a busy machine must not make it fail.
  const overrides = config === false ? { lua: RELAXED_LIMITS } : undefined;
  return { selfGuard: selfGuardFacts(), hooks: [EDIT_OBSERVER], overrides };
}

const RELAXED_LIMITS = { max_run_ms: 2000, max_chain_ms: 4000 };

/**
 * Facts that the policy needs and the engine does not have. None of them comes from the environment of an agent's
 * command.
 */
function selfGuardFacts(): Readonly<Record<string, Json>> {
  const place = placeHere();
  const files = HOST_NAMES.flatMap((host) => {
    const { folder, file, inProject, plugins, readsFolder } = HOSTS[host];
    const own = settingsFolder(host, "user", place);
    // Where an agent reads all files of a folder, a hook in a new one may run after those of orcs and undo what they
    // did.
    const beside = readsFolder ? [`${dirname(file)}/`] : [];
    const installed = plugins === undefined ? [] : [`${plugins.folder}/`];
    const names = [file, ...beside, ...installed, ...otherNames(host, "user")];
    const inProjects = [file, ...beside, ...otherNames(host, "project")];
    return [
      ...names.flatMap((name) => [`${folder}/${name}`].concat(withRealPath(join(own, name)))),
      ...inProjects.map((name) => `${inProject?.folder ?? folder}/${name}`),
    ];
  });
  const ofMachine = HOST_NAMES.flatMap((host) => {
    const path = machineSettingsPath(host, place);
    return path === undefined ? [] : withRealPath(path);
  });
  const records = recordsFolder(place);
  const programs = HOST_NAMES.flatMap((host) => {
    const record = readRecord(records, settingsPath(host, "user", place));
    return record ? programFiles(record.program) : [];
  });
  return {
    state: withRealPath(records),
    program: [...new Set(programs)],
    runtime: withRealPath(runtimeFolder()),
    settings: [...new Set([...files, ...ofMachine])],
    variables: folderVariables(place),
    agents: HOST_NAMES.map((host): Json => {
      const { program, unhooked = [], settingsVariable } = HOSTS[host];
      return { program, unhooked: [...unhooked], variable: settingsVariable ?? "HOME" };
    }),
  };
}

/** The variables of folders: the value in this process, or the default. */
function folderVariables(place: SettingsPlace): Readonly<Record<string, Json>> {
  const { env, home } = place;
  const known: Record<string, Json> = {
    HOME: home,
    XDG_STATE_HOME: join(home, ".local", "state"),
    XDG_CONFIG_HOME: join(home, ".config"),
  };
  for (const host of HOST_NAMES) {
    const { settingsVariable: variable } = HOSTS[host];
    if (variable !== undefined) known[variable] = settingsFolder(host, "user", place);
  }
  for (const name of ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"]) {
    const value = env[name];
    if (value !== undefined && value !== "") known[name] = value;
  }
  return known;
}

/** The program of a user's entry, its real path, and its package. */
function programFiles(program: string): string[] {
  // In an entry written by a person, any text between blanks and quotes may be the program.
  const named = (exactWords(program) ?? program.split(/['"\s]+/)).find(
    (word) => isAbsolute(word) && /(?:\/orcs|\.[cm]?js)$/.test(word),
  );
  if (named === undefined) return [];
  return withRealPath(named).flatMap((file) => {
    const [, folder] = /^(.*)\/(?:bin\/orcs\.cjs|dist\/cli\/main\.js)$/.exec(file) ?? [];
    return folder === undefined ? [file] : [file, folder];
  });
}

/** A path, and its real path if it exists. */
function withRealPath(path: string): string[] {
  return [...new Set([path, realIfThere(path)])];
}

/** Names of the files whose changes are examined. */
const WATCHED_FILES: readonly string[] = [
  ...new Set([
    "orcs.toml",
    ...HOST_NAMES.map((host) => HOSTS[host].file),
    ...HOST_NAMES.flatMap((host) => SCOPES.flatMap((scope) => otherNames(host, scope))),
  ]),
];

/**
 * Tells the policy which file a call changes without removing anything of orcs; the policy itself cannot read files.
 * Calls that change none of these files are skipped.
 */
const EDIT_OBSERVER: HookDefinition = {
  id: "orcs:self-guard-edits",
  point: "tool.pre_execute",
  priority: BEFORE_ALL,
  // It only reports what is certain: without it, the policy asks.
  onError: "open",
  handler(ctx) {
    const { args, tool_name: tool, cwd } = ctx.payload as PayloadOf<"tool.pre_execute">;
    const given = [args["path"], args["file_path"], args["patch"]];
    // Most calls, such as commands, have no path and are done at once.
    if (given.every((each) => each === undefined)) return undefined;
    const text = given.flat().map(String);
    if (!text.some((each) => WATCHED_FILES.some((name) => each.includes(name)))) return undefined;
    return import("./config-edits.ts").then(({ safeEditPath }) => {
      const kept = safeEditPath(tool, args, typeof cwd === "string" ? cwd : process.cwd());
      if (kept !== undefined) ctx.metadata["orcs:self-guard"] = { kept: [kept] };
      return undefined;
    });
  },
};
