import { OrcsError } from "../core/index.ts";
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

/** As `createOrcs`, with options that only orcs itself uses. @throws OrcsError also ORCS1024 */
export async function openOrcs(options: EngineOptions): Promise<Orcs> {
  const { version, execPath } = process;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  // An older one has not all that hooks need, and would fail in the middle of a call.
  if (major < 20 || (major === 20 && minor < 19)) {
    const why = `orcs needs Node 20.19 or later, and this is ${version} (${execPath}): install a later one (https://nodejs.org) and run the program with it`;
    throw new OrcsError("ORCS1024", why);
  }
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
