import type { Command } from "commander";
import { HOST_NAMES, OrcsError } from "../core/index.ts";
import type { HostName, JsonObject, Outcome } from "../core/index.ts";
import { outcomeJson } from "../engine/index.ts";
import type { DispatchOptions, Orcs } from "../engine/index.ts";
import { HOSTS } from "../formats/index.ts";
import { eventAddress, eventPayload, readPayload } from "./event-arguments.ts";
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
      host: value("<name>", "read an event of this coding agent as it sends it, from stdin or -i", {
        choices: HOST_NAMES,
      }),
      config: CONFIG,
      json: flag(json),
      fail: flag("exit with 1 when the operation is denied"),
    },
    help: `Example:\n  orcs ${name} tool.pre_execute tool=exec command="git push --force"${example}`,
    run: async (options, point: string | undefined, words: string[]) => {
      noteMissingProject(options.config);
      const orcs = await openOrcs(options.config);
      try {
        const event =
          options.host === undefined
            ? writtenEvent(orcs, point, words, options)
            : await hostEvent(options.host, options);
        const { point: resolved, payload, address } = event;
        const outcome = await orcs.dispatch(resolved, payload, { ...address, ...how });
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

interface EventSource {
  readonly input?: string;
  readonly component?: string;
}

/** A dispatch that a verb makes. */
interface ToDispatch {
  readonly point: string;
  readonly payload: JsonObject;
  readonly address: DispatchOptions;
}

/** @throws OrcsError ORCS5001, ORCS1011 */
function writtenEvent(
  { points }: Orcs,
  point: string | undefined,
  words: readonly string[],
  { input, component }: EventSource,
): ToDispatch {
  if (point === undefined) throw new OrcsError("ORCS5001", "it needs a hook point, or --host");
  const name = points.resolve(point)?.name ?? point;
  return {
    point: name,
    payload: eventPayload(name, words, input),
    address: eventAddress(component),
  };
}

/** An event as an agent sends it. @throws OrcsError ORCS5001, ORCS7001 */
async function hostEvent(
  host: HostName,
  { input = "-", component }: EventSource,
): Promise<ToDispatch> {
  const protocol = await HOSTS[host].load();
  const { point, payload, component: own, child } = protocol.decode(readPayload(input));
  return { point, payload, address: { component: own, child, ...eventAddress(component) } };
}
