import { Command } from "commander";
import type { Diagnostic } from "../core/diagnostic.ts";
import { renderDiagnostic } from "../core/diagnostic.ts";
import { OrcsError } from "../core/errors.ts";
import { createOrcs } from "../host/create-orcs.ts";
import type { Orcs } from "../host/orcs.ts";
import { stderrLogger } from "../host/stderr-logger.ts";
import { configOption } from "./common-options.ts";
import { EXIT } from "./exit.ts";

/** `orcs check`: load the configuration and every script of it, and report all mistakes at once. */
export function checkCommand(): Command {
  return new Command("check")
    .description("check the configuration and its scripts; report every mistake with its place")
    .addOption(configOption())
    .option("--json", "print JSON")
    .action(async (options: { config?: string; json?: boolean }) => {
      const json = options.json === true;
      const loaded = await load(options.config);
      if (loaded instanceof OrcsError) {
        process.exitCode = EXIT.mistake;
        if (json) print({ ok: false, diagnostics: loaded.diagnostics, message: loaded.message });
        else process.stderr.write(`${loaded.message}\n`);
        return;
      }
      const { warnings, hooks } = loaded;
      if (warnings.length > 0) process.exitCode = EXIT.findings;
      if (json) print({ ok: warnings.length === 0, hooks, diagnostics: warnings });
      else {
        for (const warning of warnings) process.stderr.write(`${renderDiagnostic(warning)}\n`);
        const found = warnings.length === 0 ? "no mistakes" : counted(warnings.length, "warning");
        process.stdout.write(`${counted(hooks, "hook")}, ${found}\n`);
      }
    });
}

async function load(
  config: string | undefined,
): Promise<OrcsError | { hooks: number; warnings: readonly Diagnostic[] }> {
  let orcs: Orcs;
  try {
    // Warnings are reported below, with their places.
    orcs = await createOrcs({ config, logger: stderrLogger("error") });
  } catch (thrown) {
    if (thrown instanceof OrcsError) return thrown;
    throw thrown;
  }
  const { size } = orcs.registry;
  const { warnings } = orcs;
  await orcs.close();
  return { hooks: size, warnings };
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
