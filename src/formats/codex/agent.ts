import { equalJson, isPlainObject } from "../../core/index.ts";
import { asRegex, matchNames, USUAL, words } from "../agent-spec.ts";
import type { HostSpec, TomlSettings } from "../agent-spec.ts";

/** Further names of the tool apply_patch in matchers of Codex. */
const PATCH_ALIASES: readonly string[] = ["Edit", "Write"];

const SWITCHES = ["hooks", "codex_hooks"];

/** Codex has its switch in `config.toml`, and there which hooks its user has trusted. */
const CODEX_TOML: TomlSettings = {
  decisive: "features hooks profile profiles projects notify shell_environment_policy".split(" "),
  isWeakened(was, now) {
    const isOff = SWITCHES.some(
      (name) => isOffIn(now["features"], name) && !isOffIn(was["features"], name),
    );
    return isOff || !holds(now["hooks"], was["hooks"]) || addsOff(now["hooks"], was["hooks"]);
  },
  withoutSwitches(text) {
    let table = "";
    const lines = text.split("\n").filter((line) => {
      const [, header] = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line) ?? [];
      if (header !== undefined) table = header;
      const name =
        table === "features" ? String.raw`(?:features\s*\.\s*)?` : String.raw`features\s*\.\s*`;
      return !new RegExp(String.raw`^\s*${name}(?:codex_)?hooks\s*=\s*false\s*(?:#.*)?$`).test(
        line,
      );
    });
    return lines.join("\n");
  },
};

function isOffIn(section: unknown, name: string): boolean {
  return isPlainObject(section) && section[name] === false;
}

/** Whether everything of a value is in another. */
function holds(now: unknown, was: unknown): boolean {
  if (!isPlainObject(was)) return was === undefined || equalJson(now, was);
  return isPlainObject(now) && Object.entries(was).every(([key, value]) => holds(now[key], value));
}

function addsOff(now: unknown, was: unknown): boolean {
  if (!isPlainObject(now)) return false;
  const old = isPlainObject(was) ? was : {};
  return Object.entries(now).some(([key, value]) =>
    key === "enabled" ? value === false && old[key] !== false : addsOff(value, old[key]),
  );
}

/**
 * Codex. `agentVariables` were recorded with a tool that runs `env` (0.169.0); `CODEX_SANDBOX*` is set where it has a
 * sandbox.
 */
export const CODEX_AGENT: HostSpec = {
  ...USUAL,
  label: "Codex",
  program: "codex",
  source: { read: "schemas of 0.169", protocol: "its own", tried: "0.169.0" },
  headless: ["exec", "e"],
  unhooked: ["--ignore-user-config"],
  load: async () => (await import("./host.ts")).codexHost,
  agentVariables: words(
    "CODEX_THREAD_ID CODEX_TOOL_CALL_ID CODEX_CI CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED",
  ),
  settingsVariable: "CODEX_HOME",
  commandVariables: [],
  hookVariables: ["PLUGIN_ROOT", "PLUGIN_DATA"],
  shell: (own) => [own, "-lc"],
  settingsReload: { when: "start" },
  folder: ".codex",
  file: "hooks.json",
  others: ["config.toml"],
  // Read in its source (codex-rs/hooks/src/engine/discovery.rs): hooks of this folder are managed, and trusted.
  machine: {
    folder: { linux: "/etc/codex", darwin: "/etc/codex" },
    file: "hooks.json",
    others: ["config.toml"],
    ignoresSwitches: false,
  },
  // It reads every .codex from the root of the repository down to where it is started.
  onlyThere: false,
  next: "Codex runs new and changed hooks once you have trusted them: see /hooks there",
  settings: {
    toml: CODEX_TOML,
    // What its user has trusted.
    besideEvents: ["state"],
    matchers: {
      ignoredAt: ["UserPromptSubmit", "Stop"],
      translate(pattern) {
        if (/^[\w|]*$/.test(pattern)) {
          const listed = pattern.split("|");
          const isPatch = PATCH_ALIASES.some((alias) => listed.includes(alias));
          return matchNames(isPatch ? [...listed, "apply_patch"] : listed);
        }
        const isPatch = PATCH_ALIASES.some((alias) => asRegex(pattern)?.test(alias) === true);
        return { match: { tool_regex: isPatch ? `(?:${pattern})|^apply_patch$` : pattern } };
      },
    },
  },
};
