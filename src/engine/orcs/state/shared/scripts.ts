import { createHash } from "node:crypto";

/** A Lua script that the server runs as one operation. Its first result is the id that was asked with. */
export interface ServerScript {
  readonly lua: string;
  readonly sha1: string;
}

/** The largest value that is read from or written to the server, in bytes. */
export const MAX_VALUE_BYTES = 2 ** 20;
/** How long the server remembers an increment that it has counted, in milliseconds. */
export const ID_MS = 24 * 3600 * 1000;

/** Returns what a key holds, if it is a text that is not too large. */
const HELD = `
local function held(key)
  local kind = redis.call('TYPE', key).ok
  if kind == 'none' then return 'none' end
  if kind ~= 'string' then return 'shape' end
  if redis.call('STRLEN', key) > ${MAX_VALUE_BYTES} then return 'large' end
  return 'value', redis.call('GET', key)
end
-- What tonumber reads besides: hexadecimal, infinite and not a number.
local function number(text)
  if not string.find(text, '^-?[0-9.]+[eE]?[-+]?[0-9]*$') then return nil end
  return tonumber(text)
end
`;

/** The scripts, by operation. Times are those of the server: it alone decides when a counter expires. */
export const SCRIPTS = {
  /** ARGV: id, new identity of the store. KEYS: identity. */
  hello: script(`
redis.call('SET', KEYS[1], ARGV[2], 'NX')
return { ARGV[1], 'value', redis.call('GET', KEYS[1]) }`),
  /** ARGV: id. KEYS: key. */
  get: script(`${HELD}
local kind, value = held(KEYS[1])
return { ARGV[1], kind, value }`),
  /** ARGV: id, value. KEYS: key. */
  set: script(`
redis.call('SET', KEYS[1], ARGV[2])
return { ARGV[1], 'none' }`),
  /**
   * Replaces a value that nobody has changed. ARGV: id, whether there is a value ('1' or '0'), it, whether there is a
   * new one, that. KEYS: key.
   */
  swap: script(`${HELD}
local kind, value = held(KEYS[1])
local is = kind == 'none' and ARGV[2] == '0' or kind == 'value' and ARGV[2] == '1' and value == ARGV[3]
if is and ARGV[4] == '1' then redis.call('SET', KEYS[1], ARGV[5]) elseif is then redis.call('DEL', KEYS[1]) end
return { ARGV[1], 'value', is and '1' or '0' }`),
  /** ARGV: id. KEYS: key. */
  delete: script(`
return { ARGV[1], 'value', tostring(redis.call('DEL', KEYS[1])) }`),
  /**
   * Counts an id once. ARGV: id, increment, milliseconds until a new counter expires or '', maximum or ''. KEYS:
   * counter, id, ids that are no longer needed.
   */
  incr: script(`${HELD}
for i = 3, #KEYS do redis.call('DEL', KEYS[i]) end
local counted = redis.call('GET', KEYS[2])
if counted then
  local sum = string.match(counted, '^%S+')
  return { ARGV[1], sum == 'void' and 'void' or 'value', sum }
end
local kind, value = held(KEYS[1])
local before = 0
if kind == 'value' then before = number(value) elseif kind ~= 'none' then return { ARGV[1], kind } end
if not before then return { ARGV[1], 'shape' } end
local by = tonumber(ARGV[2])
local after = before + by
if after ~= after or after == 1/0 or after == -1/0 then return { ARGV[1], 'shape' } end
if by > 0 and ARGV[4] ~= '' and after > tonumber(ARGV[4]) then return { ARGV[1], 'over' } end
local sum = string.format('%.17g', after)
if kind == 'none' then
  if ARGV[3] == '' then redis.call('SET', KEYS[1], sum) else redis.call('SET', KEYS[1], sum, 'PX', ARGV[3]) end
else
  redis.call('SET', KEYS[1], sum, 'KEEPTTL')
end
redis.call('SET', KEYS[2], sum .. ' ' .. redis.call('PEXPIRETIME', KEYS[1]), 'PX', '${ID_MS}')
return { ARGV[1], 'value', sum }`),
  /**
   * Takes an increment back, whether it was counted, or will still arrive. A counter that has started again since is
   * left alone. ARGV: id, increment. KEYS: counter, id.
   */
  retract: script(`${HELD}
local counted = redis.call('GET', KEYS[2])
redis.call('SET', KEYS[2], 'void', 'PX', '${ID_MS}')
local expires = counted and string.match(counted, ' (%S+)$')
if expires and expires == tostring(redis.call('PEXPIRETIME', KEYS[1])) then
  local kind, value = held(KEYS[1])
  local before = kind == 'value' and number(value)
  if before then redis.call('SET', KEYS[1], string.format('%.17g', before - tonumber(ARGV[2])), 'KEEPTTL') end
end
return { ARGV[1], 'none' }`),
} as const satisfies Record<string, ServerScript>;

function script(lua: string): ServerScript {
  return { lua, sha1: createHash("sha1").update(lua).digest("hex") };
}
