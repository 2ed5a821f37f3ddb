import { contentOf, pathOf, pullBundle, putBundle, splitBundle } from "../fleet/index.ts";
import type { BundleSettings, Pulled } from "../fleet/index.ts";
import { loadConfig, shownMachineFiles } from "../config/index.ts";
import { OrcsError } from "../core/index.ts";
import { bundleIn, MAX_KEY_BYTES, readOr, writeOut } from "./bundle-files.ts";
import { proofProblem } from "./bundle-proof.ts";

/** Fetch the bundle of the user's own configuration. @throws OrcsError ORCS5001, and as `pullBundle` */
export async function pullOwn(): Promise<Pulled> {
  return pullBundle(await ownBundle(), { prove: proofProblem });
}

/**
 * Publish a bundle.
 * @param tokenFile with the token of an `Authorization: Bearer` header
 * @throws OrcsError ORCS9001, ORCS9006
 */
export async function pushFile(file: string, url: string, tokenFile?: string): Promise<void> {
  const bytes = bundleIn(file);
  const split = splitBundle(bytes);
  contentOf(split);
  if (split.signatures.length === 0) {
    throw new OrcsError("ORCS9006", `${file} is not signed: no machine would use it`, { file });
  }
  const path = pathOf(url);
  if (path !== undefined) return writeOut(path, bytes);
  const token =
    tokenFile === undefined
      ? undefined
      : readOr(tokenFile, "ORCS9006", MAX_KEY_BYTES).toString("latin1");
  await putBundle(
    url,
    bytes,
    token === undefined ? {} : { authorization: `Bearer ${token.trim()}` },
  );
}

/** `[bundle]` of the user's own configuration; a project has none. @throws OrcsError ORCS5001 */
export async function ownBundle(): Promise<BundleSettings> {
  const { settings } = await loadConfig({
    cwd: process.cwd(),
    project: false,
    machine: shownMachineFiles(),
  });
  const { url } = settings.bundle;
  if (url === undefined) {
    const why = "your own configuration names no bundle: set [bundle] url and keys";
    throw new OrcsError("ORCS5001", why);
  }
  return { ...settings.bundle, url };
}
