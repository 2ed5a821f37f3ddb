import { join } from "node:path";
import { checkConfiguration } from "../workbench/index.ts";
import { CONFIG_NAME, type HookPackage, luaFiles } from "../config/index.ts";
import { type Diagnostic, messageOf, renderDiagnostic } from "../core/index.ts";
import { createFiles, inTemporaryFolder, realpath } from "../machine/index.ts";
import { failureText, runTests } from "../engine/index.ts";
import { packageConfig } from "./packages/begin-package.ts";

/** What `orcs check` and `orcs test` say of the files of a bundle. */
export interface BundleProof {
  /** Of `orcs check`, and of tests that cannot be run. */
  readonly diagnostics: readonly Diagnostic[];
  /** Why tests failed, one text for each. */
  readonly failed: readonly string[];
  readonly passed: number;
  readonly hooks: number;
}

/**
 * Check and test the files of a bundle, in a folder that has nothing else: what is missing in the bundle is missing
 * there.
 */
export function proveBundle(files: ReadonlyMap<string, Uint8Array>): Promise<BundleProof> {
  return inTemporaryFolder("orcs-bundle-", async (folder) => {
    const directory = realpath(folder);
    createFiles(directory, files);
    const config = join(directory, CONFIG_NAME);
    const { diagnostics, hooks } = await checkConfiguration({ config, cwd: directory });
    if (diagnostics.some(({ severity }) => severity === "error")) {
      return { diagnostics, failed: [], passed: 0, hooks };
    }
    const report = await runTests({ config, cwd: directory });
    return {
      diagnostics: [...diagnostics, ...report.mistakes],
      failed: report.tests.filter(({ status }) => status === "failed").map(failureText),
      passed: report.passed,
      hooks,
    };
  });
}

/** Whether nothing speaks against the bundle. Warnings do not. */
export function isProven({ diagnostics, failed }: BundleProof): boolean {
  return failed.length === 0 && diagnostics.every(({ severity }) => severity !== "error");
}

/** Why the files of a bundle must not become active, in one line; undefined if they may. */
export async function proofProblem(
  files: ReadonlyMap<string, Uint8Array>,
): Promise<string | undefined> {
  try {
    const proof = await proveBundle(files);
    if (isProven(proof)) return undefined;
    const errors = proof.diagnostics.filter(({ severity }) => severity === "error");
    const [first = ""] = [...errors.map(({ message }) => message), ...proof.failed];
    const count = errors.length + proof.failed.length;
    return `${count} of its checks and tests fail: ${first.split("\n")[0]}`;
  } catch (thrown) {
    return messageOf(thrown);
  }
}

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
