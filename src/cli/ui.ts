import { Command } from "commander";
import { OrcsError } from "../core/errors.ts";
import { createOrcs } from "../engine/create-orcs.ts";
import { stderrLogger } from "../engine/loggers.ts";
import { defaultAuditDir } from "../serve/default-dirs.ts";
import { serviceAddress } from "../serve/address.ts";
import { startService } from "../serve/service-process.ts";
import { configPlace } from "../trust/config-place.ts";
import { History } from "../inspect/history.ts";
import { Inspector } from "../inspect/inspector.ts";
import { pageFiles } from "../inspect/page-files.ts";
import { placeRoutes } from "../inspect/routes.ts";
import { ScriptSource } from "../inspect/script-source.ts";
import { ServiceSource } from "../inspect/service-source.ts";
import { askTerminal } from "./ask-terminal.ts";
import { logDirectory } from "./audit.ts";
import { configOption, EXIT, portOf } from "./options.ts";
import { printable } from "./table.ts";
import { verbCommand } from "./verb-texts.ts";

interface UiOptions {
  readonly config?: string;
  readonly port?: string;
  readonly json?: boolean;
}

/** `orcs ui`: a page that shows what the hooks do. */
export function uiCommand(): Command {
  return verbCommand("ui")
    .argument(
      "[script.lua]",
      "run this script as orcs run does, once the page is open, and watch it instead",
    )
    .addOption(configOption())
    .option("--port <number>", "serve the page on this port of 127.0.0.1; default: any free port")
    .option("--json", "print {url, port, pid} as JSON once the page is served")
    .addHelpText(
      "after",
      "\nThe link opens the page once, in one browser. Press Enter for another link. Ctrl-C ends it.\n\n" +
        "Examples:\n  orcs ui\n  orcs ui agent.lua --config orcs.toml",
    )
    .action((script: string | undefined, options: UiOptions) =>
      script === undefined ? watchService(options) : watchScript(script, options),
    );
}

async function watchService(options: UiOptions): Promise<void> {
  const place = configPlace(process.cwd(), options.config);
  if (place.config === false) {
    const why = `there is no orcs.toml in ${place.directory} or above, and none of your own`;
    throw new OrcsError("ORCS1001", `${why}: create one with orcs init, or pass one to --config`);
  }
  const history = new History();
  const { config, directory } = place;
  const inspected = { config, directory };
  const address = serviceAddress(place);
  const source = new ServiceSource({
    service: address.wellKnown,
    watches: place.directory,
    history,
    start: () => startService(place, address),
    changed: () => inspector.changed(),
  });
  const inspector = new Inspector({
    directory: place.directory,
    history,
    files: pageFiles(),
    source: () => source.state,
    watched: (isWatched) => source.want(isWatched),
    routes: placeRoutes(history, inspected, () => logDirectory(options)),
  });
  await serve(inspector, options, place.directory);
  source.close();
}

/** Run a script in this process when somebody looks. */
async function watchScript(script: string, options: UiOptions): Promise<void> {
  const place = configPlace(process.cwd(), options.config);
  const files = pageFiles();
  const auditDir = defaultAuditDir(place);
  const orcs = await createOrcs({
    config: options.config,
    untrusted: "ignore",
    auditDir,
    logger: stderrLogger("info"),
    askTerminal: askTerminal(process.stdin, process.stderr),
    output: (text) => process.stderr.write(`${printable(text)}\n`),
  });
  const history = new History();
  const source = new ScriptSource({ script, orcs, history, changed: () => inspector.changed() });
  const inspected = {
    config: typeof place.config === "string" ? place.config : undefined,
    directory: process.cwd(),
  };
  const inspector = new Inspector({
    directory: process.cwd(),
    history,
    files,
    source: () => source.state,
    watched: (isWatched) => void (isWatched && source.run()),
    routes: placeRoutes(history, inspected, () => logDirectory(options)),
  });
  try {
    await serve(inspector, { ...options, isAsking: true }, script);
  } finally {
    await orcs.close();
  }
}

/** Serve the page until a signal. */
async function serve(
  inspector: Inspector,
  options: UiOptions & { readonly isAsking?: boolean },
  watches: string,
): Promise<void> {
  const ended = untilSignal();
  await inspector.listen(portOf(options.port) ?? 0);
  const { port } = inspector;
  if (options.json === true) {
    const told = { url: inspector.newLink(), port, pid: process.pid };
    process.stdout.write(`${JSON.stringify(told)}\n`);
  } else {
    process.stdout.write(`watching ${watches}\n\n  ${inspector.newLink()}\n\n`);
    // Hooks of a script may ask there.
    if (options.isAsking !== true) linksOnEnter(inspector);
  }
  await ended;
  process.stdin.pause();
  await inspector.close();
  process.exitCode = EXIT.fine;
}

/** A link can be opened once: who wants to look again, or from another browser, gets another one. */
function linksOnEnter(inspector: Inspector): void {
  if (!process.stdin.isTTY) return;
  process.stdout.write("It opens once. Enter: another link. Ctrl-C: end.\n");
  process.stdin.on("data", () => process.stdout.write(`  ${inspector.newLink()}\n`));
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => resolve());
    }
  });
}
