import type { Diagnostic, SourcePlace } from "../core/diagnostic.ts";
import type { TrustStanding } from "../core/trust.ts";
import type { Handler } from "./handler.ts";
import type { SettingsTable } from "./settings-schema.ts";

/** What a configuration names that runs, and where it is looked for. */
export interface NamedHandler {
  /** Its `[[hooks]]` header. */
  readonly place: SourcePlace;
  /** As given; scripts may state their own. */
  readonly id: string | undefined;
  readonly point: string | undefined;
  /** The agent that it is for, where it is for one. */
  readonly agent: string | undefined;
  readonly handler: Handler;
  /** What relative paths in it are relative to. */
  readonly baseDir: string;
  /** Existing script directories of its configuration, absolute. */
  readonly scriptRoots: readonly string[];
}

/** A configuration file of a project, as it was read. */
export interface FoundLayer {
  /** Absolute. */
  readonly file: string;
  /** Undefined when it cannot be read. */
  readonly bytes: Uint8Array | undefined;
  /** Of all its hooks, those of every agent among them. Empty when it has mistakes. */
  readonly handlers: readonly NamedHandler[];
  /** What it says besides hooks. */
  readonly settings: SettingsTable;
  /** Script directories that it states, absolute. */
  readonly scriptDirs: readonly string[];
  readonly hasMistakes: boolean;
}

/** What was found from a working directory, before anything of it counts. */
export interface FoundProject {
  /** Directory of its `orcs.toml`. */
  readonly directory: string;
  /** Read and check its files: what nobody has trusted need not be looked at. */
  layers(): Promise<readonly FoundLayer[]>;
}

/** Whether somebody vouches for a project. */
export interface Vouched extends TrustStanding {
  /** SHA-256 of the whole set, as hexadecimal digits; undefined where it was not read, for nobody has trusted it. */
  readonly digest: string | undefined;
  /** Files whose change may change the answer: those of the set that were read, and the store. Absolute. */
  readonly files: readonly string[];
  /** What keeps it from being trusted at all. */
  readonly problems: readonly Diagnostic[];
  /** Whether what scripts of the project require from a folder is read from the set alone. */
  holds(folder: string): boolean;
  /** The bytes of a file of the set, as they were hashed. */
  bytesOf(file: string): Uint8Array | undefined;
  /**
   * Why what a handler outside of Lua would run is no more what was hashed; undefined when it is.
   * @param cwd where it would run, absolute: relative paths in it are looked for there, too
   */
  objection(named: Pick<NamedHandler, "handler" | "baseDir">, cwd?: string): string | undefined;
  /** Whether the user has not taken his word back, whatever has become of the project. */
  stands(): boolean;
}

/** Says whether somebody vouches for what was found. */
export type Vouch = (found: FoundProject) => Vouched | Promise<Vouched>;
