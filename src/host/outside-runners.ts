import type { HookEntry } from "../config/hook-entry.ts";
import type { HookRunner } from "../core/hook.ts";
import { importFunction } from "../handlers/module.ts";
import { ShellRunner } from "../handlers/shell.ts";
import { WebhookRunner } from "../handlers/webhook.ts";
import { HANDLER_PROTOCOLS } from "../protocols/handler-protocols.ts";
import { FunctionRunner } from "../registry/function-runner.ts";
import type { HookHandler } from "../registry/function-runner.ts";
import type { ProcessSet } from "../spawn/process-set.ts";

/** What handlers outside of Lua work with. */
export interface OutsidePorts {
  /** Where commands run whose payload names no directory. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly processes: ProcessSet;
  /** Aborts when the engine closes. */
  readonly signal: AbortSignal;
  /** Most that an answer may have, in bytes. */
  readonly maxAnswerBytes: number;
}

/**
 * The runner of a handler outside of Lua.
 * @throws OrcsError ORCS1004, ORCS1017 or ORCS1019 for what a webhook cannot be made of, ORCS1018 for a module
 */
export async function outsideRunner(
  { handler, baseDir }: HookEntry,
  ports: OutsidePorts,
): Promise<HookRunner> {
  switch (handler.kind) {
    case "shell": {
      const { maxAnswerBytes, cwd, environment, processes } = ports;
      const protocol = HANDLER_PROTOCOLS[handler.protocol];
      return new ShellRunner({
        ...handler,
        protocol,
        configDir: baseDir,
        cwd,
        environment,
        processes,
        maxOutputBytes: maxAnswerBytes,
      });
    }
    case "webhook": {
      const { maxAnswerBytes, environment, signal } = ports;
      const protocol = HANDLER_PROTOCOLS[handler.protocol];
      return new WebhookRunner({ ...handler, protocol, environment, signal, maxAnswerBytes });
    }
    case "module": {
      const found = await importFunction(handler.file, handler.exportName);
      return new FunctionRunner(found as HookHandler);
    }
    case "script":
    case "inline":
      throw new Error("unreachable: Lua has runners of its own");
  }
}
