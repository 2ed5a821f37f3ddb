import { onEndingSignals } from "./signals.ts";
import { HOST_NAMES, OrcsError, stackOf } from "../core/index.ts";
import { expectRecord, stderrLogger, type StderrLogger } from "../engine/index.ts";
import type { ConfigPlace } from "../config/index.ts";
import { OWN_MAIN, ownVersion, runPiped, userStateDir } from "../machine/index.ts";
import type { PipedProcess } from "../machine/index.ts";
import { Daemon, serviceAddress, UserService } from "../daemon/index.ts";
import {
  httpEndpointFile,
  newToken,
  planToken,
  readHttpEndpoint,
  settingsPath,
  TOKEN_VARIABLE,
  writeHttpEndpoint,
} from "../agents/index.ts";
import { bundlePolling, logShipping } from "./fleet-work.ts";
import { installAround } from "./install-options.ts";
import { CONFIG, EXIT, RECORD, neededConfig, portOf, recordFrom } from "./options.ts";
import { printIndented, printJson, tell } from "./output.ts";
import { settlePlans } from "./settings-plans.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";

const OPTIONS = {
  config: CONFIG,
  ...RECORD,
  port: value(
    "<number>",
    "listen for HTTP on this port of 127.0.0.1; 0 for any free port; default: serve.port",
  ),
  background: flag(
    "stop by itself after serve.idle_minutes without a request; if another service is running, exit without a message",
  ),
  user: flag("serve agents installed with --transport http; exits when no session is open", {
    conflicts: ["config", "port", "record", "rotateToken"],
  }),
  rotateToken: flag("with --user: create a new token, write it to the agents' settings, and exit", {
    conflicts: ["config", "port", "record", "background", "user"],
  }),
  seal: value("<digest>", "of the copy that stands for --config", { isHidden: true }),
  yes: flag("with --rotate-token: do not ask", { short: "y" }),
  ui: flag("also serve the page of orcs ui, and print its link", {
    conflicts: ["background", "user", "rotateToken"],
  }),
  schema: value(
    "[form]",
    "print the protocol of the service, and exit: as OpenAPI 3.1, or as JSON Schema of its lines",
    { choices: ["openapi", "json-schema"], preset: "openapi" },
  ),
  ahp: flag("be the harness of one A3S agent over stdin and stdout (Agent Harness Protocol 2.x)", {
    conflicts: ["port", "background", "user", "rotateToken", "ui", "json"],
  }),
  json: flag("print {socket, port, pid} as JSON once it is listening"),
};
type ServeOptions = OptionsOf<typeof OPTIONS>;

/** `orcs serve`: answer the events of coding agents, and dispatches, with a long-running engine. */
export const serveCommand = verbCommand("serve", {
  options: OPTIONS,
  help: "There is one service per configuration. Stop it with SIGTERM or Ctrl-C.",
  run: serve,
});

async function serve(options: ServeOptions): Promise<void> {
  if (options.schema !== undefined) {
    const { openApiDocument, wireJsonSchema } = await import("../daemon/index.ts");
    return printIndented(options.schema === "openapi" ? openApiDocument() : wireJsonSchema());
  }
  if (options.rotateToken === true) return rotateToken(options);
  if (options.user === true) return serveUser(options);
  if (options.ahp === true) return serveAhp(options);
  const place = neededConfig(options.config, options.seal);
  const isBackground = options.background === true;
  const address = serviceAddress(place);
  const logger = stderrLogger("info");
  const port = portOf(options.port);
  const record = recordFrom(options);
  // Engines are opened later: an unusable record file must be reported now.
  if (record !== undefined) expectRecord(record);
  const daemon = new Daemon({
    place,
    address,
    logger,
    isBackground,
    port,
    record,
    pollBundle: bundlePolling(place, logger),
    shipLog: logShipping(place, logger),
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
  const { socket } = address;
  const http = daemon.port === undefined ? "" : `, http://127.0.0.1:${daemon.port}`;
  const { found, config } = place;
  const whose = found === undefined ? `hooks of ${config}` : `hooks of ${found} (discovered)`;
  logger.info(`serving ${socket}${http}: ${whose}`);
  if (options.json === true) {
    printJson({ socket, port: daemon.port ?? null, pid: process.pid });
  }
  const page = options.ui === true ? servePage(place, options.json === true) : undefined;
  await daemon.ended;
  page?.stop(PAGE_STOP_MS);
  await page?.ended;
  // Work left by a user's hook must not keep the process running.
  process.exit(process.exitCode ?? EXIT.fine);
}

const PAGE_STOP_MS = 500;

/** `orcs ui` in a process of its own: neither a page nor a replay delays a decision. */
function servePage({ config }: ConfigPlace, isJson: boolean): PipedProcess {
  const named = typeof config === "string" ? ["--config", config] : [];
  const args = [OWN_MAIN, "ui", "--deny-only", ...named, ...(isJson ? ["--json"] : [])];
  const page = runPiped({ file: process.execPath, args });
  page.stdout.pipe(process.stdout, { end: false });
  return page;
}

/** The harness of the agent that has started this process. */
async function serveAhp(options: ServeOptions): Promise<void> {
  const record = recordFrom(options);
  if (record !== undefined) expectRecord(record);
  const { runAhp } = await import("../daemon/index.ts");
  const stopped = new Promise<void>((resolve) => {
    onEndingSignals(() => resolve(), "on");
  });
  await runAhp({
    config: options.config,
    record,
    version: ownVersion(),
    input: process.stdin,
    output: process.stdout,
    log: stderrLogger("info"),
    stopped,
  });
  process.exit(EXIT.fine);
}

/** The HTTP side of all sessions, which sends events to the services of their configurations. */
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
    `serving http://127.0.0.1:${port}: sessions of agents installed with --transport http`,
  );
  if (json) printJson({ port, pid: process.pid });
  await service.ended;
  process.exit(process.exitCode ?? EXIT.fine);
}

function endOnSignals(daemon: Pick<Daemon, "stop">): void {
  let asked = false;
  onEndingSignals((exitCode) => {
    // A second signal does not wait for pending requests.
    if (asked) process.exit(exitCode);
    asked = true;
    void daemon.stop().finally(() => process.exit(EXIT.fine));
  }, "on");
}

/**
 * An unhandled rejection is an error of some hook, and does not affect pending requests. After an uncaught exception
 * the state is unknown: pending requests are denied, and the service ends.
 */
function endOnFaults(daemon: Daemon, logger: StderrLogger): void {
  // The reader of the log may be gone.
  process.stderr.on("error", () => undefined);
  process.on("unhandledRejection", (thrown) => {
    logger.error(`unhandled promise rejection: ${stackOf(thrown)}`);
  });
  process.on("uncaughtException", (thrown) => {
    logger.error(`exits after an uncaught error: ${stackOf(thrown)}`);
    process.exitCode = EXIT.findings;
    void daemon.abort("the service exits after an internal error");
  });
}

/**
 * Create a new token for the user's HTTP side, and write it into the settings that contain the old one.
 * @throws OrcsError ORCS5002 when nothing was installed with HTTP, ORCS7004
 */
export async function rotateToken({
  yes = false,
  json = false,
}: Pick<ServeOptions, "yes" | "json">): Promise<void> {
  const file = httpEndpointFile(userStateDir());
  const before = readHttpEndpoint(file);
  if (before === undefined) {
    const why = `${file} contains no token: nothing was installed with --transport http`;
    throw new OrcsError("ORCS5002", why, { path: file });
  }
  const token = newToken();
  const around = installAround();
  const plans = HOST_NAMES.flatMap((host) => {
    const path = settingsPath(host, "user", around.place);
    return planToken({ host, scope: "user", path }, around, token) ?? [];
  });
  // The settings first: a token that nobody sends would deny every call.
  if (!(await settlePlans(plans, { records: around.records, yes, json }))) return;
  writeHttpEndpoint(file, { ...before, token });
  tell(
    `There is a new token (${file}). Running agents still send the old one: their HTTP requests are ` +
      "denied until you restart them.",
  );
  if (plans.length > 0) return;
  tell(`No settings file contains the token: set ${TOKEN_VARIABLE} to the new token.`);
}
