import { isWithin } from "../../machine/index.ts";
import { codeOf } from "../../core/index.ts";
import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { reasonOf, Refusal } from "./define-tool.ts";

/** Links followed before a path counts as a loop, as in Linux. */
const MAX_LINKS = 40;

/** A place inside the sandbox: an absolute path in which no segment is a link. */
export interface Place {
  readonly path: string;
  /** The path relative to the root, `.` for the root itself. */
  readonly shown: string;
}

/** The directory that tools are confined to. */
export class Sandbox {
  /** As given, made absolute. */
  readonly root: string;

  constructor(root: string) {
    this.root = resolve(root);
  }

  /**
   * The target of a path, links followed; it need not exist. `..` is resolved by the text of the path, as in
   * `match.path`, so that hooks check the file that is used.
   * @throws Refusal when it leads out of the root, by its text or through a link; system errors such as ELOOP and
   * ENOTDIR
   */
  async resolve(path: string): Promise<Place> {
    const root = await this.#realRoot();
    return this.#place(root, await realTarget(this.#lexical(root, path)));
  }

  /**
   * The entry that a path names, which may be a link: only the links above it are followed.
   * @throws Refusal when it is outside the root or the root itself; system errors
   */
  async entry(path: string): Promise<Place> {
    const root = await this.#realRoot();
    const written = this.#lexical(root, path);
    if (written === this.root || written === root) {
      throw new Refusal("it is the sandbox root itself");
    }
    const parent = this.#place(root, await realTarget(dirname(written)));
    return this.#place(root, join(parent.path, basename(written)));
  }

  async #realRoot(): Promise<string> {
    try {
      return await realpath(this.root);
    } catch (error) {
      throw new Refusal(`the sandbox root ${this.root} cannot be used: ${reasonOf(error)}`);
    }
  }

  #lexical(root: string, path: string): string {
    const written = resolve(this.root, path);
    if (isWithin(this.root, written) || isWithin(root, written)) return written;
    throw this.#outside();
  }

  #place(root: string, path: string): Place {
    if (!isWithin(root, path)) throw this.#outside();
    return { path, shown: relative(root, path) || "." };
  }

  #outside(): Refusal {
    return new Refusal(`it is outside the sandbox root ${this.root}`);
  }
}

/**
 * The path with every link followed, whether its target exists or not: writing through a link to a missing target must
 * be noticed.
 */
async function realTarget(path: string, links = 0): Promise<string> {
  const found = await unlessMissing(realpath(path));
  if (found !== undefined) return found;
  const link = await unlessMissing(readlink(path));
  const parent = await realTarget(dirname(path), links);
  if (link === undefined) return join(parent, basename(path));
  if (links >= MAX_LINKS) throw new Refusal("too many symbolic links");
  return realTarget(resolve(parent, link), links + 1);
}

/** What is read of a file; undefined if there is none. */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
