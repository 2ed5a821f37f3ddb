import { unlinkSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../core/json.ts";
import type { OpenFile } from "./chain-file.ts";
import { ChainFile } from "./chain-file.ts";
import type { Link } from "./line.ts";
import { lineBody, nextLine } from "./line.ts";
import { filesAside } from "./log-files.ts";
import { lastOfFiles } from "./tail.ts";

interface ChainWriterOptions {
  readonly dir: string;
  /** Whether names, and files that are set aside, are forced onto the disk. */
  readonly syncs: boolean;
  readonly maxBytes: number;
  readonly keep: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How many lines are in the files, and what kept the rest from it. */
export interface Written {
  readonly count: number;
  readonly failure?: unknown;
}

/** What is about to be written at once. */
interface Pending {
  text: string;
  bytes: number;
  last: Link | undefined;
  /** Lines of the caller's in it. */
  count: number;
  /** Files that go once it is written. */
  outdated: readonly string[];
}

/** Writes lines of one chain, over several files. Everything here is called while the lock is held. */
export class ChainWriter {
  readonly #options: ChainWriterOptions;
  readonly #chain: ChainFile;
  /** Whether no line of a caller's is in the file that was begun. */
  #isFresh = false;

  constructor(options: ChainWriterOptions) {
    this.#options = options;
    this.#chain = new ChainFile(options.dir, options.syncs);
  }

  /** The file that was written to last. */
  get file(): OpenFile | undefined {
    return this.#chain.file;
  }

  /** The last line of the chain that this process knows of. */
  get last(): Link | undefined {
    return this.#chain.last;
  }

  /**
   * Append lines, each as a whole. Those before one that cannot be written stay.
   * @param isUndisturbed whether no other writer has held the lock since this one wrote last
   */
  write(bodies: readonly string[], isUndisturbed: boolean): Written {
    let count = 0;
    try {
      const time = new Date(this.#options.now()).toISOString();
      let pending = this.#begin(time, isUndisturbed);
      for (const body of bodies) {
        let line = nextLine(pending.last, time, body);
        const bytes = Buffer.byteLength(line.text) + 1;
        if (!this.#isFresh && this.#chain.size + pending.bytes + bytes > this.#options.maxBytes) {
          count += this.#flush(pending);
          pending = this.#begun(this.#chain.setAside(), time);
          line = nextLine(pending.last, time, body);
        }
        add(pending, line, bytes);
        pending.count++;
        this.#isFresh = false;
      }
      count += this.#flush(pending);
      return { count };
    } catch (failure) {
      return { count, failure };
    }
  }

  close(): void {
    this.#chain.close();
  }

  /** What has to be said before anything else. */
  #begin(time: string, isUndisturbed: boolean): Pending {
    const { isEmpty, isOpen, cut } = this.#chain.reach(isUndisturbed);
    this.#isFresh = isEmpty;
    const before = isEmpty ? filesAside(this.#options.dir).at(-1) : undefined;
    if (before !== undefined) return this.#begun(before, time);
    const pending = this.#nothing();
    if (isOpen) {
      pending.text = "\n";
      pending.bytes = 1;
    }
    if (cut) {
      const record = { kind: "recovered", cut_bytes: cut.bytes, cut_sha256: cut.sha256 };
      add(pending, nextLine(pending.last, time, lineBody(record)));
    }
    return pending;
  }

  /** The first line of a new file. */
  #begun(from: string, time: string): Pending {
    const { dir, keep } = this.#options;
    this.#isFresh = true;
    const pending = this.#nothing();
    const aside = filesAside(dir);
    const outdated = keep === undefined ? [] : aside.slice(0, Math.max(0, aside.length - keep));
    const gone = lastOfFiles(dir, outdated);
    const record: JsonObject = { kind: "rotated", from };
    if (gone) {
      record["removed_through"] = gone.seq;
      record["removed_hash"] = gone.hash;
      pending.outdated = outdated;
    }
    add(pending, nextLine(pending.last, time, lineBody(record)));
    return pending;
  }

  #nothing(): Pending {
    return { text: "", bytes: 0, last: this.#chain.last, count: 0, outdated: [] };
  }

  #flush({ text, bytes, last, count, outdated }: Pending): number {
    if (last && text !== "") this.#chain.put(text, bytes, last);
    for (const name of outdated) {
      try {
        unlinkSync(join(this.#options.dir, name));
      } catch {
        // It is removed with the next one, or somebody else has done it.
      }
    }
    return count;
  }
}

function add(
  pending: Pending,
  line: Link & { readonly text: string },
  bytes = Buffer.byteLength(line.text) + 1,
): void {
  pending.text += `${line.text}\n`;
  pending.bytes += bytes;
  pending.last = line;
}
