import { basename, dirname, resolve } from "node:path";
import { defaultUserDir, machineFile, shownPath } from "../../machine/index.ts";
import type { LayerFiles } from "../layers.ts";
import { loadConfig, type LoadedConfig, type LoadOptions } from "../load.ts";
import { OrcsError } from "../../core/index.ts";
import { evaluateTrust, namesText } from "./evaluate-trust.ts";
import { linkPackages } from "./module-files.ts";
import type { MachinePlace } from "./machine-configuration.ts";
import { defaultMachinePlace, expectMachineCode, machineFiles } from "./machine-configuration.ts";
import { bundleNotices, type Notice, trustNotices } from "./notice.ts";
import { projectOf } from "./project.ts";
import { sealableConfig } from "./seal-config.ts";
import { differing, Seal, sealedFiles } from "./seal.ts";
import { TrustSet } from "./trust-set.ts";
import { TrustStore } from "./trust-store.ts";
import { type ActiveCopy, UserConfiguration } from "./user-configuration.ts";

/** Options for loading a configuration as an engine does. */
export interface LoadTrustedOptions extends Omit<
  LoadOptions,
  "project" | "user" | "projectTrust" | "examine" | "machine"
> {
  /** Where the configuration of the machine is; false for none. Default: the place of this machine. */
  readonly machine?: MachinePlace | false | undefined;
  /** Digest of the sealed copy that stands for the explicit `config`. */
  readonly seal?: string | undefined;
  /** Use the last active version of the user's own configuration, because the hooks of the current one do not load. */
  readonly asActiveLast?: boolean | undefined;
  /** Compares the user's own configuration with what a person accepted, and puts back what an agent changed. */
  readonly compared?: (() => void) | undefined;
}

/** A loaded configuration, with what must be reported about it. */
export interface TrustedConfig extends LoadedConfig {
  readonly notices: readonly Notice[];
  /** The file of the machine's configuration, which may not exist. */
  readonly machineFile: string | undefined;
  /** Whether the user's own configuration is the copy that was last active. */
  readonly isActiveLast: boolean;
  /** The error of the user's own configuration as saved, when a copy is active instead. */
  readonly error: OrcsError | undefined;
  /** Stores the user's own configuration as last active; call it once its hooks are active. */
  keep(): Promise<void>;
}

/**
 * Load a configuration as an engine does. Of a project, the trusted set counts, and nothing if it is not trusted. Of
 * the user's own configuration, the saved one counts, or the last active one if that has errors.
 * @throws OrcsError ORCS1015 with every error of what counts; ORCS8002, ORCS8010 when the trust decision is unknown
 */
export async function loadTrusted({
  seal,
  asActiveLast = false,
  compared,
  machine: place = defaultMachinePlace() ?? false,
  ...options
}: LoadTrustedOptions): Promise<TrustedConfig> {
  const machine = place ? machineFiles(place) : undefined;
  const around = { ...options, machine };
  const load = async (given: LoadOptions) => {
    const config = await loadConfig(given);
    if (machine && place) expectMachineCode(config.hooks, place);
    return { ...config, machineFile: place ? machineFile(place.directory) : undefined };
  };
  if (options.config !== undefined) {
    const sealed = seal === undefined ? undefined : await sealedConfig(options, seal);
    const config = await load({ ...around, named: sealed?.named ?? options.named });
    const notices = [...(sealed?.notices ?? []), ...bundleNotices(config.bundle)];
    return { ...config, notices, isActiveLast: false, error: undefined, keep: nothing };
  }
  const store = new TrustStore();
  const userDir = options.userDir ?? defaultUserDir();
  const found = projectOf(options.cwd, userDir, store.all());
  const projectTrust = found && evaluateTrust(found, store);
  const notices = trustNotices(projectTrust);
  const project = projectTrust?.source ?? (false as const);
  // A dev-trusted folder may contain anything, but its files must not lead out of it.
  const problemsOf: LoadOptions["examine"] = async (of) => (await TrustSet.of(of)).problems;
  const examine = projectTrust?.state === "dev" ? problemsOf : undefined;
  const all = { ...around, userDir, project, projectTrust, examine };
  const user = new UserConfiguration(userDir, store);
  await user.settled();
  const copy = lastGoodOf(user, asActiveLast);
  if (copy) return activeLast(copy);
  try {
    const keep = () => user.keep(compared);
    const config = await load(all);
    // Emptied by a slip, or half written: as if it were missing.
    const emptied =
      user.isChanged && !hasOwnHooks(config) ? user.lastGood("has no hooks any more") : undefined;
    const before = emptied && (await activeLast(emptied).catch(() => undefined));
    if (before && hasOwnHooks(before)) return before;
    const told = [...notices, ...bundleNotices(config.bundle)];
    return { ...config, notices: told, isActiveLast: false, error: undefined, keep };
  } catch (thrown) {
    const last = thrown instanceof OrcsError && user.isThere && user.lastGood("has errors");
    if (!last) throw thrown;
    // Errors of the last active copy are not the user's: report those of the saved one.
    return await activeLast(last, thrown).catch(() => Promise.reject(thrown));
  }

  async function activeLast(
    { files, notice }: ActiveCopy,
    error?: OrcsError,
  ): Promise<TrustedConfig> {
    const config = await load({ ...all, user: files });
    // The saved files are watched, since they may be repaired.
    return {
      ...config,
      files: [...config.files, user.file],
      notices: [notice, ...notices, ...bundleNotices(config.bundle)],
      isActiveLast: true,
      error,
      keep: nothing,
    };
  }
}

/** The copy that stands for the saved files, if they do not count. */
function lastGoodOf(user: UserConfiguration, asActiveLast: boolean): ActiveCopy | undefined {
  if (asActiveLast) return user.lastGood("has errors");
  if (!user.isThere) return user.lastGood("is missing");
  return user.isHeld ? user.lastGood("was changed during a session") : undefined;
}

function hasOwnHooks({ hooks }: LoadedConfig): boolean {
  return hooks.some(({ origin }) => origin === "user");
}

/** The sealed copy of an explicit configuration, made when its entry was installed. */
async function sealedConfig(
  { cwd, config }: LoadTrustedOptions,
  digest: string,
): Promise<{ named: LayerFiles; notices: readonly Notice[] } | undefined> {
  if (typeof config !== "string") return undefined;
  const file = resolve(cwd, config);
  const directory = dirname(file);
  const { sealsDir } = new TrustStore();
  const seal = await sealOf(file, sealsDir, digest);
  const bytes = seal.files.get(basename(file))?.bytes;
  const named = { directory, codeDir: seal.directory, files: new Map([[basename(file), bytes]]) };
  linkPackages({ source: named, sealed: seal.files, packageDirs: [directory] });
  const differs = differing(directory, sealedFiles(sealsDir, digest), [], MOST_NAMED);
  if (differs.length === 0) return { named, notices: [] };
  const text = `the hooks of ${shownPath(file)} are active as they were installed; changed since then: ${namesText(differs)}; run orcs install again to activate the changes`;
  return { named, notices: [{ text, key: `installed ${file} ${digest} ${differs.join("\n")}` }] };
}

/**
 * The copy that an entry names. For an entry installed on another machine, the copy is made here from identical files.
 * @throws OrcsError ORCS8010 when there is none and the files are not identical
 */
async function sealOf(file: string, sealsDir: string, digest: string): Promise<Seal> {
  try {
    return Seal.open(sealsDir, digest);
  } catch (thrown) {
    const now = await sealableConfig(file).catch(() => undefined);
    if (now?.digest !== digest) throw thrown;
    now.write();
    return Seal.open(sealsDir, digest);
  }
}

const MOST_NAMED = 6;

async function nothing(): Promise<void> {
  // Only discovered configurations are stored.
}
