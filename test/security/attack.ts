import type { Harm } from "./vm-probe.ts";

/** Where the scripts of an attack run: `[lua] isolation`. */
export type Isolation = "thread" | "worker";

/** One attack as data, so that it can be sent to a process of its own, which may be killed. */
export interface Attack {
  isolation: Isolation;
  scripts: readonly (string | { name: string; code: string; kind?: "script" | "inline" })[];
  /** Dispatches, one after the other. Default: one of `tool.pre_execute`. */
  calls?: readonly AttackCall[];
  limits?: { maxRunMs?: number; maxChainMs?: number; memoryBytes?: number; maxValueBytes?: number };
  onError?: "open" | "closed";
  timeoutMs?: number;
  modules?: Record<string, string>;
}

export interface AttackCall {
  point?: string;
  /** Arguments of the tool, when the point is one of a tool; else the payload. */
  payload?: Record<string, unknown>;
  /** How many of these at the same time. */
  times?: number;
}

/** How one dispatch ended. */
export interface CallReport {
  action: string;
  reason?: string | undefined;
  result?: unknown;
  payload: Record<string, unknown>;
  /** Processor time of all threads: what else the machine does counts for nothing. */
  ms: number;
}

export interface AttackReport {
  /** Why scripts could not be loaded. */
  refused: string[];
  /** Processor time, too. */
  loadMs: number;
  calls: CallReport[];
  logs: string[];
  output: string[];
  /** Whether a script that has nothing to do with it still answers as it should. */
  bystander: boolean;
  /** What scripts did to the threads, each of which should be nothing. */
  harm: Harm[];
  /** Why worker threads were lost: none should be. */
  lost: string[];
  /** Memory of the VM when all was over, in bytes. */
  vmBytes: number;
}
