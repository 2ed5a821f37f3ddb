import { SNAPSHOT } from "../../../core/index.ts";
import type {
  CallScope,
  GetOptions,
  Hook,
  Json,
  JsonObject,
  ScopeVerb,
  ShadowEffect,
  StateStore,
  ToolAnswer,
} from "../../../core/index.ts";

/** The key of the metadata that marks the calls of a hook in shadow: its id. */
export const SHADOW_MARK = "shadow_hook";

/** The calls of a hook in shadow: noted, and made only if the hook has `shadow_effects`; then they are marked. */
export class ShadowCallScope implements CallScope {
  readonly depth: number;
  readonly mayHook: boolean;
  readonly state: StateStore;
  readonly #hook: Hook;
  readonly #real: CallScope;
  readonly #effects: ShadowEffect[];
  /** Only in the runtime. */
  readonly verb?: ScopeVerb;

  /** @param effects gets what it calls */
  constructor(hook: Hook, real: CallScope, state: StateStore, effects: ShadowEffect[]) {
    this.#hook = hook;
    this.#real = real;
    this.#effects = effects;
    this.depth = real.depth;
    this.mayHook = real.mayHook ?? true;
    this.state = state;
    if (real.verb) this.verb = (...asked) => this.#verb(...asked);
  }

  effect(call: string): boolean {
    const ran = this.#hook.shadowEffects === true;
    if (this.#effects.length < MOST_EFFECTS) this.#effects.push({ call, ran });
    return ran;
  }

  said(line: string): void {
    this.#real.said?.(line);
  }

  get(kind: string, arg?: Json, more: GetOptions = {}): Promise<ToolAnswer> {
    if (!this.effect(kind)) return Promise.resolve(this.#refusal(kind));
    const metadata = { ...more.metadata, ...this.#mark };
    return this.#real.get(kind, arg, { ...more, metadata });
  }

  snapshot(reason: string): Promise<ToolAnswer> {
    return this.get(SNAPSHOT, { reason });
  }

  async #verb(...[name, args, signal]: Parameters<ScopeVerb>): Promise<Json> {
    if (!this.effect(name)) return this.#refusal(name);
    return (await this.#real.verb?.(name, args, signal, this.#mark)) ?? null;
  }

  get #mark(): JsonObject {
    return { [SHADOW_MARK]: this.#hook.id };
  }

  #refusal(call: string): ToolAnswer & { ok: false } {
    const why = `${call} does not take place: the hook ${this.#hook.id} runs in shadow, without shadow_effects`;
    return { ok: false, error: why };
  }
}

/** Calls of one run that are noted. */
const MOST_EFFECTS = 20;
