import { linkPackages, sealedCommand } from "../../../config/index.ts";
import type { HookEntry, TrustedFiles } from "../../../config/index.ts";
import { messageOf, variablesOf } from "../../../core/index.ts";
import type {
  Environment,
  HookRunner,
  Logger,
  ProtocolName,
  Redactor,
} from "../../../core/index.ts";
import { type ProcessSet, sessionMarks } from "../../../machine/index.ts";
import type { LivePool } from "../../handlers/index.ts";
import { type HandlerProtocol, refuse } from "../../../formats/index.ts";
import { FunctionRunner } from "../../registry/index.ts";
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
      const { ShellRunner } = await import("../../handlers/index.ts");
      const { leavesBackground } = await import("../../../matching/index.ts");
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
      const { WebhookRunner } = await import("../../handlers/index.ts");
      const redactor = handler.redact ? ports.redactor : undefined;
      const around = { environment, isPerCall, signal, maxAnswerBytes, redactor };
      return new WebhookRunner({ ...handler, ...around, protocol });
    }
    case "module": {
      if (projectTrust) linkPackages(projectTrust);
      const shown = projectTrust?.shown(handler.file);
      const { file, exportName } = handler;
      const found = await ports.modules.load(file, exportName, withinMs, shown);
      return new FunctionRunner(found, entry.options, (turn) => {
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
  return (await import("../../../formats/index.ts")).HANDLER_PROTOCOLS[name];
}
