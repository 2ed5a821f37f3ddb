import type { Diagnostic, TrustStanding } from "../core/index.ts";
import type { HookEntry } from "./hook-entry.ts";
import type { LayerFiles } from "./layers.ts";
import type { UsedPackage } from "./packages/layer-packages.ts";
import type { SettingsTable } from "./settings.ts";

/** A configuration file of a project, as read. */
export interface FoundLayer {
  /** Absolute. */
  readonly file: string;
  /** Undefined when it cannot be read. */
  readonly bytes: Uint8Array | undefined;
  /** All its hooks, including those of all agents. Empty when it has errors. */
  readonly hooks: readonly HookEntry[];
  /** Its settings. */
  readonly settings: SettingsTable;
  /** Its script directories, absolute. */
  readonly scriptDirs: readonly string[];
  readonly hasErrors: boolean;
  /** The packages that it uses, even if they differ from the lock. */
  readonly packages: readonly UsedPackage[];
}

/** A project discovered from a working directory, before any of it counts. */
export interface FoundProject {
  /** Directory of its `orcs.toml`. */
  readonly directory: string;
  /** Read and validate its files, on demand: an untrusted project need not be read. */
  layers(): Promise<readonly FoundLayer[]>;
}

/** The trust decision about a project, and its active files. */
export interface TrustedFiles extends TrustStanding {
  /** SHA-256 of the sealed set that is active, as hexadecimal digits. */
  readonly digest: string | undefined;
  /** Its active configurations: those of the sealed set, or of a dev-trusted folder. */
  readonly source: LayerFiles;
  /** Files whose change can change the decision: those of the project, and the trust store. Absolute. */
  readonly files: readonly string[];
  /** When the sealed set was trusted, ISO 8601. */
  readonly at: string | undefined;
  /** Names of files that differ from the sealed set, a few at most. */
  readonly differs: readonly string[];
  /**
   * A folder between the project and the working directory that has a configuration of its own, which was never
   * trusted.
   */
  readonly nearer: string | undefined;
  /** Folders in which its modules find packages, in order: packages are not sealed. */
  readonly packageDirs: readonly string[];
  /** The sealed files, by path in the project. */
  readonly sealed: ReadonlyMap<string, { readonly bytes: Uint8Array }>;
  /** Whether modules in a folder are read from the sealed set only. */
  holds(folder: string): boolean;
  /** The bytes of a file of the sealed set. */
  bytesOf(file: string): Uint8Array | undefined;
  /** The path in the project of a sealed file, for messages; other paths are unchanged. */
  shown(file: string): string;
}

/** Returns the reasons not to trust a project's content. */
export type Examine = (found: FoundProject) => Promise<readonly Diagnostic[]>;
