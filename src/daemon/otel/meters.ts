import type { Counter, Histogram, Meter } from "@opentelemetry/api";
import type { EngineEvents, HookStep } from "../../engine/index.ts";
import { type AttributeName, type AttributeValues, present } from "./attributes.ts";

interface MeterRow {
  readonly kind: "counter" | "histogram";
  readonly unit: string;
  readonly text: string;
  readonly attributes: readonly AttributeName[];
}

/** The metrics of an engine. Durations are in seconds, as the conventions of OpenTelemetry ask. */
export const METERS = {
  "orcs.dispatch.duration": {
    kind: "histogram",
    unit: "s",
    text: "How long dispatches took, until the last hook had returned.",
    attributes: ["orcs.point", "orcs.action", "orcs.decision"],
  },
  "orcs.hook.duration": {
    kind: "histogram",
    unit: "s",
    text: "How long a hook took. Its count is that of the runs, by what they returned; a failed run returned nothing.",
    attributes: ["orcs.hook.id", "orcs.point", "orcs.action", "orcs.decision"],
  },
  "orcs.hook.failures": {
    kind: "counter",
    unit: "{failure}",
    text: "Failed runs of a hook: errors, time limits (`timeout`), scripts that were killed (`killed`, `memory`).",
    attributes: ["orcs.hook.id", "orcs.point", "error.type"],
  },
  "orcs.hook.dropped": {
    kind: "counter",
    unit: "{run}",
    text: "Runs of asynchronous hooks that did not take place.",
    attributes: ["orcs.hook.id", "orcs.point"],
  },
} as const satisfies Record<string, MeterRow>;

type MeterName = keyof typeof METERS;
type NamesOf<K> = {
  [M in MeterName]: (typeof METERS)[M]["kind"] extends K ? M : never;
}[MeterName];

/** From the duration of a Lua hook to that of a webhook, in seconds. */
const BUCKETS = [
  0.000_005, 0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01,
  0.025, 0.1, 0.5, 1, 5, 30,
];

/** Counts the events of an engine. */
export class MetricWriter {
  readonly #counters = new Map<string, Counter>();
  readonly #histograms = new Map<string, Histogram>();

  constructor(meter: Meter) {
    const advice = { explicitBucketBoundaries: BUCKETS };
    for (const [name, { kind, text: description, unit }] of Object.entries(METERS)) {
      if (kind === "counter") {
        this.#counters.set(name, meter.createCounter(name, { description, unit }));
      } else {
        this.#histograms.set(name, meter.createHistogram(name, { description, unit, advice }));
      }
    }
  }

  dispatched({ point, outcome, duration_ms }: EngineEvents["dispatched"]): void {
    const decision = outcome.action === "continue" ? outcome.decision : undefined;
    const of = { "orcs.point": point, "orcs.action": outcome.action, "orcs.decision": decision };
    this.#record("orcs.dispatch.duration", duration_ms / 1000, of);
  }

  hook({ hook, point, status, action, decision, duration_us }: HookStep): void {
    if (duration_us === undefined) return;
    const hasReturned = status === "ran";
    this.#record("orcs.hook.duration", duration_us / 1e6, {
      "orcs.hook.id": hook,
      "orcs.point": point,
      "orcs.action": hasReturned ? action : undefined,
      "orcs.decision": hasReturned ? decision : undefined,
    });
  }

  failed({ hook, point, failure: { kind } }: EngineEvents["failed"]): void {
    const of = { "orcs.hook.id": hook, "orcs.point": point, "error.type": kind };
    this.#count("orcs.hook.failures", of);
  }

  dropped({ hook, point }: EngineEvents["dropped"]): void {
    this.#count("orcs.hook.dropped", { "orcs.hook.id": hook, "orcs.point": point });
  }

  #count(name: NamesOf<"counter">, of: AttributeValues): void {
    this.#counters.get(name)?.add(1, present(of));
  }

  #record(name: NamesOf<"histogram">, value: number, of: AttributeValues): void {
    this.#histograms.get(name)?.record(value, present(of));
  }
}
