import type { JsonObject } from "../../core/json.ts";
import type { HostAnswer } from "../../protocols/host.ts";

/**
 * The answer of a hook as the body of an HTTP answer, which has no exit code: where the code alone refuses, the
 * words that most hosts read as a refusal stand in its place.
 */
export function hookBody({ output, message, code }: HostAnswer): JsonObject {
  if (output !== undefined) return output;
  if (code === 0) return {};
  const reason = message ?? "refused by orcs";
  // An event that does not know `decision` still knows `continue`. See protocols.md §1.
  return { decision: "block", reason, continue: false, stopReason: reason };
}
