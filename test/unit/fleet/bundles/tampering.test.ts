import { createHash, sign } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bundleBytes, splitBundle } from "../../../../src/fleet/bundles/bundle-file.ts";
import type { BundleHeader } from "../../../../src/fleet/bundles/header.ts";
import { publicKeyOf, signHeader } from "../../../../src/fleet/bundles/keys.ts";
import { BUNDLE_LIMITS } from "../../../../src/fleet/bundles/limits.ts";
import { FILES, files, KEYS, newKey, NOW, signed, STRANGER, TRUSTED, verdict } from "./rig.ts";

const GOOD = signed();
const TRUSTED_ID = KEYS[0]?.id ?? "";

/** The bundle with parts replaced as text, and no new signature. */
function replaced(parts: Parts): Buffer {
  const split = splitBundle(GOOD);
  const lines = [
    parts.magic ?? "orcs-bundle 1",
    parts.header ?? Buffer.from(split.header).toString(),
    parts.signatures ?? JSON.stringify(split.signatures),
  ];
  const payload = parts.payload ?? split.payload;
  return Buffer.concat([Buffer.from(`${lines.join("\n")}\n`), payload]);
}

interface Parts {
  readonly magic?: string;
  readonly header?: string;
  readonly signatures?: string;
  readonly payload?: Uint8Array;
}

function headerOf(bytes: Uint8Array): BundleHeader {
  return JSON.parse(Buffer.from(splitBundle(bytes).header).toString()) as BundleHeader;
}

/** A header with changes, as text. */
function header(change: (header: Record<string, unknown>) => void): string {
  const read = headerOf(GOOD) as unknown as Record<string, unknown>;
  change(read);
  return JSON.stringify(read);
}

/** A bundle that the trusted key signed whatever it states: what a careless or another builder would make. */
function signedAnyway(text: string, payload: Uint8Array = splitBundle(GOOD).payload): Buffer {
  const bytes = Buffer.from(text);
  const signatures = [signHeader(bytes, TRUSTED)];
  return bundleBytes({ header: bytes, signatures, payload });
}

/** The same, with a content of its own. */
function withContent(
  of: readonly (readonly [string, string])[],
  more?: (header: Record<string, unknown>) => void,
): Buffer {
  const payload = gzipSync(Buffer.from(of.map(([, text]) => text).join("")));
  return signedAnyway(
    header((read) => {
      read["payload"] = { size: payload.length, sha256: hash(payload) };
      read["files"] = of.map(([path, text]) => ({
        path,
        size: Buffer.byteLength(text),
        sha256: hash(text),
      }));
      more?.(read);
    }),
    payload,
  );
}

function hash(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

const expanded = (): string => gunzipSync(splitBundle(GOOD).payload).toString();
const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20));
const sigs = splitBundle(GOOD).signatures;
const stranger = signHeader(splitBundle(GOOD).header, STRANGER);
const CONFIG = ["orcs.toml", ""] as const;

/** The header with another value, and the old signature. */
const restated = (key: string, value: unknown) => (): Buffer =>
  replaced({ header: header((read) => (read[key] = value)) });

/** The header with another value, which the trusted key has signed. */
const stated = (key: string, value: unknown) => (): Buffer =>
  signedAnyway(header((read) => (read[key] = value)));

/** Signatures in the place of the right ones. */
const signatures = (all: readonly object[]): Buffer =>
  replaced({ signatures: JSON.stringify(all) });

/** Signed content that is not what a bundle has. */
function withPayload(payload: Buffer): Buffer {
  const stated = { size: payload.length, sha256: hash(payload) };
  return signedAnyway(
    header((read) => (read["payload"] = stated)),
    payload,
  );
}

const zeros = (size: number): string => Buffer.alloc(size).toString("base64");
const numbered = (count: number, name: (n: number) => string, text: string) =>
  Array.from({ length: count }, (_, n) => [name(n), text] as const);

/** Paths that no file of a bundle may have, whoever signed it. */
const PATHS: Readonly<Record<string, string>> = {
  "a path with ..": "../x.lua",
  ".. in the middle": "a/../../x.lua",
  "a path with .": "./x.lua",
  "an absolute path": "/etc/x.lua",
  "a backslash": "a\\..\\x.lua",
  "a drive": "C:x.lua",
  "an empty part": "a//x.lua",
  "a NUL": "a\0.lua",
  "a hidden file": ".git/x.lua",
  "a device of Windows": "aux.lua",
};

/** Each is one way to change a bundle, by the code with which it is refused; none may be used. */
const TAMPERINGS: Readonly<Record<string, Readonly<Record<string, () => Uint8Array>>>> = {
  ORCS9001: {
    nothing: () => Buffer.alloc(0),
    "no bundle at all": () => Buffer.from("<html>not found</html>\n"),
    "another version of the format": () => replaced({ magic: "orcs-bundle 2" }),
    "a header that never ends": () =>
      Buffer.from(`orcs-bundle 1\n${"x".repeat(BUNDLE_LIMITS.header + 1)}\n[]\n`),
    "signatures that never end": () =>
      replaced({ signatures: "[".repeat(BUNDLE_LIMITS.signatures + 1) }),
    "more bytes than allowed": () => Buffer.concat([GOOD, Buffer.alloc(BUNDLE_LIMITS.file)]),
    "a signature that is too short": () => signatures([{ key: TRUSTED_ID, sig: zeros(63) }]),
    "the same signature twice": () => signatures([...sigs, ...sigs]),
    "a good and a false signature by one key": () =>
      signatures([...sigs, { ...sigs[0], sig: stranger.sig }]),
    "an additional key in a signature": () => signatures([{ ...sigs[0], alg: "none" }]),
    "another spelling of the signatures": () =>
      replaced({ signatures: `${JSON.stringify(sigs)} ` }),
    "too many signatures": () => signedByMany(BUNDLE_LIMITS.signers + 1),
    "one byte of the content": () => flipped(GOOD, GOOD.length - 20),
    "the size in the trailer of gzip": () => flipped(GOOD, GOOD.length - 1),
    "content after the end": () => Buffer.concat([GOOD, Buffer.from("more")]),
    "a second gzip member": () => Buffer.concat([GOOD, gzipSync("orcs")]),
    truncated: () => GOOD.subarray(0, -1),
    "truncated after the signatures": () =>
      GOOD.subarray(0, GOOD.length - splitBundle(GOOD).payload.length),
    "the content of another revision": () =>
      replaced({ payload: splitBundle(signed({}, files({ "orcs.toml": "# other" }))).payload }),
    "the same content compressed otherwise": () =>
      replaced({ payload: gzipSync(expanded(), { level: 1 }) }),
    "a file by another content of the same size": () =>
      replaced({ payload: gzipSync(expanded().replace("evil", "good")) }),
    // From here on, the trusted key has signed it: what no bundle may be, whoever made it.
    "signed: a bomb": () => withPayload(bomb),
    "signed: content that is not gzip": () => withPayload(Buffer.from("not gzip")),
    "signed: a file that differs from its hash": () =>
      withContent(
        [CONFIG, ["x.lua", "a"]],
        (read) => ((read["files"] as { sha256: string }[])[1]!.sha256 = hash("b")),
      ),
    "signed: an extra file in the content": () =>
      withContent([CONFIG, ["x.lua", "a"]], (read) => (read["files"] as unknown[]).pop()),
    "signed: a missing file in the content": () =>
      withContent([CONFIG], (read) =>
        (read["files"] as unknown[]).push({ path: "x.lua", size: 1, sha256: hash("a") }),
      ),
    "signed: no orcs.toml": () => withContent([["x.lua", "a"]]),
    "signed: the same path twice": () => withContent([CONFIG, ["x.lua", "a"], ["x.lua", "b"]]),
    "signed: files that are not sorted": () => withContent([["x.lua", "a"], CONFIG]),
    ...Object.fromEntries(
      Object.entries(PATHS).map(([what, path]) => [
        `signed: ${what}`,
        () => withContent([[path, "a"], CONFIG]),
      ]),
    ),
    "signed: names that differ in case": () =>
      withContent([["A.lua", "a"], ["a.lua", "a"], CONFIG]),
    "signed: a composed and a decomposed name": () =>
      withContent([["e\u0301.lua", "a"], CONFIG, ["\u00e9.lua", "a"]]),
    "signed: a file that is a folder, too": () =>
      withContent([["a.lua", "a"], ["a.lua/b.lua", "b"], CONFIG]),
    "signed: a very long path": () =>
      withContent([CONFIG, [`z${"a".repeat(BUNDLE_LIMITS.name)}.lua`, "a"]]),
    "signed: a program": () => withContent([CONFIG, ["run.sh", "#!/bin/sh"]]),
    "signed: too many files": () => {
      const name = (n: number): string => `a${String(n).padStart(5, "0")}.lua`;
      return withContent([...numbered(BUNDLE_LIMITS.files + 1, name, ""), CONFIG]);
    },
    "signed: a file that is too large": () =>
      withContent([CONFIG, ["x.lua", " ".repeat(BUNDLE_LIMITS.oneFile + 1)]]),
    "signed: files that are too large together": () =>
      withContent([CONFIG, ...numbered(9, (n) => `x${n}.lua`, " ".repeat(BUNDLE_LIMITS.oneFile))]),
    "signed: a size that is negative": () =>
      signedAnyway(header((read) => ((read["files"] as { size: number }[])[0]!.size = -1))),
    "signed: a revision that is no whole number": stated("revision", 7.5),
    "signed: revision 0": stated("revision", 0),
    "signed: a revision as text": stated("revision", "7"),
    "signed: an unknown key": stated("extra", true),
    "signed: a key twice": () =>
      signedAnyway(header(() => undefined).replace('"revision":7', '"revision":7,"revision":7')),
    "signed: the key __proto__": () =>
      signedAnyway(header(() => undefined).replace("{", '{"__proto__":{},')),
    "signed: a time that does not exist": stated("expires", "2026-02-30T00:00:00Z"),
    "signed: a header that is not UTF-8": () => {
      const split = splitBundle(GOOD);
      const bytes = Buffer.from(split.header);
      bytes[9] = 0xff;
      return bundleBytes({ ...split, header: bytes, signatures: [signHeader(bytes, TRUSTED)] });
    },
  },
  ORCS9002: {
    "no signature": () => signatures([]),
    "signed by another key": () => signed({}, FILES, STRANGER),
    "signed by another key, with the id of the trusted one": () =>
      signatures([{ key: TRUSTED_ID, sig: stranger.sig }]),
    "the trusted signature, with the id of another key": () =>
      signatures([{ key: stranger.key, sig: sigs[0]?.sig }]),
    "a signature of the header without its domain": () => {
      const sig = sign(null, splitBundle(GOOD).header, TRUSTED).toString("base64");
      return signatures([{ key: TRUSTED_ID, sig }]);
    },
    "a signature of zeros": () => signatures([{ key: TRUSTED_ID, sig: zeros(64) }]),
    "another revision": restated("revision", 8),
    "a later expiry": restated("expires", "2030-01-01T00:00:00Z"),
    "another mode": restated("mode", "audit"),
    "another spelling of the header": () => replaced({ header: `${header(() => undefined)} ` }),
  },
  ORCS9003: {
    "signed: expired": () => signed({ expires: "2026-06-01T11:59:59Z" }),
    "signed: not valid yet": () => signed({ not_before: "2026-06-01T13:00:00Z" }),
  },
  ORCS9008: { "signed: for a later orcs": () => signed({ requires: "0.2.0" }) },
};

function flipped(bytes: Uint8Array, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

function signedByMany(count: number): Buffer {
  const split = splitBundle(GOOD);
  const all = Array.from({ length: count }, () => signHeader(split.header, newKey()));
  all.sort((a, b) => (a.key < b.key ? -1 : 1));
  return replaced({ signatures: JSON.stringify(all) });
}

test("the bundle that is changed below is accepted unchanged", () => {
  expect(verdict(GOOD)).toBe("ok");
});

describe.each(Object.entries(TAMPERINGS))("a bundle is refused with %s", (code, changes) => {
  test.each(Object.entries(changes))("%s", (_, bytes) => {
    expect(verdict(bytes())).toBe(code);
  });
});

describe("what a machine has seen counts", () => {
  const last = { name: "policy", revision: 7, not_before: null };

  test.each([
    ["the same revision", {}, "ok"],
    ["a later revision", { revision: 8 }, "ok"],
    ["an older revision", { revision: 6 }, "ORCS9004"],
    [
      "an older revision that is valid from a later time",
      { revision: 6, not_before: "2026-04-30T00:00:00Z" },
      "ORCS9004",
    ],
    ["a bundle of another name", { name: "other", revision: 99 }, "ORCS9004"],
  ])("%s", (_, stated, code) => {
    expect(verdict(signed(stated), { last })).toBe(code);
  });

  test.each([
    ["a clock years behind", "2020-01-01T00:00:00Z", "ORCS9003"],
    ["a clock a minute before not_before", "2026-04-30T23:59:00Z", "ok"],
    ["a clock years ahead", "2040-01-01T00:00:00Z", "ORCS9003"],
  ])("%s", (_, now, code) => {
    expect(verdict(GOOD, { now: Date.parse(now) })).toBe(code);
  });
});

describe("keys", () => {
  test("while keys are rotated, a bundle has a signature by the old and one by the new key", () => {
    const next = newKey();
    const both = signed({}, FILES, TRUSTED, next);
    expect(verdict(both)).toBe("ok");
    expect(verdict(signed({}, FILES, next))).toBe("ORCS9002");
    expect(
      splitBundle(both)
        .signatures.map(({ key }) => key)
        .sort(),
    ).toEqual([publicKeyOf(TRUSTED).id, publicKeyOf(next).id].sort());
  });

  test("a false signature that names a trusted key makes a bundle invalid, whoever else signed it", () => {
    const split = splitBundle(signed({}, FILES, TRUSTED, STRANGER));
    const bad = split.signatures.map((each) =>
      each.key === TRUSTED_ID ? { ...each, sig: stranger.sig } : each,
    );
    expect(verdict(bundleBytes({ ...split, signatures: bad }))).toBe("ORCS9002");
  });
});

test("whatever is done to its bytes, a bundle is the same or refused", () => {
  const edit = fc.oneof(
    fc.tuple(
      fc.constant("flip" as const),
      fc.nat(GOOD.length - 1),
      fc.integer({ min: 1, max: 255 }),
    ),
    fc.tuple(
      fc.constant("cut" as const),
      fc.nat(GOOD.length - 1),
      fc.integer({ min: 1, max: 200 }),
    ),
    fc.tuple(fc.constant("insert" as const), fc.nat(GOOD.length), fc.integer({ min: 0, max: 255 })),
    fc.tuple(
      fc.constant("double" as const),
      fc.nat(GOOD.length - 1),
      fc.integer({ min: 1, max: 200 }),
    ),
  );
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
      let bytes = Buffer.from(GOOD);
      for (const [how, at, value] of edits) {
        const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
        if (how === "flip" && bytes.length > 0) {
          bytes = Buffer.from(bytes);
          const place = at % bytes.length;
          bytes[place] = (bytes[place] ?? 0) ^ value;
        } else if (how === "cut") bytes = Buffer.concat([before, after.subarray(value)]);
        else if (how === "insert") bytes = Buffer.concat([before, Buffer.of(value), after]);
        else if (how === "double") bytes = Buffer.concat([before, after.subarray(0, value), after]);
      }
      // Edits can cancel each other.
      if (!bytes.equals(GOOD)) expect(verdict(bytes, { now: NOW })).toMatch(/^ORCS900[12]$/);
    }),
    { numRuns: 800, seed: 23 },
  );
});
