import type { Edit } from "../core/hook.ts";
import type { Json } from "../core/json.ts";
import { setOwn } from "../core/json.ts";
import { NotConvertible } from "./not-convertible.ts";
import type { LuaReader } from "./lua-reader.ts";
import { T_NIL, T_STRING, T_TABLE } from "./raw.ts";
import type { LuaThread } from "./raw.ts";
import type { LuaState } from "./state.ts";
import type { ViewSession } from "./view-node.ts";

/** Parts of a context that an answer's `ctx` may bring along. */
const CONTEXT_PARTS = ["payload", "metadata"] as const;

/**
 * What a handler returned, at a stack index: undefined for nothing or the context itself, else the
 * answer as JSON. The `ctx` of an answer is usually the context itself; a table of the script's own
 * counts as edits of payload and metadata.
 * @throws NotConvertible
 */
export function readHookAnswer(
  state: LuaState,
  L: LuaThread,
  index: number,
  session: ViewSession,
  reader: LuaReader,
): { answer: Json | undefined; edits: readonly Edit[] } {
  const { raw, views } = state;
  const type = raw.lua_gettop(L) < index ? T_NIL : raw.lua_type(L, index);
  if (type === T_NIL) return { answer: undefined, edits: [] };
  if (type !== T_TABLE) return { answer: reader.read(L, index, "the answer"), edits: [] };
  const view = views.at(L, index);
  if (view) {
    if (view === session.root) return { answer: undefined, edits: [] };
    throw new NotConvertible(
      "the answer is a part of the context; return ctx itself, or an action",
    );
  }
  if (views.isDead(L, index)) {
    throw new NotConvertible("the answer is a part of a context whose call has ended");
  }
  const answer: Record<string, Json> = {};
  let edits: readonly Edit[] = [];
  raw.lua_checkstack(L, 8);
  raw.lua_pushnil(L);
  while (raw.lua_next(L, index) !== 0) {
    if (raw.lua_type(L, -2) !== T_STRING) {
      throw new NotConvertible(
        "the answer has a key that is not a name; expected a table with an action",
      );
    }
    const key = state.text.read(L, -2) ?? "";
    if (key === "ctx") edits = contextEdits(state, L, session, reader);
    else {
      const value = reader.read(L, -1, `the answer's ${key}`, 1);
      if (value !== undefined) setOwn(answer, key, value);
    }
    raw.lua_settop(L, -2);
  }
  // An answer that says nothing but `ctx` is a misspelt one, as any other table without an action.
  return { answer, edits };
}

/** Edits of the `ctx` on top of the stack; none when it is the context itself. */
function contextEdits(
  state: LuaState,
  L: LuaThread,
  session: ViewSession,
  reader: LuaReader,
): readonly Edit[] {
  const { raw, text, views } = state;
  const view = views.at(L, -1);
  if (view && view === session.root) return [];
  if (view || raw.lua_type(L, -1) !== T_TABLE || views.isDead(L, -1)) {
    throw new NotConvertible("the answer's ctx is not the context");
  }
  const edits: Edit[] = [];
  for (const part of CONTEXT_PARTS) {
    text.push(L, part);
    raw.lua_rawget(L, -2);
    const value = reader.read(L, -1, `the answer's ctx/${part}`, 1);
    raw.lua_settop(L, -2);
    if (value !== undefined) edits.push({ path: [part], value });
  }
  return edits;
}
