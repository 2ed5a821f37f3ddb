import type { Diagnostic } from "../core/diagnostic.ts";
import type { PointSet, PointSpec } from "../core/points.ts";
import type { FunctionLiteral, Range } from "./ast.ts";
import type { ResolvedChunk } from "./resolve.ts";
import type { ScriptHook } from "./script-hooks.ts";

/** What a check has found, by where it stands in the text. */
export interface Finding extends Pick<Diagnostic, "code" | "severity" | "message" | "hint"> {
  readonly at: Range;
}

/** What the checks know of the world around scripts. */
export interface LintOptions {
  readonly points: PointSet;
  /** The keys of a table that states a hook. */
  readonly hookKeys: readonly string[];
  /** The arguments of each tool. */
  readonly toolArguments: Readonly<Record<string, readonly string[]>>;
}

/** What is known of a hook for certain: by the configuration, else by the script. Undefined is unknown. */
export interface HookFacts {
  readonly point: PointSpec | undefined;
  /** The conditions that it has. */
  readonly match: readonly string[] | undefined;
  /** Its result is ignored. */
  readonly isAsync: boolean;
  /** It is passed over when it fails. */
  readonly failsOpen: boolean;
  /** It says that what it cannot check is refused, or not given out. */
  readonly failsClosed: boolean;
}

/** A hook's handler, when its text is at hand, and what the hooks that run it are. */
export interface Handler {
  readonly literal: FunctionLiteral;
  readonly hooks: readonly HookFacts[];
}

/** A chunk under the checks. */
export interface Subject {
  readonly program: ResolvedChunk;
  /** The hooks that the script itself states. */
  readonly stated: readonly ScriptHook[];
  readonly handlers: readonly Handler[];
  /** Globals that this chunk or another one of its state assigns. */
  readonly assigned: ReadonlySet<string>;
  readonly options: LintOptions;
}

export function didYouMean(name: string | undefined): { hint: string } | undefined {
  return name === undefined ? undefined : { hint: `did you mean ${JSON.stringify(name)}?` };
}
