import { words } from "./text.ts";

/**
 * The parts of Lua 5.4's standard library that scripts can access. Deliberately omitted: `load`, `loadstring`,
 * `loadfile`, `dofile` (code from strings), `collectgarbage`, `warn`, `string.dump`, and the libraries io, os, debug
 * and package. Source: design.md §6.
 */
export const ALLOWED_GLOBALS = {
  base: words(`_G _VERSION assert error getmetatable ipairs next pairs pcall print rawequal rawget rawlen rawset require
    select setmetatable tonumber tostring type xpcall`),
  string: words(
    `byte char find format gmatch gsub len lower match pack packsize rep reverse sub unpack upper`,
  ),
  table: words("concat insert move pack remove sort unpack"),
  math: words(`abs acos asin atan ceil cos deg exp floor fmod huge log max maxinteger min mininteger modf pi rad random
    randomseed sin sqrt tan tointeger type ult`),
  utf8: words("char charpattern codepoint codes len offset"),
  coroutine: words("close create isyieldable resume running status wrap yield"),
} as const;

/** Libraries that are tables of their own. */
export const LIBRARIES = ["string", "table", "math", "utf8", "coroutine"] as const;
