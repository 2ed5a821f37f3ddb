import type { CombinedHost } from "../../../src/engine/lua/combined-calls.ts";
import {
  BLOCK,
  CACHE_ENTRIES,
  CACHED,
  hostName,
  KEEP,
  PUSH,
} from "../../../src/engine/lua/combined-calls.ts";
import { LARGE, MEMORY_LAYOUT } from "../../../src/engine/lua/limits.ts";
import {
  AT,
  KEY,
  REGISTRY,
  T_BOOLEAN,
  T_NIL,
  T_NUMBER,
  T_STRING,
} from "../../../src/engine/lua/raw.ts";
import type { Code } from "../../../src/engine/lua/wasm-code.ts";
import { op, WasmModule } from "./wasm-code.ts";

/** What `PUSH` takes of a code. */
const KIND = 15;

/** Signatures of the imported C API. */
const LUA: Readonly<Record<string, string>> = {
  malloc: "ii",
  realloc: "iii",
  free: "vi",
  stackSave: "i",
  lua_checkstack: "iii",
  lua_copy: "viii",
  lua_createtable: "viii",
  lua_gettop: "ii",
  lua_isinteger: "iii",
  lua_next: "iii",
  lua_pushboolean: "vii",
  lua_pushinteger: "vil",
  lua_pushlstring: "iiii",
  lua_pushnil: "vi",
  lua_pushnumber: "vid",
  lua_pushvalue: "vii",
  lua_rawget: "iii",
  lua_rawgetp: "iiii",
  lua_rawset: "vii",
  lua_rawsetp: "viii",
  lua_resume: "iiiii",
  lua_setmetatable: "iii",
  lua_settop: "vii",
  lua_toboolean: "iii",
  lua_tointegerx: "liii",
  lua_tolstring: "iiii",
  lua_tonumberx: "diii",
  lua_topointer: "iii",
  lua_type: "iii",
};

/** Signatures of the imported host functions. */
const HOST: Readonly<Record<keyof CombinedHost, string>> = {
  index: "iiiii",
  newindex: "viiii",
  step: "iiiii",
  allocate: "iiiii",
};

const L = op.get(0);
const block = op.global(0);
const at = (offset: number): Code => op.load(block, offset);
const put = (offset: number, value: Code): Code => op.store(block, value, offset);
const index = (n: number): Code => op.i32(n);

/** The module of the functions that are documented at `CombinedCalls`. */
export function combinedCalls(): Uint8Array<ArrayBuffer> {
  const module = new WasmModule();
  for (const [name, signature] of Object.entries(LUA)) module.takes("lua", name, signature);
  for (const [name, signature] of Object.entries(HOST)) {
    module.takes("host", hostName(name), signature);
  }
  const call = (name: string, ...operands: Code[]): Code => module.call(name, ...operands);
  const top = (n: number): Code => call("lua_settop", L, index(n));
  const field = (table: number, key: Code): Code =>
    op.drop(call("lua_rawgetp", L, index(table), key));
  const registry = (key: number): Code => field(REGISTRY, op.i32(key));
  const setField = (table: number, key: Code): Code => call("lua_rawsetp", L, index(table), key);
  const copy = (from: number): Code => call("lua_pushvalue", L, index(from));
  const setMeta = (table: number): Code => op.drop(call("lua_setmetatable", L, index(table)));
  const nil = call("lua_pushnil", L);
  const newTable = call("lua_createtable", L, op.i32(0), op.i32(0));

  {
    const code = op.get(1);
    const kind = op.get(2);
    const is = (wanted: number, then: Code): Code => op.when(op.equal(kind, op.i32(wanted)), then);
    module.define("push", "iii", 1, [
      op.set(2, op.and(code, op.i32(KIND))),
      is(PUSH.nil, nil),
      is(PUSH.text, op.drop(call("lua_pushlstring", L, at(BLOCK.b), at(BLOCK.a)))),
      is(PUSH.integer, call("lua_pushinteger", L, op.toLong(at(BLOCK.a)))),
      is(PUSH.boolean, call("lua_pushboolean", L, at(BLOCK.a))),
      is(PUSH.number, call("lua_pushnumber", L, op.loadDouble(block, BLOCK.number))),
      is(PUSH.part, field(AT.views, at(BLOCK.a))),
      is(PUSH.newPart, [
        newTable,
        op.when(at(BLOCK.b), field(AT.viewMetas, at(BLOCK.b))),
        op.when(op.isZero(at(BLOCK.b)), copy(AT.viewMeta)),
        [setMeta(-2), copy(-1), setField(AT.views, at(BLOCK.a))],
        // Last, because everything before can fail for lack of memory.
        put(BLOCK.table, call("lua_topointer", L, index(-1))),
      ]),
      op.when(op.and(code, op.i32(KEEP)), [[copy(2), copy(-2)], call("lua_rawset", L, index(1))]),
      op.i32(1),
    ]);
  }

  const readNumber = (kind: Code): Code =>
    op.when(
      op.equal(kind, op.i32(T_NUMBER)),
      op.storeDouble(block, call("lua_tonumberx", L, index(2), op.i32(0)), BLOCK.number),
    );
  {
    const [table, kind, key, entry, code] = [1, 2, 3, 4, 5].map(op.get) as [
      Code,
      Code,
      Code,
      Code,
      Code,
    ];
    const mixed = op.and(op.xor(table, key), op.i32((CACHE_ENTRIES - 1) << 3));
    module.define("index", "ii", 5, [
      op.set(1, call("lua_topointer", L, index(1))),
      op.set(2, call("lua_type", L, index(2))),
      op.when(op.equal(kind, op.i32(T_STRING)), [
        op.set(3, call("lua_tolstring", L, index(2), block)),
        // Addresses are multiples of 8; entries have 16 bytes.
        op.set(4, op.add(block, op.shiftLeft(mixed, 1))),
        op.when(
          op.and(
            op.and(
              op.equal(op.load(entry, BLOCK.cache), table),
              op.equal(op.load(entry, BLOCK.cache + 4), key),
            ),
            op.equal(op.load(entry, BLOCK.cache + 12), at(BLOCK.epoch)),
          ),
          [field(AT.views, op.load(entry, BLOCK.cache + 8)), op.return(op.i32(1))],
        ),
      ]),
      readNumber(kind),
      op.set(5, call(hostName("index"), L, table, kind, key)),
      op.drop(call("push", L, code)),
      op.when(op.and(code, op.i32(CACHED)), [
        op.store(entry, table, BLOCK.cache),
        op.store(entry, key, BLOCK.cache + 4),
        op.store(entry, at(BLOCK.a), BLOCK.cache + 8),
        op.store(entry, at(BLOCK.epoch), BLOCK.cache + 12),
      ]),
      op.i32(1),
    ]);
    module.define("newindex", "ii", 3, [
      op.set(2, call("lua_type", L, index(2))),
      op.when(
        op.equal(kind, op.i32(T_STRING)),
        op.set(3, call("lua_tolstring", L, index(2), block)),
      ),
      readNumber(kind),
      call(hostName("newindex"), L, call("lua_topointer", L, index(1)), kind, key),
      op.i32(0),
    ]);
  }

  {
    const slot = op.get(1);
    module.define("step", "ii", 1, [
      // A missing second value counts as nil.
      op.when(op.less(call("lua_gettop", L), op.i32(2)), nil),
      op.set(
        1,
        call(
          hostName("step"),
          L,
          call("lua_toboolean", L, index(1)),
          call("lua_type", L, index(2)),
          call("lua_topointer", L, index(2)),
        ),
      ),
      op.when(op.isZero(slot), op.return(op.i32(0))),
      [top(0), field(AT.handlers, slot), field(AT.views, at(BLOCK.a))],
      op.i32(2),
    ]);
  }
  {
    const [handler, anchor, meta] = [1, 2, 3].map(op.get) as [Code, Code, Code];
    module.define("enter", "iiiii", 0, [
      [registry(KEY.drive), registry(KEY.handlers), field(-1, handler)],
      [call("lua_copy", L, index(-1), index(-2)), top(-2), newTable],
      op.when(meta, [
        [registry(KEY.viewMetas), field(-1, meta)],
        [call("lua_copy", L, index(-1), index(-2)), top(-2)],
      ]),
      op.when(op.isZero(meta), registry(KEY.viewMeta)),
      [setMeta(-2), registry(KEY.views), copy(-2), setField(-2, anchor), top(-2)],
      call("lua_topointer", L, index(-1)),
    ]);
    module.define("resume", "iii", 0, [
      put(BLOCK.stack, call("stackSave")),
      call("lua_resume", L, op.i32(0), op.get(1), op.add(block, op.i32(BLOCK.results))),
    ]);
  }

  /** Empties the table on top of a stack. */
  const emptyTop = [
    nil,
    op.loop(call("lua_next", L, index(-2)), [
      [top(-2), copy(-1), nil],
      call("lua_rawset", L, index(-4)),
    ]),
  ];
  {
    const number = op.get(1);
    module.define("forgetReads", "vii", 0, [
      op.drop(call("lua_checkstack", L, op.i32(6))),
      [registry(KEY.viewReads), field(-1, number), emptyTop, top(-3)],
    ]);
    module.define("forgetRead", "vii", 0, [
      [field(AT.viewReads, number), copy(2), nil],
      [call("lua_rawset", L, index(-3)), top(-2)],
    ]);
    module.define("empty", "vii", 0, [
      op.drop(call("lua_checkstack", L, op.i32(6))),
      [registry(KEY.views), field(-1, number), emptyTop, top(-3)],
    ]);
    const [slot, written] = [op.get(2), op.get(3)];
    module.define("dispose", "viiii", 0, [
      op.drop(call("lua_checkstack", L, op.i32(8))),
      [registry(KEY.views), field(-1, number)],
      op.when(written, emptyTop),
      // The slot will serve another part, whose reads this table must not show.
      op.when(slot, [registry(KEY.viewMeta), setMeta(-2)]),
      [top(-2), nil, setField(-2, number), top(-2)],
      op.when(slot, call("forgetReads", L, slot)),
    ]);
  }
  {
    const [anchor, bytes, size, kind] = [1, 2, 3, 4].map(op.get) as [Code, Code, Code, Code];
    const is = (wanted: number, then: Code): Code =>
      op.when(op.equal(kind, op.i32(wanted)), [then, top(-2)]);
    module.define("fetch", "iiiii", 1, [
      op.drop(call("lua_checkstack", L, op.i32(8))),
      [registry(KEY.views), field(-1, anchor)],
      op.when(bytes, op.drop(call("lua_pushlstring", L, bytes, size))),
      op.when(
        op.isZero(bytes),
        call("lua_pushinteger", L, op.truncate(op.loadDouble(block, BLOCK.number))),
      ),
      op.set(4, call("lua_rawget", L, index(-2))),
      [call("lua_copy", L, index(-1), index(-3)), top(-3)],
      is(T_NIL, []),
      is(T_BOOLEAN, put(BLOCK.a, call("lua_toboolean", L, index(-1)))),
      is(T_NUMBER, [
        put(BLOCK.a, call("lua_isinteger", L, index(-1))),
        op.storeDouble(block, call("lua_tonumberx", L, index(-1), op.i32(0)), BLOCK.number),
        op.storeLong(block, call("lua_tointegerx", L, index(-1), op.i32(0)), BLOCK.long),
      ]),
      // The part's table keeps the string alive.
      is(T_STRING, put(BLOCK.b, call("lua_tolstring", L, index(-1), block))),
      kind,
    ]);
  }

  {
    const [ud, ptr, osize, nsize] = [0, 1, 2, 3].map(op.get) as [Code, Code, Code, Code];
    const [old, grown, made] = [4, 5, 6].map(op.get) as [Code, Code, Code];
    const { used, cap, enforced } = MEMORY_LAYOUT;
    const host = call(hostName("allocate"), ud, ptr, osize, nsize);
    module.define("allocate", "iiiii", 3, [
      op.when(ptr, op.set(4, osize)),
      op.when(
        op.or(op.atLeast(old, op.i32(LARGE)), op.atLeast(nsize, op.i32(LARGE))),
        op.return(host),
      ),
      op.set(5, op.subtract(nsize, old)),
      op.when(op.isZero(nsize), [
        op.when(ptr, call("free", ptr)),
        op.store(ud, op.add(op.load(ud, used), grown), used),
        op.return(op.i32(0)),
      ]),
      op.when(
        op.and(
          op.less(op.i32(0), op.and(grown, op.subtract(op.i32(0), op.load(ud, enforced)))),
          op.above(op.add(op.load(ud, used), grown), op.load(ud, cap)),
        ),
        op.return(host),
      ),
      op.set(6, op.choose(ptr, call("realloc", ptr, nsize), call("malloc", nsize))),
      op.when(made, op.store(ud, op.add(op.load(ud, used), grown), used)),
      made,
    ]);
  }
  return module.bytes();
}
