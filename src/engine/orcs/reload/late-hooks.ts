import type { HookEntry } from "../../../config/index.ts";
import type { FailureMode, PointSpec } from "../../../core/index.ts";
import type { PendingHooks } from "../../registry/index.ts";

/** Pause before loading is tried again after a failure, in milliseconds: the machine may have been busy. */
const PAUSE_MS = 1000;

/** Hooks of a project that are loaded when they are first needed, while the user's own hooks already decide. */
export class LateHooks implements PendingHooks {
  readonly #entries: readonly HookEntry[];
  readonly #onError: FailureMode | undefined;
  readonly #load: () => Promise<void>;
  #loading: Promise<void> | undefined;
  /** When the last attempt was over; undefined while there is one. */
  #overAt: number | undefined = -Infinity;
  failed = false;

  /**
   * @param entries of the project
   * @param onError from the settings
   * @param load registers the hooks
   */
  constructor(
    entries: readonly HookEntry[],
    onError: FailureMode | undefined,
    load: () => Promise<void>,
  ) {
    this.#entries = entries;
    this.#onError = onError;
    this.#load = load;
  }

  at(point: PointSpec): boolean {
    return this.#at(point).length > 0;
  }

  refusesAt(point: PointSpec): boolean {
    const otherwise = this.#onError ?? (point.phase === "pre" ? "closed" : "open");
    return this.#at(point).some(({ onError = otherwise }) => onError === "closed");
  }

  ready(): Promise<void> {
    const over = this.#overAt;
    if (this.#loading && (over === undefined || performance.now() - over <= PAUSE_MS)) {
      return this.#loading;
    }
    this.#overAt = undefined;
    this.failed = false;
    this.#loading = this.#load()
      .catch((thrown: unknown) => {
        this.failed = true;
        throw thrown;
      })
      .finally(() => (this.#overAt = performance.now()));
    return this.#loading;
  }

  /** Resolves when none of them is being loaded. */
  async settled(): Promise<void> {
    if (this.#overAt === undefined) await this.#loading?.catch(() => undefined);
  }

  /** A script can declare its point by itself. */
  #at({ name }: PointSpec): readonly HookEntry[] {
    return this.#entries.filter(({ point }) => point === undefined || point.name === name);
  }
}
