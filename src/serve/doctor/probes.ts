import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostName } from "../../core/hosts.ts";
import type { HttpPlace } from "../http-place.ts";
import { callOf } from "../install/entry-command.ts";
import { TOKEN_VARIABLE } from "../install/settings-places.ts";
import { proxyInTheWay, proxyText } from "../sessions/session-variables.ts";
import type { AgentEnvironment } from "./agents.ts";
import { KNOWN_HOSTS } from "./agents.ts";
import { probeEvent } from "./probe-events.ts";
import type { EntryReport, Finding } from "./report.ts";
import { note, problem } from "./report.ts";
import type { SeenEntry, SeenSettings } from "./settings-checks.ts";
import { programVersion, tryCommand, tryRequest } from "./try-entry.ts";

/** Nobody waits longer for one event, whatever its entry allows. */
const MOST_MS = 10_000;

/** What trials are made with. */
interface TrialAround {
  readonly project: string;
  readonly scratch: string;
  /** Of this process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly agent: AgentEnvironment;
  /** Of this orcs. */
  readonly version: string;
  /** Where the HTTP side of this user listens, where it was installed. */
  readonly http: HttpPlace | undefined;
}

type Result = Pick<EntryReport, "tried" | "works" | "findings">;

/** Runs the commands of entries, one after the other, and remembers what became of their programs. */
export class EntryProbes {
  readonly #around: TrialAround;
  readonly #programs = new Map<
    string,
    Promise<{ findings: readonly Finding[]; isDead: boolean }>
  >();
  /** Programs that did not answer in time, twice. */
  readonly #late = new Map<string, number>();

  constructor(around: TrialAround) {
    this.#around = around;
  }

  /** What is wrong with the programs of a file's entries, each once. */
  async programs({ host, entries }: SeenSettings): Promise<Finding[]> {
    const { project: cwd, scratch, agent } = this.#around;
    const names = new Set(entries.filter(isCall).map(({ program }) => program));
    const found: Finding[] = [];
    for (const program of names) {
      const looked =
        this.#programs.get(program) ??
        this.#look(program, { cwd, env: trialEnv(host, cwd, scratch, agent.env) }, reinstall(host));
      this.#programs.set(program, looked);
      found.push(...(await looked).findings);
    }
    return found;
  }

  /** Send an entry's command a synthetic event. @param seconds that its host gives */
  async entry(entry: SeenEntry, { host, token }: SeenSettings, seconds: number): Promise<Result> {
    const { command, program, event } = entry;
    const { project, scratch, agent, http } = this.#around;
    if (entry.isRequest) {
      const proxy = proxyInTheWay(agent.env);
      if (proxy !== undefined) {
        return { tried: null, works: false, findings: [problem(proxyText(proxy, host))] };
      }
      const sent = token ?? agent.env[TOKEN_VARIABLE];
      const body = JSON.stringify(probeEvent(host, event, project));
      return tryRequest({
        url: command,
        token: sent,
        http,
        body,
        hint: `${reinstall(host)} --transport http`,
      });
    }
    if (!isCall(entry)) {
      const text = `it was not tried: ${command} does more than to call orcs`;
      return { tried: null, works: true, findings: [note(text, reinstall(host))] };
    }
    const looked = await this.#programs.get(program);
    // Its program is a finding of the file already.
    if (looked?.isDead === true) return { tried: null, works: false, findings: [] };
    const late = this.#late.get(program) ?? 0;
    if (late > 1) {
      const text = "it was not tried: others did not answer";
      return { tried: null, works: false, findings: [problem(text)] };
    }
    const withinMs = Math.min(seconds * 1000, MOST_MS);
    const { tried, findings } = await tryCommand({
      command,
      shell: KNOWN_HOSTS[host].shell(agent.shell),
      cwd: project,
      env: trialEnv(host, project, scratch, agent.env),
      stdin: JSON.stringify(probeEvent(host, event, project)),
      withinMs,
    });
    const works = tried.answer !== undefined;
    if (!works && tried.ms >= withinMs) this.#late.set(program, late + 1);
    return { tried, works, findings };
  }

  async #look(program: string, around: Parameters<typeof programVersion>[1], hint: string) {
    const looked = await programVersion(program, around, hint);
    if ("finding" in looked) {
      const { finding, isDead, isMissing } = looked;
      return {
        findings: [isMissing ? await this.#elsewhere(finding, program, around) : finding],
        isDead,
      };
    }
    const { version } = this.#around;
    if (looked.version === version) return { findings: [], isDead: false };
    const text = `${program} is orcs ${looked.version}, and this is ${version}`;
    return { findings: [problem(text, hint)], isDead: false };
  }

  /** Whether what an agent does not find is found from this shell: then its `PATH` is what is wrong. */
  async #elsewhere(
    finding: Finding,
    program: string,
    { cwd, env }: Parameters<typeof programVersion>[1],
  ): Promise<Finding> {
    const path = this.#around.env["PATH"] ?? "";
    const looked = await programVersion(program, { cwd, env: { ...env, PATH: path } }, "");
    if ("finding" in looked) return finding;
    const text =
      `${finding.text}; it is found from this shell, but not with the PATH that an agent has: ` +
      String(env["PATH"]);
    const hint =
      "put orcs where a login finds it, or name it by its path: orcs install --user, or --command";
    return problem(text, hint);
  }
}

function reinstall(host: SeenSettings["host"]): string {
  return `orcs install --host ${host}`;
}

function isCall({ command, isRequest }: Pick<SeenEntry, "command" | "isRequest">): boolean {
  if (isRequest) return false;
  const { call } = callOf(command);
  return isPlainCall(call) && !/^\S*sh['"]?\s+-\w*c\b/.test(call);
}

/** The longest folder in which a socket's path is not too long. */
const MAX_FOLDER = 50;

/** Use a folder that is gone afterwards. */
export async function withTempProject<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const above = tmpdir().length <= MAX_FOLDER ? tmpdir() : "/tmp";
  const folder = mkdtempSync(join(above, "orcs-doctor-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The environment that a host gives its hooks, with state and sockets in a scratch folder: counters and budgets
 * stay as they are, `once` is not used up, and neither is a running service asked nor another started.
 * @param env of an agent
 */
function trialEnv(
  host: HostName,
  project: string,
  scratch: string,
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const own = { ORCS_TRIAL_DIR: scratch, XDG_RUNTIME_DIR: scratch };
  return { ...env, ...KNOWN_HOSTS[host].env(project), ...own };
}

/** A word of letters, or in quotes, with variables but nothing that a shell would run. */
const WORD = String.raw`(?:'[^'\n]*'|"(?:[^"$\x60\\\n]|\$(?:\{\w+\}|\w))*"|\\'|[\w@%+=:,./~-]|\$(?:\{\w+\}|\w))+`;
const CALL = new RegExp(String.raw`^${WORD}(?:[ \t]+${WORD})*$`);

/**
 * Whether a command does nothing but start one program. What is found in a project may be anything, and asking
 * what is wrong must not run more than a program with its arguments.
 */
export function isPlainCall(command: string): boolean {
  return CALL.test(command.trim());
}
