import { inspect } from "./inspect.ts";
import { activeLines } from "./active-lines.ts";
import type { LuaThread, Ptr, RawLua } from "./raw.ts";
import { LUA_MASKCALL, LUA_MASKLINE, T_FUNCTION, T_NIL, T_TABLE } from "./raw.ts";
import type { LuaState } from "./state.ts";
import { CallStack, zeroTerminated } from "./traceback.ts";

/** What a line did for one hook. Values are in Lua's notation. */
export interface LineStep {
  readonly file: string;
  readonly line: number;
  source: string;
  ran: number;
  /** Microseconds of its own, without the functions it calls and without waits. */
  us: number;
  readonly read: Record<string, string>;
  readonly wrote: Record<string, string>;
}

/** What a hook ran: its lines in the order of their files, and the last ones in the order in which they ran. */
export interface HookSteps {
  readonly lines: readonly LineStep[];
  readonly last: readonly LastLine[];
}

/** A line that ran, and how often in a row. */
interface LastLine extends Pick<LineStep, "file" | "line" | "source"> {
  times: number;
}

/** A path of names in a line of source, such as `ctx.payload.args`. */
interface Named {
  readonly path: readonly string[];
  /** Whether the line assigns it. */
  readonly isTarget: boolean;
}

interface FileLines {
  readonly active: readonly number[];
  readonly ran: ReadonlySet<number>;
}

interface Running {
  readonly lines: Map<string, Map<number, LineStep>>;
  /** First and last lines of functions that ran, by file. */
  readonly ranges: Map<string, Map<number, number>>;
  readonly last: LastLine[];
}

/** The `event` of a hook of the VM. */
const EVENT = { line: 2, count: 3 } as const;
const MOST_LAST = 20;
/** Values are read the first times that a line runs, and then whenever the number of times is a power of two. */
const ALWAYS = 4;
const MOST_CHARS = 200;
/** The name of the table of a function's globals. */
const GLOBALS = "_ENV";
const CALLED_FUNCTION = "f";
/** In place of a hook while none runs, such as when a script is loaded. */
const OUTSIDE = "";
const KEYWORDS = new Set(
  "and break do else elseif end false for function goto if in local nil not or repeat return then true until while _".split(
    " ",
  ),
);

/**
 * Records for each hook what its lines did: how often they ran, how long, and the values they read and wrote. Only for
 * `orcs eval --steps` and some ways of `orcs test`: each line costs a call of the host.
 */
export class LineSteps {
  /** The hooks of the VM that it needs. */
  readonly mask: number;
  readonly #withValues: boolean;
  readonly #hooks = new Map<string, Running>();
  readonly #sources = new Map<string, { readonly lines: string[]; readonly active: Set<number> }>();
  readonly #names = new Map<string, readonly Named[]>();
  /** Of the running hook, by their places, until something else is compiled. */
  readonly #known = new Map<number, LineStep>();
  #hook: string | undefined;
  #running: Running | undefined;
  /** Per active call, by its address: what its line has read, to be compared when the line has ended. */
  readonly #before = new Map<
    Ptr,
    { readonly step: LineStep; readonly values: (string | undefined)[] }
  >();
  #calls: CallStack | undefined;
  #open: LineStep | undefined;
  #since = 0;

  /** @param withValues whether to record what lines read and write */
  constructor(withValues: boolean) {
    this.#withValues = withValues;
    this.mask = withValues ? LUA_MASKLINE | LUA_MASKCALL : LUA_MASKLINE;
  }

  /** Of the hooks that ran, by id. */
  get hooks(): ReadonlyMap<string, HookSteps> {
    const hooks = [...this.#hooks].filter(([id]) => id !== OUTSIDE);
    return new Map(hooks.map(([id, hook]) => [id, this.#stepsOf(hook)]));
  }

  /** The lines with code of each file, sorted, and those that ran, in a hook or not. */
  get files(): ReadonlyMap<string, FileLines> {
    const all = [...this.#hooks.values()];
    const ran = (file: string) =>
      new Set(all.flatMap(({ lines }) => Array.from(lines.get(file)?.keys() ?? [])));
    return new Map(
      Array.from(this.#sources, ([file, { active }]) => [
        file,
        { active: [...active].sort((a, b) => a - b), ran: ran(file) },
      ]),
    );
  }

  /** Forget what ran. */
  restart(): void {
    this.#hooks.clear();
    this.#hook = undefined;
  }

  /**
   * A chunk was compiled.
   * @param name in Lua's form: `@file`; others are not recorded
   */
  compiled(name: string, dump: () => Uint8Array, source: string | Uint8Array): void {
    this.#known.clear();
    if (!name.startsWith("@")) return;
    const file = name.slice(1);
    const known = this.#sources.get(file) ?? { lines: [], active: new Set() };
    this.#sources.set(file, known);
    for (const line of activeLines(dump())) known.active.add(line);
    // Inline handlers of one file are compiled one by one, each behind as many empty lines as precede it.
    for (const [i, line] of Buffer.from(source).toString().split("\n").entries()) {
      if (line !== "") known.lines[i] = line;
    }
  }

  /** Handle a hook event of the VM; returns whether it was one of its own. */
  took(raw: RawLua, L: LuaThread, event: Ptr, state: LuaState | undefined): boolean {
    const kind = raw.HEAP32[event >> 2];
    const now = performance.now();
    if (kind !== EVENT.line) {
      if (kind === EVENT.count) return false;
      this.#before.delete(this.#stack(raw).callOf(L));
      return true;
    }
    const step = this.#stepOf(state?.current?.driver?.hook ?? OUTSIDE, raw, L, event);
    // The package's own Lua is a part of the line that called it.
    if (!step) return true;
    this.#charge(now);
    step.ran++;
    this.#follow(step);
    if (state && this.#withValues)
      this.#look(new Frame(state, L, event), step, this.#stack(raw).callOf(L));
    this.#open = step;
    this.#since = performance.now();
    return true;
  }

  /** A hook has ended, or waits. */
  left(): void {
    this.#charge(performance.now());
    this.#before.clear();
  }

  #follow({ file, line, source }: LineStep): void {
    const lines = this.#running?.last ?? [];
    const before = lines.at(-1);
    if (before?.line === line && before.file === file) before.times++;
    else if (lines.push({ file, line, source, times: 1 }) > 2 * MOST_LAST)
      lines.splice(0, MOST_LAST);
  }

  #charge(now: number): void {
    if (this.#open) this.#open.us += (now - this.#since) * 1000;
    this.#open = undefined;
  }

  #stack(raw: RawLua): CallStack {
    return (this.#calls ??= new CallStack(raw));
  }

  #stepOf(id: string, raw: RawLua, L: LuaThread, event: Ptr): LineStep | undefined {
    if (id !== this.#hook) {
      this.#known.clear();
      this.#hook = id;
      this.#running = this.#hooks.get(id) ?? { lines: new Map(), ranges: new Map(), last: [] };
      this.#hooks.set(id, this.#running);
    }
    const calls = this.#stack(raw);
    const key = calls.placeOf(L, event);
    const known = this.#known.get(key);
    if (known || !this.#running) return known;
    const { name, line, first, last } = calls.at(L, event);
    if (!name.startsWith("@")) return undefined;
    const file = name.slice(1);
    const { lines, ranges } = this.#running;
    const steps = lines.get(file) ?? new Map<number, LineStep>();
    const step = steps.get(line) ?? this.#newStep(file, line);
    lines.set(file, steps.set(line, step));
    const bounds = ranges.get(file) ?? new Map<number, number>();
    ranges.set(file, first > 0 ? bounds.set(first, last) : bounds);
    this.#known.set(key, step);
    return step;
  }

  #newStep(file: string, line: number): LineStep {
    const source = this.#sources.get(file)?.lines[line - 1] ?? "";
    return { file, line, source, ran: 0, us: 0, read: {}, wrote: {} };
  }

  #look(frame: Frame, step: LineStep, call: Ptr): void {
    const before = this.#before.get(call);
    if (before) {
      for (const [i, { path }] of this.#namesOf(before.step).entries()) {
        const value = frame.valueOf(path);
        const isNew = value !== undefined && value !== before.values[i];
        if (isNew) before.step.wrote[path.join(".")] = value;
      }
      this.#before.delete(call);
    }
    if (step.ran > ALWAYS && (step.ran & (step.ran - 1)) !== 0) return;
    const names = this.#namesOf(step);
    const values = names.map(({ path }) => frame.valueOf(path));
    for (const [i, { path, isTarget }] of names.entries()) {
      const value = values[i];
      if (!isTarget && value !== undefined) step.read[path.join(".")] = value;
    }
    if (names.length > 0) this.#before.set(call, { step, values });
  }

  #namesOf({ file, line, source }: LineStep): readonly Named[] {
    const key = `${file}:${line}`;
    let names = this.#names.get(key);
    if (!names) this.#names.set(key, (names = namesIn(source)));
    return names;
  }

  /** All lines of the functions that ran, whether they ran or not. */
  #stepsOf({ lines, ranges, last }: Running): HookSteps {
    const all: LineStep[] = [];
    for (const [file, steps] of lines) {
      const shown = new Set(steps.keys());
      for (const [from, to] of ranges.get(file) ?? [])
        for (let i = from; i <= to; i++) shown.add(i);
      for (const line of [...shown].sort((a, b) => a - b)) {
        all.push(steps.get(line) ?? this.#newStep(file, line));
      }
    }
    return { lines: all, last: last.slice(-MOST_LAST) };
  }
}

/** The names that a line of source reads or assigns. */
function namesIn(source: string): Named[] {
  const code = source.replaceAll(/--.*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, '""');
  const found = new Map<string, Named>();
  for (const { 0: name, index } of code.matchAll(
    /(?<![\w:]|(?<!\.)\.)[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/g,
  )) {
    const isTarget = /^\s*(?:,[\s\w.,]*)?(?:=(?!=)|\bin\b)/.test(code.slice(index + name.length));
    const key = `${name}${isTarget ? "=" : ""}`;
    if (!KEYWORDS.has(name)) found.set(key, { path: name.split("."), isTarget });
  }
  return [...found.values()];
}

/** A call whose next line is about to run. */
class Frame {
  readonly #state: LuaState;
  readonly #L: LuaThread;
  readonly #event: Ptr;

  constructor(state: LuaState, L: LuaThread, event: Ptr) {
    this.#state = state;
    this.#L = L;
    this.#event = event;
  }

  /** A value in Lua's notation; undefined for a function, the whole context, and what is not there. */
  valueOf([name = "", ...keys]: readonly string[]): string | undefined {
    const { raw } = this.#state;
    const L = this.#L;
    const top = raw.lua_gettop(L);
    raw.lua_checkstack(L, 12);
    const isVariable = this.#local(name) || this.#upvalue(name);
    if (!isVariable && !(this.#upvalue(GLOBALS) && this.#field(name))) return this.#end(top);
    for (const key of keys) if (!this.#field(key)) return this.#end(top);
    const type = raw.lua_type(L, -1);
    const isMissing = type === T_NIL && !isVariable;
    const part = type === T_TABLE ? this.#state.views.at(L, -1) : undefined;
    const isContext = part && part.parent === undefined;
    if (type === T_FUNCTION || isMissing || isContext) return this.#end(top);
    const text = inspect(this.#state, L, -1);
    this.#end(top);
    return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
  }

  #end(top: number): undefined {
    this.#state.raw.lua_settop(this.#L, top);
  }

  /** Push the innermost local variable of a name. */
  #local(name: string): boolean {
    const { raw } = this.#state;
    let found = 0;
    for (let n = 1; ; n++) {
      const known = raw.lua_getlocal(this.#L, this.#event, n);
      if (known === 0) break;
      raw.lua_settop(this.#L, -2);
      if (zeroTerminated(raw, known) === name) found = n;
    }
    return found > 0 && raw.lua_getlocal(this.#L, this.#event, found) !== 0;
  }

  #upvalue(name: string): boolean {
    const { raw, text } = this.#state;
    raw.lua_getinfo(this.#L, text.constant(CALLED_FUNCTION), this.#event);
    for (let n = 1; ; n++) {
      const known = raw.lua_getupvalue(this.#L, -1, n);
      if (known === 0) return false;
      if (zeroTerminated(raw, known) === name) return true;
      raw.lua_settop(this.#L, -2);
    }
  }

  /** Push a field of the value on top, without metamethods of scripts. */
  #field(key: string): boolean {
    const { raw, text, views } = this.#state;
    const L = this.#L;
    if (raw.lua_type(L, -1) !== T_TABLE || views.isDead(L, -1)) return false;
    const isPart = views.at(L, -1) !== undefined;
    text.push(L, key);
    if (isPart) raw.lua_gettable(L, -2);
    else raw.lua_rawget(L, -2);
    return true;
  }
}
