import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  failedWith,
  fileBytes,
  makeFolder,
  replaceFile,
  sha256,
  userStateDir,
  withFileLock,
} from "../../machine/index.ts";
import { type ErrorCode, isPlainObject, messageOf, objectIn, OrcsError } from "../../core/index.ts";
import { Seal } from "../../config/index.ts";
import type { BundleContent } from "./bundle-file.ts";
import { isLater, type SeenRevision } from "./acceptance.ts";
import type { PublicKey } from "./keys.ts";
import { BUNDLE_LIMITS } from "./limits.ts";

/** What this machine knows of its bundle. */
export interface BundleState {
  /** Where it came from. */
  readonly url: string;
  readonly name: string;
  readonly revision: number;
  /**
   * The latest that each key has signed, by its id: an older one is refused as long as the key is trusted. Not
   * there when an older version wrote it.
   */
  readonly signed?: Readonly<Record<string, SeenRevision>> | undefined;
  /** When the url was asked and had nothing newer, or this; milliseconds since 1970. */
  readonly checked: number;
  /** When something came that was signed later than all before; `checked` if it is not there. */
  readonly fresh?: number | undefined;
  /** As the server stated it. */
  readonly etag: string | null;
  /** The last refusal since the last success. */
  readonly refused: Refusal | null;
}

/** Why the last answer of a server was not used. */
export interface Refusal {
  readonly at: number;
  readonly code: ErrorCode;
  readonly message: string;
  /** Of the refused bundle, if there was one. */
  readonly sha256: string | null;
}

/**
 * The last good bundle of a user, in the state folder: the file as it was signed, which is verified again whenever it
 * is used, and its unpacked files. All processes of a user share it.
 */
export class BundleStore {
  readonly directory: string;

  /** @param state the user's state folder */
  constructor(state = userStateDir()) {
    this.directory = join(state, "bundle");
  }

  /** The signed file. */
  get file(): string {
    return join(this.directory, "active.orcsbundle");
  }

  /** The bytes of the last good bundle; undefined if there is none. */
  bytes(): Uint8Array | undefined {
    return readIfThere(this.file, BUNDLE_LIMITS.file);
  }

  /** Undefined when nothing is known: nothing was ever fetched, or the file is damaged. */
  state(): BundleState | undefined {
    const bytes = readIfThere(this.#stateFile, MAX_STATE_BYTES);
    const read = bytes && objectIn(Buffer.from(bytes).toString("utf8"));
    return isState(read) ? read : undefined;
  }

  /**
   * Make a bundle the last good one.
   * @param next makes the new state from the current one, or throws when another one has become the last good meanwhile
   * @throws OrcsError ORCS5002, and what `next` throws
   */
  install(bytes: Uint8Array, next: (state: BundleState | undefined) => BundleState): void {
    this.#change(() => {
      const state = next(this.state());
      // The state first: after a crash between the two, the old bundle is older than the state says, and refused,
      // instead of a new one that an older one could replace.
      replaceFile(this.#stateFile, JSON.stringify(state), LASTING);
      replaceFile(this.file, bytes, LASTING);
    });
  }

  /** Note the result of asking that leaves the bundle as it is. @throws OrcsError ORCS5002 */
  note(change: (state: BundleState | undefined) => BundleState | undefined): void {
    this.#change(() => {
      const next = change(this.state());
      if (next) replaceFile(this.#stateFile, JSON.stringify(next), LASTING);
    });
  }

  /**
   * The folder with the files of a bundle, written if it is not there or damaged. Others are removed, but not the one
   * before, which a running engine may still use.
   * @throws OrcsError ORCS5002
   */
  unpack({ files }: BundleContent): { readonly directory: string; readonly files: Seal["files"] } {
    const entries = [...files].map(([name, bytes]) => {
      const file = { bytes, hash: sha256(bytes), size: bytes.length };
      return [name, { ...file, isProgram: false, isDerived: false }] as const;
    });
    this.#makeFolder();
    return Seal.write(this.#unpacked, { layers: ["orcs.toml"], files: new Map(entries) });
  }

  /** Remove unpacked files but those of some folders. */
  clean(kept: readonly string[]): void {
    try {
      for (const name of readdirSync(this.#unpacked)) {
        if (!kept.some((path) => path.startsWith(join(this.#unpacked, name))))
          rmSync(join(this.#unpacked, name), { recursive: true, force: true });
      }
    } catch {
      // Nothing was unpacked.
    }
  }

  get #unpacked(): string {
    return join(this.directory, "unpacked");
  }

  get #stateFile(): string {
    return join(this.directory, "state.json");
  }

  #makeFolder(): void {
    try {
      makeFolder(this.directory);
      chmodSync(this.directory, 0o700);
    } catch (thrown) {
      throw notWritten(this.directory, thrown);
    }
  }

  #change(run: () => void): void {
    this.#makeFolder();
    withFileLock(join(this.directory, "lock"), () => {
      try {
        run();
      } catch (thrown) {
        throw thrown instanceof OrcsError ? thrown : notWritten(this.directory, thrown);
      }
    });
  }
}

const MAX_STATE_BYTES = 100_000;
const LASTING = { isDurable: true };

function readIfThere(file: string, most: number): Uint8Array | undefined {
  try {
    return fileBytes(file, most);
  } catch (thrown) {
    if (failedWith(thrown, "ENOENT")) return undefined;
    throw new OrcsError("ORCS9001", `${file} cannot be read: ${messageOf(thrown)}`, { file });
  }
}

function notWritten(directory: string, thrown: unknown): OrcsError {
  const why = `the bundle cannot be stored in ${directory}: ${messageOf(thrown)}`;
  return new OrcsError("ORCS5002", why, { path: directory });
}

function isState(read: unknown): read is BundleState {
  if (!isPlainObject(read)) return false;
  const { url, name, revision, signed = {}, checked, fresh = 0, etag, refused } = read;
  return (
    typeof url === "string" &&
    typeof name === "string" &&
    Number.isSafeInteger(revision) &&
    isPlainObject(signed) &&
    Object.values(signed).every(isSeen) &&
    typeof checked === "number" &&
    typeof fresh === "number" &&
    (etag === null || typeof etag === "string") &&
    (refused === null || isPlainObject(refused))
  );
}

function isSeen(read: unknown): boolean {
  if (!isPlainObject(read)) return false;
  const { name, revision, not_before: from } = read;
  return (
    typeof name === "string" &&
    Number.isSafeInteger(revision) &&
    (from === null || typeof from === "string")
  );
}

/** The latest bundle by keys that are trusted now: what a removed key has signed does not count any more. */
export function latestBy(
  keys: readonly PublicKey[],
  { name, revision, signed }: BundleState,
): SeenRevision | undefined {
  if (signed === undefined) return { name, revision, not_before: null };
  return keys
    .flatMap(({ id }) => signed[id] ?? [])
    .reduce<SeenRevision | undefined>(
      (one, other) => (one && isLater(one, other) ? one : other),
      undefined,
    );
}
