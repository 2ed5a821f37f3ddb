import type { AgentName, Diagnostic, TrustState } from "../../core/index.ts";
import type { Scope } from "../../agents/index.ts";

// The keys are those of `orcs doctor --json`.

/** A finding; a problem prevents hooks from running, or from taking effect. */
export interface Finding {
  readonly kind: "problem" | "note";
  readonly text: string;
  /** What to do, such as a command. */
  readonly hint?: string;
}

/** The result of a synthetic event sent to an entry's command. */
export interface Tried {
  readonly ms: number;
  /** Undefined when there was none that an agent can read. */
  readonly answer: "nothing" | "object" | "refusal" | undefined;
}

/** An entry of orcs in an agent's settings. */
export interface EntryReport {
  readonly event: string;
  readonly command: string;
  /** Timeout in the agent's settings, in seconds; null when not set. */
  readonly timeout_s: number | null;
  /**
   * Whether the agent denies when the command fails; null when it has no setting for that, or the event cannot be
   * denied.
   */
  readonly fail_closed: boolean | null;
  /** Null when it was not probed; a finding has the reason. */
  readonly tried: Tried | null;
  /** False when it is known that it runs no hook. */
  readonly works: boolean;
  readonly findings: readonly Finding[];
}

/** A settings file of an agent. */
export interface SettingsReport {
  readonly path: string;
  readonly scope: Scope;
  readonly exists: boolean;
  readonly entries: readonly EntryReport[];
  /** Number of hooks of other programs. */
  readonly others: number;
  readonly findings: readonly Finding[];
}

/** A hook that does not run for an agent, with the reason. */
export interface IdleHook {
  readonly id: string;
  readonly point: string;
  readonly why: string;
}

export interface HostReport {
  readonly host: AgentName;
  /** Path of its program; null when it is not on the `PATH`. */
  readonly program: string | null;
  readonly settings: readonly SettingsReport[];
  /** Number of hooks that run. */
  readonly hooks: number;
  readonly idle: readonly IdleHook[];
  readonly findings: readonly Finding[];
}

/** The service of a configuration. */
export interface ServiceReport {
  readonly socket: string;
  readonly pid: number | null;
  /** ISO 8601. */
  readonly since: string | null;
  /** Response time in milliseconds; null when there is no service, or it does not respond. */
  readonly ms: number | null;
}

/** A configuration that an entry uses, or that is used here. */
export interface ConfigurationReport {
  /** Null when there is none. */
  readonly file: string | null;
  readonly how: "named" | "found" | "none";
  /** Of a discovered configuration; null for others, which need no trust. */
  readonly trust: TrustState | null;
  readonly loads: boolean;
  readonly hooks: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Null without a configuration. */
  readonly service: ServiceReport | null;
  /** The folder of `orcs.state`; null when unknown. */
  readonly state: string | null;
  readonly findings: readonly Finding[];
}

export interface DoctorReport {
  readonly ok: boolean;
  /** Version of orcs. */
  readonly version: string;
  readonly node: string;
  readonly configurations: readonly ConfigurationReport[];
  readonly hosts: readonly HostReport[];
  readonly findings: readonly Finding[];
}

export function problem(text: string, hint?: string): Finding {
  return { kind: "problem", text, ...(hint !== undefined && { hint }) };
}

export function note(text: string, hint?: string): Finding {
  return { kind: "note", text, ...(hint !== undefined && { hint }) };
}

/** All findings of a report. */
export function allFindings({ configurations, hosts, findings }: DoctorReport): Finding[] {
  return [
    ...findings,
    ...configurations.flatMap((each) => each.findings),
    ...hosts.flatMap((host) => [
      ...host.findings,
      ...host.settings.flatMap((file) => [
        ...file.findings,
        ...file.entries.flatMap((entry) => entry.findings),
      ]),
    ]),
  ];
}
