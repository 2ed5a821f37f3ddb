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

/** The names of the bits that are set, in table order. */
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

/** Commands that may run without approval. */
export interface Grants {
  /** Whether a command is covered; no grant is consumed. */
  covers(command: string): boolean;
  /** Use the grant that covers a command; a one-time grant is consumed. @returns whether there was one */
  use(command: string): boolean;
  /** @throws OrcsError ORCS6012 when the pattern is not a plain prefix of words */
  add(pattern: string, kind: GrantKind): void;
  /** Grants for a child: its own in addition to these. */
  below(): Grants;
}

/** The session that a call belongs to. */
interface Session {
  readonly id: string;
  /** If elevated, commands need no grant; otherwise those not covered by a grant need approval. */
  readonly elevated: boolean;
}

/**
 * What a caller may do; all parts must permit an action. It is passed along with a call, to the hooks that serve it and
 * to their calls; scripts cannot set it.
 */
export interface Authority {
  /** Capability bits. */
  readonly capabilities: number;
  /** Folder that tools are confined to, absolute. */
  readonly sandboxRoot: string;
  readonly session: Session;
  readonly grants: Grants;
}
