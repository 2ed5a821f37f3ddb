import type { RecordedOutcome, ShadowReport } from "../../records/index.ts";
import type { Json } from "../../core/index.ts";
import type { SeenDispatch, SeenStep } from "../../daemon/index.ts";

export type { ShadowReport };

// What the page and its server say to each other. The page imports these types.

/** A dispatch in the list. */
export interface Row {
  /** Counted from 1; the order in which dispatches ended. */
  readonly seq: number;
  readonly id: string;
  /** The dispatch whose hook made this call. */
  readonly parent?: string;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  /** The component that made the call, such as `agent::claude-code`. */
  readonly agent: string;
  readonly session?: string;
  readonly point: string;
  readonly tool?: string;
  /** What it is about: the command, the path, … */
  readonly subject?: string;
  readonly verdict: Verdict;
  /** The hook that decided, or that failed. */
  readonly hook?: string;
  readonly reason?: string;
  readonly ms: number;
  /** What a hook that is not enforced would have done. */
  readonly shadow?: { readonly verdict: Verdict; readonly hook: string };
  /** The id of the undo point that was taken before it. */
  readonly undo?: string;
  /** From the audit log: it was over before somebody watched. */
  readonly past?: true;
}

/** What became of a dispatch, in one word. */
export type Verdict =
  | "denied"
  | "asked"
  | "failed"
  | "changed"
  | "allowed"
  | "skipped"
  | "retried"
  | "passed";

/** A message of the event stream. */
export interface StreamMessage {
  readonly rows: readonly Row[];
  /** Rows that the page has, and to which a hook was added that ran after the dispatch. */
  readonly updated?: readonly Row[];
  /** Rows that this page has not got, because it or the server of the page was too slow. */
  readonly lost: number;
  readonly source: SourceState;
}

/** Where the events come from. */
export interface SourceState {
  /** What is watched: the folder of a configuration, or a script. */
  readonly watches: string;
  readonly state: "connected" | "waiting" | "ended";
  /** Why it waits. */
  readonly why?: string;
  /** How many calls wait for a person. */
  readonly questions?: number;
}

/** One dispatch, as recorded, with its hooks. */
export interface Detail extends Omit<SeenDispatch, "hooks"> {
  readonly verdict: Verdict;
  /** What it is about, whole. */
  readonly subject?: string;
  /** What the call does, in words. */
  readonly does?: readonly string[];
  readonly hooks: readonly ShownStep[];
  /** What its undo point would give back now. */
  readonly undo?: ShownUndo;
  /** From the audit log, which has neither the payload nor hooks that did nothing. */
  readonly past?: true;
}

export interface ShownUndo {
  /** Of the point. */
  readonly id: string;
  /** Such as `bring back /srv/app/src/main.ts`. */
  readonly changes: readonly string[];
  /** Why nothing can be restored, or not all. */
  readonly problem?: string;
}

export interface ShownStep extends SeenStep {
  /** Where it stands: a file, or the name of a hook that ships, and the line. */
  readonly place?: string;
  /** The line of its source, as it is now. */
  readonly code?: string;
}

/** A finding of `orcs check`. */
export interface Problem {
  readonly message: string;
  readonly severity: "error" | "warning";
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** A script of the configuration. */
export interface ScriptAnswer {
  /** Where it is loaded from. */
  readonly file: string;
  readonly text: string;
}

/** How an event ended, and how it ends now; problems when the hooks do not load. */
export type ReplayAnswer =
  | { readonly problems: readonly Problem[] }
  | {
      readonly was: RecordedOutcome;
      readonly is: RecordedOutcome;
      /** Parts of the outcome that differ. */
      readonly differs: readonly string[];
      readonly logs: readonly string[];
      /** Calls of hooks that had no result here, because no tool runs. */
      readonly unrecorded: readonly string[];
      /** Hooks that did not run because they leave the process. */
      readonly not_run: readonly string[];
    };

/** A test that was saved, and the result of its file. */
export interface SavedAnswer {
  /** Relative to the configuration. */
  readonly file: string;
  readonly ok: boolean;
  readonly passed: number;
  readonly failed: number;
  /** False when the file had this test already. */
  readonly is_new: boolean;
  readonly text: string;
}

/** Something that waits for a person. */
export interface Question {
  readonly id: string;
  /**
   * A call of a script, which waits; a refused command line of a coding agent, which may be allowed once; or what the
   * undo point of a call would restore, which waits for nobody.
   */
  readonly kind: "call" | "line" | "undo";
  /** The command, the path, … */
  readonly about: string;
  readonly tool?: string;
  readonly args?: Json;
  /** What the call would do, in words. */
  readonly effects?: readonly string[];
  readonly reason?: string;
  /** The hook that asks. */
  readonly hook?: string;
  readonly cwd?: string;
  readonly session?: string;
  /** Since when, in milliseconds since 1970. */
  readonly at: number;
}

export interface QuestionsAnswer {
  readonly questions: readonly Question[];
  /** Whether `orcs ui` has a terminal for codes: without one, questions can only be denied. */
  readonly can_approve: boolean;
}

export interface ActiveHook {
  readonly id: string;
  readonly point: string;
  readonly priority: number;
  readonly match: Readonly<Record<string, unknown>>;
  /** The components that it is for; missing for all. */
  readonly fql?: string;
  readonly enabled: boolean;
  /** Missing for a hook that is enforced. */
  readonly mode?: "audit" | "warn";
  readonly origin: string;
  readonly source?: string;
}

export interface SetsAnswer {
  /** By point, in the order in which they run. */
  readonly hooks: readonly ActiveHook[];
  /** Missing for hooks that need no trust. */
  readonly trust?: {
    readonly state: string;
    readonly why: string;
    readonly is_active: boolean;
    readonly digest?: string;
    /** Files that differ from the trusted content. */
    readonly changed: readonly { readonly name: string; readonly is: string }[];
  };
  readonly notices: readonly string[];
  readonly warnings: readonly string[];
}

/** What a hook did, from the audit log. */
export interface HookNumbers {
  readonly hook: string;
  readonly decisions: number;
  readonly denied: number;
  readonly asked: number;
  readonly changed: number;
  readonly failed: number;
  /** Of the dispatches that it decided. */
  readonly slowest_ms: number;
  readonly total_ms: number;
  /** Decisions on each of the days. */
  readonly per_day: number[];
}

export interface NumbersAnswer {
  /** The oldest first, in UTC. */
  readonly days: readonly string[];
  readonly entries: number;
  readonly hooks: readonly HookNumbers[];
  /** What hooks that are not enforced would have done on these days. */
  readonly shadow: readonly ShadowReport[];
}
