/**
 * What becomes of the result of a hook, from the weakest to the strongest: `audit` runs it after the decision and
 * records its result (a shadow hook), `warn` tells its result to the person and the model, `enforce` applies it.
 */
export const HOOK_MODES = ["audit", "warn", "enforce"] as const;
export type HookMode = (typeof HOOK_MODES)[number];

/** The weakest of several modes; undefined ones do not count, and without any it is `enforce`. */
export function weakestMode(...modes: readonly (HookMode | undefined)[]): HookMode {
  return HOOK_MODES.find((mode) => modes.includes(mode)) ?? "enforce";
}

/**
 * Whether a session is among the given per cent of all sessions. The same session is always on the same side, in every
 * process and for every hook, and a session that is in stays in when the number grows. A call without a session is in.
 * @param percent from 0 to 100
 */
export function isRolledOut(percent: number, session: unknown): boolean {
  if (typeof session !== "string" || session === "") return true;
  return (hashOf(session) / 2 ** 32) * 100 < percent;
}

/** FNV-1a over UTF-16 units, then the finalizer of MurmurHash3: similar ids must not share a side. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
