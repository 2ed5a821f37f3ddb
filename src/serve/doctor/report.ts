import type { TrustState } from "../../core/trust.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { HostName } from "../../core/hosts.ts";
import type { Scope } from "../install/settings-places.ts";

// The keys are those of `orcs doctor --json`.

/** Something worth knowing; a problem keeps hooks from running, or from being heeded. */
export interface Finding {
  readonly kind: "problem" | "note";
  readonly text: string;
  /** What to do, such as a command. */
  readonly hint?: string;
}

/** What came of a synthetic event that was sent to an entry's command. */
export interface Tried {
  readonly ms: number;
  /** Undefined where there was none that a host can read. */
  readonly answer: "nothing" | "object" | "refusal" | undefined;
}

/** An entry of orcs in a host's settings. */
export interface EntryReport {
  readonly event: string;
  readonly command: string;
  /** Seconds after which the host goes on; null where the entry does not say. */
  readonly timeout_s: number | null;
  /** Whether the host refuses when the command fails; null where it has no word for it, or nothing to refuse. */
  readonly fail_closed: boolean | null;
  /** Null when it was not tried: a finding says why. */
  readonly tried: Tried | null;
  /** False when it is known that no hook runs by it. */
  readonly works: boolean;
  readonly findings: readonly Finding[];
}

/** A file of a host's settings. */
export interface SettingsReport {
  readonly path: string;
  readonly scope: Scope;
  readonly exists: boolean;
  readonly entries: readonly EntryReport[];
  /** How many hooks are not of orcs. */
  readonly others: number;
  readonly findings: readonly Finding[];
}

/** A hook that does not run at a host, and why. */
export interface IdleHook {
  readonly id: string;
  readonly point: string;
  readonly why: string;
}

export interface HostReport {
  readonly host: HostName;
  /** Where its program is; null when it is not on the path. */
  readonly program: string | null;
  readonly settings: readonly SettingsReport[];
  /** How many hooks run at it. */
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
  /** How long it took to answer; null when there is no service, or none that answers. */
  readonly ms: number | null;
}

/** A configuration that an entry uses, or that would be used here. */
export interface ConfigurationReport {
  /** Null when there is none. */
  readonly file: string | null;
  readonly how: "named" | "found" | "none";
  /** Of one that was found; null for others, which need none. */
  readonly trust: TrustState | null;
  readonly loads: boolean;
  readonly hooks: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Null where there is no configuration to serve. */
  readonly service: ServiceReport | null;
  /** Where `orcs.state` is kept; null when that is not known. */
  readonly state: string | null;
  readonly findings: readonly Finding[];
}

export interface DoctorReport {
  readonly ok: boolean;
  /** Of orcs. */
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

/** Every finding of a report, wherever it stands. */
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
