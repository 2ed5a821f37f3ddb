import type { CallScope } from "../../core/ports.ts";
import type { LuaFailure } from "../state.ts";
import type { WorkerScript } from "./worker-script.ts";

/** Work that a worker thread was given. */
export interface Job {
  readonly script: WorkerScript;
  /** What its calls are bound to. */
  readonly scope: CallScope | undefined;
  /** The thread is gone, or the script was unloaded: there will be no report. */
  lost(failure: LuaFailure): void;
}

/** Work with one result: to load a script, or to run a program. */
export class ResultJob<T> implements Job {
  readonly script: WorkerScript;
  readonly scope: CallScope | undefined;
  /** Rejects with a `LuaFailure`. */
  readonly result: Promise<T>;
  #resolve!: (value: T) => void;
  #reject!: (failure: LuaFailure) => void;

  constructor(script: WorkerScript, scope?: CallScope) {
    this.script = script;
    this.scope = scope;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  done(value: T): void {
    this.#resolve(value);
  }

  lost(failure: LuaFailure): void {
    this.#reject(failure);
  }
}

/** Work that loads a script for the first time. */
export class LoadJob<T> extends ResultJob<T> {}
