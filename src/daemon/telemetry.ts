import { type Logger, messageOf, OrcsError } from "../core/index.ts";
import type { Orcs } from "../engine/index.ts";
import type { Exporting } from "./otel/exporting.ts";

/** Loaded from outside of the bundle, with packages that only those install who want it. */
const EXPORTING = new URL("./otel/exporting.js", import.meta.url).href;
/** What they install. */
const PACKAGES = [
  "api",
  "sdk-trace-base",
  "sdk-metrics",
  "sdk-logs",
  "resources",
  "exporter-trace-otlp-http",
  "exporter-metrics-otlp-http",
  "exporter-logs-otlp-http",
];

/** Reports what the engines of a process do to a collector, if the settings or the environment say so. */
export class Telemetry {
  readonly #logger: Logger;
  #exporting: Promise<Exporting | undefined> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Report what an engine does from now on. Resolves when it is known how; never rejects. */
  async attach(orcs: Orcs): Promise<void> {
    const { enabled, endpoint, content } = orcs.settings.otel;
    const named = endpoint ?? process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "";
    if (!(enabled ?? named !== "") || process.env["OTEL_SDK_DISABLED"] === "true") return;
    this.#exporting ??= this.#open(endpoint, content);
    (await this.#exporting)?.attach(orcs);
  }

  /** Send what is held back. Never rejects. */
  async shutdown(withinMs: number): Promise<void> {
    await (await this.#exporting)?.shutdown(withinMs);
  }

  async #open(endpoint: string | undefined, content: boolean): Promise<Exporting | undefined> {
    try {
      const { openExporters } = (await import(EXPORTING)) as typeof import("./otel/exporting.ts");
      return openExporters({ endpoint, content });
    } catch (thrown) {
      const names = PACKAGES.map((name) => `@opentelemetry/${name}`).join(" ");
      const why = `nothing is reported to OpenTelemetry: ${messageOf(thrown)}. Install beside orcs: ${names}`;
      this.#logger.warn(new OrcsError("ORCS7013", why).message);
      return undefined;
    }
  }
}
