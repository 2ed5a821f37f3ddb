import { configPlace } from "../config/index.ts";
import { type EngineEvents, type Runtime, stderrLogger } from "../engine/index.ts";
import { defaultAuditDir, Telemetry } from "../daemon/index.ts";
import { askTerminal } from "./ask-terminal.ts";
import { openOrcs } from "./open-orcs.ts";
import { CONFIG, RECORD, recordFrom } from "./options.ts";
import { redactedView } from "./outcome-text.ts";
import { print, printJson } from "./output.ts";
import { callTable, dispatchLine, LiveLines } from "./run-progress.ts";
import { paletteFor } from "./terminal.ts";
import { flag, verbCommand } from "./verb-command.ts";

/** How long a collector is waited for when the program has ended. */
const TELEMETRY_MS = 2000;

/** `orcs run`: run a Lua component or script in the runtime, and show what the hooks did. */
export const runCommand = verbCommand("run", {
  options: {
    config: CONFIG,
    ...RECORD,
    json: flag("print one line of JSON per dispatch instead of a table of tool calls"),
    watch: flag("reload the hooks when the configuration or a script is saved"),
  },
  help: "When a hook asks for approval, the question appears in the terminal. Without a terminal, the call is denied.",
  run: async (options, script: string) => {
    let runtime: Runtime | undefined;
    const live = new LiveLines(process.stderr);
    const ask = askTerminal(process.stdin, process.stderr);
    const orcs = await openOrcs(options.config, {
      askTerminal: ask && ((request) => live.pausedDuring(async () => ask(request))),
      watch: options.watch,
      record: recordFrom(options),
      auditDir: defaultAuditDir(configPlace(process.cwd(), options.config)),
      // It does not wait for the current request; the program still shuts down and saves its snapshot.
      interrupted: () => {
        for (const { component } of runtime?.channels ?? []) void runtime?.kill(component);
      },
    });
    const calls: EngineEvents["called"][] = [];
    if (options.json === true) {
      orcs.events.on("dispatched", (dispatch) => {
        printJson(redactedView(orcs, dispatchLine(dispatch)));
      });
    } else {
      orcs.events.on("called", (call) => calls.push(call));
      live.follow(orcs.events);
    }
    const telemetry = new Telemetry(stderrLogger("warn"));
    await telemetry.attach(orcs);
    try {
      runtime = orcs.runtime();
      await runtime.run(script);
    } finally {
      await orcs.close();
      await telemetry.shutdown(TELEMETRY_MS);
      live.stop();
      const shown = calls.map((call) => redactedView(orcs, call));
      if (calls.length > 0) print(`\n${callTable(shown, paletteFor(process.stdout))}`);
    }
  },
});
