import type { Diagnostic, JsonObject, PointSet, PointSpec } from "../../core/index.ts";
import type { FunctionLiteral, Range } from "./ast.ts";
import type { ResolvedChunk } from "./resolve.ts";
import type { ScriptHook } from "./script-hooks.ts";

/** A finding, with its place in the text. */
export interface Finding extends Pick<Diagnostic, "code" | "severity" | "message" | "hint"> {
  readonly at: Range;
}

/** What the checks know of the environment of scripts. */
export interface LintOptions {
  readonly points: PointSet;
  /** The mistakes of a hook table's fields, as loading finds them. */
  readonly readHook: (fields: JsonObject) => readonly Diagnostic[];
  /** The arguments of each tool. */
  readonly toolArguments: Readonly<Record<string, readonly string[]>>;
}

/** Facts about a hook, from the configuration or else the script. Undefined means unknown. */
export interface HookFacts {
  readonly point: PointSpec | undefined;
  /** Its conditions. */
  readonly match: readonly string[] | undefined;
  /** Whether its result is ignored. */
  readonly isAsync: boolean;
  /** Whether it is skipped when it fails. */
  readonly failsOpen: boolean;
  /** Whether it denies, or withholds, what it cannot check. */
  readonly failsClosed: boolean;
}

/** A hook's handler with a known text, and the hooks that run it. */
export interface Handler {
  readonly literal: FunctionLiteral;
  readonly hooks: readonly HookFacts[];
}

/** A chunk that is checked. */
export interface Subject {
  readonly program: ResolvedChunk;
  /** The hooks that the script itself states. */
  readonly stated: readonly ScriptHook[];
  readonly handlers: readonly Handler[];
  /** Globals assigned by this chunk or another one of its state. */
  readonly assigned: ReadonlySet<string>;
  readonly options: LintOptions;
}

export function didYouMean(name: string | undefined): { hint: string } | undefined {
  return name === undefined ? undefined : { hint: `did you mean ${JSON.stringify(name)}?` };
}
