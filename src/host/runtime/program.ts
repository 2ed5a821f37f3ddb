import type { ChildContext } from "../../core/child.ts";
import type { Component } from "../../core/component.ts";
import { OrcsError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import type { CallScope, GetOptions, ToolAnswer } from "../../core/ports.ts";
import type { RuntimeVerb } from "../../core/runtime-verbs.ts";

/** The component that a script is which is none: its body is the component's init. */
const PROGRAM_ID = "lua::main";

/**
 * A script that runs as a program. Whether it is one, or returns a component, is known when it calls the
 * engine for the first time: with that call its channel begins, and its body goes on as the channel's init.
 */
export class Program {
  readonly scope: CallScope;
  readonly component: Component;
  readonly #context: Promise<ChildContext>;
  #gotContext!: (context: ChildContext) => void;
  #ended!: (result: Json) => void;
  #failed!: (thrown: unknown) => void;
  #begun: Promise<void> | undefined;

  /**
   * @param begin start the component in a channel; resolves once it has ended its init
   * @param began called as its init begins
   */
  constructor(
    begin: (component: Component) => Promise<void>,
    began: (context: ChildContext) => void,
  ) {
    this.#context = new Promise((resolve) => {
      this.#gotContext = resolve;
    });
    const body = new Promise<Json>((resolve, reject) => {
      this.#ended = resolve;
      this.#failed = reject;
    });
    // A program that never calls the engine has nobody to await it.
    body.catch(() => undefined);
    this.component = {
      id: PROGRAM_ID,
      init: (context) => {
        began(context);
        this.#gotContext(context);
        return body;
      },
      onRequest() {
        throw new OrcsError("ORCS6005", `${PROGRAM_ID} is a program: it takes no requests`);
      },
    };
    this.scope = new ProgramScope(() => {
      this.#begun ??= begin(this.component);
      // A channel that does not begin fails the call that began it.
      return Promise.race([this.#context, this.#begun.then(() => this.#context)]);
    });
  }

  /** Whether it has a channel. */
  get hasBegun(): boolean {
    return this.#begun !== undefined;
  }

  /** The body has returned: resolves when the channel knows. */
  async end(result: Json): Promise<void> {
    this.#ended(result);
    await this.#begun;
  }

  /** The body has failed: resolves when the channel is gone. */
  async fail(thrown: unknown): Promise<void> {
    this.#failed(thrown);
    await this.#begun?.catch(() => undefined);
  }
}

/** Calls of a program, made by its channel's component. */
class ProgramScope implements CallScope {
  readonly depth = 0;
  readonly #context: () => Promise<ChildContext>;

  constructor(context: () => Promise<ChildContext>) {
    this.#context = context;
  }

  async get(kind: string, arg?: Json, options?: GetOptions): Promise<ToolAnswer> {
    return (await this.#context()).get(kind, arg, options);
  }

  async verb(
    name: RuntimeVerb,
    args: readonly (Json | undefined)[],
    signal: AbortSignal,
  ): Promise<Json> {
    const answer = await (await this.#context()).verb?.(name, args, signal);
    return answer ?? null;
  }
}
