import { TextEncoder as Utf8Encoder } from "node:util";
import { KEY, type LuaThread, type Ptr, type RawLua, REGISTRY } from "./raw.ts";
import type { LuaVm } from "./vm.ts";

/** Size of a buffer for short strings, so that pushing one allocates nothing. */
const SCRATCH = 4096;
const SHORT = 48;
/** Longer than anything that Lua interns, and long enough that copying it twice matters. */
const LONG = 4096;

/** Moves strings into and out of the VM's memory, by pointer and length, including NUL bytes. */
export class LuaText {
  readonly #raw: RawLua;
  readonly #scratch: Ptr;
  readonly #lengthAt: Ptr;
  readonly #constants = new Map<string, Ptr>();
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  constructor(raw: RawLua) {
    this.#raw = raw;
    this.#scratch = raw.malloc(SCRATCH);
    this.#lengthAt = raw.malloc(8);
  }

  /** The buffer that `writeShort` fills. */
  get scratch(): Ptr {
    return this.#scratch;
  }

  /** Push a JavaScript string as UTF-8; lone surrogates keep a three-byte form, so nothing is lost. */
  push(L: LuaThread, text: string): void {
    if (text.length >= LONG && this.#pushAscii(L, text)) return;
    this.lend(text, (ptr, size) => this.#raw.lua_pushlstring(L, ptr, size));
  }

  /**
   * Push a long string by writing it directly to Lua's memory; returns false and pushes nothing if it is not ASCII. Lua
   * neither interns nor hashes a long string when it is created, and nobody else has it yet: Lua copies arbitrary bytes
   * from the beginning of its memory, and the text is written over them.
   */
  #pushAscii(L: LuaThread, text: string): boolean {
    const size = text.length;
    const ptr = this.#raw.lua_pushlstring(L, 0, size);
    const { read } = this.#encoder.encodeInto(text, this.#raw.HEAPU8.subarray(ptr, ptr + size));
    // As many bytes as characters: all are ASCII.
    if (read === size) return true;
    this.#raw.lua_settop(L, -2);
    return false;
  }

  /** Lend the bytes of a string to the VM for the duration of a call. */
  lend<T>(text: string, use: (ptr: Ptr, size: number) => T): T {
    const size = this.writeShort(text);
    if (size >= 0) return use(this.#scratch, size);
    const bytes = encodeUtf8(text);
    return this.withBytes(bytes, (ptr) => use(ptr, bytes.length));
  }

  /** Address of a name as a C string, kept as long as the VM; for a few fixed names. */
  constant(name: string): Ptr {
    let ptr = this.#constants.get(name);
    if (ptr === undefined) {
      const bytes = Buffer.from(`${name}\0`);
      ptr = this.#raw.malloc(bytes.length);
      this.#raw.HEAPU8.set(bytes, ptr);
      this.#constants.set(name, ptr);
    }
    return ptr;
  }

  /** Lend bytes to the VM for the duration of a call. */
  withBytes<T>(bytes: Uint8Array, use: (ptr: Ptr) => T): T {
    const ptr = bytes.length < SCRATCH ? this.#scratch : this.#raw.malloc(bytes.length + 1);
    if (ptr === 0) throw new RangeError("the Lua VM is out of memory");
    try {
      const heap = this.#raw.HEAPU8;
      heap.set(bytes, ptr);
      heap[ptr + bytes.length] = 0;
      return use(ptr);
    } finally {
      if (ptr !== this.#scratch) this.#raw.free(ptr);
    }
  }

  /** The bytes of a Lua string on the stack, as a view that the next allocation may invalidate. */
  bytes(L: LuaThread, index: number): Uint8Array {
    const ptr = this.#raw.lua_tolstring(L, index, this.#lengthAt);
    const length = this.#raw.HEAPU32[this.#lengthAt >>> 2] ?? 0;
    return this.#raw.HEAPU8.subarray(ptr, ptr + length);
  }

  /** A Lua string as a JavaScript one, or undefined when it is not UTF-8. */
  read(L: LuaThread, index: number): string | undefined {
    const ptr = this.#raw.lua_tolstring(L, index, this.#lengthAt);
    const length = this.#raw.HEAPU32[this.#lengthAt >>> 2] ?? 0;
    return this.decode(ptr, length);
  }

  /** As `read`, with replacement characters for invalid UTF-8: for messages, never for data. */
  readLossy(L: LuaThread, index: number, most = 2000): string {
    const bytes = this.bytes(L, index);
    const text = new TextDecoder().decode(bytes.subarray(0, most));
    return bytes.length > most ? `${text}…` : text;
  }

  decode(ptr: Ptr, length: number): string | undefined {
    const heap = this.#raw.HEAPU8;
    if (length <= SHORT) {
      let text = "";
      let at = ptr;
      for (const end = ptr + length; at < end; at++) {
        const byte = heap[at] as number;
        if (byte > 127) break;
        text += String.fromCharCode(byte);
      }
      if (at === ptr + length) return text;
    }
    const bytes = heap.subarray(ptr, ptr + length);
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return decodeSurrogates(bytes);
    }
  }

  /** Write a short ASCII string to the buffer and return its size; −1 when it is neither. */
  writeShort(text: string): number {
    const { length } = text;
    if (length > SHORT) return -1;
    const heap = this.#raw.HEAPU8;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) return -1;
      heap[this.#scratch + i] = code;
    }
    return length;
  }
}

// JavaScript strings can contain lone surrogates, which UTF-8 cannot represent. In Lua they have the three bytes that
// they would have in UTF-8, so they survive a round trip.

const LONE_SURROGATE = /\p{Surrogate}/u;
const encoder = new Utf8Encoder();

/** The bytes of a string, lone surrogates in three bytes each. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes = encoder.encode(text);
  if (!LONE_SURROGATE.test(text)) return bytes;
  // The encoder has replaced each by U+FFFD, which also has three bytes.
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) at += 1;
    else if (code < 0x800) at += 2;
    else if (code < 0xd800 || code > 0xdfff) at += 3;
    else if (code < 0xdc00 && isLow(text.charCodeAt(i + 1))) {
      at += 4;
      i++;
    } else {
      bytes[at] = 0xed;
      bytes[at + 1] = 0x80 | ((code >> 6) & 0x3f);
      bytes[at + 2] = 0x80 | (code & 0x3f);
      at += 3;
    }
  }
  return bytes;
}

/** Decode the output of `encodeUtf8` for a string with lone surrogates; undefined for other bytes. */
export function decodeSurrogates(bytes: Uint8Array): string | undefined {
  // With U+FFFD in their place, the rest is decoded at once; piece by piece it could take minutes.
  const plain = Uint8Array.from(bytes);
  let found = false;
  for (let i = 0; i + 2 < bytes.length; i++) {
    if (!isHalf(bytes, i)) continue;
    plain.set(REPLACEMENT, i);
    found = true;
  }
  if (!found) return undefined;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(plain);
  } catch {
    return undefined;
  }
  const units = Buffer.from(text, "utf16le");
  let at = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if ((byte & 0xc0) === 0x80) continue;
    if (isHalf(bytes, i)) {
      // 1101 and the six bits of each of the two bytes that follow.
      const half = ((bytes[i + 1] as number) << 6) | ((bytes[i + 2] as number) & 0x3f);
      units.writeUInt16LE(0xd000 | (half & 0xfff), at);
    }
    // Characters beyond U+FFFF have two units.
    at += byte >= 0xf0 ? 4 : 2;
  }
  // A TextDecoder would replace them again.
  return units.toString("utf16le");
}

/** U+FFFD in UTF-8. */
const REPLACEMENT = [0xef, 0xbf, 0xbd];

/** Whether the three bytes at an offset are a surrogate. */
function isHalf(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== 0xed) return false;
  const second = bytes[at + 1] as number;
  return second >= 0xa0 && second <= 0xbf && ((bytes[at + 2] as number) & 0xc0) === 0x80;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Number of remembered names; contexts have few field names. */
const MOST = 1024;
/** Longest string that Lua interns: only interned strings have one address per content. */
const INTERNED = 40;

/**
 * JavaScript names of Lua string keys, by the address of the interned string. A remembered string is anchored in the
 * registry, so its address is not reused.
 */
export class KeyNames {
  readonly #raw: RawLua;
  readonly #text: LuaText;
  readonly #names = new Map<number, string>();
  readonly #lengthAt: number;

  constructor({ raw, text, out }: LuaVm) {
    this.#raw = raw;
    this.#text = text;
    this.#lengthAt = out;
  }

  /** The string at an address, if it is a remembered one. */
  known(ptr: Ptr): string | undefined {
    return this.#names.get(ptr);
  }

  /** The string at a stack index; undefined when it is not UTF-8. The value there must be a string. */
  read(L: LuaThread, index: number): string | undefined {
    const ptr = this.#raw.lua_tolstring(L, index, this.#lengthAt);
    const known = this.#names.get(ptr);
    if (known !== undefined) return known;
    const length = this.#raw.HEAPU32[this.#lengthAt >>> 2] as number;
    const name = this.#text.decode(ptr, length);
    if (name !== undefined && length <= INTERNED && this.#names.size < MOST) {
      const at = this.#raw.lua_gettop(L);
      const from = index < 0 ? at + index + 1 : index;
      this.#raw.lua_checkstack(L, 3);
      this.#raw.lua_rawgetp(L, REGISTRY, KEY.names);
      this.#raw.lua_pushvalue(L, from);
      this.#raw.lua_rawsetp(L, -2, ptr);
      this.#raw.lua_settop(L, at);
      this.#names.set(ptr, name);
    }
    return name;
  }
}
