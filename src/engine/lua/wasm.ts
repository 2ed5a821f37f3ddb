import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";
import { lazyConstant, textRows } from "../../core/index.ts";
import type { CallCount, LuaExports, Ptr, RawLua, Signature } from "./raw.ts";
import { EDITS, WITH_LINES, WITHOUT_LINES } from "./vm-code.ts";
import { I32, KIND, MODULE_HEADER, named, section, SECTION, unsigned } from "./wasm-code.ts";

/** Exports of the module besides the C API. */
interface Exports extends LuaExports, CallCount {
  readonly memory: WebAssembly.Memory;
  readonly __indirect_function_table: WebAssembly.Table;
  __wasm_call_ctors(): void;
  emscripten_stack_init(): void;
  setThrew(threw: number, value: number): void;
  stackSave(): number;
  stackRestore(pointer: number): void;
}

const PAGE = 65_536;
/** Maximum memory of an instance: beyond that, addresses would be negative numbers. */
const MOST_BYTES = 2 ** 31;
/** The first free place in the function table. */
export const LOOK = 198;
/** `ENOSYS`, as returned by system calls. */
const NO_SYSCALL = -52;

/**
 * A fresh instance of wasmoon's build of Lua 5.4. The build is used without wasmoon's own glue, which wraps each export
 * in an assertion (30 ns a call against 5), hides the stack pointer, and connects file system, clock and standard
 * streams. Here every system call returns "not implemented": the VM has no way out, whatever a script finds.
 * @param lines whether line hooks will be set
 */
export function instantiateLua(lines = false): RawLua {
  return new LuaInstance(lines ? moduleWithLines() : plainModule()).raw;
}

// Instances share the code of a module, with what V8 has optimized of it, and nothing that can change.
const plainModule = lazyConstant(() => compiledModule(false));
const moduleWithLines = lazyConstant(() => compiledModule(true));

function compiledModule(lines: boolean): WebAssembly.Module {
  const file = createRequire(import.meta.url).resolve("wasmoon/dist/glue.wasm");
  const code = edited(readFileSync(file), EDITS, lines ? WITH_LINES : WITHOUT_LINES);
  return withBudget(LATE_BUDGET, () => new WebAssembly.Module(code));
}

/**
 * The build with what the VM needs besides: another initial memory, and counts of what runs (scripts/generate/vm).
 * @param edits the size of the build, and rows of `REPLACED>INSERTED POSITION POSITION …`, the bytes in hexadecimal
 * @throws Error when it is not the build that they were made for
 */
export function edited(build: Uint8Array, ...edits: readonly string[]): Uint8Array<ArrayBuffer> {
  const [size, ...rows] = edits.flatMap(textRows);
  if (build.length !== Number(size)) throw otherBuild();
  const changes = rows.flatMap((row) => {
    const [change = "", ...positions] = row.split(" ");
    const [replaced = "", inserted = ""] = change.split(">");
    const [old, fresh] = [Buffer.from(replaced, "hex"), Buffer.from(inserted, "hex")];
    return positions.map((at) => ({ at: Number(at), old, fresh }));
  });
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { at, old, fresh } of changes.sort((a, b) => a.at - b.at)) {
    parts.push(build.subarray(from, at), fresh);
    from = at + old.length;
    if (!old.equals(build.subarray(at, from))) throw otherBuild();
  }
  return Buffer.concat([...parts, build.subarray(from)]);
}

function otherBuild(): Error {
  return new Error("unexpected Lua build: the Lua layer was made for another one");
}

/** V8 versions whose budget is so small that the start of a script exhausts it, by the beginning of their numbers. */
const SMALL_BUDGET = { version: "11.", budget: 1_800_000 } as const;
/**
 * For functions of the VM: bytes of code that run until V8 optimizes one, more than what a short process needs. The
 * optimizer takes a core for 50 to 250 ms, and Node waits for it at its end. V8 notes the budget with each module, so
 * that other modules of the process keep theirs.
 */
const LATE_BUDGET = 20_000_000;
/** A quarter of it is the most that V8 counts for a single jump back. */
const INTERPRETER_BUDGET = 64;

/**
 * Run a task in which the VM executes Lua for the first time, which makes V8 compile the interpreter. Each instruction
 * jumps back over all of it, so it would be optimized after a few hundred; so, after about a million.
 */
export function firstRun<T>(task: () => T): T {
  return withBudget(INTERPRETER_BUDGET, task);
}

function withBudget<T>(budget: number, task: () => T): T {
  const isSet = process.execArgv.some((arg) => arg.includes("wasm"));
  if (!process.versions.v8.startsWith(SMALL_BUDGET.version) || isSet) return task();
  setFlagsFromString(`--wasm-tiering-budget=${budget}`);
  try {
    return task();
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${SMALL_BUDGET.budget}`);
  }
}

/** The VM aborted: its state is lost. */
export class VmAborted extends Error {
  override readonly name = "VmAborted";
}

/** Functions of one type, and their first place in the function table. */
interface Group {
  readonly first: Ptr;
  readonly functions: readonly ((...args: number[]) => number | void)[];
  readonly signature: Signature;
}

class LuaInstance {
  readonly raw: RawLua;
  readonly #exports: Exports;
  /** The function table in JavaScript; reading the WebAssembly table is slow. */
  readonly #functions: ((...args: number[]) => unknown)[] = [];
  /** Functions whose places in the table are still empty. */
  #waiting: Group[] | undefined;

  constructor(module: WebAssembly.Module) {
    const instance = new WebAssembly.Instance(module, this.#imports());
    this.#exports = instance.exports as unknown as Exports;
    this.#exports.emscripten_stack_init();
    this.raw = this.#build();
    const look = this.raw.addFunctions([(L) => this.raw.onCallsCounted(L)], "vi");
    if (look !== LOOK) throw new Error("unexpected function table in the Lua VM");
    this.#exports.__wasm_call_ctors();
  }

  #build(): RawLua {
    const { memory } = this.#exports;
    let bytes = new Uint8Array(memory.buffer);
    let words = new Uint32Array(memory.buffer);
    let integers = new Int32Array(memory.buffer);
    let doubles = new Float64Array(memory.buffer);
    const refresh = (): void => {
      bytes = new Uint8Array(memory.buffer);
      words = new Uint32Array(memory.buffer);
      integers = new Int32Array(memory.buffer);
      doubles = new Float64Array(memory.buffer);
    };
    return {
      ...this.#exports,
      addFunctions: (list, signature) => this.#addFunctions(list, signature),
      together: (task) => this.#together(task),
      place: (list) => this.#place(list),
      link: (module, host, block) => {
        const imports = { lua: { ...this.#exports }, host: { ...host }, env: { memory, block } };
        return new WebAssembly.Instance(module, imports).exports;
      },
      // Until a callback is set.
      onCallsCounted: () => void (this.#exports.units_left.value = 2 ** 31 - 1),
      // A detached buffer has length 0, which reveals growth wherever it happened.
      get HEAPU8() {
        if (bytes.length === 0) refresh();
        return bytes;
      },
      get HEAPU32() {
        if (words.length === 0) refresh();
        return words;
      },
      get HEAP32() {
        if (integers.length === 0) refresh();
        return integers;
      },
      get HEAPF64() {
        if (doubles.length === 0) refresh();
        return doubles;
      },
    };
  }

  #addFunctions(functions: Group["functions"], signature: Signature): Ptr {
    const first = this.#exports.__indirect_function_table.grow(functions.length);
    this.#together(() => this.#waiting?.push({ first, functions, signature }));
    return first;
  }

  #together<T>(task: () => T): T {
    if (this.#waiting) return task();
    const groups: Group[] = (this.#waiting = []);
    try {
      return task();
    } finally {
      this.#waiting = undefined;
      this.#fill(groups.filter(({ functions }) => functions.length > 0));
    }
  }

  /** Put functions in their places of the function table. */
  #fill(groups: readonly Group[]): void {
    const all = groups.flatMap(({ functions }) => functions);
    const imports = { e: Object.fromEntries(all.map((fn, i) => [i, fn])) };
    const { exports } = new WebAssembly.Instance(trampolines(groups), imports);
    const places = groups.flatMap(({ first, functions }) => functions.map((_, i) => first + i));
    const table = this.#exports.__indirect_function_table;
    for (const [i, place] of places.entries()) table.set(place, exports[i]);
  }

  #place(list: readonly unknown[]): Ptr {
    const table = this.#exports.__indirect_function_table;
    const first = table.grow(list.length);
    for (const [i, fn] of list.entries()) table.set(first + i, fn);
    return first;
  }

  #imports(): Record<string, Record<string, unknown>> {
    return {
      env: {
        invoke_vii: (index: number, a: number, b: number) => this.#invoke(index, a, b),
        // Lua's own jumps: any number will do to tell them from the host's exceptions.
        _emscripten_throw_longjmp: () => {
          throw Infinity;
        },
        emscripten_resize_heap: (size: number) => this.#grow(size >>> 0),
        emscripten_date_now: () => Date.now(),
        _emscripten_get_now_is_monotonic: () => 1,
        abort: () => {
          throw new VmAborted("the Lua VM aborted");
        },
        ...stubs("exit system", NO_SYSCALL),
        ...stubs("strftime _mktime_js _localtime_js _gmtime_js _tzset_js", 0),
        ...stubs("__syscall_openat __syscall_fcntl64 __syscall_ioctl __syscall_dup3", NO_SYSCALL),
        ...stubs("__syscall_unlinkat __syscall_rmdir __syscall_renameat", NO_SYSCALL),
        ...stubs("__syscall_readlinkat", NO_SYSCALL),
      },
      wasi_snapshot_preview1: {
        ...stubs("fd_write fd_read fd_close fd_seek", NO_SYSCALL),
        environ_sizes_get: (count: number, size: number) => {
          const words = new Uint32Array(this.#exports.memory.buffer);
          words[count >>> 2] = 0;
          words[size >>> 2] = 0;
          return 0;
        },
        ...stubs("environ_get", 0),
      },
    };
  }

  /** A protected call: Lua's own jumps end here, JavaScript exceptions pass through. */
  #invoke(index: number, a: number, b: number): void {
    const exports = this.#exports;
    const stack = exports.stackSave();
    try {
      const fn = (this.#functions[index] ??= exports.__indirect_function_table.get(index));
      fn(a, b);
    } catch (thrown) {
      exports.stackRestore(stack);
      if (typeof thrown !== "number") throw thrown;
      exports.setThrew(1, 0);
    }
  }

  #grow(size: number): number {
    const { memory } = this.#exports;
    const have = memory.buffer.byteLength;
    if (size > MOST_BYTES) return 0;
    const wanted = Math.min(Math.max(size, have * 1.2), MOST_BYTES);
    try {
      memory.grow(Math.ceil((wanted - have) / PAGE));
      return 1;
    } catch {
      return 0;
    }
  }
}

/** Functions that return a number and do nothing. */
function stubs(names: string, result: number): Record<string, () => number> {
  return Object.fromEntries(names.split(" ").map((name) => [name, () => result]));
}

const trampolineModules = lazyConstant(() => new Map<string, WebAssembly.Module>());

/**
 * A module that turns JavaScript functions into WebAssembly functions for a function table. Compiling one takes longer
 * than the rest, and so does V8's code for calls through it; an instance of its own for each function takes ten times
 * as long as one for all.
 */
function trampolines(groups: readonly Group[]): WebAssembly.Module {
  const modules = trampolineModules();
  const key = groups.map(({ signature, functions }) => signature + functions.length).join(" ");
  let module = modules.get(key);
  if (!module) modules.set(key, (module = trampolinesOf(groups)));
  return module;
}

/** A module of a few bytes that imports functions by number and exports them with a type. */
function trampolinesOf(groups: readonly Group[]): WebAssembly.Module {
  const types = groups.map(({ signature }) => {
    const results = signature.startsWith("v") ? [] : [I32];
    const parameters = Array.from(signature.slice(1), () => I32);
    return [0x60, parameters.length, parameters, results.length, results];
  });
  const typeOf = groups.flatMap(({ functions }, type) => functions.map(() => type));
  const bytes = [
    ...MODULE_HEADER,
    ...section(SECTION.types, types),
    ...section(
      SECTION.imports,
      typeOf.map((type, i) => [named("e"), named(String(i)), KIND.function, type]),
    ),
    ...section(
      SECTION.exports,
      typeOf.map((_, i) => [named(String(i)), KIND.function, unsigned(i)]),
    ),
  ];
  return new WebAssembly.Module(Uint8Array.from(bytes));
}
