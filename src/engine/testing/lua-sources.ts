import type { LuaChunk, LuaModule, LuaSource } from "../../core/index.ts";
import type { ScriptLoader } from "../lua/index.ts";

/** The Lua of a file, or of an inline handler, as it is compiled. */
export interface LuaText {
  /** As messages name it. */
  readonly file: string;
  readonly kind: "script" | "module" | "inline";
  /** The line of the file at which it begins. */
  readonly line: number;
  readonly bytes: Uint8Array;
}

/**
 * Remembers the Lua that tests load, and replaces one text of it. Files are read once: they are taken to stay as they
 * are until the end of the run.
 */
export class LuaSources {
  /** By the name of the file; of inline handlers also the line. */
  readonly texts = new Map<string, LuaText>();
  readonly #modules = new Map<string, LuaModule | undefined>();
  #replaced: { readonly key: string; readonly bytes: Uint8Array } | undefined;

  /** Load these bytes for a text; without a key, load every text as it is. */
  replace(key: string | undefined, bytes = new Uint8Array()): void {
    this.#replaced = key === undefined ? undefined : { key, bytes };
  }

  /** A module, which `find` looks for if that was not done before. */
  module(
    name: string,
    roots: readonly string[],
    find: () => LuaModule | undefined,
  ): LuaModule | undefined {
    const lookup = JSON.stringify([name, roots]);
    if (!this.#modules.has(lookup)) this.#modules.set(lookup, find());
    const found = this.#modules.get(lookup);
    if (!found) return undefined;
    const { file, bytes } = found;
    return { ...found, bytes: this.#bytesOf({ file, kind: "module", line: 1, bytes }) };
  }

  /** A loader of scripts with these texts. */
  loader(lua: ScriptLoader): ScriptLoader {
    return {
      open: () => lua.open(),
      load: (source, runtime) => lua.load(this.#source(source), runtime),
      run: (chunk, ...rest) => lua.run(chunk, ...rest),
      retire: (script) => lua.retire(script),
      unload: (script) => lua.unload(script),
      close: () => lua.close(),
    };
  }

  #source(source: LuaSource): LuaSource {
    const { findModule, roots } = source;
    return {
      ...source,
      chunks: source.chunks.map((chunk) => this.#chunk(chunk)),
      ...(findModule && {
        findModule: (name) => this.module(name, roots, () => findModule(name)),
      }),
    };
  }

  #chunk(chunk: LuaChunk): LuaChunk {
    const { file, kind, line = 1, code } = chunk;
    const bytes = typeof code === "string" ? Buffer.from(code) : code;
    return { ...chunk, code: this.#bytesOf({ file, kind, line, bytes }) };
  }

  #bytesOf(text: LuaText): Uint8Array {
    const key = text.kind === "inline" ? `${text.file}:${text.line}` : text.file;
    if (this.#replaced?.key === key) return this.#replaced.bytes;
    const known = this.texts.get(key);
    if (known) return known.bytes;
    this.texts.set(key, text);
    return text.bytes;
  }
}
