import { Engine } from "./engine.ts";
import type { CreateOrcsOptions, EngineOptions } from "./options.ts";
import { Orcs } from "./orcs.ts";

/**
 * Create a hook engine: load the configuration, its scripts and the hooks given.
 * @throws OrcsError ORCS1015 listing every mistake with its place; nothing is half loaded then
 */
export function createOrcs(options: CreateOrcsOptions = {}): Promise<Orcs> {
  return openOrcs(options);
}

/** The same with what only orcs itself has a use for. */
export async function openOrcs(options: EngineOptions): Promise<Orcs> {
  const orcs = new Orcs(await Engine.create(options));
  try {
    for (const definition of options.hooks ?? []) orcs.hook(definition);
    return orcs;
  } catch (thrown) {
    await orcs.close();
    throw thrown;
  }
}
