import type { MatchSpec } from "../core/index.ts";

/** How the settings of an agent are read. */
export interface SettingsSpec {
  /** Keys of its settings that decide whether hooks run. */
  readonly switches?: readonly SettingsSwitch[];
  /** The path of a list of names and commands of hooks that it does not run. */
  readonly offByName?: readonly string[];
  /** Other top-level keys that decide what runs. */
  readonly decisive?: readonly string[];
  /** Keys by their types: with another type, it may reject the whole file. */
  readonly types?: Readonly<Partial<Record<"object" | "string" | "number" | "boolean", string>>>;
  /** Variables in its settings that affect neither which programs run nor what they load. */
  readonly harmlessVariables?: RegExp;
  /** Its settings in TOML. */
  readonly toml?: TomlSettings;
  /** Other names of events in its settings. */
  readonly eventNames?: Readonly<Record<string, string>>;
  /** An entry with the keys that other agents have, if it has others: `command`, `args`, `timeout`. */
  commonEntry?(entry: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** How the matcher of a hook is read. */
  readonly matchers: MatcherRules;
}

/** A key of settings that decides whether hooks run. */
export interface SettingsSwitch {
  readonly path: readonly string[];
  /** What it is where it is missing. */
  readonly otherwise?: boolean;
  /** The value with which no hook runs. */
  readonly off?: boolean;
}

/** Settings in TOML, as trees. */
export interface TomlSettings {
  /** Top-level keys that decide whether hooks run, and which configuration counts. */
  readonly decisive: readonly string[];
  /** Whether hooks apply less after a change. */
  isWeakened(
    was: Readonly<Record<string, unknown>>,
    now: Readonly<Record<string, unknown>>,
  ): boolean;
  /** A text without the lines that switch hooks off; comments and all other lines stay. */
  withoutSwitches(text: string): string;
}

/** The conditions for a matcher, or the reason why there are none. */
export type TranslatedMatcher =
  | { readonly match: Pick<MatchSpec, "tool" | "tool_regex" | "command" | "source"> }
  | { readonly reason: string };

/** Events about a part of the calls of a hook point. */
type EventParts = Readonly<
  Record<string, { tool?: string; matches?: "command"; reason?: string } | undefined>
>;

/** How an agent reads the matcher of a hook. */
interface MatcherRules {
  /** Events at which it ignores the matcher. */
  readonly ignoredAt?: readonly string[];
  readonly parts?: EventParts;
  /** Translate a matcher that names tools into conditions. */
  translate(pattern: string): TranslatedMatcher;
}

/** The condition for names of tools. */
export function matchNames(listed: readonly string[]): TranslatedMatcher {
  const all = [...new Set(listed.map((name) => name.trim()).filter((name) => name !== ""))];
  return all.length > 0
    ? { match: { tool: all.join("|") } }
    : { reason: "its matcher names no tool" };
}

/** A pattern as a regular expression; undefined if it is none. */
export function asRegex(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}
