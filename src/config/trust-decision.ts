import type { Diagnostic, SourcePlace } from "../core/diagnostic.ts";
import type { TrustStanding } from "../core/trust.ts";
import type { Handler } from "./hook-entry.ts";
import type { LayerFiles } from "./layers.ts";
import type { SettingsTable } from "./settings.ts";

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
  /** Files and folders that it needs besides, as written. */
  readonly files: readonly string[];
  /** Whether it says that it runs what cannot be sealed. */
  readonly isUnsealed: boolean;
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

/** What is said of a project, and what of it counts. */
export interface TrustedFiles extends TrustStanding {
  /** SHA-256 of the sealed set that is active, as hexadecimal digits. */
  readonly digest: string | undefined;
  /** Its configurations, where it is trusted: those of the sealed set, or of a dev-trusted folder. */
  readonly source: LayerFiles;
  /** Files whose change may change what is said: those of the project, and the trust store. Absolute. */
  readonly files: readonly string[];
  /** ISO 8601: when the sealed set was trusted. */
  readonly at: string | undefined;
  /** Names of files in which the folder is not what is sealed, a few at most. */
  readonly differs: readonly string[];
  /** A folder below it, on the way to the working directory, that has a configuration of its own, never trusted. */
  readonly nearer: string | undefined;
  /** Folders that its modules find packages from, the first one that has it: packages are not sealed. */
  readonly packageDirs: readonly string[];
  /** What is sealed, by path in the project. */
  readonly sealed: ReadonlyMap<string, { readonly bytes: Uint8Array }>;
  /** Whether what scripts require from a folder is read from the sealed set alone. */
  holds(folder: string): boolean;
  /** The bytes of a file of the sealed set. */
  bytesOf(file: string): Uint8Array | undefined;
  /** The path in the project of a file of the sealed set, for messages; another path as it is. */
  shown(file: string): string;
}

/** Says what keeps what a project holds from being trusted. */
export type Examine = (found: FoundProject) => Promise<readonly Diagnostic[]>;
