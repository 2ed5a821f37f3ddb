import { createRedactor } from "../audit/redact/redactor.ts";
import type { Settings } from "../config/settings.ts";
import type { Redactor } from "../core/ports.ts";

/** The one redactor of an engine: what is known to be secret, and what `[redact]` says. */
export function redactorOf({ redact }: Pick<Settings, "redact">): Redactor {
  return createRedactor({ keys: redact.keys, masks: [] });
}
