import type { Command } from "commander";
import { HOST_NAMES, type JsonObject, OrcsError, type Outcome } from "../core/index.ts";
import { outcomeJson } from "../engine/index.ts";
import type { DispatchOptions, HookSteps, LineSteps, Orcs } from "../engine/index.ts";
import { HOSTS } from "../formats/index.ts";
import { eventAddress, eventPayload, readPayload } from "./event-arguments.ts";
import { noteMissingProject } from "./needed-config.ts";
import { openOrcs } from "./open-orcs.ts";
import { CONFIG, EXIT } from "./options.ts";
import { doingOf, redactedView } from "./outcome-text.ts";
import { printEither } from "./output.ts";
import { type Palette, paletteFor } from "./terminal.ts";
import { flag, type OptionsOf, value, verbCommand } from "./verb-command.ts";

interface EventVerb {
  /** What `--json` prints. */
  readonly json: string;
  /** The end of the example. */
  readonly example?: string;
  readonly how?: DispatchOptions;
  /** Makes what records the lines that run. */
  readonly lines?: () => LineSteps;
  readonly describe: (outcome: Outcome, shown: EventText) => string;
}

/** Options that name an event. */
export const EVENT_OPTIONS = {
  input: value("<file>", "read the payload as JSON from this file; - reads stdin", {
    short: "i",
  }),
  event: value(
    "<record:n>",
    "read event N of a record of orcs, as numbered by orcs replay --list",
    {
      conflicts: ["host", "input"],
    },
  ),
  component: value(
    "<fql>",
    "the component that makes the call, written namespace::name[/child][#instance]",
  ),
  host: value("<name>", "read an event of this coding agent as it sends it, from stdin or -i", {
    choices: HOST_NAMES,
  }),
  config: CONFIG,
};

/** How an outcome is shown. */
export interface EventText {
  readonly colors: Palette;
  readonly point: string;
  /** What the call does, in words. */
  readonly does: string | undefined;
  /** What lines did, by hook; redacted. */
  readonly steps: Readonly<Record<string, HookSteps>>;
}

/** `orcs eval` and `orcs eval --explain`: one event from the command line, and what its hooks did. */
export function eventVerb(
  name: "eval" | "eval --explain" | "eval --steps",
  { json, example = "", how = {}, lines: recorder, describe }: EventVerb,
): () => Command {
  return verbCommand(name, {
    options: {
      ...EVENT_OPTIONS,
      json: flag(json),
      fail: flag("exit with 1 when the operation is denied"),
    },
    help: `Example:\n  orcs ${name} tool.pre_execute tool=exec command="git push --force"${example}`,
    run: async (options, point: string | undefined, words: string[]) => {
      noteMissingProject(options.config);
      const lines = recorder?.();
      const orcs = await openOrcs(options.config, { lines });
      try {
        const { point: resolved, payload, address } = await eventOf(orcs, options, point, words);
        const outcome = await orcs.dispatch(resolved, payload, { ...address, ...how });
        const shown = redactedView(orcs, outcome);
        const does = doingOf(orcs, payload);
        const colors = paletteFor(process.stdout);
        const steps = redactedView(orcs, Object.fromEntries(lines?.hooks ?? []));
        const document = { ...outcomeJson(shown), ...does?.json, ...(lines && { steps }) };
        printEither(options.json, document, () =>
          describe(shown, { colors, point: resolved, does: does?.text, steps }),
        );
        if (options.fail === true && outcome.action === "abort") process.exitCode = EXIT.findings;
      } finally {
        await orcs.close();
      }
    },
  });
}

/** A dispatch that a verb makes. */
interface ToDispatch {
  readonly point: string;
  readonly payload: JsonObject;
  readonly address: DispatchOptions;
}

/**
 * The event that a command line names: one of a record, one as an agent sends it, or one that is written there.
 * @throws OrcsError ORCS1011, ORCS5001, ORCS7001, ORCS8007
 */
export async function eventOf(
  { points }: Orcs,
  { event, host, input, component }: OptionsOf<typeof EVENT_OPTIONS>,
  point: string | undefined,
  words: readonly string[],
): Promise<ToDispatch> {
  if (event !== undefined) return recordedEvent(event);
  if (host !== undefined) {
    const protocol = await HOSTS[host].load();
    // Behind --host, a word is the file.
    const sent = protocol.decode(readPayload(input ?? point ?? "-"));
    const { component: own, child } = sent;
    return { ...sent, address: { component: own, child, ...eventAddress(component) } };
  }
  if (point === undefined) {
    throw new OrcsError("ORCS5001", "it needs a hook point, or --host or --event");
  }
  const name = points.resolve(point)?.name ?? point;
  const written = eventPayload(name, words, input);
  // As an agent that works here: guards judge relative paths, and read the scripts that a line runs.
  const isHere = name.startsWith("tool.") && !("cwd" in written) && !("sandbox_root" in written);
  const payload = isHere ? { ...written, cwd: process.cwd() } : written;
  return { point: name, payload, address: eventAddress(component) };
}

/** @param place `RECORD:N` @throws OrcsError ORCS5001, ORCS8007 */
async function recordedEvent(place: string): Promise<ToDispatch> {
  const [, file = "", wanted] = /^(.+):([1-9]\d*)$/s.exec(place) ?? [];
  if (wanted === undefined) throw new OrcsError("ORCS5001", `${place} is not RECORD:N`, { place });
  const { recordedEvents } = await import("../workbench/index.ts");
  for (const { number, event } of recordedEvents(file)) {
    if (number !== Number(wanted)) continue;
    const { point, payload, component, child, instance, channel, principal, metadata } = event;
    return {
      point,
      payload,
      address: { component, child, instance, channel, principal, metadata },
    };
  }
  throw new OrcsError("ORCS5001", `${file} has no event ${wanted}: see orcs replay --list ${file}`);
}
