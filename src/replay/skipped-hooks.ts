import type { HookEntry } from "../config/hook-entry.ts";
import type { HookRunner, Turn } from "../core/hook.ts";

/** A hook whose handler leaves the process; a replay runs it only on request. */
export interface OutsideHook {
  readonly id: string;
  readonly kind: HookEntry["handler"]["kind"];
}

/** Replaces handlers that leave the process: makes no decision, and remembers that one would have run. */
export class SkippedHooks implements HookRunner {
  /** Set to true when one of them would have run. */
  wasAsked = false;
  readonly #hooks: OutsideHook[] = [];

  /** The hooks that it replaces. */
  get hooks(): readonly OutsideHook[] {
    return this.#hooks;
  }

  /** Replace the handler of another hook. */
  add({ id, handler }: HookEntry): void {
    this.#hooks.push({ id, kind: handler.kind });
  }

  run(turn: Turn): void {
    this.wasAsked = true;
    while (turn.settle({ answer: undefined, edits: [] }));
  }
}
