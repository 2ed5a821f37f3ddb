import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { gunzipSync } from "node:zlib";
import { NEWLINE, readForwards, recordIn } from "../../records/index.ts";
import type { ChainedRecord, Checkpoint, Piece, Place } from "../../records/index.ts";
import { type JsonObject, messageOf, objectIn, OrcsError } from "../../core/index.ts";
import { type BatchHeader, type EnvelopeLine, readEnvelope } from "./batch.ts";
import { ReceivedChain, type ReceivedDamage, type ReceivedLog } from "./received-log.ts";

/** The result of verifying what a receiver has stored. */
export interface ReceivedReport {
  /** Whether there is no damage. */
  readonly ok: boolean;
  readonly files: number;
  /** Non-empty lines, with those of batches and statuses. */
  readonly lines: number;
  readonly logs: readonly (ReceivedLog & {
    /** The last status of the machine about it. */
    readonly status: JsonObject | undefined;
  })[];
  /** The first 100, in the order of the files. */
  readonly damage: readonly ReceivedDamage[];
  /** The total number. */
  readonly damage_count: number;
}

/** Number of findings that are listed. */
const MAX_LISTED = 100;
/** Of one compressed file, in bytes. */
const MAX_EXPANDED = 2 ** 30;

/**
 * Check what a receiver has stored of audit logs: batches as they were sent, or their lines alone; compressed with gzip
 * or not. Within a file, and from file to file by name, the order is that of arrival.
 * @param path of a file or a folder, which is read with its folders
 * @param checkpoints lines that one of the logs must contain
 * @throws OrcsError ORCS9349 when it cannot be read
 */
export function verifyReceived(
  path: string,
  checkpoints: readonly Checkpoint[] = [],
): ReceivedReport {
  const verifier = new ReceivedVerifier();
  const files = filesAt(path);
  for (const { file, name } of files) {
    try {
      verifier.begin(name);
      readPieces(file, (piece) => verifier.take(piece));
    } catch (thrown) {
      throw unreadable(file, thrown);
    }
  }
  return verifier.report(checkpoints);
}

/** A batch that is being read. */
interface Current {
  readonly chain: ReceivedChain;
  /** Undefined when it was changed. */
  readonly header: BatchHeader | undefined;
}

/** A line in a batch that does not list it. */
interface Outside extends Place {
  readonly record: ChainedRecord;
  readonly chain: ReceivedChain;
}

class ReceivedVerifier {
  readonly #damage: ReceivedDamage[] = [];
  readonly #files: string[] = [];
  /** Of batches, by machine and log. */
  readonly #chains = new Map<string, ReceivedChain>();
  /** Of lines without batches. */
  readonly #unnamed: ReceivedChain[] = [];
  readonly #statuses = new Map<string, JsonObject>();
  readonly #outside: Outside[] = [];
  #current: Current | undefined;
  /** Whether this file has had a batch. */
  #isWithin = false;
  #place: Place = { file: "", line: 0 };
  #lines = 0;

  begin(file: string): void {
    this.#files.push(file);
    this.#place = { file, line: 0 };
    this.#isWithin = false;
  }

  take(piece: Piece): void {
    const { file, line } = this.#place;
    this.#place = { file, line: line + 1 };
    if (piece.whole && piece.bytes.length === 0) return;
    this.#lines++;
    const text = piece.bytes.toString("utf8");
    const envelope = readEnvelope(text);
    if (envelope) return this.#takeEnvelope(envelope, text);
    const read = recordIn(piece);
    if (read) return this.#takeLine(read);
    const chain = this.#isWithin ? this.#current?.chain : this.#unnamed.at(-1);
    if (chain) return chain.takeBroken(piece, this.#place);
    this.#report({ code: "ORCS9347", ...this.#place, message: "the line is not of an audit log" });
  }

  report(checkpoints: readonly Checkpoint[]): ReceivedReport {
    const all = [...this.#chains.values(), ...this.#unnamed];
    const isElsewhere = (own: ReceivedChain) => (hash: string) =>
      all.some((chain) => chain !== own && chain.has(hash));
    for (const chain of all) chain.end(isElsewhere(chain));
    for (const { file, line, record, chain } of this.#outside) {
      const { seq, hash, prev } = record;
      const isOther = [hash, prev].some(isElsewhere(chain));
      const why = isOther ? "it is of another log" : "the batch does not list it";
      const message = `line ${seq} does not belong into the batch that contains it: ${why}`;
      this.#report({ code: isOther ? "ORCS9346" : "ORCS9342", file, line, message });
    }
    for (const { seq, hash, time } of checkpoints) {
      if (all.some((chain) => chain.has(hash))) continue;
      const message = `no log contains line ${seq} of the checkpoint of ${time}`;
      this.#report({ code: "ORCS9344", ...this.#place, message });
    }
    this.#reportUnlisted();
    const at = ({ file }: Place): number => this.#files.indexOf(file);
    const damage = this.#damage.toSorted((a, b) => at(a) - at(b) || a.line - b.line);
    return {
      ok: damage.length === 0,
      files: this.#files.length,
      lines: this.#lines,
      logs: all.map((chain) => {
        const { machine = "", log = "" } = chain.name;
        const status = this.#statuses.get(keyOf(machine, log));
        return Object.assign(chain.result(), { status });
      }),
      damage: damage.slice(0, MAX_LISTED),
      damage_count: damage.length,
    };
  }

  #takeEnvelope(envelope: EnvelopeLine, text: string): void {
    if (envelope.is === "status") {
      const { machine, status } = envelope;
      const { id: _id, orcs_status: _version, log, ...said } = status;
      if (typeof log === "string") this.#statuses.set(keyOf(machine, log), said);
      return;
    }
    this.#isWithin = true;
    if (envelope.is === "batch") {
      const { header } = envelope;
      const chain = this.#chainOf(header.machine, header.log);
      chain.begin(header, this.#place);
      this.#current = { chain, header };
      return;
    }
    const message = "the first line of a batch, or a status, was changed";
    this.#report({ code: "ORCS9340", ...this.#place, message });
    // Its lines are most likely of the log that it still names.
    const { machine, log } = objectIn(text) ?? {};
    const named =
      typeof machine === "string" && typeof log === "string"
        ? this.#chainOf(machine, log)
        : this.#current?.chain;
    const chain = named ?? this.#newUnnamed();
    this.#current = { chain, header: undefined };
  }

  #takeLine(read: ChainedRecord): void {
    const { seq } = read;
    const current = this.#current;
    const { header } = current ?? {};
    const isListed = !header || (header.first <= seq && seq <= header.last);
    const place = this.#place;
    if (this.#isWithin && current) {
      if (isListed) current.chain.take(read, place);
      else this.#outside.push({ ...place, record: read, chain: current.chain });
      return;
    }
    // A receiver may begin a new file within a batch, or store lines alone.
    const goesOn = current && isListed && current.chain.fits(read) ? current.chain : undefined;
    const fitting = goesOn ?? this.#unnamed.find((chain) => chain.fits(read));
    const isFirst = place.line === 1;
    const chain = fitting ?? (isFirst ? undefined : this.#unnamed.at(-1)) ?? this.#newUnnamed();
    chain.take(read, place);
  }

  /** Where there are batches, every line is in one. */
  #reportUnlisted(): void {
    if (this.#chains.size === 0) return;
    for (const { first } of this.#unnamed) {
      if (!first) continue;
      const { file, line, seq } = first;
      const message = `line ${seq}, and what follows it, is in no batch`;
      this.#report({ code: "ORCS9342", file, line, message });
    }
  }

  #chainOf(machine: string, log: string): ReceivedChain {
    const key = keyOf(machine, log);
    const known = this.#chains.get(key);
    if (known) return known;
    const chain = new ReceivedChain({ machine, log }, this.#report);
    this.#chains.set(key, chain);
    return chain;
  }

  #newUnnamed(): ReceivedChain {
    const chain = new ReceivedChain({}, this.#report);
    this.#unnamed.push(chain);
    return chain;
  }

  readonly #report = (damage: ReceivedDamage): void => void this.#damage.push(damage);
}

function keyOf(machine: string, log: string): string {
  return `${machine}\n${log}`;
}

function filesAt(path: string): { readonly file: string; readonly name: string }[] {
  try {
    if (!statSync(path).isDirectory()) return [{ file: path, name: path }];
    const found = readdirSync(path, { recursive: true, withFileTypes: true });
    return found
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((file) => ({ file, name: relative(path, file) }));
  } catch (thrown) {
    throw unreadable(path, thrown);
  }
}

function readPieces(file: string, take: (piece: Piece) => void): void {
  const fd = openSync(file, "r");
  try {
    if (isCompressed(fd)) {
      const bytes = gunzipSync(readFileSync(fd), { maxOutputLength: MAX_EXPANDED });
      for (const piece of piecesOf(bytes)) take(piece);
    } else for (const piece of readForwards(fd)) take(piece);
  } finally {
    closeSync(fd);
  }
}

/** Whether a file begins as gzip does. */
function isCompressed(fd: number): boolean {
  const start = Buffer.alloc(2);
  return readSync(fd, start, 0, 2, 0) === 2 && start.readUInt16BE() === 0x1f8b;
}

function* piecesOf(bytes: Buffer): Generator<Piece> {
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline;
    yield { bytes: bytes.subarray(start, end), start, ended: newline >= 0, whole: true };
    start = end + 1;
  }
}

function unreadable(path: string, thrown: unknown): OrcsError {
  if (thrown instanceof OrcsError) return thrown;
  const why = `${path} cannot be read: ${messageOf(thrown)}`;
  return new OrcsError("ORCS9349", why, { path }, { cause: thrown });
}
