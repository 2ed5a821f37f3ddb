import type { HookEntry } from "../config/hook-entry.ts";
import type { HookRunner, Turn } from "../core/hook.ts";

/** A hook whose handler leaves the process, which a replay does not run unless asked to. */
export interface OutsideHook {
  readonly id: string;
  readonly kind: HookEntry["handler"]["kind"];
}

/** Stands for handlers that leave the process: says nothing, and remembers that one would have run. */
export class SkippedHooks implements HookRunner {
  /** One of them was to run since this was last set to false. */
  wasAsked = false;
  readonly #hooks: OutsideHook[] = [];

  /** The hooks that it replaces. */
  get hooks(): readonly OutsideHook[] {
    return this.#hooks;
  }

  /** Stand for the handler of one more. */
  add({ id, handler }: HookEntry): void {
    this.#hooks.push({ id, kind: handler.kind });
  }

  run(turn: Turn): void {
    this.wasAsked = true;
    while (turn.settle({ answer: undefined, edits: [] }));
  }
}
