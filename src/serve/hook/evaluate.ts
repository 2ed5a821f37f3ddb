import { statSync, utimesSync } from "node:fs";
import { messageOf } from "../../core/errors.ts";
import type { HostName } from "../../core/hosts.ts";
import type { ConfigPlace } from "../../host/config-directory.ts";
import { stderrLogger } from "../../host/stderr-logger.ts";
import type { HostAnswer } from "../../protocols/host.ts";
import type { ServiceAddress } from "../address.ts";
import { Gateway } from "../gateway.ts";
import { startService } from "../start-service.ts";
import { defaultStateDir } from "../state-file.ts";
import { print } from "./print.ts";

/** One event to answer without a service. */
interface Evaluation {
  readonly host: HostName;
  readonly event: string;
  readonly place: ConfigPlace;
  /** Of a service that may be started. */
  readonly address: ServiceAddress | undefined;
  readonly withinMs: number;
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
  const logger = stderrLogger("warn", (line) => print(2, line));
  // What a module of the user's prints is no part of the answer.
  Object.defineProperty(process, "stdout", { get: () => process.stderr });
  process.on("unhandledRejection", (thrown) => {
    logger.error(`a promise was rejected and nobody looked: ${messageOf(thrown)}`);
  });
  const gateway = new Gateway(
    { cwd: place.directory, config: place.config, stateDir: defaultStateDir(place) },
    logger,
  );
  const answer = await gateway.answer(asked.host, asked.event, asked.withinMs);
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
