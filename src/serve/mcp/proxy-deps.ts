import type { Logger } from "../../core/ports.ts";
import type { RefusedEvent } from "../../engine/audit/other-entries.ts";
import type { Orcs } from "../../engine/orcs.ts";

/** Whose hooks look at the messages. */
export interface ProxyDeps {
  /** Use the engine. @throws OrcsError while its configuration has mistakes; what `run` throws */
  readonly use: <T>(run: (orcs: Orcs) => Promise<T>) => Promise<T>;
  /** Write down what was refused without an answer of the hooks. Never rejects. */
  readonly refused: (refusal: RefusedEvent) => Promise<void>;
  /** `mcp::<server>` */
  readonly component: string;
  readonly server: string;
  /** One for each run of the proxy. */
  readonly sessionId: string;
  /** Where the server runs: what relative paths of arguments are relative to. */
  readonly cwd: string;
  readonly log: Logger;
}
