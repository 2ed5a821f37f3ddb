import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { loadConfig, type LoadedConfig, type LoadOptions } from "../../../src/config/load.ts";
import { OrcsError } from "../../../src/core/errors.ts";
import { pointSet } from "../../../src/core/points.ts";

/** A temporary directory with files in it, gone after the test. */
export function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "orcs-config-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  return dir;
}

/** Load with the built-in points, and no configuration of the person who runs the tests. */
export function load(cwd: string, options: Partial<LoadOptions> = {}): Promise<LoadedConfig> {
  return loadConfig({ cwd, userDir: join(cwd, "no-user"), points: pointSet(), ...options });
}

/** Load an `orcs.toml` that has these contents. */
export function loadToml(toml: string, options: Partial<LoadOptions> = {}): Promise<LoadedConfig> {
  return load(folder({ "orcs.toml": toml }), { config: "orcs.toml", ...options });
}

/** The error that loading ends with. */
export async function errorOf(loading: Promise<LoadedConfig>): Promise<OrcsError> {
  const error: unknown = await loading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OrcsError);
  return error as OrcsError;
}

/** The mistakes of a file as they are reported, without the line that counts them. */
export async function reportOn(toml: string, options: Partial<LoadOptions> = {}): Promise<string> {
  const { message } = await errorOf(loadToml(toml, options));
  return message.slice(message.indexOf("\n\n") + 2);
}
