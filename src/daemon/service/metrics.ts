import type { Polled, Shipped } from "../../fleet/index.ts";
import type { HostName, JsonObject } from "../../core/index.ts";
import type { Orcs } from "../../engine/index.ts";
import type { HostAnswer } from "../../formats/index.ts";

/** Maximum number of series per metric: labels come from configurations, which can name any number of hooks. */
const MAX_SERIES = 1000;
const OTHER = "other";

/** A number for each combination of labels, which increases or is set. */
export class Metric {
  readonly #name: string;
  readonly #head: string;
  readonly #labels: readonly string[];
  readonly #series = new Map<string, { readonly labels: readonly string[]; value: number }>();

  constructor(
    type: "counter" | "gauge",
    name: string,
    description: string,
    labels: readonly string[] = [],
  ) {
    this.#name = name;
    this.#head = headOf(type, name, description);
    this.#labels = labels;
  }

  /** @param labels in the order of the metric's label names */
  add(labels: readonly string[] = [], by = 1): void {
    this.#at(labels).value += by;
  }

  set(value: number, labels: readonly string[] = []): void {
    this.#at(labels).value = value;
  }

  /** Of all series, or of those with a label. */
  sum(label?: string): number {
    const series = [...this.#series.values()];
    const counted = series.filter(({ labels }) => label === undefined || labels.includes(label));
    return counted.reduce((sum, { value }) => sum + value, 0);
  }

  lines(): string[] {
    if (this.#labels.length === 0) this.#at([]);
    const rows = [...this.#series.values()].map(({ labels, value }) => {
      const pairs = this.#labels.map((name, i) => {
        const label = (labels[i] ?? "").replaceAll("\\", "\\\\").replaceAll('"', '\\"');
        return `${name}="${label.replaceAll("\n", "\\n")}"`;
      });
      return `${this.#name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
    });
    return [this.#head, ...rows];
  }

  #at(labels: readonly string[]) {
    const key = keyOf(labels);
    const found = this.#series.get(key);
    if (found) return found;
    if (this.#series.size < MAX_SERIES) return this.#begun(key, labels);
    const others = labels.map(() => OTHER);
    return this.#series.get(keyOf(others)) ?? this.#begun(keyOf(others), others);
  }

  #begun(key: string, labels: readonly string[]) {
    const begun = { labels, value: 0 };
    this.#series.set(key, begun);
    return begun;
  }
}

/** Number of observations up to each bound. */
export class Histogram {
  readonly #name: string;
  readonly #head: string;
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  /** @param bounds ascending */
  constructor(name: string, description: string, bounds: readonly number[]) {
    this.#name = name;
    this.#head = headOf("histogram", name, description);
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.#sum += value;
    this.#count++;
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
  }

  lines(): string[] {
    let below = 0;
    const buckets = this.#bounds.map((bound, i) => {
      below += this.#counts[i] ?? 0;
      return `${this.#name}_bucket{le="${bound}"} ${below}`;
    });
    return [
      this.#head,
      ...buckets,
      `${this.#name}_bucket{le="+Inf"} ${this.#count}`,
      `${this.#name}_sum ${this.#sum}`,
      `${this.#name}_count ${this.#count}`,
    ];
  }
}

function headOf(type: string, name: string, description: string): string {
  return `# HELP ${name} ${description}\n# TYPE ${name} ${type}`;
}

function keyOf(labels: readonly string[]): string {
  // The length keeps a label from running into the next one.
  return labels.map((label) => `${label.length}:${label}`).join("");
}

/** Seconds: from hooks that read one field to those that ask a person. */
const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

const counter = (name: string, does: string, labels: readonly string[] = []): Metric =>
  new Metric("counter", name, does, labels);
const gauge = (name: string, does: string, labels: readonly string[] = []): Metric =>
  new Metric("gauge", name, does, labels);
const RESULT = ["result"];

/** All metrics of a service, in the order of the output. */
function serviceMetrics() {
  const chains = "Chains of hooks that have run, by what they came to.";
  const untrusted = "1 while a discovered configuration, or a change of it, is not trusted.";
  const dropped = "Asynchronous hooks that were dropped because too many were waiting.";
  const answering = "Response time for events of coding agents.";
  const downgrades = "Parts of results that a coding agent does not support.";
  const revision = "Revision of the bundle that was fetched last.";
  const confirmed = "When the bundle was last confirmed or fetched.";
  const shipments = "Requests to the receiver of the audit log, by result.";
  const shipped =
    "Lines of the audit log: confirmed by the receiver, or lost because they were removed before.";
  return {
    dispatches: counter("orcs_dispatches_total", chains, ["point", "action"]),
    duration: new Histogram("orcs_dispatch_duration_seconds", "Duration of hook chains.", SECONDS),
    runs: counter("orcs_hook_runs_total", "Hooks that returned, by action.", ["hook", "action"]),
    failures: counter("orcs_hook_failures_total", "Hooks that failed.", ["hook"]),
    dropped: counter("orcs_hook_dropped_total", dropped, ["hook"]),
    events: counter("orcs_host_events_total", "Events of coding agents that were answered.", [
      "host",
    ]),
    answering: new Histogram("orcs_host_event_duration_seconds", answering, SECONDS),
    downgrades: counter("orcs_host_downgrades_total", downgrades, ["host"]),
    reloads: counter("orcs_reloads_total", "Reloads of the configuration, by result.", RESULT),
    hooks: gauge("orcs_hooks", "Registered hooks."),
    untrusted: gauge("orcs_untrusted", untrusted),
    polls: counter("orcs_bundle_polls_total", "Requests for the bundle, by result.", RESULT),
    bundle: gauge("orcs_bundle_revision", revision, ["bundle"]),
    confirmed: gauge("orcs_bundle_confirmed_timestamp_seconds", confirmed),
    shipments: counter("orcs_ship_requests_total", shipments, RESULT),
    shipped: counter("orcs_ship_lines_total", shipped, RESULT),
    uptime: gauge("orcs_uptime_seconds", "Since the service has started."),
  };
}

/** The metrics of a service, in the format of Prometheus. */
export class Metrics {
  readonly #started = performance.now();
  readonly #all = serviceMetrics();
  #orcs: Orcs | undefined;

  /** Count the events of an engine; the last attached one is the serving one. */
  attach(orcs: Orcs): void {
    this.#orcs = orcs;
    const { events } = orcs;
    events.on("dispatched", ({ point, outcome, duration_ms }) => {
      this.#all.dispatches.add([point, outcome.action]);
      this.#all.duration.observe(duration_ms / 1000);
    });
    events.on("executed", ({ hook, action }) => this.#all.runs.add([hook, action]));
    events.on("failed", ({ hook }) => this.#all.failures.add([hook]));
    events.on("dropped", ({ hook }) => this.#all.dropped.add([hook]));
    events.on("reloaded", () => this.#all.reloads.add(["ok"]));
    events.on("reload_failed", () => this.#all.reloads.add(["failed"]));
  }

  answered(host: HostName, { downgrades }: HostAnswer, ms: number): void {
    this.#all.events.add([host]);
    this.#all.answering.observe(ms / 1000);
    if (downgrades.length > 0) this.#all.downgrades.add([host], downgrades.length);
  }

  polled(result: Polled): void {
    this.#all.polls.add([result.is]);
    if (result.is === "refused") return;
    this.#all.bundle.set(result.revision, [result.name]);
    this.#all.confirmed.set(Math.round(Date.now() / 1000));
  }

  shipped({ result, lines, lost }: Shipped): void {
    this.#all.shipments.add([result]);
    if (lines > 0) this.#all.shipped.add(["confirmed"], lines);
    if (lost > 0) this.#all.shipped.add(["lost"], lost);
  }

  /** What a machine tells its receiver: the state of its service since that has started. */
  status(): JsonObject {
    return {
      uptime_s: Math.round((performance.now() - this.#started) / 1000),
      hooks: this.#orcs?.registry.list().length ?? 0,
      untrusted: this.#orcs?.notice !== undefined,
      dispatches: this.#all.dispatches.sum(),
      denied: this.#all.dispatches.sum("abort"),
      hook_failures: this.#all.failures.sum(),
      failed_reloads: this.#all.reloads.sum("failed"),
      failed_polls: this.#all.polls.sum("refused"),
      lost_lines: this.#all.shipped.sum("lost"),
    };
  }

  /** The text format of Prometheus, version 0.0.4. */
  render(): string {
    this.#all.uptime.set(Math.round(performance.now() - this.#started) / 1000);
    this.#all.hooks.set(this.#orcs?.registry.list().length ?? 0);
    this.#all.untrusted.set(this.#orcs?.notice === undefined ? 0 : 1);
    return `${Object.values(this.#all)
      .flatMap((metric) => metric.lines())
      .join("\n")}\n`;
  }
}
