import { resolve } from "node:path";
import {
  findModule,
  findPackageModule,
  packagePath,
  scriptHookReader,
} from "../../config/index.ts";
import type { HookEntry, Settings, TrustedFiles, UsedPackage } from "../../config/index.ts";
import type {
  CallScope,
  HookContext,
  Json,
  JsonObject,
  LuaChunk,
  LuaModule,
  LuaSource,
  PointSet,
  PointSpec,
} from "../../core/index.ts";
import { createRedactor } from "../../guards/index.ts";
import {
  defineContext,
  definedHook,
  loadHooks,
  luaPorts,
  ModuleLoader,
  outsideRunner,
  scriptEntry,
} from "../orcs/index.ts";
import type { HookDefinition, LoadContext } from "../orcs/index.ts";
import { LineSteps, LuaLayer, type ScriptObject } from "../lua/index.ts";
import { HookRegistry } from "../registry/index.ts";
import { LivePool } from "../handlers/index.ts";
import { ProcessSet } from "../../machine/index.ts";
import { CurrentEnvironment } from "./fake-environment.ts";
import type { LuaSources } from "./lua-sources.ts";
import { TestSession } from "./test-session.ts";

const ENFORCED = { enabled: true, mode: "enforce", rollout: 100 } as const;

/** Options of a test engine. */
interface TestEngineOptions {
  readonly settings: Settings;
  readonly points: PointSet;
  /** Absolute; paths in messages are relative to it. */
  readonly cwd: string;
  /** Record which lines run, and how long. */
  readonly records?: boolean;
  /** Trust decision of the project that the configuration was discovered in: the hashed content is what is tested. */
  readonly projectTrust?: TrustedFiles | undefined;
  /** The packages whose modules tests and scripts can require by name. */
  readonly packages: readonly UsedPackage[];
  /** Where scripts and modules come from; default: from their files. */
  readonly sources?: LuaSources | undefined;
}

/**
 * The engine that hooks are tested on: one VM with a state per script, the limits of the settings, and the environment
 * of the current test. Real tools are never run.
 */
export class TestEngine {
  readonly world = new CurrentEnvironment();
  /** The agent of events without an `agent_id` that names one. */
  agent: string | undefined;
  readonly lua: LuaLayer;
  readonly context: LoadContext;
  readonly settings: Settings;
  readonly points: PointSet;
  readonly cwd: string;
  readonly lines: LineSteps | undefined;
  readonly projectTrust: TrustedFiles | undefined;
  readonly packages: readonly UsedPackage[];
  /** Modules that `require` finds by name, besides files. */
  readonly modules = new Map<string, LuaModule>();
  readonly #sources: LuaSources | undefined;
  readonly #processes = new ProcessSet();
  readonly #live = new LivePool();
  readonly #close = new AbortController();
  #patterns: ScriptObject | undefined;

  /** @throws when the VM cannot start */
  static async open(options: TestEngineOptions): Promise<TestEngine> {
    const bench = new TestEngine(options);
    await bench.lua.open();
    return bench;
  }

  private constructor(options: TestEngineOptions) {
    const { settings, points, cwd, records, projectTrust, packages, sources } = options;
    this.settings = settings;
    this.points = points;
    this.cwd = resolve(cwd);
    this.lines = records === true ? new LineSteps(false) : undefined;
    this.projectTrust = projectTrust;
    this.packages = packages;
    this.#sources = sources;
    const { clock, logger, state, output } = this.world;
    const current = (): string | undefined => this.agent;
    const defining = defineContext(points, settings, {
      get name() {
        return current();
      },
    });
    const ports = luaPorts(settings, clock, logger, { output, effects: defining.effects });
    this.lua = new LuaLayer(
      {
        ...ports,
        state,
        findModule: (name, roots) => {
          // Modules that only tests require need no trust: they have no real tools.
          const find = () =>
            findModule(name, roots, projectTrust) ??
            findModule(name, roots) ??
            findPackageModule(name, packages);
          return this.modules.get(name) ?? (sources ? sources.module(name, roots, find) : find());
        },
      },
      this.lines,
      sources && !this.lines ? new WeakMap() : undefined,
    );
    const outside = {
      cwd: settings.permissions.root,
      environment: { variables: process.env },
      isPerCall: false,
      processes: this.#processes,
      signal: this.#close.signal,
      maxAnswerBytes: settings.engine.max_payload_mb * 2 ** 20,
      redactor: createRedactor(settings.redact),
      live: this.#live,
      modules: new ModuleLoader(logger),
      logger,
    };
    this.context = {
      ...defining,
      readStated: scriptHookReader(defining),
      runnerFor: (entry, of) => outsideRunner(entry, outside, of),
      register: expectRig,
      unregister: expectRig,
      registered: expectRig,
    };
  }

  /** The package that a script is of. @param file absolute, in a sealed copy or in its folder */
  packageOf(file: string): UsedPackage | undefined {
    return this.packages.find((each) =>
      [...each.files.keys()].some((name) => {
        const path = packagePath(each, name);
        return path === file || this.projectTrust?.shown(path) === file;
      }),
    );
  }

  /**
   * Load the hooks of these entries and definitions alone, enabled, in states of their own.
   * @throws OrcsError ORCS1015 with every error of the entries; as `orcs.hook` for a definition
   */
  async rig(
    entries: readonly HookEntry[],
    definitions: readonly HookDefinition[] = [],
  ): Promise<TestSession> {
    const { settings, points, world, lua } = this;
    const registry = new HookRegistry({
      points,
      logger: world.logger,
      clock: world.clock,
      maxDepth: settings.engine.max_depth,
      onError: settings.engine.on_error,
      trace: true,
      scopeFor: (ctx) => this.#scope(ctx),
    });
    const context = {
      ...this.context,
      register: (hook: Parameters<typeof registry.register>[0]) => registry.register(hook),
      unregister: (id: string) => registry.unregister(id),
      registered: (id: string) => registry.get(id),
    };
    // Tests are about what a hook returns, whatever becomes of that.
    const on = entries.map((entry) => ({ ...entry, ...ENFORCED, modeLimit: undefined }));
    const defined = definitions.map((definition, i) =>
      definedHook({ ...definition, ...ENFORCED }, i + 1, this.context),
    );
    const host = { lua: this.#sources?.loader(lua) ?? lua, cwd: this.cwd, loading: context };
    const loaded = await loadHooks(on, host, this);
    registry.replace([], loaded.hooks);
    for (const hook of defined) registry.register(hook);
    const unload = (): void => loaded.scripts.forEach((script) => lua.unload(script));
    return new TestSession(registry, points, () => world.now, unload);
  }

  /**
   * Load the hooks of a script alone, without the values of a configuration.
   * @param pointOf the point, for a script that does not state its own
   */
  async rigOf(
    script: string,
    more: { readonly roots?: readonly string[]; readonly options?: JsonObject | undefined },
    pointOf?: () => PointSpec | undefined,
  ): Promise<TestSession> {
    const found = { roots: this.settings.scriptRoots, packaged: this.packageOf(script) };
    const entry = scriptEntry(script, { ...found, ...more });
    try {
      return await this.rig([entry]);
    } catch (thrown) {
      const point = pointOf?.();
      if (!point) throw thrown;
      return this.rig([{ ...entry, point }]);
    }
  }

  /**
   * Whether a Lua pattern matches a text.
   * @throws LuaFailure for an invalid pattern
   */
  readonly matches = async (text: string, pattern: string): Promise<boolean> => {
    this.#patterns ??= await this.#loadPatterns();
    await this.#patterns.reload();
    const call = { scope: NO_CALLS, signal: this.#close.signal };
    return (await this.#patterns.call("find", [text, pattern], call)) === true;
  };

  async #loadPatterns(): Promise<ScriptObject> {
    const code = "return { find = function(s, p) return s:find(p) ~= nil end }";
    const name = "a pattern";
    return this.program({ file: name, code, kind: "script" }, { name, roots: [] }, undefined);
  }

  async close(): Promise<void> {
    this.#close.abort();
    await this.#live.close();
    this.#processes.close();
    this.lua.close();
  }

  /**
   * Load a program that returns functions, in a state of its own.
   * @throws OrcsError ORCS3001, ORCS3002, ORCS3005, ORCS3006
   */
  async program(
    chunk: LuaChunk,
    source: Omit<LuaSource, "chunks">,
    scope: CallScope | undefined,
  ): Promise<ScriptObject> {
    const hooks = { add: noHooks, remove: noHooks };
    const result = await this.lua.run(chunk, source, scope, hooks);
    if ("object" in result) return result.object;
    throw new Error("unreachable: the chunk returns functions");
  }

  #scope({ depth }: HookContext): CallScope {
    const answer = async (name: string, arg: Json | undefined) =>
      this.world.now.tools.call(name, arg);
    return {
      depth: depth + 1,
      state: this.world.state,
      get: answer,
      verb: (name, args) => {
        const given = args.map((arg) => arg ?? null);
        return answer(name, given);
      },
    };
  }
}

const NO_CALLS: CallScope = { depth: 0, get: expectRig };

function noHooks(): never {
  throw new Error(
    "a test file cannot register hooks; load the hooks of a script with orcs.test.load",
  );
}

function expectRig(): never {
  throw new Error("no test is running");
}
