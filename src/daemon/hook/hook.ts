import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import {
  numbersOf,
  messageOf,
  stringifyExact,
  traceContext,
  traceHeadersIn,
  withTimeLimit,
} from "../../core/index.ts";
import { pinUserFolders, userFolders } from "../../machine/index.ts";
import { HOSTS, SESSION_VARIABLES } from "../../formats/index.ts";
import type { HostAnswer } from "../../formats/index.ts";
import { configPlace } from "../../config/index.ts";
import type { ConfigPlace } from "../../config/index.ts";
import type { ServiceAddress } from "../address.ts";
import { projectDirectory, saveRoute, serviceAddress, serviceKey } from "../address.ts";
import { installationStatus, lostInstallationText } from "../../agents/index.ts";
import type { InstallationStatus } from "../../agents/index.ts";
import {
  askService,
  DEFAULT_TIMEOUT_MS,
  HOST_SHARE,
  namesIn,
  ownVariables,
  SERVICE_SHARE,
} from "../service-protocol.ts";
import type { SessionReachability } from "../sessions/open-session.ts";
import type { EntryNotice } from "./entry-notices.ts";
import type { EvaluationResult } from "./evaluate.ts";
import type { EventFields } from "./event-io.ts";
import { eventFields, printSync, readStdin } from "./event-io.ts";
import type { HookOptions, LostService } from "./hook-options.ts";
import { readHookOptions } from "./hook-options.ts";

// The process of a hook, which an agent starts for each event. The imports here are all that it loads when a service
// answers: no commander, no zod, no VM.

/** Exit code that denies in every agent. */
const DENY_CODE = 2;

/**
 * `orcs hook`: answer one event of an agent, from stdin to stdout, and set the exit code.
 * @returns when there is nothing left to do
 */
export async function runHook(args: readonly string[]): Promise<void> {
  process.exitCode = DENY_CODE;
  const options = readHookOptions(args);
  if (typeof options === "string") {
    printSync(2, `orcs hook: ${options} (see orcs hook --help)\n`);
    return;
  }
  // Counted from the start of the process, as by the agent.
  const until = ((options.timeoutMs ?? DEFAULT_TIMEOUT_MS) - options.spentMs) * HOST_SHARE;
  const left = (): number => Math.max(1, until - performance.now());
  const stdin = await readStdin(left());
  if (!stdin.ok) return writeAnswer(await denial(options, undefined, stdin.why));
  // Most events are passed on without parsing, and some are large.
  let parsed: EventFields | undefined;
  const words = (): EventFields => (parsed ??= eventFields(stdin.text));
  const call = { ...options, words, args, event: stdin.text, left };
  const evaluated = await withTimeLimit(left(), answerCall(call).catch(messageOf));
  if (typeof evaluated !== "object") {
    const why = evaluated ?? `it took longer than the ${Math.round(until)} ms that the agent waits`;
    return writeAnswer(await denial(options, stdin.text, why));
  }
  writeAnswer(evaluated.answer, numbersOf(stdin.text));
  await withTimeLimit(left(), evaluated.finish?.());
}

/** An event to answer. */
interface HookCall extends HookOptions {
  /** The fields of the event, parsed on first use. */
  readonly words: () => EventFields;
  /** The arguments of `orcs hook`. */
  readonly args: readonly string[];
  readonly event: string;
  /** Milliseconds until the response is due. */
  readonly left: () => number;
}

async function answerCall(call: HookCall): Promise<EvaluationResult> {
  const { folders, id, host, event } = call;
  if (process.env["ORCS_TRIAL_DENY"] !== undefined && trialFolder(call) !== undefined) {
    return { answer: await denial(call, event, "orcs doctor asks for a denial") };
  }
  let standing = folders && id !== undefined ? await installationStatus(id, folders) : "installed";
  pinFolders(call, standing);
  if (standing === "lost" && folders && id !== undefined) {
    // A call may have removed it.
    const { ChangeGuard } = await import("../../agents/index.ts");
    new ChangeGuard(QUIET).check();
    standing = await installationStatus(id, folders);
  }
  if (standing === "lost" && (await asksAboutTool(call))) {
    return {
      answer: await denial(call, event, `ORCS7008: ${lostInstallationText(userFolders().state)}`),
    };
  }
  const place = placeOf(call);
  if (place.nearer !== undefined && HOSTS[host].noticeDenies) {
    const { unknownNotice } = await import("../../config/index.ts");
    const { text } = unknownNotice(place.nearer);
    if (await asksAboutTool(call)) {
      return { answer: await denial(call, event, `ORCS8001: ${text}`) };
    }
  }
  const isKept = call.http && trialFolder(call) === undefined;
  const opening = isKept ? openHttpSession(place, call) : undefined;
  const evaluated = await answerAt(place, call);
  const kept = await opening;
  if (kept?.kind === "unsafe") {
    return { ...evaluated, answer: await denial(call, event, `${kept.code}: ${kept.why}`) };
  }
  const notices = await noticesOf(standing, place, call);
  if (kept?.kind === "closed") {
    const text = `no hook can be run over HTTP, so calls are denied: ${kept.why}`;
    notices.push({ key: `closed ${kept.why}`, text });
  }
  if (notices.length === 0) return evaluated;
  const { withEntryNotices } = await import("./entry-notices.ts");
  const asked = { host, ...call.words() };
  return { ...evaluated, answer: await withEntryNotices(evaluated.answer, notices, asked) };
}

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

async function openHttpSession(place: ConfigPlace, call: HookCall): Promise<SessionReachability> {
  const { host, words, event, args } = call;
  const { session, name } = words();
  const { openSession } = await import("../sessions/open-session.ts");
  return openSession({ host, id: session, name, event, args, place });
}

/**
 * The folders in an entry override the environment. For an entry from another machine, missing folders are replaced by
 * this machine's.
 */
function pinFolders({ folders }: HookCall, standing: InstallationStatus): void {
  if (folders === undefined) return;
  const here = userFolders();
  const isThere = (folder: string): boolean =>
    standing !== "elsewhere" || statSync(folder, { throwIfNoEntry: false }) !== undefined;
  pinUserFolders({
    config: isThere(folders.config) ? folders.config : here.config,
    state: isThere(folders.state) ? folders.state : here.state,
  });
}

/** Whether an event asks whether a tool may be called; an unreadable one may. */
async function asksAboutTool({ host, words }: HookCall): Promise<boolean> {
  const { name } = words();
  if (name === undefined) return true;
  const { gatesToolCall } = await import("../../agents/index.ts");
  const { events } = await HOSTS[host].load();
  const row = Object.hasOwn(events, name) ? events[name] : undefined;
  return row !== undefined && gatesToolCall(row);
}

async function noticesOf(
  standing: InstallationStatus,
  place: ConfigPlace,
  { host }: HookCall,
): Promise<EntryNotice[]> {
  const notices: EntryNotice[] = [];
  if (standing === "lost") {
    notices.push({ key: "lost", text: lostInstallationText(userFolders().state) });
  }
  if (standing === "elsewhere") {
    const text =
      "this entry was installed on another machine. orcs is not installed here and runs the hooks that it " +
      `discovers. Run: orcs install --host ${host}`;
    notices.push({ key: "elsewhere", text });
  }
  if (place.nearer !== undefined) {
    const { unknownNotice } = await import("../../config/index.ts");
    notices.push(unknownNotice(place.nearer));
  }
  if (place.config === false) {
    const { config } = userFolders();
    const text =
      `no hook runs: there is no orcs.toml in ${place.directory} or above, and none in ${config}; ` +
      "orcs init creates one";
    notices.push({ key: `none ${place.directory}`, text });
  }
  return notices;
}

function placeOf({ config, host, seal }: HookCall): ConfigPlace {
  const from = config !== undefined && isAbsolute(config) ? "/" : projectDirectory(host);
  return configPlace(from, config, seal);
}

async function answerAt(place: ConfigPlace, call: HookCall): Promise<EvaluationResult> {
  const { host, event, left, record, strict, lost } = call;
  const trial = trialFolder(call);
  const parent = process.ppid;
  const trace = traceContext(traceHeadersIn(process.env));
  // Without a configuration there is no service, and a service does not record for others.
  const isAlone = place.config === false || record !== undefined || trial !== undefined;
  const address = isAlone ? undefined : addressOf(place);
  if (lost !== undefined)
    return lostService(call, place, address, { why: LOST[lost], isLate: lost === "late" });
  if (address) {
    const withinMs = left() * SERVICE_SHARE;
    const request = {
      key: serviceKey(place),
      host,
      event,
      within_ms: withinMs,
      strict,
      parent,
      env: ownVariables(call.carried ? SESSION_VARIABLES : namesIn(address.wellKnown)),
      umask: process.umask(),
      ...trace,
    };
    const asked = await askService(address.socket, request, withinMs);
    if (asked.kind === "answered") {
      saveRoute(userFolders().state, host, address.entry);
      return { answer: asked.answer };
    }
    if (asked.kind === "lost") return lostService(call, place, address, asked);
  }
  const { evaluate } = await import("./evaluate.ts");
  return evaluate({
    host,
    event,
    name: call.words().name,
    place,
    address,
    withinMs: left(),
    record,
    strict,
    parent,
    trace,
    trial,
    isPart: call.carried,
  });
}

/** As `askService` says it. */
const LOST: Readonly<Record<LostService, string>> = {
  gone: "it ended without a response",
  late: "it did not respond in time",
};

/** Hooks may have run, so they are not run again. */
async function lostService(
  call: HookCall,
  { directory }: ConfigPlace,
  address: ServiceAddress | undefined,
  { why, isLate = false }: { readonly why: string; readonly isLate?: boolean },
): Promise<EvaluationResult> {
  // The service denies late requests in time, unless something blocks it; ended, it is not found by the next event.
  const ended = address && (await endService(address, isLate)) ? " and was ended" : "";
  const text =
    `ORCS7002: the connection to the service of ${directory} was lost: ${why}${ended}. ` +
    "Its hooks may have run, so they are not run again; try again";
  return { answer: await denial(call, call.event, text) };
}

/** The session of the events of `orcs doctor`. */
const DOCTOR_SESSION = "orcs-doctor";

/** The folder for state and audit of an event of `orcs doctor`, instead of the agents' folders. */
function trialFolder({ words }: HookCall): string | undefined {
  const folder = process.env["ORCS_TRIAL_DIR"];
  if (folder === undefined || !isAbsolute(folder)) return undefined;
  return words().session === DOCTOR_SESSION ? folder : undefined;
}

/** Undefined when no service can be trusted or started: this process answers by itself. */
function addressOf(place: ConfigPlace): ServiceAddress | undefined {
  try {
    return serviceAddress(place);
  } catch (thrown) {
    printSync(2, `orcs: the service is not used: ${messageOf(thrown)}\n`);
    return undefined;
  }
}

async function endService(address: ServiceAddress, isLate: boolean): Promise<boolean> {
  const { endBlockedService, forgetDeadService } = await import("../service-process.ts");
  if (isLate) return endBlockedService(address);
  await forgetDeadService(address);
  return false;
}

async function denial(
  { host }: HookOptions,
  event: string | undefined,
  why: string,
): Promise<HostAnswer> {
  return (await HOSTS[host].load()).refuse(eventFields(event).name, why);
}

function writeAnswer(
  { output, message, notice, code }: HostAnswer,
  numbers?: ReturnType<typeof numbersOf>,
): void {
  if (message !== undefined) printSync(2, `${message}\n`);
  if (notice !== undefined) printSync(2, `${notice}\n`);
  const lost =
    output === undefined ? undefined : printSync(1, `${stringifyExact(output, numbers)}\n`);
  process.exitCode = code;
  // EPIPE: the agent is gone, and nobody reads a message.
  if (lost === undefined || lost === "EPIPE") return;
  // For example output to a file on a full disk: only the exit code can deny then.
  process.exitCode = DENY_CODE;
  printSync(2, `orcs hook: the response could not be written: ${lost}\n`);
}
