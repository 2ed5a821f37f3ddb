import { type AgentName, HOST_NAMES, isPluginAgent, OrcsError } from "../core/index.ts";
import { machineFile, OWN_PACKAGE } from "../machine/index.ts";
import { HOSTS } from "../formats/index.ts";
import {
  expectAdministrator,
  expectSafeProgram,
  expectSafeSettings,
  machineSettingsPath,
  planInstall,
  planUninstall,
  pointsInUse,
} from "../agents/index.ts";
import type { InstallContext, InstallPlan, SettingsPlace } from "../agents/index.ts";
import type { HostChoice } from "./install-options.ts";
import { expectPermanent, ownLauncher, selfCommand } from "./self-command.ts";
import { enabledHooks } from "./open-orcs.ts";

/** The plans for the settings of the machine. @throws OrcsError ORCS9323 to ORCS9325, and as `planInstall` */
export async function machineInstallPlans(
  choice: HostChoice,
  strict: boolean,
  around: InstallContext,
): Promise<InstallPlan[]> {
  const { place } = around;
  const targets = machineTargets(choice, place);
  expectAdministrator(place);
  expectPermanent(undefined);
  expectSafeProgram([process.execPath, OWN_PACKAGE], place);
  const used = await machinePoints();
  const command = { program: selfCommand().program, launcher: ownLauncher(), config: undefined };
  const plans: InstallPlan[] = [];
  for (const { host, path } of targets) {
    expectSafeSettings(path, place);
    const { events } = await HOSTS[host].load();
    const all = Object.values(events).map(({ point }) => ({ point, hooks: [], longestMs: 0 }));
    const points = used.isOpen ? [...used.points, ...all] : used.points;
    const needs = { events, used: () => Promise.resolve({ config: used.config, points }) };
    const target = { host, scope: "machine", path } as const;
    const plan = await planInstall(target, { ...command, strict }, needs, around);
    plans.push({ ...plan, notes: [...plan.notes, ...used.notes] });
  }
  return plans;
}

/** The plans for removing orcs from the settings of the machine. @throws OrcsError ORCS9323, ORCS9324, ORCS7004 */
export function machineUninstallPlans(choice: HostChoice, around: InstallContext): InstallPlan[] {
  const targets = machineTargets(choice, around.place);
  expectAdministrator(around.place);
  return targets.flatMap(({ host, path }) => {
    expectSafeSettings(path, around.place);
    return planUninstall({ host, scope: "machine", path }, around) ?? [];
  });
}

/** @throws OrcsError ORCS5001 for an agent without settings for a machine */
function machineTargets(choice: HostChoice, place: SettingsPlace) {
  const named: readonly AgentName[] = choice === "all" ? HOST_NAMES : [choice];
  return named.flatMap((host) => {
    const path = isPluginAgent(host) ? undefined : machineSettingsPath(host, place);
    if (path !== undefined && !isPluginAgent(host)) return { host, path };
    if (choice === "all") return [];
    const others = HOST_NAMES.filter((name) => machineSettingsPath(name, place) !== undefined);
    const why = `orcs knows no settings of ${host} for a whole machine; it does of ${others.join(", ")}`;
    throw new OrcsError("ORCS5001", `${why}: see docs/how-to/machine.md`);
  });
}

/** What the configuration of the machine needs. @throws OrcsError ORCS1015 with every error, ORCS9320 */
async function machinePoints() {
  const { hooks, settings } = await enabledHooks({ cwd: "/", config: false });
  // It can need any other point later, without a new installation: the next revision of a bundle can.
  const isOpen = settings.bundle.url !== undefined;
  const isEnforced = isOpen || hooks.some(({ id, rank }) => rank < 0 && !id.startsWith("orcs:"));
  const file = machineFile() ?? "";
  const note = `${file} enforces no hook: until it does, only what users configure themselves runs`;
  return { config: file, points: pointsInUse(hooks), isOpen, notes: isEnforced ? [] : [note] };
}
