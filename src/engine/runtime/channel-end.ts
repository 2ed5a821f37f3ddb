import { type Json, messageOf } from "../../core/index.ts";
import { keyOf, optionsFor, ownerOf } from "./caller-identity.ts";
import type { CallerIdentity, CallState } from "./caller-identity.ts";
import { withPoints } from "./with-points.ts";
import type { ComponentLife } from "./component-life.ts";
import type { RuntimeHost } from "./runtime-host.ts";

/** The result of a channel. */
export interface RunnerResult {
  /** `namespace::name[#instance]`. */
  readonly component: string;
  readonly channel: string;
  readonly exit_reason: string;
  /** Undefined when the component returned none. */
  readonly snapshot: Json | undefined;
  /** Errors while it ended. */
  readonly errors: readonly string[];
}

/** A channel whose loop has ended. */
export interface EndingChannel {
  readonly actor: CallerIdentity;
  readonly host: RuntimeHost;
  readonly life: ComponentLife;
  readonly reason: string;
  /** Its state: `running`, `paused`, or `failed` when it never started. */
  readonly status: string;
  /** Unregister from the bus. */
  leave(call: CallState): Promise<unknown>;
}

/**
 * Take a channel down: it leaves the bus, the component shuts down and returns its snapshot, its hooks are removed, and
 * its resources are freed. Every step is taken, even if the previous one failed; never rejects.
 */
export async function endChannel(ending: EndingChannel): Promise<RunnerResult> {
  const { actor, host, life } = ending;
  const key = keyOf(actor);
  const principal = { type: "Component", id: key };
  const call: CallState = { depth: 0, metadata: {}, principal, via: [] };
  const errors: string[] = [];
  const failed = (thrown: unknown): undefined => void errors.push(messageOf(thrown));
  await ending.leave(call).catch(failed);
  const destroyed = (await destroy(ending, call, failed).catch(failed)) ?? {
    exit_reason: ending.reason,
    snapshot: undefined,
  };
  host.registry.unregisterByOwner(ownerOf(actor));
  await life.dispose().catch(failed);
  for (const message of errors) host.logger.warn(`${key} ended with: ${message}`);
  return { component: key, channel: actor.channel, ...destroyed, errors };
}

async function destroy(
  { actor, host, life, reason, status }: EndingChannel,
  call: CallState,
  failed: (thrown: unknown) => void,
): Promise<Pick<RunnerResult, "exit_reason" | "snapshot">> {
  let exit_reason = reason;
  const { result } = await withPoints(
    host,
    "channel.destroy",
    { channel_id: actor.channel, component_id: actor.component, exit_reason },
    async (left, metadata) => {
      exit_reason = String(left["exit_reason"]);
      // A component that never started has nothing to shut down.
      if (status === "failed") return null;
      try {
        return (await life.shutdown(status, { ...call, metadata }, failed)) ?? null;
      } catch (thrown) {
        failed(thrown);
        return null;
      }
    },
    optionsFor(actor, call),
    // Ending a channel waits for it.
    { longestDelayMs: host.limits.lifecycleMs },
  );
  return { exit_reason, snapshot: result === null ? undefined : (result as Json) };
}
