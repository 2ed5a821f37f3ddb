import { realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { HOST_NAMES } from "../core/hosts.ts";
import type { Json } from "../core/json.ts";
import { exactWords } from "../core/shell-words.ts";
import type { PayloadOf } from "../core/points.ts";
import { HOSTS } from "../protocols/hosts.ts";
import type { ConfigPlace } from "../trust/config-place.ts";
import type { CreateOrcsOptions, HookDefinition } from "../engine/options.ts";
import { runtimeFolder } from "./address.ts";
import { placeHere, settingsFolder, settingsPath } from "./install/settings-places.ts";
import type { SettingsPlace } from "./install/settings-places.ts";
import { readRecord, recordsFolder } from "./install/install-record.ts";

/** Before all others: a hook that ends the chain must not come first. */
const BEFORE_ALL = -(2 ** 31) - 1;

/** What an engine that answers coding agents has besides its configuration: the policy that keeps it switched on. */
export function selfGuardOptions({
  config,
}: Pick<ConfigPlace, "config">): Pick<CreateOrcsOptions, "selfGuard" | "hooks" | "overrides"> {
  // Where nobody says how long hooks may run, this policy alone runs: a machine that is busy must not make it fail.
  const overrides = config === false ? { lua: RELAXED_LIMITS } : undefined;
  return { selfGuard: selfGuardFacts(), hooks: [EDIT_OBSERVER], overrides };
}

const RELAXED_LIMITS = { max_run_ms: 2000, max_chain_ms: 4000 };

/** What the policy has to know that the engine does not. None of it is from the environment of an agent's command. */
function selfGuardFacts(): Readonly<Record<string, Json>> {
  const place = placeHere();
  const files = HOST_NAMES.flatMap((host) => {
    const { folder, file, others } = HOSTS[host];
    const own = settingsFolder(host, "user", place);
    const names = [file].concat(others);
    return names.flatMap((name) => [`${folder}/${name}`].concat(withRealPath(join(own, name))));
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
    settings: [...new Set(files)],
    variables: folderVariables(place),
  };
}

/** What stands for a folder in which something is kept: as this process has it, or as it counts where nobody sets it. */
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

/** The file that a user's entry starts, where its links lead, and the package that it belongs to. */
function programFiles(program: string): string[] {
  // Of an entry that a person wrote, whatever stands between blanks and quotes may be the program.
  const named = (exactWords(program) ?? program.split(/['"\s]+/)).find(
    (word) => isAbsolute(word) && /(?:\/orcs|\.[cm]?js)$/.test(word),
  );
  if (named === undefined) return [];
  return withRealPath(named).flatMap((file) => {
    const [, folder] = /^(.*)\/(?:bin\/orcs\.cjs|dist\/cli\/main\.js)$/.exec(file) ?? [];
    return folder === undefined ? [file] : [file, folder];
  });
}

/** A path, and where its links lead when it is there. */
function withRealPath(path: string): string[] {
  try {
    return [...new Set([path, realpathSync(path)])];
  } catch {
    return [path];
  }
}

/** Names of the files whose changes are looked at. */
const WATCHED_FILES: readonly string[] = [
  ...new Set([
    "orcs.toml",
    ...HOST_NAMES.flatMap((host) => [HOSTS[host].file].concat(HOSTS[host].others)),
  ]),
];

/**
 * Tells the policy which file a call changes without taking anything of orcs out: the policy cannot read them. Calls
 * that change none of these files are not looked at any further.
 */
const EDIT_OBSERVER: HookDefinition = {
  id: "orcs:self-guard-edits",
  point: "tool.pre_execute",
  priority: BEFORE_ALL,
  // It only tells what is certain: without it, the policy asks.
  onError: "open",
  handler(ctx) {
    const { args, tool_name: tool, cwd } = ctx.payload as PayloadOf<"tool.pre_execute">;
    const given = [args["path"], args["file_path"], args["patch"]];
    // Of most calls, such as those that run a command: they are done with at once.
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
