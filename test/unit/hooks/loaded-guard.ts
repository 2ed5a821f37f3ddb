import { createOrcs } from "../../../src/engine/create-orcs.ts";
import type { Orcs } from "../../../src/engine/orcs/orcs.ts";
import { atFileEnd } from "../../file-end.ts";
import { Lines } from "../engine/orcs/engine.ts";
import { PATIENT } from "../engine/testing/rig.ts";

const loaded = new Map<string, Promise<Orcs>>();

atFileEnd(async () => {
  for (const orcs of loaded.values()) await (await orcs).close();
  loaded.clear();
});

/** A policy that ships, loaded once for all tests of a file: from one call to the next it keeps nothing. */
export function loadedGuard(
  policy: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<Orcs> {
  const key = `${policy} ${JSON.stringify(options)}`;
  const known = loaded.get(key);
  if (known) return known;
  const orcs = createOrcs({
    logger: new Lines(),
    overrides: PATIENT,
    config: { hooks: [{ script: `orcs:${policy}`, options }] },
  });
  loaded.set(key, orcs);
  return orcs;
}
