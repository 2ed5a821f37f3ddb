import { durationMs } from "../../config/index.ts";
import { bareMessage, messageOf, OrcsError, orUndefined } from "../../core/index.ts";
import { ownVersion, sha256 } from "../../machine/index.ts";
import { expectAcceptable, isLater, type SeenRevision } from "./acceptance.ts";
import { openBundle, type VerifiedBundle } from "./bundle-file.ts";
import { type BundleState, BundleStore, latestBy, type Refusal } from "./bundle-store.ts";
import type { BundleSettings } from "./installed-bundle.ts";
import { publicKey, type PublicKey } from "./keys.ts";
import { fetchBundle, type Fetched, type FetchOptions, shownUrl } from "./transport.ts";

/** Checks and tests the files of a bundle; returns why it fails, undefined when it does not. */
export type ProveBundle = (files: ReadonlyMap<string, Uint8Array>) => Promise<string | undefined>;

export interface PullDeps {
  readonly prove: ProveBundle;
  readonly store?: BundleStore | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/** What asking for a bundle has changed. */
export interface Pulled {
  readonly is: "new" | "unchanged";
  readonly name: string;
  readonly revision: number;
  /** Whether the server waits for changes: it can be asked again at once. */
  readonly waits: boolean;
}

/**
 * Ask for the bundle of a configuration, verify, check and test it, and make it the last good one. Engines that watch
 * their files load it then. Whatever fails is noted, and the last good one stays.
 * @throws OrcsError ORCS9001 to ORCS9008, ORCS5002
 */
export async function pullBundle(
  settings: BundleSettings,
  { prove, store = new BundleStore(), now = Date.now }: PullDeps,
  options: Omit<FetchOptions, "etag"> = {},
): Promise<Pulled> {
  const { url } = settings;
  const keys = (settings.keys ?? []).map(publicKey);
  const before = store.state();
  const last = activeAt(url, before);
  const held = heldBundle(store, keys);
  // Otherwise "nothing has changed" says nothing.
  const isHeld = held !== undefined && held.header.revision === last?.revision;
  let fetched: Fetched | undefined;
  try {
    fetched = await fetchBundle(url, { ...options, etag: isHeld ? last?.etag : null });
    const { bytes, etag, waits } = fetched;
    if (last && isHeld && (bytes === undefined || Buffer.compare(bytes, held.bytes) === 0)) {
      // Anybody can repeat what was signed before: it stays as old as it was.
      const note = { checked: now(), etag, refused: null };
      store.note((state) => state && { ...state, fresh: state.fresh ?? state.checked, ...note });
      return { is: "unchanged", name: last.name, revision: last.revision, waits };
    }
    if (bytes === undefined) {
      const why = `${shownUrl(url)}: the server answered 304 without being asked for changes`;
      throw new OrcsError("ORCS9006", why);
    }
    const known = before?.refused;
    if (known && known.sha256 === sha256(bytes) && known.code === "ORCS9005") {
      // Its tests need not fail again at each poll.
      throw new OrcsError(known.code, bareMessage(known));
    }
    const { header, files, signers } = openBundle(bytes, keys);
    const { name, revision, not_before } = header;
    const version = ownVersion();
    // A bundle of an older orcs is as late as its state says only if a key that is trusted now has signed it.
    const expectLater = (state: BundleState | undefined): SeenRevision | undefined => {
      const seen = state && (state.signed || held) ? latestBy(keys, state) : undefined;
      expectAcceptable(header, { now: now(), version, last: seen });
      return seen;
    };
    expectLater(last);
    const why = await prove(files);
    if (why !== undefined) {
      const text = `the bundle ${name}, revision ${revision}, is refused: ${why}`;
      throw new OrcsError("ORCS9005", text);
    }
    const previous = held && store.unpack(held).directory;
    const unpacked = store.unpack({ header, files }).directory;
    store.note((current) => {
      const state = activeAt(url, current);
      const seen = expectLater(state);
      const own = signers.map(({ id }) => [id, { name, revision, not_before }] as const);
      const signed = { ...state?.signed, ...Object.fromEntries(own) };
      const isFresh = !state || !seen || isLater(header, seen);
      const fresh = isFresh ? now() : (state.fresh ?? state.checked);
      return { url, name, revision, signed, checked: now(), fresh, etag, refused: null };
    }, bytes);
    store.clean([unpacked, ...(previous === undefined ? [] : [previous])]);
    return { is: "new", name, revision, waits };
  } catch (thrown) {
    noteRefusal(store, url, thrown, fetched?.bytes, now());
    throw thrown;
  }
}

/** How often to ask, in milliseconds. */
export function pollInterval({ poll }: Pick<BundleSettings, "poll">): number {
  return durationMs(poll ?? "30s");
}

/** What is known of a url that had a bundle. */
function activeAt(url: string, state: BundleState | undefined): BundleState | undefined {
  return state?.url === url && state.revision > 0 ? state : undefined;
}

/** The bundle on disk, if it is by a key that is trusted now. */
function heldBundle(
  store: BundleStore,
  keys: readonly PublicKey[],
): (VerifiedBundle & { readonly bytes: Uint8Array }) | undefined {
  return orUndefined(() => {
    const bytes = store.bytes();
    return bytes && { ...openBundle(bytes, keys), bytes };
  });
}

function noteRefusal(
  store: BundleStore,
  url: string,
  thrown: unknown,
  bytes: Uint8Array | undefined,
  at: number,
): void {
  const code = thrown instanceof OrcsError ? thrown.code : "ORCS9006";
  const message = messageOf(thrown);
  const refused: Refusal = { at, code, message, sha256: bytes ? sha256(bytes) : null };
  const note = (state: BundleState | undefined): BundleState => {
    if (state?.url === url) return { ...state, refused };
    // Nothing was ever fetched from there.
    return { url, name: "", revision: 0, checked: 0, etag: null, refused };
  };
  // The disk may be full: the error itself is reported.
  orUndefined(() => store.note(note));
}
