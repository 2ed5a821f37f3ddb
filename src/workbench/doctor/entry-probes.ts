import { tmpdir } from "node:os";
import { type HostName, beginning, objectIn, quotedBeginning } from "../../core/index.ts";
import { HOSTS, probeVariables } from "../../formats/index.ts";
import { inTemporaryFolder, type ProcessResult, runProcess } from "../../machine/index.ts";
import { TOKEN_VARIABLE, unwrapCommand, whoListens } from "../../agents/index.ts";
import type { HttpEndpoint, InstallContext } from "../../agents/index.ts";
import { proxyInTheWay, proxyText } from "../../daemon/index.ts";
import { type AgentEnvironment, agentEnvironment } from "./agents.ts";
import { type EntryReport, type Finding, note, problem, type Tried } from "./report.ts";
import { type FoundEntry, type FoundSettings, checkSettings } from "./settings-checks.ts";

/** The session of every synthetic event, so that hooks that count per session use a separate count. */
const SESSION = "orcs-doctor";

/** Maximum time for one event, whatever its entry allows. */
const MAX_PROBE_MS = 10_000;

/** The context of probes. */
interface ProbeContext {
  readonly project: string;
  readonly scratch: string;
  /** Variables of this process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly agent: AgentEnvironment;
  /** Version of this orcs. */
  readonly version: string;
  /** The user's HTTP side, if it was installed. */
  readonly http: HttpEndpoint | undefined;
  /** The command line of synthetic calls; default: `true`. */
  readonly line?: string | undefined;
}

type ProbeResult = Pick<EntryReport, "tried" | "works" | "findings">;

const NOT_TRIED: ProbeResult = { tried: null, works: false, findings: [] };

/** Runs the commands of entries one after the other, and remembers the results of their programs. */
export class EntryProbes {
  readonly #around: ProbeContext;
  readonly #programs = new Map<
    string,
    Promise<{ findings: readonly Finding[]; isDead: boolean }>
  >();
  /** Programs that did not answer in time twice. */
  readonly #late = new Map<string, number>();

  constructor(around: ProbeContext) {
    this.#around = around;
  }

  /** Problems of the programs in a file's entries, each reported once. */
  async programs({ host, scope, entries, isPlugin }: FoundSettings): Promise<Finding[]> {
    // Its launcher is part of each entry's test.
    if (isPlugin) return [];
    const { project: cwd, scratch, agent } = this.#around;
    const names = new Set(entries.filter(isPlainEntry).map(({ program }) => program));
    const found: Finding[] = [];
    for (const program of names) {
      const around = { cwd, env: probeEnvironment(host, cwd, scratch, agent.env) };
      const looked =
        this.#programs.get(program) ?? this.#look(program, around, reinstall({ host, scope }));
      this.#programs.set(program, looked);
      found.push(...(await looked).findings);
    }
    return found;
  }

  /**
   * Send an entry's command a synthetic event, as its agent starts it.
   * @param seconds timeout of its agent
   * @param denies whether a denial has to deny the event: then one is asked for as well
   */
  async entry(
    entry: FoundEntry,
    { host, scope, token }: FoundSettings,
    seconds: number,
    denies = false,
  ): Promise<ProbeResult> {
    const { command, program, event } = entry;
    const { project, scratch, agent, http, line } = this.#around;
    const protocol = await HOSTS[host].load();
    const stdin = JSON.stringify(protocol.sample(event, { session: SESSION, project, line }));
    if (entry.isRequest) {
      const proxy = proxyInTheWay(agent.env);
      if (proxy !== undefined) {
        return { ...NOT_TRIED, findings: [problem(proxyText(proxy, host))] };
      }
      const sent = token ?? agent.env[TOKEN_VARIABLE];
      const hint = `${reinstall({ host, scope })} --transport http`;
      return probeRequest({ url: command, token: sent, http, body: stdin, hint });
    }
    if (!isPlainEntry(entry)) {
      const text = `it was not tested: ${command} does more than run orcs, so a denial may not deny`;
      const found = denies ? problem : note;
      return { tried: null, works: true, findings: [found(text, reinstall({ host, scope }))] };
    }
    const looked = await this.#programs.get(program);
    // Its program is already a finding of the file.
    if (looked?.isDead === true) return NOT_TRIED;
    const late = this.#late.get(program) ?? 0;
    if (late > 1) {
      const text = "it was not tested, because other entries did not respond";
      return { ...NOT_TRIED, findings: [problem(text)] };
    }
    const withinMs = Math.min(seconds * 1000, MAX_PROBE_MS);
    const trial = {
      command,
      shell: HOSTS[host].shell(agent.shell),
      cwd: project,
      env: probeEnvironment(host, project, scratch, agent.env),
      stdin,
      withinMs,
    };
    const { tried, findings } = await probeCommand(trial);
    const works = tried.answer !== undefined;
    if (!works && tried.ms >= withinMs) this.#late.set(program, late + 1);
    // Another version may know nothing of such a trial.
    const isOther = looked !== undefined && looked.findings.length > 0;
    if (!works || !denies || isOther || tried.answer === "refusal")
      return { tried, works, findings };
    const denied = await probeCommand({ ...trial, env: { ...trial.env, ORCS_TRIAL_DENY: "1" } });
    if (denied.tried.answer === "refusal") return { tried, works, findings };
    const text = `a denial does not deny: the command answers it with ${denied.tried.answer ?? "an error"}`;
    return { tried, works: false, findings: [problem(text, reinstall({ host, scope }))] };
  }

  async #look(program: string, around: Parameters<typeof programVersion>[1], hint: string) {
    const looked = await programVersion(program, around, hint);
    if ("finding" in looked) {
      const { finding, isDead, isMissing } = looked;
      const shown = isMissing ? await this.#elsewhere(finding, program, around) : finding;
      return { findings: [shown], isDead };
    }
    const { version } = this.#around;
    const text = `${program} is orcs ${looked.version}, but this is ${version}`;
    return { findings: looked.version === version ? [] : [problem(text, hint)], isDead: false };
  }

  /** Whether a program that an agent does not find is found from this shell: then the agent's `PATH` is wrong. */
  async #elsewhere(
    finding: Finding,
    program: string,
    { cwd, env }: Parameters<typeof programVersion>[1],
  ): Promise<Finding> {
    const path = this.#around.env["PATH"] ?? "";
    const looked = await programVersion(program, { cwd, env: { ...env, PATH: path } }, "");
    if ("finding" in looked) return finding;
    const text =
      `${finding.text}; it is found from this shell, but not with the PATH of an agent: ` +
      String(env["PATH"]);
    const hint =
      "put orcs on the PATH of a login shell, or use its full path: orcs install --user, or --command";
    return problem(text, hint);
  }
}

function reinstall({ host, scope }: Pick<FoundSettings, "host" | "scope">): string {
  return `orcs install --host ${host}${scope === "machine" ? " --machine" : ""}`;
}

function isPlainEntry({ command, isRequest }: Pick<FoundEntry, "command" | "isRequest">): boolean {
  if (isRequest) return false;
  const { call } = unwrapCommand(command);
  return isPlainCall(call) && !/^\S*sh['"]?\s+-\w*c\b/.test(call);
}

/** Longest folder in which the path of a socket is not too long. */
const MAX_FOLDER_LENGTH = 50;

/** Use a temporary folder. */
export function withTempProject<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const above = tmpdir().length <= MAX_FOLDER_LENGTH ? tmpdir() : "/tmp";
  return inTemporaryFolder("orcs-doctor-", use, above);
}

/**
 * The environment that an agent gives its hooks, with state and sockets in a temporary folder: counters and budgets do
 * not change, `once` is not used up, and no running service is asked or started.
 * @param env of an agent
 */
function probeEnvironment(
  host: HostName,
  project: string,
  scratch: string,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const own = { ORCS_TRIAL_DIR: scratch, XDG_RUNTIME_DIR: scratch };
  return { ...env, ...probeVariables(host, project), ...own };
}

/** An unquoted or quoted word, with variables but without anything that a shell would run. */
const PLAIN_WORD = String.raw`(?:'[^'\n]*'|"(?:[^"$\x60\\\n]|\$(?:\{\w+\}|\w))*"|\\'|[\w@%+=:,./~-]|\$(?:\{\w+\}|\w))+`;
const PLAIN_CALL = new RegExp(String.raw`^${PLAIN_WORD}(?:[ \t]+${PLAIN_WORD})*$`);

/**
 * Whether a command only starts one program. The entries of a project can contain anything, and a check must not run
 * more than a program with its arguments.
 */
export function isPlainCall(command: string): boolean {
  return PLAIN_CALL.test(command.trim());
}

/** A command to run as an agent does. */
interface CommandProbe {
  /** The command line. */
  readonly command: string;
  /** The shell that reads it; default `sh -c`. */
  readonly shell?: readonly [file: string, ...args: string[]] | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Milliseconds. */
  readonly withinMs: number;
}

const MAX_OUTPUT_BYTES = 2 ** 20;

/** Run a command and judge its output as an agent would. Never rejects. */
export async function probeCommand(
  trial: CommandProbe,
): Promise<{ readonly tried: Tried; readonly findings: readonly Finding[] }> {
  const { result, ms } = await runProbe(trial);
  const judged = judgeResult(result, trial.withinMs);
  return "finding" in judged
    ? { tried: { ms, answer: undefined }, findings: [judged.finding] }
    : { tried: { ms, answer: judged.answer }, findings: [] };
}

/**
 * The version of a program in an entry, or its problem.
 * @param program as written for a shell
 * @param hint what to do when it does not work
 */
export async function programVersion(
  program: string,
  around: Pick<CommandProbe, "cwd" | "env">,
  hint: string,
): Promise<
  | { readonly version: string }
  | { readonly finding: Finding; readonly isDead: boolean; readonly isMissing: boolean }
> {
  const withinMs = VERSION_MS;
  const trial = { ...around, command: `${program} --version`, stdin: "", withinMs };
  const { result } = await runProbe(trial);
  const printed = outputText(result, "stdout").trim();
  if (result.kind === "exited" && result.code === 0) {
    if (/^\d+\.\d+\.\d+\S*$/.test(printed)) return { version: printed };
    const text = `${program} is not orcs: --version prints ${quotedBeginning(printed)}`;
    return { finding: problem(text, hint), isDead: false, isMissing: false };
  }
  const isMissing = result.kind === "exited" && result.code === 127;
  const text = `${program}: ${failureOf(result, withinMs)}`;
  return { finding: problem(text, hint), isDead: true, isMissing };
}

const VERSION_MS = 5_000;

async function runProbe({ withinMs, command, shell = ["sh", "-c"], ...trial }: CommandProbe) {
  const began = performance.now();
  const [file, ...args] = shell;
  const result = await runProcess({
    ...trial,
    file,
    args: [...args, command],
    timeoutMs: withinMs,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  });
  return { result, ms: Math.round(performance.now() - began) };
}

type Judged = { readonly answer: Tried["answer"] } | { readonly finding: Finding };

function judgeResult(result: ProcessResult, withinMs: number): Judged {
  if (result.kind !== "exited" || (result.code !== 0 && result.code !== 2)) {
    return { finding: problem(failureOf(result, withinMs)) };
  }
  const stdout = outputText(result, "stdout").trim();
  const stderr = outputText(result, "stderr").trim();
  if (result.code === 2) {
    if (stderr === "")
      return { finding: problem("it denies with exit code 2 and without a reason") };
    return failedOr([stderr.replaceAll(LOGGED, "")], "refusal");
  }
  if (stdout === "") return { answer: "nothing" };
  const output = objectIn(stdout);
  if (!output) {
    return { finding: problem(`stdout is not one JSON object: ${quotedBeginning(stdout)}`) };
  }
  return failedOr(stringsOf(output), REFUSES.test(JSON.stringify(output)) ? "refusal" : "object");
}

/** The forms of a denial for all agents. */
const REFUSES =
  /"(?:permissionDecision|decision|permission|behavior)":"(?:deny|block)"|"continue":false|"action":"decline"/;
/** The text of orcs when it could not run the hooks; the text of a hook follows its id. */
const FAILED = /^(?!denied by hook ).*?(\bORCS\d{4}\b.*|\borcs failed:.*|\borcs hook:.*)$/m;

/** Other log lines, for example that a project is not trusted. */
const LOGGED = /^orcs (?:debug|info|warn): .*$/gm;

/** A denial by a hook is a result; a denial because no hook could be run is a failure. */
function failedOr(texts: readonly string[], answer: Tried["answer"]): Judged {
  for (const text of texts) {
    const [, failed] = FAILED.exec(text) ?? [];
    if (failed !== undefined) return { finding: problem(beginning(failed)) };
  }
  return { answer };
}

function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

function failureOf(result: ProcessResult, withinMs: number): string {
  const words = firstLine(outputText(result, "stderr"));
  const why = words === "" ? "" : `: ${words}`;
  switch (result.kind) {
    case "timeout":
      return `no response within ${withinMs / 1000} s`;
    case "output_limit":
      return `it writes more than ${MAX_OUTPUT_BYTES} bytes to ${result.stream}`;
    case "not_started":
      return `it cannot be started: ${result.error}`;
    case "signalled":
      return `it was ended by ${result.signal}${why}`;
    case "aborted":
      return "it was aborted";
    case "exited":
      if (result.code === 127) return `the command was not found${why}`;
      if (result.code === 126) return `the command cannot be executed${why}`;
      return `exit code ${result.code}, which most agents treat as allowed${why}`;
  }
}

function outputText(result: ProcessResult, stream: "stdout" | "stderr"): string {
  return result.kind === "not_started" ? "" : Buffer.from(result[stream]).toString("utf8");
}

/** The first line of Node's report of a failure is the place; a later one is the error. */
function firstLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const first = lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.find((line) => line !== "");
  return beginning(first ?? "");
}

/** An entry whose agent sends events over HTTP. */
interface RequestProbe {
  readonly url: string;
  /** The token in the agent's environment; undefined when there is none. */
  readonly token: string | undefined;
  /** The user's HTTP side; undefined when unknown. */
  readonly http: HttpEndpoint | undefined;
  /** An event of a session that no agent has. */
  readonly body: string;
  /** What to do when it does not work. */
  readonly hint: string;
}

const ANSWER_MS = 5000;
/** The code for an unknown session shows that the request was received. */
const HEARD = "ORCS7009";

/**
 * Check whether events sent over HTTP would be received. Nothing listens while no agent is running, which is fine.
 * Never rejects.
 */
async function probeRequest({ url, token, http, body, hint }: RequestProbe): Promise<ProbeResult> {
  const failed = (text: string) => ({ ...NOT_TRIED, findings: [problem(text, hint)] });
  const port = Number(new URL(url).port);
  if (http === undefined) return failed("the address of the HTTP server is lost");
  const other = `the HTTP server listens on port ${http.port}, not on ${port}`;
  if (http.port !== port) return failed(other);
  const unset = `${TOKEN_VARIABLE} is not set in the environment of an agent: requests are denied without it`;
  if (token === undefined) return failed(unset);
  if (token !== http.token) return failed(`${TOKEN_VARIABLE} is not the token of the HTTP server`);
  const who = await whoListens(http);
  if (who === "another") return failed(`port ${port} is used by another program`);
  if (who === "silent") return failed(`the program on port ${port} does not respond`);
  if (who === "nobody") {
    const text = "the HTTP server does not run now; the next session of an agent starts it";
    return { tried: null, works: true, findings: [note(text)] };
  }
  const began = performance.now();
  const response = await postEvent(url, token, body);
  const ms = Math.round(performance.now() - began);
  if (response.includes(HEARD)) {
    return { tried: { ms, answer: "refusal" }, works: true, findings: [] };
  }
  return { ...failed(`unexpected response: ${response}`), tried: { ms, answer: undefined } };
}

async function postEvent(url: string, token: string, body: string): Promise<string> {
  try {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const signal = AbortSignal.timeout(ANSWER_MS);
    const response = await fetch(url, { method: "POST", headers, body, signal });
    return (await response.text()).slice(0, 500);
  } catch (thrown) {
    return String(thrown);
  }
}

/** What a command that guards deny came to in the user's own entries of an agent. */
interface GuardProbe {
  readonly host: HostName;
  readonly entries: number;
  /** Whether the command was denied. */
  readonly isDenied: boolean;
  /** Events of which the entry gave no usable answer, which lets no call pass. */
  readonly silent: readonly string[];
  /** What is wrong with an entry of tool calls, or with the file. */
  readonly problems: readonly string[];
}

/** Commands that are denied wherever the guards are in force; they are never run. */
export const DENIED_LINE = "git push --force";

/** Whatever its agent allows: all run at once, and each starts Node, which a session does not. */
const PATIENCE_S = 10;

/**
 * Send each of the user's own entries an event, as its agent would; those of calls are about a command that guards
 * deny. The hooks run on temporary state.
 */
export function probeGuards(
  hosts: readonly HostName[],
  around: InstallContext,
  version: string,
): Promise<GuardProbe[]> {
  return withTempProject(async (scratch) => {
    const { env } = around.place;
    const agent = await agentEnvironment(env);
    const probes = { project: scratch, scratch, env, agent, version, line: DENIED_LINE };
    return Promise.all(
      hosts.map((host) =>
        probeHost(host, around, new EntryProbes({ ...probes, http: around.http })),
      ),
    );
  });
}

async function probeHost(
  host: HostName,
  around: InstallContext,
  probes: EntryProbes,
): Promise<GuardProbe> {
  const { events } = await HOSTS[host].load();
  const files = checkSettings(host, around).filter(({ scope }) => scope === "user");
  const problems = files.flatMap(({ findings, switch: off }) => [
    ...findings.flatMap(({ kind, text }) => (kind === "problem" ? text : [])),
    ...(off === undefined ? [] : [off]),
  ]);
  const all = files.flatMap((file) => file.entries.map((entry) => ({ file, entry })));
  const silent: string[] = [];
  const trials = await Promise.all(
    all.map(async ({ file, entry }) => {
      const { tried, works, findings } = await probes.entry(entry, file, PATIENCE_S, false);
      const isGuard = events[entry.event]?.point === "tool.pre_execute";
      if (!isGuard && !works) silent.push(entry.event);
      if (!isGuard) return false;
      problems.push(...findings.flatMap(({ kind, text }) => (kind === "problem" ? text : [])));
      return tried?.answer === "refusal";
    }),
  );
  const isDenied = trials.includes(true);
  return { host, entries: all.length, isDenied, silent, problems: [...new Set(problems)] };
}
