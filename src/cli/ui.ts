import { onEndingSignals } from "./signals.ts";
import { OrcsError } from "../core/index.ts";
import { isFile } from "../machine/index.ts";
import { createOrcs, stderrLogger } from "../engine/index.ts";
import { PendingQuestions } from "../agents/index.ts";
import {
  defaultAuditDir,
  defaultStateDir,
  type RefusedLine,
  RefusedLines,
  serviceAddress,
  startService,
} from "../daemon/index.ts";
import { type ConfigPlace, configPlace } from "../config/index.ts";
import {
  History,
  Inspector,
  pageFiles,
  pastDispatches,
  placeRoutes,
  type QuestionDeps,
  Questions,
  ScriptSource,
  ServiceSource,
} from "../workbench/index.ts";
import { allowLine, stateDirs } from "./allow.ts";
import { codeText } from "./ask-terminal.ts";
import { logDirectory } from "./audit.ts";
import { CONFIG, EXIT, neededConfig, portOf } from "./options.ts";
import { printJson } from "./output.ts";
import { printable } from "./table.ts";
import { recordUndo } from "./undo.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";

const OPTIONS = {
  config: CONFIG,
  port: value("<number>", "serve the page on this port of 127.0.0.1; default: any free port"),
  json: flag("print {url, port, pid} as JSON once the page is served; implies --deny-only"),
  denyOnly: flag("questions can be denied on the page, but not approved"),
};
type UiOptions = OptionsOf<typeof OPTIONS>;

/** `orcs ui`: a page that shows what the hooks do. */
export const uiCommand = verbCommand("ui", {
  options: OPTIONS,
  help:
    "The link opens the page once, in one browser. Press Enter for another link. Ctrl-C ends it.\n\n" +
    "Examples:\n  orcs ui\n  orcs ui agent.lua --config orcs.toml",
  run: (options, script: string | undefined) =>
    script === undefined ? watchService(options) : watchScript(script, options),
});

async function watchService(options: UiOptions): Promise<void> {
  const place = neededConfig(options.config);
  const history: History = new History({}, (id) => source.dispatch(id));
  const { config, directory } = place;
  const inspected = { config, directory, isService: true };
  const auditDir = await logDirectory(options);
  const address = serviceAddress(place);
  const lines = await refusedLines(place, options);
  const questions = new Questions({
    lines,
    pending: new PendingQuestions(),
    ...shownCodes(options),
  });
  const source = new ServiceSource({
    service: address.wellKnown,
    watches: place.directory,
    history,
    start: () => startService(place, address),
    changed: () => inspector.changed(),
    // What happened before is in the audit log only.
    begins: (since) => history.add(pastDispatches(auditDir, since)),
  });
  const inspector = new Inspector({
    directory: place.directory,
    history,
    files: pageFiles(),
    source: () => source.state,
    watched: (isWatched) => source.want(isWatched),
    routes: placeRoutes({
      history,
      place: inspected,
      auditDir: async () => auditDir,
      questions,
      recordUndo: (store, point) => recordUndo(store, point, "ui"),
    }),
  });
  await serve(inspector, options, place.directory);
  source.close();
  lines.close();
}

/** Run a script in this process when somebody looks. */
async function watchScript(script: string, options: UiOptions): Promise<void> {
  if (!isFile(script)) {
    throw new OrcsError("ORCS1009", `the script cannot be read: ${script} is no file`);
  }
  const place = configPlace(process.cwd(), options.config);
  const files = pageFiles();
  const questions = new Questions({
    ...shownCodes(options),
    mask: (value) => orcs.redact(value),
    maskArgs: (tool, args) => orcs.shownArgs({ tool_name: tool, args }),
    changed: () => inspector.changed(),
  });
  const orcs = await createOrcs({
    config: options.config,
    untrusted: "ignore",
    auditDir: defaultAuditDir(place),
    logger: stderrLogger("info"),
    askTerminal: questions.ask,
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
    source: () => ({ ...source.state, questions: questions.waiting }),
    watched: (isWatched) => void (isWatched && source.run()),
    routes: placeRoutes({
      history,
      place: inspected,
      auditDir: () => logDirectory(options),
      questions,
      recordUndo: (store, point) => recordUndo(store, point, "ui"),
    }),
  });
  try {
    await serve(inspector, options, script);
  } finally {
    await orcs.close();
  }
}

/** Codes are shown on a terminal only: what a program can read instead of a person approves nothing. */
function shownCodes({ json, denyOnly }: UiOptions): Pick<QuestionDeps, "show"> {
  if (json === true || denyOnly === true || !process.stdin.isTTY || !process.stderr.isTTY)
    return {};
  return { show: (question, code) => process.stderr.write(codeText(question, code)) };
}

/** What guards of a configuration have refused, as `orcs rules allow` has it. */
async function refusedLines(place: ConfigPlace, { config }: UiOptions) {
  const dirs = await stateDirs(config, [defaultStateDir(place)]);
  const lines = new RefusedLines(dirs, stderrLogger("warn"));
  return {
    all: () => lines.all(),
    forget: (line: RefusedLine) => lines.forget(line),
    allow: (line: RefusedLine) => allowLine(line, "ui"),
    close: () => lines.close(),
  };
}

/** Serve the page until a signal. */
async function serve(inspector: Inspector, options: UiOptions, watches: string): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    onEndingSignals(() => resolve());
  });
  await inspector.listen(portOf(options.port) ?? 0);
  const { port } = inspector;
  if (options.json === true) {
    printJson({ url: inspector.newLink(), port, pid: process.pid });
  } else {
    process.stdout.write(`watching ${watches}\n\n  ${inspector.newLink()}\n\n`);
    // A link can be opened once: who wants to look again, or from another browser, gets another one.
    if (process.stdin.isTTY) {
      process.stdout.write("It opens once. Enter: another link. Ctrl-C: end.\n");
      process.stdin.on("data", () => process.stdout.write(`  ${inspector.newLink()}\n`));
    }
  }
  await ended;
  process.stdin.pause();
  await inspector.close();
  process.exitCode = EXIT.fine;
}
