import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { Command } from "commander";
import { HOST_NAMES, isPluginAgent, OrcsError } from "../core/index.ts";
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
import { machineOption, machineUninstallPlans } from "./install-machine.ts";
import {
  hostOption,
  INSTALLABLE,
  installAround,
  scopeOf,
  scopeOptions,
} from "./install-options.ts";
import type { HostChoice, ScopeOptions } from "./install-options.ts";
import { selfCommand } from "./self-command.ts";
import { settlePlans } from "./settings-plans.ts";
import { verbCommand } from "./verb-command.ts";

interface UninstallOptions extends ScopeOptions {
  host?: HostChoice;
  command?: string;
  yes?: boolean;
  json?: boolean;
}

/** `orcs uninstall`: restore an agent's settings. */
export function uninstallCommand(): Command {
  const command = verbCommand("uninstall").addOption(hostOption());
  for (const option of scopeOptions("default: both, where orcs is installed"))
    command.addOption(option);
  return command
    .addOption(machineOption(["command"]))
    .option(
      "--command <command>",
      "the command that starts orcs in the entries, if orcs was installed with --command",
    )
    .option("-y, --yes", "change the settings without asking")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nSettings that have not changed since the installation are restored byte for byte. In all others, only\n" +
        "the entries of orcs are removed.\n\nExample:\n  orcs uninstall --host claude-code",
    )
    .action(uninstall);
}

async function uninstall(options: UninstallOptions): Promise<void> {
  const { host, command, yes = false, json = false } = options;
  if (host === undefined) {
    const names = [...INSTALLABLE, "all"].join(", ");
    throw new OrcsError("ORCS5001", `uninstall needs --host, one of ${names}`);
  }
  const { script } = selfCommand();
  const around = installAround(command === undefined ? [script] : [script, command], options);
  const { machine = false } = options;
  const plans = machine ? machineUninstallPlans(host, around) : plansFor(host, options, around);
  if (plans.length === 0 && !json) {
    process.stderr.write("Nothing to do: orcs is not installed there.\n");
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
function forgetHttp({ place }: InstallContext): void {
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

function plansFor(
  host: HostChoice,
  options: ScopeOptions,
  around: InstallContext,
): readonly SettingsPlan[] {
  const only = scopeOf(options);
  const plans = new Map<string, SettingsPlan>();
  for (const name of host === "all" ? INSTALLABLE : [host]) {
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
