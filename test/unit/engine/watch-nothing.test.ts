import { expect, onTestFinished, test } from "vitest";
import { createOrcs } from "../../../src/engine/create-orcs.ts";

test.each([[false as const], [{ hooks: [] }]])(
  "an engine that watches, of the configuration %j, has nothing to wait for",
  async (config) => {
    const orcs = await createOrcs({ config, watch: true });
    onTestFinished(() => orcs.close());
    expect(orcs.registry.list()).toEqual([]);
  },
);
