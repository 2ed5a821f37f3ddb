import type { Command } from "commander";
import type { Outcome } from "../core/index.ts";
import { outcomeJson } from "../engine/index.ts";
import type { DispatchOptions } from "../engine/index.ts";
import { eventAddress, eventPayload } from "./event-arguments.ts";
import { noteMissingProject } from "./needed-config.ts";
import { openOrcs } from "./open-orcs.ts";
import { CONFIG, EXIT } from "./options.ts";
import { doingOf, redactedView } from "./outcome-text.ts";
import { printEither } from "./output.ts";
import { paletteFor } from "./terminal.ts";
import type { Palette } from "./terminal.ts";
import { flag, value, verbCommand } from "./verb-command.ts";

interface EventVerb {
  /** What `--json` prints. */
  readonly json: string;
  /** The end of the example. */
  readonly example?: string;
  readonly how?: DispatchOptions;
  readonly describe: (outcome: Outcome, shown: EventText) => string;
}

/** How an outcome is shown. */
export interface EventText {
  readonly colors: Palette;
  readonly point: string;
  /** What the call does, in words. */
  readonly does: string | undefined;
}

/** `orcs eval` and `orcs eval --explain`: one event from the command line, and what its hooks did. */
export function eventVerb(
  name: "eval" | "eval --explain",
  { json, example = "", how = {}, describe }: EventVerb,
): Command {
  return verbCommand(name, {
    options: {
      input: value("<file>", "read the payload as JSON from this file; - reads stdin", {
        short: "i",
      }),
      component: value(
        "<fql>",
        "the component that makes the call, written namespace::name[/child][#instance]",
      ),
      config: CONFIG,
      json: flag(json),
      fail: flag("exit with 1 when the operation is denied"),
    },
    help: `Example:\n  orcs ${name} tool.pre_execute tool=exec command="git push --force"${example}`,
    run: async (options, point: string, words: string[]) => {
      noteMissingProject(options.config);
      const orcs = await openOrcs(options.config);
      try {
        const resolved = orcs.points.resolve(point)?.name ?? point;
        const payload = eventPayload(resolved, words, options.input);
        const address = eventAddress(options.component);
        const outcome = await orcs.dispatch(point, payload, { ...address, ...how });
        const shown = redactedView(orcs, outcome);
        const does = doingOf(orcs, payload);
        const colors = paletteFor(process.stdout);
        const document = { ...outcomeJson(shown), ...does?.json };
        printEither(options.json, document, () =>
          describe(shown, { colors, point: resolved, does: does?.text }),
        );
        if (options.fail === true && outcome.action === "abort") process.exitCode = EXIT.findings;
      } finally {
        await orcs.close();
      }
    },
  });
}
