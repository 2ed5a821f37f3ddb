import type { HookEntry } from "../../../config/hook-entry.ts";
import type { TrustedFiles } from "../../../config/found-project.ts";
import { variablesOf } from "../../../core/environment.ts";
import { messageOf } from "../../../core/errors.ts";
import type { Environment } from "../../../core/environment.ts";
import type { HookRunner } from "../../../core/hook.ts";
import type { ProtocolName } from "../../../core/hosts.ts";
import type { Logger, Redactor } from "../../../core/ports.ts";
import { sessionMarks } from "../../../machine/files/session-marks.ts";
import type { LivePool } from "../../handlers/live/live-pool.ts";
import type { HandlerProtocol } from "../../../formats/handler-protocol.ts";
import { refuse } from "../../../formats/handler-report.ts";
import type { HookHandler } from "../../registry/function-runner.ts";
import { FunctionRunner } from "../../registry/function-runner.ts";
import type { ProcessSet } from "../../../machine/spawn/processes.ts";
import { linkPackages } from "../../../config/trust/module-files.ts";
import { sealedCommand } from "../../../config/trust/sealed-command.ts";
import type { ModuleLoader } from "./module-loader.ts";

/** What handlers outside Lua need. */
export interface OutsidePorts {
  /** Working directory of commands whose payload names none. */
  readonly cwd: string;
  /** Of calls that have none of their own. */
  readonly environment: Environment;
  /** Whether each call has its own. */
  readonly isPerCall: boolean;
  readonly processes: ProcessSet;
  /** Aborted when the engine closes. */
  readonly signal: AbortSignal;
  /** Masks what is sent out. */
  readonly redactor: Redactor;
  /** Maximum size of a response, in bytes. */
  readonly maxAnswerBytes: number;
  /** Handlers that live on between calls. */
  readonly live: LivePool;
  readonly modules: ModuleLoader;
  readonly logger: Logger;
}

const DEFAULT_LOAD_MS = 5000;

/**
 * The runner of a handler outside Lua. Each kind is imported on first use: HTTP alone takes as long to load as a small
 * configuration.
 * @throws OrcsError ORCS1004, ORCS1017 or ORCS1019 for an invalid webhook or live handler, ORCS1018 for a module
 * @param projectTrust trust decision of the project that the hook was discovered in
 * @param withinMs time limit for loading a module
 */
export async function outsideRunner(
  entry: HookEntry,
  ports: OutsidePorts,
  projectTrust?: TrustedFiles,
  withinMs = DEFAULT_LOAD_MS,
): Promise<HookRunner> {
  const { handler, baseDir } = entry;
  switch (handler.kind) {
    case "shell": {
      const { maxAnswerBytes, cwd, environment, processes } = ports;
      const protocol = await protocolOf(handler.protocol);
      const { ShellRunner } = await import("../../handlers/shell.ts");
      const { leavesBackground } = await import("../../../matching/shell/shell.ts");
      return new ShellRunner({
        ...handler,
        leavesProcesses: handler.backgroundS > 0 && leavesBackground(handler.command),
        protocol,
        configDir: baseDir,
        refusal: sealedCommand(entry),
        cwd,
        sessionMarks,
        environment,
        processes,
        maxOutputBytes: maxAnswerBytes,
      });
    }
    case "webhook": {
      const { maxAnswerBytes, environment, isPerCall, signal } = ports;
      const protocol = await protocolOf(handler.protocol);
      const { WebhookRunner } = await import("../../handlers/webhook.ts");
      const redactor = handler.redact ? ports.redactor : undefined;
      return new WebhookRunner({
        ...handler,
        protocol,
        environment,
        isPerCall,
        signal,
        maxAnswerBytes,
        redactor,
      });
    }
    case "module": {
      if (projectTrust) linkPackages(projectTrust);
      const shown = projectTrust?.shown(handler.file);
      const { file, exportName } = handler;
      const found = await ports.modules.load(file, exportName, withinMs, shown);
      return new FunctionRunner(found as HookHandler, entry.options, (turn) => {
        try {
          return { env: variablesOf(turn.environment ?? ports.environment, handler.env) };
        } catch (thrown) {
          return { report: refuse(turn.hook, messageOf(thrown)) };
        }
      });
    }
    case "live":
      return (await import("../live-runners.ts")).liveRunner(entry, handler, ports);
    case "script":
    case "inline":
      throw new Error("unreachable: Lua has runners of its own");
  }
}

async function protocolOf(name: ProtocolName): Promise<HandlerProtocol> {
  return (await import("../../../formats/handler-protocols.ts")).HANDLER_PROTOCOLS[name];
}
