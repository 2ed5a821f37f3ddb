import { expect, onTestFinished, test } from "vitest";
import { createOrcs } from "../../../../src/engine/create-orcs.ts";

test.each([[false as const], [{ hooks: [] }]])(
  "createOrcs with watch and config %j starts without anything to watch",
  async (config) => {
    const orcs = await createOrcs({ config, watch: true });
    onTestFinished(() => orcs.close());
    expect(orcs.registry.list()).toEqual([]);
  },
);
