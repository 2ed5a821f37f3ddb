import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  failedWith,
  fileBytes,
  makeFolder,
  namesIn,
  replaceFile,
  sha256,
  userStateDir,
  withFileLock,
} from "../../machine/index.ts";
import {
  type ErrorCode,
  isPlainObject,
  isShaped,
  isText,
  messageOf,
  objectIn,
  OrcsError,
  orFail,
  orUndefined,
} from "../../core/index.ts";
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
   * Note the result of asking.
   * @param change makes the new state from the current one, or throws when another bundle has become the last good one
   * meanwhile
   * @param bytes of a bundle that becomes the last good one
   * @throws OrcsError ORCS5002, and what `change` throws
   */
  note(
    change: (state: BundleState | undefined) => BundleState | undefined,
    bytes?: Uint8Array,
  ): void {
    this.#makeFolder();
    const write = (): void => {
      const next = change(this.state());
      // The state first: after a crash between the two, the old bundle is older than the state says, and refused,
      // instead of a new one that an older one could replace.
      if (next) replaceFile(this.#stateFile, JSON.stringify(next), LASTING);
      if (bytes) replaceFile(this.file, bytes, LASTING);
    };
    withFileLock(join(this.directory, "lock"), () => orFail(write, this.#notWritten));
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
    for (const name of namesIn(this.#unpacked)) {
      const folder = join(this.#unpacked, name);
      if (kept.some((path) => path.startsWith(folder))) continue;
      orUndefined(() => rmSync(folder, { recursive: true, force: true }));
    }
  }

  get #unpacked(): string {
    return join(this.directory, "unpacked");
  }

  get #stateFile(): string {
    return join(this.directory, "state.json");
  }

  #makeFolder(): void {
    orFail(() => {
      makeFolder(this.directory);
      chmodSync(this.directory, 0o700);
    }, this.#notWritten);
  }

  readonly #notWritten = (thrown: unknown): OrcsError => {
    const why = `the bundle cannot be stored in ${this.directory}: ${messageOf(thrown)}`;
    return new OrcsError("ORCS5002", why, { path: this.directory });
  };
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

function isState(read: unknown): read is BundleState {
  return isShaped(read, {
    url: isText,
    name: isText,
    revision: Number.isSafeInteger,
    signed: (signed = {}) => isPlainObject(signed) && Object.values(signed).every(isSeen),
    checked: isNumber,
    fresh: (fresh = 0) => isNumber(fresh),
    etag: isTextOrNull,
    refused: (refused) => refused === null || isPlainObject(refused),
  });
}

function isSeen(read: unknown): boolean {
  const from = { not_before: isTextOrNull };
  return isShaped(read, { name: isText, revision: Number.isSafeInteger, ...from });
}

function isNumber(value: unknown): boolean {
  return typeof value === "number";
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
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
