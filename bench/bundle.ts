import { execFileSync } from "node:child_process";
import { createHash, verify } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { timings } from "./measure.ts";
import type { Row } from "./report.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** What a bundle of all shipped hooks may have. */
const GOAL_BYTES = 40_960;

/** The bundle of all shipped hooks: its size, and what it takes to open and verify it. */
export async function bundleRows(): Promise<Row[]> {
  const bytes = shippedBundle();
  const { openBundle, splitBundle } = await internal("fleet/bundles/bundle-file.js");
  const { generateKey, privateKey, signHeader } = await internal("fleet/bundles/keys.js");
  const { bundleBytes, withSignature } = await internal("fleet/bundles/bundle-file.js");
  const { pem, key } = generateKey();
  const unsigned = splitBundle(bytes);
  const secret = privateKey(pem, "key.pem");
  const signed = bundleBytes(withSignature(unsigned, signHeader(unsigned.header, secret)));
  const { payload } = unsigned;
  const { sig } = splitBundle(signed).signatures[0] ?? { sig: "" };
  const signature = Buffer.from(sig, "base64");
  // What cannot be left out: one signature, one digest of what came, and its content.
  const floor = (): void => {
    verify(null, unsigned.header, secret, signature);
    createHash("sha256").update(payload).digest("hex");
    createHash("sha256").update(gunzipSync(payload)).digest("hex");
  };
  const [open = 0, least = 0] = await timings([
    { name: "open", run: () => openBundle(signed, [key]) },
    { name: "floor", run: floor },
  ]);
  return [
    {
      key: "bundle_open",
      what: "opening and verifying a bundle of all shipped hooks, against one signature, two digests and gunzip",
      us: open,
      baseline: least,
      ratio: open / least,
      absolute: open,
    },
    {
      key: "bundle_bytes",
      what: "bytes of a bundle of all shipped hooks, against 40 KB",
      us: signed.length,
      baseline: GOAL_BYTES,
      ratio: signed.length / GOAL_BYTES,
    },
  ];
}

/** What `orcs bundle build` makes of a folder that has them all. */
function shippedBundle(): Buffer {
  const dir = mkdtempSync(join(tmpdir(), "orcs-bench-bundle-"));
  try {
    const policy = join(dir, "policy");
    mkdirSync(policy);
    cpSync(join(ROOT, "hooks"), join(policy, "hooks"), { recursive: true });
    const scripts = readdirSync(join(policy, "hooks")).filter((name) => name.endsWith(".lua"));
    const entries = scripts.map((name) => `[[hooks]]\nscript = "hooks/${name}"\n`);
    writeFileSync(join(policy, "orcs.toml"), entries.join("\n"));
    const file = join(dir, "all.orcsbundle");
    const args = ["bundle", "build", policy, "--out", file, "--revision", "1"];
    execFileSync(process.execPath, [join(ROOT, "dist/cli/main.js"), ...args]);
    return readFileSync(file);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

interface Internals {
  "fleet/bundles/bundle-file.js": typeof import("../build/fleet/bundles/bundle-file.js");
  "fleet/bundles/keys.js": typeof import("../build/fleet/bundles/keys.js");
}

/** A module of the package that it does not export. */
async function internal<K extends keyof Internals>(name: K): Promise<Internals[K]> {
  return (await import(join(ROOT, "build", name))) as Internals[K];
}
