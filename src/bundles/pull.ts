import { durationMs } from "../config/settings.ts";
import { messageOf, OrcsError } from "../core/errors.ts";
import { ownVersion } from "../files/own-version.ts";
import { expectAcceptable } from "./acceptance.ts";
import type { VerifiedBundle } from "./bundle-file.ts";
import { openBundle, sha256 } from "./bundle-file.ts";
import type { BundleState, Refusal } from "./bundle-store.ts";
import { BundleStore } from "./bundle-store.ts";
import type { BundleSettings } from "./installed-bundle.ts";
import { publicKey } from "./keys.ts";
import type { Fetched, FetchOptions } from "./transport.ts";
import { fetchBundle, shownUrl } from "./transport.ts";

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
  const before = store.state();
  const last = before?.url === url && before.revision > 0 ? before : undefined;
  const held = last && heldBytes(store, settings, last);
  let fetched: Fetched | undefined;
  try {
    fetched = await fetchBundle(url, { ...options, etag: held && last?.etag });
    const { bytes, etag, waits } = fetched;
    const isSame = bytes === undefined || (held !== undefined && Buffer.compare(bytes, held) === 0);
    if (isSame && last) {
      store.note((state) => state && { ...state, checked: now(), etag, refused: null });
      return { is: "unchanged", name: last.name, revision: last.revision, waits };
    }
    if (bytes === undefined)
      throw new OrcsError(
        "ORCS9006",
        `${shownUrl(url)}: the server answered 304 without being asked for changes`,
      );
    const known = before?.refused;
    if (known && known.sha256 === sha256(bytes) && known.code === "ORCS9005") {
      // Its tests need not fail again at each poll.
      throw new OrcsError(known.code, known.message.slice(`${known.code}: `.length));
    }
    const { header, files } = accepted(bytes, settings, last, now());
    const { name, revision } = header;
    const why = await prove(files);
    if (why !== undefined) {
      throw new OrcsError(
        "ORCS9005",
        `the bundle ${name}, revision ${revision}, is refused: ${why}`,
      );
    }
    const previous = before && heldDirectory(store, settings);
    const unpacked = store.unpack({ header, files }).directory;
    store.install(bytes, { url, name, revision, checked: now(), etag, refused: null });
    store.clean([unpacked, ...(previous === undefined ? [] : [previous])]);
    return { is: "new", name, revision, waits };
  } catch (thrown) {
    noteRefusal(store, url, thrown, fetched?.bytes, now());
    throw thrown;
  }
}

/** How often to ask, in milliseconds: spread, so that a thousand machines do not ask at once. */
export function pollDelay(settings: Pick<BundleSettings, "poll">, random = Math.random): number {
  const interval = durationMs(settings.poll ?? "30s");
  return interval * (0.8 + 0.4 * random());
}

function accepted(
  bytes: Uint8Array,
  { keys = [] }: BundleSettings,
  last: BundleState | undefined,
  now: number,
): VerifiedBundle {
  const bundle = openBundle(bytes, keys.map(publicKey));
  expectAcceptable(bundle.header, { now, version: ownVersion(), last });
  return bundle;
}

/**
 * The bundle on disk, if it is the last one and by a key that is trusted now: otherwise "nothing has changed" says
 * nothing.
 */
function heldBytes(
  store: BundleStore,
  { keys = [] }: BundleSettings,
  last: BundleState,
): Uint8Array | undefined {
  try {
    const bytes = store.bytes();
    if (!bytes) return undefined;
    const { revision } = openBundle(bytes, keys.map(publicKey)).header;
    return revision === last.revision ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function heldDirectory(store: BundleStore, { keys = [] }: BundleSettings): string | undefined {
  try {
    const bytes = store.bytes();
    return bytes && store.unpack(openBundle(bytes, keys.map(publicKey))).directory;
  } catch {
    return undefined;
  }
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
  try {
    store.note((state) => {
      if (state?.url === url) return { ...state, refused };
      // Nothing was ever fetched from there.
      return { url, name: "", revision: 0, checked: 0, etag: null, refused };
    });
  } catch {
    // The disk may be full: the error itself is reported.
  }
}
