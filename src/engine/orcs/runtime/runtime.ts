import { OrcsError } from "../../../core/index.ts";
import type { CallScope, ChildContext, Component, Json, JsonObject } from "../../../core/index.ts";
import { filledLimits, OrcsEngine, ownerOf } from "../../runtime/index.ts";
import type { Channel, RuntimeLimits, SpawnOptions } from "../../runtime/index.ts";
import type { Engine } from "../engine.ts";
import { type LoadedScriptObject, luaComponent } from "./lua-component.ts";
import type { OwnedHooks } from "./owned-hooks.ts";
import type { RuntimeScripts } from "./runtime-scripts.ts";

/** Options of `orcs.runtime`. */
export interface RuntimeOptions {
  readonly limits?: Partial<RuntimeLimits> | undefined;
}

/** Options for spawning a script. */
export interface SpawnScriptOptions extends SpawnOptions {
  /** Its id, instead of the script's own; required for a namespace other than `lua`. */
  readonly id?: string | undefined;
  /** The script's `orcs.options`. */
  readonly options?: JsonObject | undefined;
}

/** A program runs as long as it needs. */
const NO_TIMEOUT = 2 ** 31 - 1;

/** A runtime on an engine: components in TypeScript or Lua, with hooks around their tool calls and their lifecycle. */
export class Runtime extends OrcsEngine {
  readonly #engine: Engine;
  readonly #scripts: RuntimeScripts;

  constructor(engine: Engine, scripts: RuntimeScripts, { limits }: RuntimeOptions = {}) {
    const { registry, points, clock, closing, logger, authority, tools, checks } = engine;
    const ofEngine = { registry, points, clock, closing, logger, authority, tools, checks };
    super({
      ...ofEngine,
      limits: filledLimits(limits),
      loadChild: (config, child) => scripts.child(config, child),
    });
    this.#engine = engine;
    this.#scripts = scripts;
    engine.approvals.also(this.approvals);
  }

  /**
   * Start the component that a Lua file returns.
   * @returns undefined when a hook denied the channel
   * @throws OrcsError as `spawn`, ORCS1009, ORCS3001, ORCS3002, ORCS3005, ORCS3006
   */
  async spawnScript(path: string, options: SpawnScriptOptions = {}): Promise<Channel | undefined> {
    const { id, options: own, ...rest } = options;
    return this.#spawnLoaded(await this.#scripts.component(path, own), id, rest);
  }

  /**
   * Run a Lua file to its end. A component gets the request `run`; any other script becomes a component whose init is
   * the body of the script.
   * @returns its response, or what the script returned
   * @throws OrcsError as `spawnScript`, and what the request throws
   */
  async run(path: string): Promise<Json | undefined> {
    let channel: Channel | undefined;
    let stated: OwnedHooks | undefined;
    const ended = new AbortController();
    let free = (): void => undefined;
    const program = scriptProgram(
      async (component) => {
        channel = await this.spawn(component, { init_timeout_ms: Infinity });
        if (channel) return;
        const why = `${path} was not started: a hook at channel.pre_create skipped it`;
        throw new OrcsError("ORCS2001", why, { hook: undefined });
      },
      (context) => {
        stated?.adopt(ownerOf(context), context);
        // A script whose channel was killed must stop.
        context.signal.addEventListener("abort", () => ended.abort(), { once: true });
      },
    );
    try {
      const scopeFor = (own: OwnedHooks) => {
        stated = own;
        return program.scope;
      };
      const ran = await this.#scripts.run(path, scopeFor, undefined, ended.signal);
      const { result, hooks, name } = ran;
      if ("object" in result)
        return await this.#runComponent({ name, object: result.object, hooks }, program);
      free = () => result.close();
      await program.end(result.value ?? null);
      return result.value;
    } catch (thrown) {
      const { aborted } = ended.signal;
      await program.fail(thrown);
      if (!aborted) throw thrown;
      throw new OrcsError("ORCS6006", `${path} was stopped while it was running`, { script: path });
    } finally {
      // Another program may have that name.
      if (channel) await this.stop(channel.component, "done");
      free();
    }
  }

  /** End all channels, and start no more. */
  async close(): Promise<void> {
    await this.shutdownParallel();
    this.#engine.approvals.without(this.approvals);
  }

  async #runComponent(
    script: LoadedScriptObject,
    program: ReturnType<typeof scriptProgram>,
  ): Promise<Json | undefined> {
    if (program.hasBegun()) {
      script.object.close();
      const why = `${script.name} calls the engine while it is loading; call the engine in init instead`;
      throw new OrcsError("ORCS6010", why, { script: script.name });
    }
    const channel = await this.#spawnLoaded(script, undefined, {});
    if (!channel) return undefined;
    try {
      const asked = { category: "Run", timeout_ms: NO_TIMEOUT };
      return await this.request(channel.component, "run", null, asked);
    } finally {
      await this.stop(channel.component, "done");
    }
  }

  async #spawnLoaded(
    script: LoadedScriptObject,
    id: string | undefined,
    options: SpawnOptions,
  ): Promise<Channel | undefined> {
    let channel: Channel | undefined;
    try {
      const component: Component = luaComponent(script, id);
      channel = await this.spawn(component, options);
      return channel;
    } finally {
      // Without a channel, nobody else closes the script.
      if (!channel) script.object.close();
    }
  }
}

/** The id of a component made from a plain script, whose body is its init. */
const PROGRAM_ID = "lua::main";

/**
 * A script that runs as a program. Whether it is a plain program or returns a component is known at its first call of
 * the engine: that call opens its channel, and its body continues as the channel's init.
 * @param begin start the component in a channel; resolves when its init has ended
 * @param began called when its init begins
 */
function scriptProgram(
  begin: (component: Component) => Promise<void>,
  began: (context: ChildContext) => void,
) {
  let begun: Promise<void> | undefined;
  let gotContext!: (context: ChildContext) => void;
  const context = new Promise<ChildContext>((resolve) => (gotContext = resolve));
  let ended!: (result: Json) => void;
  let failed!: (thrown: unknown) => void;
  const body = new Promise<Json>((resolve, reject) => {
    [ended, failed] = [resolve, reject];
  });
  // Nobody awaits a program that never calls the engine.
  body.catch(() => undefined);
  const component: Component = {
    id: PROGRAM_ID,
    init: (own) => {
      began(own);
      gotContext(own);
      return body;
    },
    onRequest() {
      throw new OrcsError("ORCS6005", `${PROGRAM_ID} is a program and accepts no requests`);
    },
  };
  // The calls are made by the component of the channel.
  const opened = (): Promise<ChildContext> => {
    begun ??= begin(component);
    // If the channel cannot start, the call that opened it fails.
    return Promise.race([context, begun.then(() => context)]);
  };
  const scope: CallScope = {
    depth: 0,
    get: async (...asked) => (await opened()).get(...asked),
    verb: async (...asked) => (await (await opened()).verb?.(...asked)) ?? null,
  };
  return {
    scope,
    /** Whether it has a channel. */
    hasBegun: () => begun !== undefined,
    /** The body has returned. Resolves when the channel knows. */
    async end(result: Json): Promise<void> {
      ended(result);
      await begun;
    },
    /** The body has failed. Resolves when the channel is closed. */
    async fail(thrown: unknown): Promise<void> {
      failed(thrown);
      await begun?.catch(() => undefined);
    },
  };
}
