import type { Ability } from "../core/index.ts";
import type { HostOptions } from "./host-protocol.ts";

/**
 * What happens where an agent does not do what a hook wants: the operation is denied; the hook gets its way in another
 * form (`otherwise`) or only in some cases (`sometimes`); the user is shown the text, and the operation continues; or
 * nothing happens.
 */
export type Effect = "denied" | "otherwise" | "sometimes" | "shown" | "ignored";

interface Instead {
  readonly effect: Effect;
  /** The effect for people: a clause that starts in lower case and names the agent's part. */
  readonly what: string;
}

/** Something that an agent does not do at an event as a hook means it. */
export interface Limit extends Instead {
  /** It works if the hooks also return `allow`. */
  readonly worksWithAllow?: true;
  /** What happens with a value of `[hosts]` other than the default. */
  readonly unless?: Instead & { readonly setting: HostSetting };
}

/** One setting of `[hosts]`. */
export type HostSetting =
  | { readonly ask: HostOptions["ask"] }
  | { readonly rewrite: HostOptions["rewrite"] };

/** The limits of an event, which `encode` applies. What is missing works. */
export type EventLimits = Readonly<Partial<Record<Ability, Limit>>>;

/** A limit under these settings. */
export function limitUnder(
  { unless, ...limit }: Limit,
  settings: Pick<HostOptions, "ask" | "rewrite">,
): Limit {
  if (unless === undefined) return limit;
  const { setting, ...instead } = unless;
  const isSet =
    "ask" in setting ? setting.ask === settings.ask : setting.rewrite === settings.rewrite;
  return isSet ? instead : limit;
}

/** A setting as written in a configuration. */
export function settingText(setting: HostSetting): string {
  return Object.entries(setting)
    .map(([key, value]) => `[hosts] ${key} = ${JSON.stringify(value)}`)
    .join(", ");
}

/** Limits that agents have in common. */
export const SKIP_DENIES: Limit = {
  effect: "denied",
  what: "it can only run or deny the operation: denied, with the result in the reason",
};
export const RETRY_DENIES: Limit = {
  effect: "denied",
  what: "it does not repeat an operation: denied, and the reason says to try again",
};
export const RETRY_IGNORED: Limit = {
  effect: "ignored",
  what: "it does not repeat an operation: nothing happens",
};
export const CANNOT_ASK_THERE: Limit = {
  effect: "denied",
  what: "it cannot ask its user there: denied",
  unless: {
    setting: { ask: "pass" },
    effect: "ignored",
    what: "it continues as without the hook, as configured",
  },
};
export const DEFER_DENIES: Limit = { effect: "denied", what: "it cannot defer a decision: denied" };
export const PERMISSION_IS_ITS_OWN: Limit = {
  effect: "ignored",
  what: "its own rules decide whether its user is asked",
};
export const DENIAL_IS_SHOWN: Limit = {
  effect: "shown",
  what: "it ignores a denial there: its user is shown the reason",
};
export const NO_REWRITE: Limit = { effect: "ignored", what: "it ignores a changed input there" };
export const NO_RESULT: Limit = { effect: "ignored", what: "it ignores a changed result there" };
export const NO_TEXT: Limit = { effect: "ignored", what: "it passes no text to its model there" };
export const TEXT_IS_SHOWN: Limit = {
  effect: "shown",
  what: "it passes no text to its model there: its user is shown the text",
};
export const TEXT_IN_DENIAL: Limit = {
  effect: "ignored",
  what: "its model reads the text only with a denial",
};
export const ASKS_NOBODY: Limit = {
  effect: "ignored",
  what: "it asks nobody there, and continues",
};
export const PROMPT_IS_ADDED: Limit = {
  effect: "sometimes",
  what: "it keeps the original prompt, and its model reads the changed one in addition",
};
export const REWRITE_NEEDS_ALLOW: Limit = {
  effect: "denied",
  what: "it accepts a changed input only together with the permission, so the call is denied",
  worksWithAllow: true,
  unless: {
    setting: { rewrite: "approve" },
    effect: "otherwise",
    what: "the changed call is approved at the same time, as configured",
  },
};
export const REQUEST_IS_UNCHANGED: Limit = {
  effect: "denied",
  what: "it grants or denies a permission only for the unchanged call, so it is denied",
};

/** Something that an agent only reports: what becomes of a denial, and of a question. */
export function reported(denied: Limit, asked: Limit): EventLimits {
  return { deny: denied, ask: asked, defer: asked, skip: denied, retry: denied };
}

export const REPORTED: EventLimits = {
  ...reported(DENIAL_IS_SHOWN, ASKS_NOBODY),
  inject: TEXT_IS_SHOWN,
};

/** Before a stop, or after an operation, where a denial makes the agent continue. */
export const AT_END: EventLimits = {
  ask: ASKS_NOBODY,
  defer: ASKS_NOBODY,
  skip: SKIP_DENIES,
  retry: RETRY_DENIES,
};

/** Before an agent stops. */
export const BEFORE_STOP: EventLimits = { ...AT_END, rewrite: NO_REWRITE, inject: TEXT_IS_SHOWN };

/** Before a call for which its user can be asked. */
export const REQUEST: EventLimits = {
  defer: DEFER_DENIES,
  skip: SKIP_DENIES,
  retry: RETRY_DENIES,
};

/** Before an operation that can be denied. */
export const BEFORE: EventLimits = { ask: CANNOT_ASK_THERE, ...REQUEST };
