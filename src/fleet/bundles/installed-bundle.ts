import { CONFIG_NAME, DEFAULT_SETTINGS, durationMs } from "../../config/index.ts";
import type { BundleFinder, FoundBundle, SettingsTable } from "../../config/index.ts";
import { OrcsError } from "../../core/index.ts";
import { ownVersion } from "../../machine/index.ts";
import { expectAcceptable, SKEW_MS } from "./acceptance.ts";
import { openBundle, type VerifiedBundle } from "./bundle-file.ts";
import { type BundleState, BundleStore, latestBy } from "./bundle-store.ts";
import { publicKey } from "./keys.ts";

/** `[bundle]` with its url. */
export type BundleSettings = NonNullable<SettingsTable["bundle"]> & { readonly url: string };

/** Finds the last good bundle of this user. @param now milliseconds since 1970 */
export function installedBundles(store = new BundleStore(), now = Date.now): BundleFinder {
  return {
    files: [store.file],
    find: async (settings) => foundBundle(settings, store, now()),
  };
}

/**
 * The last good bundle, verified with the keys that are trusted now.
 * @throws OrcsError ORCS9003 when there is none, or it is too old; and as `openBundle`, `expectAcceptable`
 */
function foundBundle(
  settings: SettingsTable["bundle"],
  store: BundleStore,
  now: number,
): FoundBundle {
  const { url, keys = [] } = settings ?? {};
  const bytes = store.bytes();
  const state = store.state();
  if (!bytes || !state || state.url !== url || state.revision === 0) {
    const why = state?.refused ? `; the last one was refused: ${state.refused.message}` : "";
    throw new OrcsError(
      "ORCS9003",
      `no bundle was fetched from ${url} yet: run orcs bundle pull, or start orcs serve${why}`,
    );
  }
  const trusted = keys.map(publicKey);
  const bundle = openBundle(bytes, trusted);
  const last = latestBy(trusted, state);
  expectAcceptable(bundle.header, { now, version: ownVersion(), last });
  expectFresh(bundle, state, usedUntil(settings, state), now);
  const { directory, files } = store.unpack(bundle);
  const { name, revision, mode } = bundle.header;
  const layers = new Map([[CONFIG_NAME, files.get(CONFIG_NAME)?.bytes]]);
  return { name, revision, mode, files: { directory, codeDir: directory, files: layers } };
}

const DEFAULT_MAX_AGE = DEFAULT_SETTINGS.bundle?.max_age ?? "30d";

/** When a bundle ends unless a later one comes, in milliseconds since 1970. */
export function usedUntil(
  settings: SettingsTable["bundle"],
  { fresh, checked }: BundleState,
): number {
  return (fresh ?? checked) + durationMs(settings?.max_age ?? DEFAULT_MAX_AGE);
}

/**
 * Whoever keeps a machine from asking, or answers in place of the server that nothing has changed, cannot keep an old
 * bundle active for longer than `max_age`.
 */
function expectFresh(
  { header: { name, revision } }: VerifiedBundle,
  { checked, fresh = checked, url }: BundleState,
  until: number,
  now: number,
): void {
  const last = new Date(checked).toISOString();
  const what = `the bundle ${name}, revision ${revision},`;
  if (now < checked - SKEW_MS) {
    const why = `${what} was confirmed at ${last}, and the clock of this machine is at ${new Date(now).toISOString()}: correct the clock`;
    throw new OrcsError("ORCS9003", why);
  }
  if (now > until) {
    const since = new Date(fresh).toISOString();
    const why = `${what} is of ${since}, longer ago than [bundle] max_age, and no later one has come; ${url} was last reached at ${last}`;
    const advice = "publish a higher revision, or the same one with a later --not-before";
    throw new OrcsError("ORCS9003", `${why}: ${advice}`);
  }
}
