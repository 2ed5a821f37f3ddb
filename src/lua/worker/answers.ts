import { moduleFor } from "../find-module.ts";
import type { LuaPorts } from "../ports.ts";
import type { TurnJob } from "./turn-job.ts";
import type { Asks } from "./protocol.ts";
import type { WorkerScript } from "./worker-script.ts";

/** Where asks find what they are about. */
export interface Asked {
  readonly ports: LuaPorts;
  readonly script: (number: number) => WorkerScript | undefined;
  readonly turn: (job: number) => TurnJob | undefined;
  /** The worker has nothing more to do with a job. */
  readonly ended: (job: number) => void;
}

/** What the engine's thread answers to the worker's questions. */
export function answersOf({ ports, script, turn, ended }: Asked): Asks {
  return {
    settle(job, report, shared, spent) {
      const next = turn(job)?.settle(report, shared, spent);
      if (!next) ended(job);
      return next;
    },
    part: (job, number) => turn(job)?.part(number),
    stateGet: (key) => ports.state.get(key),
    stateSet: (key, value) => ports.state.set(key, value),
    stateDelete: (key) => ports.state.delete(key),
    stateIncr: (key, by, ttlMs) => ports.state.incr(key, by, ttlMs),
    matchGlob: (pattern, text) => ports.glob(pattern)(text),
    redact: (value) => ports.redact(value),
    shell: (line, cwd) => ports.shell(line, cwd),
    realPath: (path, cwd) => ports.realPath(path, cwd),
    findModule(number, name) {
      const asking = script(number);
      const found = asking && moduleFor(asking.source, name, ports);
      if (!found) return undefined;
      asking.requires.add(found.file);
      // A copy: what was read may stand in a larger buffer, which would cross whole.
      return { file: found.file, bytes: new Uint8Array(found.bytes) };
    },
    addHook: (number, spec) => expect(script(number)).addHook(spec),
    removeHook: (number, id) => expect(script(number)).removeHook(id),
  };
}

function expect(script: WorkerScript | undefined): WorkerScript {
  if (!script) throw new Error("its script was unloaded");
  return script;
}
