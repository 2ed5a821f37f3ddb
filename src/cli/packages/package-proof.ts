import { CONFIG_NAME, type HookPackage, luaFiles } from "../../config/index.ts";
import { renderDiagnostic } from "../../core/index.ts";
import { type BundleProof, proveBundle } from "../bundle-proof.ts";
import { packageConfig } from "./begin-package.ts";

/**
 * What `orcs check` and `orcs test` say of a package, in a folder that has nothing but its package.json and its Lua
 * files. Its tests run in the Lua sandbox, where no tool is real.
 * @throws OrcsError ORCS9302 for files that a package cannot have
 */
export async function provePackage(found: HookPackage): Promise<BundleProof> {
  const config = Buffer.from(packageConfig(found.hooks.values()));
  return proveBundle(new Map([...luaFiles(found), [CONFIG_NAME, config]]));
}

/** Why a package should not be accepted: what is wrong with it, and each test that fails. */
export function proofProblems({ diagnostics, failed }: BundleProof): string[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return [...errors.map((error) => renderDiagnostic(error)), ...failed];
}
