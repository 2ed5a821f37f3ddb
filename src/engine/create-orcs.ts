import type { CreateOrcsOptions, EngineOptions, Orcs } from "./orcs/index.ts";

/**
 * Create a hook engine: load the configuration, its scripts and the given hooks.
 * @throws OrcsError ORCS1015 listing every error with its place; nothing stays loaded then
 */
export async function createOrcs(options: CreateOrcsOptions = {}): Promise<Orcs> {
  // A program that imports orcs may never need an engine, and its code takes as long to load as Node itself.
  const { openOrcs } = await import("./open-orcs.ts");
  return openOrcs({ ...options, ...NOT_OF_PROGRAMS });
}

/** Options that only orcs itself uses: some leave out what the machine enforces. */
const NOT_OF_PROGRAMS: Record<Exclude<keyof EngineOptions, keyof CreateOrcsOptions>, undefined> = {
  seal: undefined,
  files: undefined,
  machine: undefined,
  tap: undefined,
  log: undefined,
  projectLoads: undefined,
  modules: undefined,
  loading: undefined,
  shadowAtClose: undefined,
  runnerFor: undefined,
  hookSet: undefined,
  edited: undefined,
  reloadTests: undefined,
  environment: undefined,
  beforeRead: undefined,
  notices: undefined,
};
