/** Capability bits: what a component, and the tools it calls, may do (design.md §7). */
export const CAPABILITIES = {
  READ: 1,
  WRITE: 2,
  DELETE: 4,
  EXECUTE: 8,
  SPAWN: 16,
  LLM: 32,
  HTTP: 64,
} as const;

export type CapabilityName = keyof typeof CAPABILITIES;

/** Every capability. */
export const ALL_CAPABILITIES = Object.values(CAPABILITIES).reduce((all, bit) => all | bit, 0);

/** The bits of a list of names. */
export function capabilityBits(names: readonly CapabilityName[]): number {
  return names.reduce((bits, name) => bits | CAPABILITIES[name], 0);
}

/** The names of the bits that are set, in the order of the table. */
export function capabilityNames(bits: number): CapabilityName[] {
  return Object.entries(CAPABILITIES)
    .filter(([, bit]) => (bits & bit) !== 0)
    .map(([name]) => name as CapabilityName);
}

/** The result of a command check. */
export type Permission =
  | { readonly status: "allowed" }
  | { readonly status: "denied"; readonly reason: string }
  | {
      readonly status: "requires_approval";
      readonly reason: string;
      /** What to grant so that the command is allowed: a prefix of words. */
      readonly grant_pattern: string;
    };

/** The same with the checked command, which hooks may have rewritten. */
export type CheckedPermission = Permission & { readonly command: string };

export const PERMISSION_STATUSES = [
  "allowed",
  "denied",
  "requires_approval",
] as const satisfies readonly Permission["status"][];

/** `persistent` lasts until the engine ends; `one_time` covers one command. */
export const GRANT_KINDS = ["persistent", "one_time"] as const;
export type GrantKind = (typeof GRANT_KINDS)[number];

/** Commands that somebody may run without being asked. */
export interface Grants {
  /** Whether a command is covered; nothing is used up. */
  covers(command: string): boolean;
  /** Take the grant that covers a command: a one-time grant is gone then. Whether there was one. */
  use(command: string): boolean;
  /** @throws OrcsError ORCS6012 when the pattern is no plain prefix of words */
  add(pattern: string, kind: GrantKind): void;
  /** Grants of somebody below: what they are granted, and what is granted here. */
  below(): Grants;
}

/** The session that something runs for. */
interface Session {
  readonly id: string;
  /** Commands need no grant; one that is not elevated asks for what no grant covers. */
  readonly elevated: boolean;
}

/**
 * What a caller may do: all of these must agree. It travels with a call, to the hooks that serve it and to
 * the calls that they make; no script can say who it is or what it may.
 */
export interface Authority {
  /** Capability bits. */
  readonly capabilities: number;
  /** Folder that tools are confined to, absolute. */
  readonly sandboxRoot: string;
  readonly session: Session;
  readonly grants: Grants;
}
