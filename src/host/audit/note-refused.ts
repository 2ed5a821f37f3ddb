import { filledSettings } from "../../config/settings.ts";
import type { Logger } from "../../core/ports.ts";
import type { CreateOrcsOptions } from "../options.ts";
import { refusedEntry } from "./other-entries.ts";
import type { RefusedEvent } from "./other-entries.ts";
import { writeAlone } from "./write-alone.ts";

/**
 * Write down what was refused because there is no engine: its configuration has mistakes, say, so that nobody knows
 * what that says of the log. It goes where it would go by default. Never rejects.
 */
export async function noteRefused(
  refusal: RefusedEvent,
  { cwd = process.cwd(), auditDir }: Pick<CreateOrcsOptions, "cwd" | "auditDir">,
  logger: Logger,
): Promise<void> {
  await writeAlone(refusedEntry(refusal), filledSettings({}, [], cwd), auditDir, logger);
}
