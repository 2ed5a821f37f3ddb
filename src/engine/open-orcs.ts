import { Engine, Orcs } from "./orcs/index.ts";
import type { EngineOptions, ReloadTestsOf } from "./orcs/index.ts";

/** As `createOrcs`, with options that only orcs itself uses. */
export async function openOrcs(options: EngineOptions): Promise<Orcs> {
  const reloadTests: ReloadTestsOf = async (points, cwd) => {
    const { ReloadTests } = await import("./testing/index.ts");
    return new ReloadTests(points, cwd);
  };
  const orcs = new Orcs(await Engine.create({ ...options, reloadTests }));
  try {
    for (const definition of options.hooks ?? []) orcs.hook(definition);
    return orcs;
  } catch (thrown) {
    await orcs.close();
    throw thrown;
  }
}
