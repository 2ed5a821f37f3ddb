import { accessSync, constants, statSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { checkConfiguration, type Checked } from "../check/check.ts";
import { codeOf, isTrusted, messageOf, OrcsError, QUIET } from "../../core/index.ts";
import type { Hook, TrustStanding } from "../../core/index.ts";
import type { Orcs } from "../../engine/index.ts";
import { hasMachineFile, machineFile, runtimeFolder } from "../../machine/index.ts";
import { evaluateTrust, projectIn, trustNotices, TrustStore } from "../../config/index.ts";
import type { ConfigPlace } from "../../config/index.ts";
import {
  addressIn,
  defaultStateDir,
  pidAt,
  PROTOCOL_VERSION,
  type ServiceAddress,
  serviceKey,
} from "../../daemon/index.ts";
import { pointsInUse, type UsedPoint } from "../../agents/index.ts";
import { note, problem } from "./report.ts";
import type { ConfigurationReport, Finding, ServiceReport } from "./report.ts";

/** A configuration, and its hooks if it loads. */
export interface CheckedConfiguration {
  readonly place: ConfigPlace;
  readonly report: ConfigurationReport;
  /** The active hooks; undefined when it does not load. */
  readonly hooks: readonly Hook[] | undefined;
  /** The points of the enabled hooks; undefined when it does not load. */
  readonly used: readonly UsedPoint[] | undefined;
  /** Whether it has inactive hooks, because it was discovered and is not trusted. */
  readonly isHeld: boolean;
}

/**
 * Check a configuration as `orcs check` does, and its service. No hook runs.
 * @param cwd base of places in messages
 */
export async function checkTrustedConfiguration(
  place: ConfigPlace,
  cwd: string,
): Promise<CheckedConfiguration> {
  if (place.config === false) {
    return { place, report: NO_CONFIGURATION, hooks: [], used: [], isHeld: false };
  }
  const checked = await checkConfiguration({ config: place.config, cwd });
  const address = addressIn(runtimeFolder(), serviceKey(place));
  const { service, findings } = await checkService(address);
  const state = checked.settings && (checked.settings.paths.state ?? defaultStateDir(place));
  const hooks = checked.loaded;
  const projectTrust = trustAt(place);
  return {
    place,
    hooks,
    used: hooks && pointsInUse(hooks.filter(({ enabled }) => enabled)),
    isHeld: projectTrust !== undefined && !isTrusted(projectTrust),
    report: {
      file: place.config ?? place.found ?? null,
      how: place.found === undefined ? "named" : "found",
      trust: projectTrust?.state ?? null,
      loads: hooks !== undefined,
      hooks: checked.hooks,
      diagnostics: checked.diagnostics,
      service,
      state: state ?? null,
      findings: [
        ...machineFindings(checked),
        ...(projectTrust ? trustFindings(projectTrust) : []),
        ...(await bundleFindings(checked)),
        ...(await sharedStateFindings(checked.settings)),
        ...findings,
        ...(state === undefined ? [] : stateFindings(state)),
      ],
    },
  };
}

const NO_CONFIGURATION: ConfigurationReport = {
  file: null,
  how: "none",
  trust: null,
  loads: true,
  hooks: 0,
  diagnostics: [],
  service: null,
  state: null,
  findings: [note("there is no orcs.toml here, so no hook runs", "orcs init creates one")],
};

/** The configuration of the machine, and how much of it is enforced. An unusable one is among the diagnostics. */
function machineFindings({ loaded, settings }: Checked): Finding[] {
  if (!hasMachineFile() || !loaded) return [];
  const own = loaded.filter(({ origin }) => origin === "machine");
  const enforced = own.filter(({ rank }) => rank < 0).length;
  const all = settings?.enforced === true ? "; its settings are enforced, too" : "";
  const hooks = `${own.length} hooks, ${enforced} of them enforced`;
  return [note(`the configuration of this machine, ${machineFile()}, is active: ${hooks}${all}`)];
}

/** The bundle of the user's configuration: what is active, when it was confirmed, and what was refused since. */
async function bundleFindings({ settings: all, loaded = [] }: Checked): Promise<Finding[]> {
  const settings = all?.bundle;
  const { url } = settings ?? {};
  if (settings === undefined || url === undefined) return [];
  const { BundleStore, installedBundles, shownUrl, usedUntil } =
    await import("../../fleet/index.ts");
  const store = new BundleStore();
  const state = store.state();
  const findings: Finding[] = [];
  try {
    const { name, revision, mode } = await installedBundles(store).find(settings);
    const confirmed = new Date(state?.checked ?? 0).toISOString();
    const until = new Date(state ? usedUntil(settings, state) : 0).toISOString();
    const isEnforced = loaded.some(({ origin, rank }) => origin === "bundle" && rank < 0);
    const how = `${isEnforced ? " and enforced" : ""}${mode === "enforce" ? "" : `, mode ${mode}`}`;
    const text = `the bundle ${name}, revision ${revision}, is active${how}; ${shownUrl(url)} confirmed it at ${confirmed}; it is used until ${until} if no later one comes`;
    findings.push(note(text));
  } catch (thrown) {
    const effect = settings.on_error === "open" ? "it is ignored" : "all tool calls are denied";
    findings.push(problem(`${messageOf(thrown)}; ${effect}`, "run orcs bundle pull"));
  }
  const refused = state?.url === url ? state.refused : undefined;
  if (refused) {
    const text = `the last poll at ${new Date(refused.at).toISOString()} failed: ${refused.message}`;
    findings.push(problem(text, "repair the server, or publish another revision"));
  }
  return findings;
}

/** How long the server of the shared state may take to answer, in milliseconds. */
const REACH_MS = 3000;

/** Whether the state that machines share can be reached. Nothing that hooks use is written. */
async function sharedStateFindings(settings: Orcs["settings"] | undefined): Promise<Finding[]> {
  if (settings?.state.url === undefined) return [];
  const { memoryState, sharedStateOpener, shownStoreUrl, systemClock } =
    await import("../../engine/index.ts");
  const shown = shownStoreUrl(settings.state.url);
  const effect = "what each hook does now is set by its on_store_error";
  try {
    const clock = systemClock();
    const open = await sharedStateOpener(settings);
    const own = memoryState(clock);
    const shared = open?.({ own, stateDir: undefined, clock, logger: QUIET });
    const why = await shared?.reach(REACH_MS);
    shared?.close();
    if (why === undefined) return [note(`orcs.state is shared with other machines by ${shown}`)];
    return [problem(`the shared state ${shown} cannot be used: ${why}; ${effect}`)];
  } catch (thrown) {
    return [problem(`${messageOf(thrown)}; no hook can be loaded`, "npm install ioredis")];
  }
}

/** Whether state can be stored: in an existing folder, or in one that can be created. */
function stateFindings(state: string): Finding[] {
  const text = (why: string): string => `orcs.state cannot be stored in ${state}: ${why}`;
  for (let folder = state; ; folder = dirname(folder)) {
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
      if (folder !== state) return [];
      break;
    } catch (thrown) {
      const isMissing = codeOf(thrown) === "ENOENT";
      if (!isMissing || dirname(folder) === folder) return [problem(text(messageOf(thrown)))];
    }
  }
  try {
    accessSync(join(state, "state.jsonl"), constants.R_OK | constants.W_OK);
  } catch (thrown) {
    const isMissing = codeOf(thrown) === "ENOENT";
    if (!isMissing) return [problem(text(messageOf(thrown)))];
  }
  return [];
}

/** The trust decision about a project; only the project when the store or a copy cannot be used. */
type ProjectTrust =
  | ReturnType<typeof evaluateTrust>
  | (TrustStanding & { readonly state: "store" });

/** The trust decision about a project's configuration; undefined for an explicit one, and for the user's own. */
function trustAt({ found, directory }: ConfigPlace): ProjectTrust | undefined {
  if (found === undefined) return undefined;
  const store = new TrustStore();
  try {
    return evaluateTrust(projectIn(directory, store.all()), store);
  } catch (thrown) {
    if (!(thrown instanceof OrcsError)) throw thrown;
    return { state: "store", why: thrown.message, directory };
  }
}

/** Why a project's hooks are not active, or differ from its folder. */
function trustFindings(projectTrust: ProjectTrust): Finding[] {
  const { state, why, directory } = projectTrust;
  const trust = `orcs trust ${directory}`;
  if (state === "dev") {
    const text = "dev-trusted: its hooks become active as they are saved";
    return [note(text, `orcs trust --revoke ${directory}`)];
  }
  if (state !== "trusted") {
    const hint = state === "unknown" ? trust : undefined;
    return [problem(`none of its hooks is active: ${why}`, hint)];
  }
  return "differs" in projectTrust && projectTrust.differs.length > 0
    ? [note(trustNotices(projectTrust)[0]?.text ?? why, trust)]
    : [];
}

/** Why the trust store cannot be used, if no project's configuration reports it already. */
export function storeFindings(isTold: boolean): Finding[] {
  if (isTold) return [];
  try {
    new TrustStore().all();
    return [];
  } catch (thrown) {
    return [problem(messageOf(thrown))];
  }
}

/** A service answers this at once without running a hook: the key belongs to nobody. */
const PING = { v: PROTOCOL_VERSION, key: "orcs doctor" };
const PING_MS = 2000;

/** Check whether a service answers at an address, without running hooks. */
export async function checkService(
  address: ServiceAddress,
): Promise<{ readonly service: ServiceReport; readonly findings: readonly Finding[] }> {
  const { socket } = address;
  const asked = await pingService(socket);
  const none = { socket, pid: null, since: null, ms: null };
  if (asked === "nobody") return { service: none, findings: [] };
  const pid = pidAt(address) ?? null;
  const since = statSync(address.pid, { throwIfNoEntry: false })?.mtime.toISOString() ?? null;
  if (typeof asked === "number")
    return { service: { socket, pid, since, ms: asked }, findings: [] };
  const text = `the service does not respond: ${asked.why}`;
  const hint = pid === null ? "end it: the next event starts another" : `kill ${pid}`;
  return { service: { socket, pid, since, ms: null }, findings: [problem(text, hint)] };
}

/** The response time in milliseconds, "nobody" when nobody listens, or the reason for no response. */
function pingService(socket: string): Promise<number | "nobody" | { readonly why: string }> {
  return new Promise((resolve) => {
    const began = performance.now();
    let isConnected = false;
    const connection = connect(socket);
    const settle = (asked: Awaited<ReturnType<typeof pingService>>): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(asked);
    };
    const timer = setTimeout(() => settle({ why: `not within ${PING_MS} ms` }), PING_MS);
    connection.on("connect", () => {
      isConnected = true;
      connection.write(`${JSON.stringify(PING)}\n`);
    });
    connection.on("data", () => settle(Math.round((performance.now() - began) * 10) / 10));
    connection.on("error", (error) => settle(isConnected ? { why: error.message } : "nobody"));
    connection.on("close", () => settle({ why: "it closed the connection" }));
  });
}
