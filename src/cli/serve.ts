import { Command, Option } from "commander";
import { OrcsError } from "../core/errors.ts";
import { HOST_NAMES } from "../core/hosts.ts";
import { expectRecord } from "../engine/audit/records.ts";
import type { ConfigPlace } from "../trust/config-place.ts";
import { configPlace } from "../trust/config-place.ts";
import type { StderrLogger } from "../engine/redaction.ts";
import { stderrLogger } from "../engine/redaction.ts";
import { userStateDir } from "../files/user-folders.ts";
import type { ServiceAddress } from "../serve/address.ts";
import { serviceAddress } from "../serve/address.ts";
import {
  newToken,
  readHttpEndpoint,
  httpEndpointFile,
  writeHttpEndpoint,
} from "../serve/http-endpoint.ts";
import { planToken } from "../serve/install/plan.ts";
import { settingsPath, TOKEN_VARIABLE } from "../serve/install/settings-places.ts";
import { Daemon } from "../serve/service/daemon.ts";
import { UserService } from "../serve/sessions/user-service.ts";
import { installAround } from "./install-options.ts";
import type { RecordFlags } from "./options.ts";
import { configOption, EXIT, recordFrom, recordOption, recordWholeOption } from "./options.ts";
import { selfCommand } from "./self-command.ts";
import { settlePlans } from "./settings-plans.ts";
import { verbCommand } from "./verb-texts.ts";

interface ServeOptions extends RecordFlags {
  config?: string;
  port?: string;
  background?: boolean;
  user?: boolean;
  rotateToken?: boolean;
  yes?: boolean;
  seal?: string;
  json?: boolean;
}

/** `orcs serve`: answer the events of hosts, and dispatches, with one engine that stays. */
export function serveCommand(): Command {
  return verbCommand("serve")
    .addOption(configOption())
    .addOption(recordOption())
    .addOption(recordWholeOption())
    .option(
      "--port <number>",
      "speak HTTP on this port of 127.0.0.1, 0 for any; default serve.port",
    )
    .option("--background", "end after serve.idle_minutes; say nothing where another serves")
    .addOption(
      new Option(
        "--user",
        "answer over HTTP what orcs install --transport http has agents ask; ends when no session is open",
      ).conflicts(["config", "port", "record", "rotateToken"]),
    )
    .addOption(
      new Option(
        "--rotate-token",
        "make another token for that, write it into the settings that hold it, and end",
      ).conflicts(["config", "port", "record", "background", "user"]),
    )
    .addOption(new Option("--seal <digest>", "of the copy that stands for --config").hideHelp())
    .option("-y, --yes", "with --rotate-token: ask nothing")
    .option("--json", "print {socket, port, pid} when it serves")
    .addHelpText("after", "\nOne serves each configuration. SIGTERM or Ctrl-C ends it.")
    .action(serve);
}

async function serve(options: ServeOptions): Promise<void> {
  if (options.rotateToken === true) return rotateToken(options);
  if (options.user === true) return serveUser(options);
  const place = configPlace(process.cwd(), options.config, options.seal);
  if (place.config === false) {
    const why = `there is no orcs.toml from ${place.directory} upwards, and none of your own`;
    throw new OrcsError("ORCS1001", `${why}: write one with orcs init, or name one with --config`);
  }
  const isBackground = options.background === true;
  const address = serviceAddress(place);
  const logger = stderrLogger("info");
  const port = portOf(options.port);
  const record = recordFrom(options);
  // Its engines are opened while it serves: what cannot be recorded must not be found out then.
  if (record !== undefined) expectRecord(record);
  const daemon = new Daemon({
    place,
    address,
    logger,
    isBackground,
    port,
    record,
    opened: ({ settings }) => (logger.least = settings.debug ? "debug" : "info"),
  });
  endOnSignals(daemon);
  endOnFaults(daemon, logger);
  try {
    await daemon.start();
  } catch (thrown) {
    if (isBackground && thrown instanceof OrcsError && thrown.code === "ORCS7003") return;
    throw thrown;
  }
  announce(place, address, daemon, logger);
  if (options.json === true) {
    const { socket } = address;
    const said = { socket, port: daemon.port ?? null, pid: process.pid };
    process.stdout.write(`${JSON.stringify(said)}\n`);
  }
  await daemon.ended;
  // What a hook of the user's has left running must not keep it.
  process.exit(process.exitCode ?? EXIT.fine);
}

/** The HTTP side of all sessions, which asks the services of their configurations. */
async function serveUser({ background = false, json = false }: ServeOptions): Promise<void> {
  const logger = stderrLogger("info");
  const stateDir = userStateDir();
  const service = new UserService({ stateDir, logger, isBackground: background });
  endOnSignals(service);
  process.stderr.on("error", () => undefined);
  try {
    await service.start();
  } catch (thrown) {
    if (background && thrown instanceof OrcsError && thrown.code === "ORCS7003") return;
    throw thrown;
  }
  const { port } = service;
  logger.info(
    `serving http://127.0.0.1:${port}: the sessions of agents that were installed with HTTP`,
  );
  if (json) process.stdout.write(`${JSON.stringify({ port, pid: process.pid })}\n`);
  await service.ended;
  process.exit(process.exitCode ?? EXIT.fine);
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new OrcsError("ORCS5001", `--port ${text} is no number from 0 to 65535`);
}

function announce(
  { found, config }: ConfigPlace,
  { socket }: ServiceAddress,
  { port }: Daemon,
  logger: StderrLogger,
): void {
  const http = port === undefined ? "" : `, http://127.0.0.1:${port}`;
  const whose = found === undefined ? `hooks of ${config}` : `hooks of ${found}, which was found`;
  logger.info(`serving ${socket}${http}: ${whose}`);
}

function endOnSignals(daemon: Pick<Daemon, "stop">): void {
  let asked = false;
  for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
    process.on(signal, () => {
      // Who asks twice does not wait for what is answered.
      if (asked) process.exit(128 + number);
      asked = true;
      void daemon.stop().finally(() => process.exit(EXIT.fine));
    });
  }
}

/**
 * A promise that nobody awaits is some hook's mistake, and takes nothing from the requests that are served. After
 * an exception that nobody caught nothing is certain: what waits is refused, and it ends.
 */
function endOnFaults(daemon: Daemon, logger: StderrLogger): void {
  // Whoever reads the log may go.
  process.stderr.on("error", () => undefined);
  process.on("unhandledRejection", (thrown) => {
    logger.error(`a promise was rejected and nobody looked: ${told(thrown)}`);
  });
  process.on("uncaughtException", (thrown) => {
    logger.error(`ends, for nobody caught: ${told(thrown)}`);
    process.exitCode = EXIT.findings;
    void daemon.abort("the service ends after a fault of its own");
  });
}

function told(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

interface RotateOptions {
  /** Ask nothing. */
  readonly yes?: boolean;
  readonly json?: boolean;
}

/**
 * Make another token for the HTTP side of this user, and write it into the settings that hold the one before.
 * @throws OrcsError ORCS5002 where nothing was installed with HTTP, ORCS7004
 */
export async function rotateToken({ yes = false, json = false }: RotateOptions): Promise<void> {
  const file = httpEndpointFile(userStateDir());
  const before = readHttpEndpoint(file);
  if (before === undefined) {
    const why = `${file} holds no token: nothing was installed with --transport http`;
    throw new OrcsError("ORCS5002", why, { path: file });
  }
  const token = newToken();
  const around = installAround([selfCommand().script]);
  const plans = HOST_NAMES.flatMap((host) => {
    const path = settingsPath(host, "user", around.place);
    return planToken({ host, scope: "user", path }, around, token) ?? [];
  });
  // First the settings: a token that nobody sends would deny every call.
  if (!(await settlePlans(plans, { records: around.records, yes, json }))) return;
  writeHttpEndpoint(file, { ...before, token });
  process.stderr.write(
    `The token is another one now (${file}). Agents that are running still send the one before: what they ask over ` +
      "HTTP is denied until they are started again.\n",
  );
  if (plans.length > 0) return;
  process.stderr.write(`No settings hold it: have ${TOKEN_VARIABLE} set to the new one.\n`);
}
