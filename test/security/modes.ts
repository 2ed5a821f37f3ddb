import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, describe, expect, onTestFinished } from "vitest";
import { tryPart } from "../slow-test.ts";
import { createRig } from "../unit/engine/lua/rig.ts";
import type { Rig, RigOptions } from "../unit/engine/lua/rig.ts";
import type { Isolation } from "./attack.ts";
import { attacker } from "./attacker.ts";
import type { Attacker } from "./attacker.ts";
import { BUILT } from "./build.ts";
import { NO_HARM, VmProbe } from "./vm-probe.ts";
import type { Measure } from "./vm-probe.ts";
import type { PooledLayer, WorkerPool } from "./worker-pool.ts";

/** What the cases of a test file work with: all of it is bound to the mode. */
export interface Bench {
  /** Of values by mode, where the modes rightly differ, the one that is to be expected. */
  readonly expected: <T>(values: Readonly<Record<Isolation, T>>) => T;
  /** Carries out an attack in a process of its own. */
  readonly attack: Attacker;
  /** A rig in this process, for what cannot be sent to another; closed after the test. */
  readonly createRig: (options?: RigOptions) => Promise<Rig>;
  /** A rig whose VM nobody else has. */
  readonly createOwnRig: (options?: RigOptions) => Promise<OwnRig>;
}

export interface OwnRig {
  readonly rig: Rig;
  /** What the VM takes, and all threads' JavaScript. */
  readonly measure: () => Promise<Measure>;
  /** Have the VM trap when a hook reads a number that is no integer, or have it do so no longer. */
  readonly trap: (on: boolean) => Promise<void>;
  /** Close the layer for good, before the test is over. */
  readonly end: () => Promise<void>;
}

const probe = new VmProbe(false);

/**
 * The cases of a test file, in thread mode and in worker mode. A case gets what it works with from here
 * and from nowhere else, so that it is carried out in both.
 */
export function inBothModes(cases: (bench: Bench) => void): void {
  describe.each<Isolation>(["thread", "worker"])("in %s mode", (isolation) => {
    tryPart(isolation);
    cases(isolation === "thread" ? threadBench() : workerBench());
  });
}

function threadBench(): Bench {
  const own = async (options: RigOptions = {}): Promise<Rig> => {
    const rig = await createRig(options);
    onTestFinished(() => rig.layer.close());
    return rig;
  };
  afterEach(() => expect(probe.harm(), "harm outside of the sandbox").toEqual(NO_HARM));
  return {
    expected: (values) => values.thread,
    attack: attacker("thread"),
    createRig: own,
    async createOwnRig(options) {
      const rig = await own(options);
      return {
        rig,
        measure: () => probe.measure(),
        trap: async (on) => probe.trap(on),
        end: async () => rig.layer.close(),
      };
    },
  };
}

function workerBench(): Bench {
  let pool: WorkerPool | undefined;
  const started = async (): Promise<WorkerPool> => {
    // As built: a thread cannot start from TypeScript, and its entry there has the probe.
    const { href } = pathToFileURL(join(BUILT, "test/security/worker-pool.js"));
    const built = (await import(href)) as typeof import("./worker-pool.ts");
    return (pool ??= new built.WorkerPool());
  };
  const take = async (options: RigOptions, own: boolean): Promise<[Rig, PooledLayer]> => {
    const from = pool ?? (await started());
    let taken!: PooledLayer;
    const rig = await createRig({ ...options, layer: (ports) => (taken = from.take(ports, own)) });
    onTestFinished(() => (own ? from.end(taken) : rig.layer.close()));
    return [rig, taken];
  };
  afterEach(async () => {
    expect((await pool?.lost()) ?? [], "worker threads that were lost").toEqual([]);
    for (const harm of [probe.harm(), ...((await pool?.ask("harm")) ?? [])]) {
      expect(harm, "harm outside of the sandbox").toEqual(NO_HARM);
    }
  });
  afterAll(() => pool?.endAll());
  return {
    expected: (values) => values.worker,
    attack: attacker("worker"),
    createRig: async (options = {}) => (await take(options, false))[0],
    async createOwnRig(options = {}) {
      const [rig, layer] = await take(options, true);
      return {
        rig,
        async measure() {
          const [here, there] = [await probe.heapBytes(), await layer.ask("measure")];
          return { ...there, heapBytes: here + there.heapBytes };
        },
        trap: (on) => layer.ask(on ? "trap" : "heal"),
        end: async () => pool?.end(layer),
      };
    },
  };
}
