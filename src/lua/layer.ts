import { OrcsError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import type { CallScope } from "../core/ports.ts";
import { LuaEnvironment } from "./environment.ts";
import { runMain } from "./main-run.ts";
import type { LuaChunk, LuaHookSpec, LuaPorts, LuaSource, RuntimeHooks } from "./ports.ts";
import { LuaScript } from "./script.ts";
import { LuaFailure } from "./state.ts";
import { LuaVm } from "./vm.ts";

/** A script that was loaded: its hooks, and the runner that runs them. */
export interface LoadedScript {
  readonly runner: LuaScript;
  readonly specs: readonly LuaHookSpec[];
}

/** Loads scripts, one state each, into one instance of the Lua VM. */
export class LuaLayer {
  readonly #ports: LuaPorts;
  readonly #environment: LuaEnvironment;
  readonly #scripts = new Set<LuaScript>();
  #vm: LuaVm | undefined;

  constructor(ports: LuaPorts) {
    this.#ports = ports;
    this.#environment = new LuaEnvironment(ports);
  }

  /** Start the VM; loading anything needs it. */
  async open(): Promise<void> {
    this.#vm ??= await LuaVm.create();
  }

  /**
   * Load a script and collect its hooks; nothing of it stays when that fails.
   * @throws OrcsError ORCS3001 (syntax), ORCS3002 (it raised an error), ORCS3005, ORCS3006 (limits)
   */
  load(source: LuaSource, runtime: RuntimeHooks): LoadedScript {
    const runner = this.#script(source, runtime);
    try {
      const specs = runner.load();
      this.#scripts.add(runner);
      return { runner, specs };
    } catch (thrown) {
      throw loadError(thrown, source);
    }
  }

  /**
   * Run a chunk as a program in a state of its own.
   * @throws OrcsError as `load`
   */
  async run(
    chunk: LuaChunk,
    source: Omit<LuaSource, "chunks">,
    scope: CallScope,
    runtime: RuntimeHooks,
  ): Promise<Json | undefined> {
    const runner = this.#script({ ...source, chunks: [] }, runtime);
    this.#scripts.add(runner);
    try {
      runner.load();
      return await runMain(runner.state(), chunk, scope, this.#ports);
    } catch (thrown) {
      throw loadError(thrown, { ...source, chunks: [chunk] });
    }
  }

  /** Forget a script; what waits in it fails. */
  unload(script: LuaScript): void {
    this.#scripts.delete(script);
    script.close();
  }

  close(): void {
    for (const script of this.#scripts) script.close();
    this.#scripts.clear();
  }

  #script(source: LuaSource, runtime: RuntimeHooks): LuaScript {
    if (!this.#vm) throw new Error("the Lua layer is not open");
    return new LuaScript(this.#vm, this.#environment, this.#ports, source, runtime);
  }
}

const CODES = {
  syntax: "ORCS3001",
  error: "ORCS3002",
  killed: "ORCS3002",
  timeout: "ORCS3005",
  memory: "ORCS3006",
} as const;

/** A failure while loading, with the place that Lua's message names. */
function loadError(thrown: unknown, source: LuaSource): unknown {
  if (!(thrown instanceof LuaFailure)) return thrown;
  const code = CODES[thrown.kind];
  const place = placeOf(thrown.message, source);
  const message = thrown.message;
  return new OrcsError(
    code,
    message,
    { script: source.name },
    {
      cause: thrown,
      diagnostics: [
        {
          code,
          severity: "error",
          message: place?.rest ?? message,
          ...(place && { place: place.at }),
        },
      ],
    },
  );
}

/** `file:line: message` as Lua writes it; long file names are cut at the front. */
function placeOf(
  message: string,
  source: LuaSource,
): { at: { file: string; line: number }; rest: string } | undefined {
  const found = /^(.*?):(\d+): ([\s\S]*)$/.exec(message);
  if (!found) return undefined;
  const [, name = "", line = "1", rest = ""] = found;
  const tail = name.replace(/^\.\.\./, "");
  const file = source.chunks.find((chunk) => chunk.file.endsWith(tail))?.file ?? name;
  return { at: { file, line: Number(line) }, rest };
}
