import { type CreateOrcsOptions, Engine, type EngineOptions, Orcs } from "./orcs/index.ts";

/**
 * Create a hook engine: load the configuration, its scripts and the given hooks.
 * @throws OrcsError ORCS1015 listing every error with its place; nothing stays loaded then
 */
export function createOrcs(options: CreateOrcsOptions = {}): Promise<Orcs> {
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
  lines: undefined,
  opened: undefined,
  environment: undefined,
  beforeRead: undefined,
  notices: undefined,
};

/** As `createOrcs`, with options that only orcs itself uses. */
export async function openOrcs(options: EngineOptions): Promise<Orcs> {
  const engine = await Engine.create(options);
  options.opened?.(engine);
  const orcs = new Orcs(engine);
  try {
    for (const definition of options.hooks ?? []) orcs.hook(definition);
    return orcs;
  } catch (thrown) {
    await orcs.close();
    throw thrown;
  }
}
