import { isWithin } from "../../machine/index.ts";
import { resolve } from "node:path";
import {
  CAPABILITIES,
  capabilityNames,
  isPlainObject,
  OrcsError,
  PERMISSION_STATUSES,
  quotedBeginning,
  readExactWords,
  RESERVED_WORDS,
  singleQuoted,
} from "../../core/index.ts";
import type { Authority, Permission } from "../../core/index.ts";

/** What may not run, whatever hooks and grants say. */
type Denied = Extract<Permission, { status: "denied" }>;

/**
 * Whether a command may run: capabilities ∩ sandbox ∩ session ∩ grants. No grant is used up.
 * @param cwd where it will run, relative to the sandbox root; default the root
 */
export function checkCommand(command: string, authority: Authority, cwd?: string): Permission {
  const denied = hardLimits(command, authority, cwd);
  if (denied !== undefined) return denied;
  if (authority.session.elevated || authority.grants.covers(command)) return { status: "allowed" };
  return approvalOf(command);
}

/**
 * The part of the check that no hook and no grant can lift: capabilities and sandbox.
 * @returns undefined when both allow it
 */
export function hardLimits(
  command: string,
  { capabilities, sandboxRoot }: Authority,
  cwd?: string,
): Denied | undefined {
  if ((capabilities & CAPABILITIES.EXECUTE) === 0) {
    const has = capabilityNames(capabilities).join(", ") || "none";
    return denied(
      `${quotedBeginning(command)} needs the capability EXECUTE; the caller has ${has}`,
    );
  }
  if (cwd !== undefined && !isWithin(resolve(sandboxRoot), resolve(sandboxRoot, cwd))) {
    return denied(
      `${quotedBeginning(command)} would run in ${quotedBeginning(cwd)}, outside the sandbox root ${sandboxRoot}`,
    );
  }
  return undefined;
}

/**
 * The authority of a child: at most the parent's, and at most what was requested.
 * @param asked `capabilities` are bits; `elevated: false` removes elevation, `true` demands it; `session` is the id of
 *   a
 * new session, default the parent's
 * @throws OrcsError ORCS6015 when elevation is demanded of a parent that has none: it would be a child with fewer
 * permissions than its spawner relies on
 */
export function narrowed(
  parent: Authority,
  asked: {
    readonly capabilities: number;
    readonly elevated?: boolean | undefined;
    readonly session?: string | undefined;
  },
): Authority {
  if (asked.elevated === true && !parent.session.elevated) {
    const why = `${asked.session ?? "a child"} cannot be elevated: ${parent.session.id} is not`;
    throw new OrcsError("ORCS6015", why, { session: parent.session.id });
  }
  return {
    capabilities: parent.capabilities & asked.capabilities,
    sandboxRoot: parent.sandboxRoot,
    session: {
      id: asked.session ?? parent.session.id,
      elevated: parent.session.elevated && asked.elevated !== false,
    },
    grants: parent.grants.below(),
  };
}

/**
 * Read a hook's `permission_result`: a status, true or false, or `{ status, reason?, grant_pattern? }`.
 * @returns undefined when it is invalid
 */
export function readPermission(value: unknown): Permission | undefined {
  if (typeof value === "boolean") return permissionOf({ status: value ? "allowed" : "denied" });
  if (typeof value === "string") return permissionOf({ status: value });
  return isPlainObject(value) ? permissionOf(value) : undefined;
}

function permissionOf(given: Readonly<Record<string, unknown>>): Permission | undefined {
  const reason = given["reason"] ?? "decided by a hook";
  const pattern = given["grant_pattern"] ?? "";
  if (typeof reason !== "string" || typeof pattern !== "string") return undefined;
  const status = PERMISSION_STATUSES.find((known) => known === given["status"]);
  switch (status) {
    case "allowed":
      return { status };
    case "denied":
      return { status, reason };
    case "requires_approval":
      return { status, reason, grant_pattern: pattern };
    case undefined:
      return undefined;
  }
}

function approvalOf(command: string): Permission {
  const pattern = suggestedPattern(command);
  const reason =
    pattern === ""
      ? `no grant can cover ${quotedBeginning(command)}: a grant covers one plain command, by its first words`
      : `no grant covers ${quotedBeginning(command)}; a grant of ${quotedBeginning(pattern)} would`;
  return { status: "requires_approval", reason, grant_pattern: pattern };
}

function denied(reason: string): Denied {
  return { status: "denied", reason };
}

/** A subcommand: `status`, `build:all`, `1.0`. */
const PLAIN_NAME = /^\w[\w.:-]*$/;

/** Characters without a meaning to any shell. */
const UNQUOTED = /^[\w./:@%+,-]+$/;

/**
 * The pattern to grant so that a command and similar ones need no approval: its first word, and the second if it is a
 * plain name. Quoted for a shell.
 * @returns the empty string when no grant can cover the command
 */
function suggestedPattern(command: string): string {
  const [first, second] = readExactWords(command) ?? [];
  if (first === undefined || !first.literal) return "";
  const name = quoted(first.text);
  return second !== undefined && PLAIN_NAME.test(second.text) ? `${name} ${second.text}` : name;
}

function quoted(word: string): string {
  if (UNQUOTED.test(word) && !RESERVED_WORDS.includes(word)) return word;
  return singleQuoted(word);
}
