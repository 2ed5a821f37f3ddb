const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
/** What Lua needs for a table and for a value in one, in bytes. */
const TABLE_BYTES = 56;
const VALUE_BYTES = 16;

/**
 * The least that JSON comes to as Lua tables, in bytes. Counted before it is parsed, because a text of
 * nothing but brackets comes to twenty times its size.
 */
export function leastLuaBytes(json: Uint8Array): number {
  let bytes = 0;
  let quoted = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === QUOTE) quoted = !quoted;
    else if (quoted) i += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA) bytes += VALUE_BYTES;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) bytes += TABLE_BYTES;
  }
  return bytes;
}
