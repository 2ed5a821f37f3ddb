import { TextEncoder as Utf8Encoder } from "node:util";

// JavaScript's strings may hold halves of a surrogate pair, which UTF-8 has no form for. In Lua such a
// half has the three bytes that it would have in UTF-8, so that none is lost on the way there and back.

const LONE_SURROGATE = /\p{Surrogate}/u;
const encoder = new Utf8Encoder();

/** The bytes of a string, halves of surrogate pairs in three bytes each. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes = encoder.encode(text);
  if (!LONE_SURROGATE.test(text)) return bytes;
  // The encoder has put U+FFFD, three bytes as well, in the place of each.
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

/** What `encodeUtf8` wrote for a string that holds halves of surrogate pairs; undefined for anything else. */
export function decodeSurrogates(bytes: Uint8Array): string | undefined {
  // With U+FFFD in their place the rest is decoded at once; piece by piece it would take minutes.
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
    // Beyond U+FFFF a character has two units.
    at += byte >= 0xf0 ? 4 : 2;
  }
  // Not a TextDecoder, which would replace them again.
  return units.toString("utf16le");
}

/** U+FFFD in UTF-8. */
const REPLACEMENT = [0xef, 0xbf, 0xbd];

/** Whether the three bytes at a place are half of a surrogate pair. */
function isHalf(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== 0xed) return false;
  const second = bytes[at + 1] as number;
  return second >= 0xa0 && second <= 0xbf && ((bytes[at + 2] as number) & 0xc0) === 0x80;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
