import { statSync, utimesSync } from "node:fs";
import { messageOf } from "../../core/errors.ts";
import type { HostName } from "../../core/hosts.ts";
import type { Logger } from "../../core/ports.ts";
import type { ConfigPlace } from "../../host/config-directory.ts";
import type { CreateOrcsOptions } from "../../host/options.ts";
import { expectRecord } from "../../host/audit/recording.ts";
import { stderrLogger } from "../../host/stderr-logger.ts";
import type { HostAnswer } from "../../protocols/host.ts";
import { HOST_PROTOCOLS } from "../../protocols/host-protocols.ts";
import type { ServiceAddress } from "../address.ts";
import { Gateway } from "../gateway.ts";
import { selfGuarded } from "../self-guard.ts";
import { startService } from "../start-service.ts";
import { defaultAuditDir, defaultStateDir } from "../state-file.ts";
import { print } from "./print.ts";

/** One event to answer without a service. */
interface Evaluation {
  readonly host: HostName;
  readonly event: string;
  /** The host's name of it, where it can be read. */
  readonly name: string | undefined;
  readonly place: ConfigPlace;
  /** Of a service that may be started. */
  readonly address: ServiceAddress | undefined;
  readonly withinMs: number;
  /** Where to record it; the file as it was written. */
  readonly record: CreateOrcsOptions["record"];
}

/** An answer, and what is left to do once it was given. */
export interface Evaluated {
  readonly answer: HostAnswer;
  finish?(): Promise<void>;
}

/** While one that was started comes up, no other is: so many milliseconds. */
const STARTING_MS = 3000;

/** Answer an event in this process, and start a service for the next one. */
export async function evaluate(asked: Evaluation): Promise<Evaluated> {
  const { place, address } = asked;
  let held: string[] | undefined = (await isAnsweredByLogs(asked)) ? [] : undefined;
  const logger = stderrLogger("warn", (line) => (held ? void held.push(line) : print(2, line)));
  // What a module of the user's prints is no part of the answer.
  Object.defineProperty(process, "stdout", { get: () => process.stderr });
  process.on("unhandledRejection", (thrown) => {
    logger.error(`a promise was rejected and nobody looked: ${messageOf(thrown)}`);
  });
  const gateway = new Gateway(
    {
      cwd: place.directory,
      config: place.config,
      stateDir: defaultStateDir(place),
      auditDir: defaultAuditDir(place),
      record: recordable(asked.record, logger),
      ...selfGuarded(place),
    },
    logger,
  );
  const answer = await gateway.answer(asked.host, asked.event, asked.withinMs);
  if (answer.output !== undefined && held) {
    for (const line of held) print(2, line);
    held = undefined;
  }
  return {
    answer,
    async finish() {
      // Not for a configuration with mistakes: this process tells them, and the next one looks again.
      const auto = await gateway.engine().then(
        ({ settings }) => settings.serve.auto,
        () => false,
      );
      if (auto && address && !isStarting(address)) startService(place, address);
      await gateway.close();
    },
  };
}

/** Whether the host takes what is on stderr for the answer where nothing is on stdout. */
async function isAnsweredByLogs({ host, name = "" }: Evaluation): Promise<boolean> {
  return (await HOST_PROTOCOLS[host]()).noticeAt(name) === "none";
}

/** The record where it can be written; else that is told, and the answer is given all the same. */
function recordable(
  record: CreateOrcsOptions["record"],
  logger: Logger,
): CreateOrcsOptions["record"] {
  if (record === undefined) return undefined;
  try {
    return expectRecord(record);
  } catch (thrown) {
    logger.warn(`it is not recorded: ${messageOf(thrown)}`);
    return undefined;
  }
}

/** Hosts run several hooks at once, and none of them has a service when there is none. */
function isStarting({ log }: ServiceAddress): boolean {
  try {
    if (Date.now() - statSync(log).mtimeMs < STARTING_MS) return true;
    const now = new Date();
    utimesSync(log, now, now);
  } catch {
    // There is no log yet: it is made when one is started.
  }
  return false;
}
