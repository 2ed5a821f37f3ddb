import { BroadcastChannel, threadId } from "node:worker_threads";
import { VmProbe } from "./vm-probe.ts";
import type { Harm, Measure } from "./vm-probe.ts";

// Runs on a worker thread of the tests, before its entry (see `build.ts`): looks into the VM there when
// the other side asks. The worker's own port is left alone, its first messages wait for the entry.

/** What the other side may ask. */
export interface ProbeAnswers {
  harm: Harm;
  vmBytes: number;
  measure: Measure;
  trap: void;
  heal: void;
}

export interface ProbeAnswer {
  readonly answer: unknown;
}

const probe = new VmProbe(true);
const answers: { [K in keyof ProbeAnswers]: () => ProbeAnswers[K] | Promise<ProbeAnswers[K]> } = {
  harm: () => probe.harm(),
  vmBytes: () => probe.vmBytes(),
  measure: () => probe.measure(),
  trap: () => probe.trap(true),
  heal: () => probe.trap(false),
};

const channel = new BroadcastChannel(`orcs-probe-${threadId}`);
channel.addEventListener("message", (event) => {
  const { data } = event as unknown as { data: keyof ProbeAnswers };
  void (async () => {
    channel.postMessage({ answer: await answers[data]() } satisfies ProbeAnswer);
  })();
});
channel.unref();
