import type { HostName } from "../../core/hosts.ts";
import type { Orcs } from "../../host/orcs.ts";
import type { HostAnswer } from "../../protocols/host.ts";
import { Histogram, Metric } from "./prometheus.ts";

/** Seconds: from hooks that read one field to those that ask somebody else. */
const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

/** What a service counts, as Prometheus reads it. */
export class Metrics {
  readonly #started = performance.now();
  readonly #dispatches = new Metric(
    "counter",
    "orcs_dispatches_total",
    "Chains of hooks that have run, by what they came to.",
    ["point", "action"],
  );
  readonly #duration = new Histogram(
    "orcs_dispatch_duration_seconds",
    "How long chains of hooks took.",
    SECONDS,
  );
  readonly #runs = new Metric(
    "counter",
    "orcs_hook_runs_total",
    "Hooks that have answered, by what they answered.",
    ["hook", "action"],
  );
  readonly #failures = new Metric(
    "counter",
    "orcs_hook_failures_total",
    "Hooks that have failed.",
    ["hook"],
  );
  readonly #dropped = new Metric(
    "counter",
    "orcs_hook_dropped_total",
    "Asynchronous hooks that were not run, for too many were waiting.",
    ["hook"],
  );
  readonly #events = new Metric(
    "counter",
    "orcs_host_events_total",
    "Events of foreign hosts that were answered.",
    ["host"],
  );
  readonly #answering = new Histogram(
    "orcs_host_event_duration_seconds",
    "How long events of foreign hosts took to be answered.",
    SECONDS,
  );
  readonly #downgrades = new Metric(
    "counter",
    "orcs_host_downgrades_total",
    "What hooks wanted and a host cannot do.",
    ["host"],
  );
  readonly #reloads = new Metric(
    "counter",
    "orcs_reloads_total",
    "Reloads of the configuration, by whether it had mistakes.",
    ["result"],
  );
  readonly #hooks = new Metric("gauge", "orcs_hooks", "Hooks that are registered.");
  readonly #untrusted = new Metric(
    "gauge",
    "orcs_untrusted",
    "1 while a configuration that was found, or a change of it, waits to be trusted.",
  );
  readonly #uptime = new Metric("gauge", "orcs_uptime_seconds", "Since the service has started.");
  #orcs: Orcs | undefined;

  /** Count what happens in an engine; the last one is the one that serves. */
  attach(orcs: Orcs): void {
    this.#orcs = orcs;
    const { events } = orcs;
    events.on("dispatched", ({ point, outcome, duration_ms }) => {
      this.#dispatches.add([point, outcome.action]);
      this.#duration.observe(duration_ms / 1000);
    });
    events.on("executed", ({ hook, action }) => this.#runs.add([hook, action]));
    events.on("failed", ({ hook }) => this.#failures.add([hook]));
    events.on("dropped", ({ hook }) => this.#dropped.add([hook]));
    events.on("reloaded", () => this.#reloads.add(["ok"]));
    events.on("reload_failed", () => this.#reloads.add(["failed"]));
  }

  answered(host: HostName, { downgrades }: HostAnswer, ms: number): void {
    this.#events.add([host]);
    this.#answering.observe(ms / 1000);
    if (downgrades.length > 0) this.#downgrades.add([host], downgrades.length);
  }

  /** The text format of Prometheus, version 0.0.4. */
  render(): string {
    this.#uptime.set(Math.round(performance.now() - this.#started) / 1000);
    this.#hooks.set(this.#orcs?.registry.list().length ?? 0);
    this.#untrusted.set(this.#orcs?.notice === undefined ? 0 : 1);
    const all = [
      this.#dispatches,
      this.#duration,
      this.#runs,
      this.#failures,
      this.#dropped,
      this.#events,
      this.#answering,
      this.#downgrades,
      this.#reloads,
      this.#hooks,
      this.#untrusted,
      this.#uptime,
    ];
    return `${all.flatMap((metric) => metric.lines()).join("\n")}\n`;
  }
}
