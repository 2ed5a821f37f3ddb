import { resolve } from "node:path";
import { fileBytes } from "../machine/files/read-bounded.ts";
import type { BundleSettings } from "../fleet/bundles/installed-bundle.ts";
import type { Pulled } from "../fleet/bundles/pull.ts";
import { pullBundle } from "../fleet/bundles/pull.ts";
import { pathOf, putBundle } from "../fleet/bundles/transport.ts";
import { contentOf, splitBundle } from "../fleet/bundles/bundle-file.ts";
import { loadConfig } from "../config/load.ts";
import { messageOf, OrcsError } from "../core/errors.ts";
import { pointSet } from "../core/points.ts";
import { shownMachineFiles } from "../config/trust/machine-configuration.ts";
import { SHIPPED_HOOKS } from "../config/trust/script-sources.ts";
import { bundleIn, writeOut } from "./bundle-files.ts";
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
  const headers = tokenFile === undefined ? {} : { authorization: `Bearer ${tokenIn(tokenFile)}` };
  await putBundle(url, bytes, headers);
}

function tokenIn(file: string): string {
  try {
    return fileBytes(resolve(file), 10_000).toString("latin1").trim();
  } catch (thrown) {
    throw new OrcsError("ORCS9006", `${file} cannot be read: ${messageOf(thrown)}`, { file });
  }
}

/** `[bundle]` of the user's own configuration; a project has none. @throws OrcsError ORCS5001 */
export async function ownBundle(): Promise<BundleSettings> {
  const around = { cwd: process.cwd(), points: pointSet(), shippedDir: SHIPPED_HOOKS };
  const { settings } = await loadConfig({
    ...around,
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
