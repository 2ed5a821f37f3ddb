import type { MatcherRules } from "./matcher-rules.ts";

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
