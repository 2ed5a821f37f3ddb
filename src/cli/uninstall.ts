import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { AGENT_NAMES, HOST_NAMES, isPluginAgent } from "../core/index.ts";
import { userStateDir } from "../machine/index.ts";
import {
  acceptNow,
  httpEndpointFile,
  httpServiceLog,
  mayHaveEntries,
  planPluginRemoval,
  planUninstall,
  pluginPath,
  readSettingsFile,
  removeFolders,
  SCOPES,
  settingsPath,
  TOKEN_VARIABLE,
} from "../agents/index.ts";
import type { InstallContext, SettingsPlan } from "../agents/index.ts";
import { sessionsFolder } from "../daemon/index.ts";
import { machineUninstallPlans } from "./install-machine.ts";
import { HOST, installAround, neededHost, scopeOf, scopeOptions } from "./install-options.ts";
import type { HostChoice, ScopeOptions } from "./install-options.ts";
import { JSON_OUTPUT } from "./options.ts";
import { tell } from "./output.ts";
import { settlePlans } from "./settings-plans.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";

const OPTIONS = {
  host: HOST,
  ...scopeOptions("default: both, where orcs is installed", ["command"]),
  command: value(
    "<command>",
    "the command that starts orcs in the entries, if orcs was installed with --command",
  ),
  yes: flag("change the settings without asking", { short: "y" }),
  json: JSON_OUTPUT,
};

/** `orcs uninstall`: restore an agent's settings. */
export const uninstallCommand = verbCommand("uninstall", {
  options: OPTIONS,
  help:
    "Settings that have not changed since the installation are restored byte for byte. In all others, only\n" +
    "the entries of orcs are removed.\n\nExample:\n  orcs uninstall --host claude-code",
  run: uninstall,
});

async function uninstall(options: OptionsOf<typeof OPTIONS>): Promise<void> {
  const { command, yes = false, json = false } = options;
  const host = neededHost("uninstall", options.host);
  const around = installAround(options, command);
  const { machine = false } = options;
  const plans = machine
    ? machineUninstallPlans(host, around)
    : uninstallPlans(host, options, around);
  if (plans.length === 0 && !json) {
    tell("Nothing to do: orcs is not installed there.");
    return;
  }
  const isDone = await settlePlans(plans, { records: around.records, yes, json });
  if (!isDone) return;
  if (machine) removeFolders([dirname(around.records), around.records]);
  else {
    forgetHttp(around);
    acceptNow(undefined, false);
  }
}

/** Without entries that are sent over HTTP, the HTTP side is removed as well; the running one ends by itself. */
export function forgetHttp({ place }: InstallContext): void {
  const isAsked = HOST_NAMES.some((host) => {
    const { bytes } = readSettingsFile(settingsPath(host, "user", place));
    return mayHaveEntries(bytes) && bytes?.includes(TOKEN_VARIABLE) === true;
  });
  if (isAsked) return;
  const state = userStateDir(place);
  for (const path of [httpEndpointFile(state), httpServiceLog(state), sessionsFolder(state)]) {
    rmSync(path, { recursive: true, force: true });
  }
}

/** The plans for taking orcs out of the settings of agents. @throws OrcsError ORCS7004 */
export function uninstallPlans(
  host: HostChoice,
  options: ScopeOptions,
  around: InstallContext,
): readonly SettingsPlan[] {
  const only = scopeOf(options);
  const plans = new Map<string, SettingsPlan>();
  for (const name of host === "all" ? AGENT_NAMES : [host]) {
    for (const scope of only ? [only] : SCOPES) {
      const path = isPluginAgent(name)
        ? pluginPath(name, scope, around.place)
        : settingsPath(name, scope, around.place);
      // In the home directory both are the same file.
      if (plans.has(path)) continue;
      const plan = isPluginAgent(name)
        ? planPluginRemoval({ host: name, scope, path }, around.records)
        : planUninstall({ host: name, scope, path }, around);
      if (plan) plans.set(path, plan);
    }
  }
  return [...plans.values()];
}
