import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { buildBundle } from "../../../../src/fleet/bundles/build.ts";
import {
  bundleBytes,
  openBundle,
  splitBundle,
  withSignature,
} from "../../../../src/fleet/bundles/bundle-file.ts";
import type { BundleStatement } from "../../../../src/fleet/bundles/header.ts";
import { publicKeyOf, signHeader } from "../../../../src/fleet/bundles/keys.ts";
import { expectAcceptable, type SeenRevision } from "../../../../src/fleet/bundles/acceptance.ts";
import { OrcsError } from "../../../../src/core/errors.ts";

export const NOW = Date.parse("2026-06-01T12:00:00Z");
export const VERSION = "0.1.0";

export const STATED: BundleStatement = {
  name: "policy",
  revision: 7,
  not_before: "2026-05-01T00:00:00Z",
  expires: "2026-12-31T00:00:00Z",
  created_by: VERSION,
  requires: VERSION,
  mode: "enforce",
};

export const GUARD = `-- denies a word
orcs.hook("tool.pre_execute", function(ctx)
  if ctx.payload.args.command == "evil" then return { action = "abort", reason = "bundle says no" } end
end, { id = "guard" })
`;
export const CONFIG = `[[hooks]]\nscript = "guard.lua"\n`;

export const FILES: ReadonlyMap<string, Uint8Array> = files({
  "orcs.toml": CONFIG,
  "hooks/guard.lua": GUARD,
  "hooks/lib/words.lua": "return {}\n",
});

export function files(of: Readonly<Record<string, string>>): Map<string, Uint8Array> {
  return new Map(Object.entries(of).map(([name, text]) => [name, Buffer.from(text)]));
}

export function newKey(): KeyObject {
  return generateKeyPairSync("ed25519").privateKey;
}

/** Key that the tests trust, and one that they do not. */
export const TRUSTED = newKey();
export const STRANGER = newKey();
export const KEYS = [publicKeyOf(TRUSTED)];

/** A bundle with these statements and files, signed by these keys. */
export function signed(
  stated: Partial<BundleStatement> = {},
  content: ReadonlyMap<string, Uint8Array> = FILES,
  ...keys: readonly KeyObject[]
): Buffer {
  let split = splitBundle(buildBundle({ ...STATED, ...stated }, content).bytes);
  for (const key of keys.length > 0 ? keys : [TRUSTED])
    split = withSignature(split, signHeader(split.header, key));
  return bundleBytes(split);
}

/** "ok", or the code of the error with which a machine refuses the bundle. */
export function verdict(
  bytes: Uint8Array,
  { now = NOW, last }: { now?: number; last?: SeenRevision } = {},
): string {
  try {
    const { header } = openBundle(bytes, KEYS);
    expectAcceptable(header, { now, version: VERSION, last });
    return "ok";
  } catch (thrown) {
    if (thrown instanceof OrcsError) return thrown.code;
    throw thrown;
  }
}
