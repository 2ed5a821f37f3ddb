import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeSurrogates, encodeUtf8 } from "../../../../src/engine/lua/lua-text.ts";
import { cpuMs } from "../../../cpu-time.ts";

const LONE_HIGH = "\ud800";
const LONE_LOW = "\udfff";

describe("lone surrogates between JavaScript and Lua", () => {
  test("are encoded as three bytes", () => {
    expect([...encodeUtf8(LONE_HIGH)]).toEqual([0xed, 0xa0, 0x80]);
    expect([...encodeUtf8(`a${LONE_LOW}b`)]).toEqual([0x61, 0xed, 0xbf, 0xbf, 0x62]);
  });

  test("round-trip among characters of every length", () => {
    const text = `é${LONE_HIGH}😀${LONE_LOW}${LONE_LOW}€x\0${LONE_HIGH}`;
    expect(decodeSurrogates(encodeUtf8(text))).toBe(text);
  });

  test("a byte order mark and a real U+FFFD are kept", () => {
    const text = `\ufeff\ufffd${LONE_HIGH}\ufffd`;
    expect(decodeSurrogates(encodeUtf8(text))).toBe(text);
  });

  test("other invalid UTF-8 is not decoded", () => {
    for (const bytes of [[0xff], [0xed, 0xa0], [0xed, 0xa0, 0x80, 0xc0, 0x80], [0xc3]])
      expect(decodeSurrogates(Uint8Array.from(bytes))).toBeUndefined();
  });

  test("any string with lone surrogates round-trips", () => {
    const strings = fc.string({
      unit: fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(LONE_HIGH, LONE_LOW, "😀")),
    });
    fc.assert(
      fc.property(strings, (text) => {
        fc.pre(/\p{Surrogate}/u.test(text));
        expect(decodeSurrogates(encodeUtf8(text))).toBe(text);
      }),
    );
  });

  test("megabytes of them take no longer than other text", () => {
    const text = `a${LONE_HIGH}`.repeat(400_000);
    let back: string | undefined;
    expect(cpuMs(() => (back = decodeSurrogates(encodeUtf8(text))))).toBeLessThan(1500);
    expect(back === text).toBe(true);
  });
});
