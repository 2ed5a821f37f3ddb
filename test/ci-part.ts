import { beforeEach, expect } from "vitest";

/**
 * Of the longest files of the slow run, CI carries out one test of so many, spread evenly over the file: what they try
 * is much alike, and each of it starts processes. `npm run test:slow` carries out all of it.
 */
const PARTS: Readonly<Record<string, number>> = {
  "dist/approve": 2,
  "dist/audit": 3,
  "dist/doctor": 3,
  "dist/hook": 4,
  "dist/hook-service": 4,
  "dist/install": 2,
  "dist/list-check": 2,
  "dist/mcp-faults": 2,
  "dist/on": 2,
  "dist/replay": 2,
  "dist/serve": 2,
  "dist/trust": 3,
  "dist/worker": 3,
  "dist/worker-faults": 4,
  "faults/lost-answer": 3,
  "property/grants.slow": 2,
  "security/conversion": 3,
  "security/isolation": 2,
  "security/long-functions": 3,
  "security/memory": 4,
  "security/permissions": 2,
  "security/time": 3,
  "slow/accepted": 2,
  "slow/bounded-files": 2,
  "slow/entries": 4,
  "slow/entry-service": 2,
  "slow/http-transport": 4,
  "slow/machine-bundle": 2,
  "slow/machine-install": 3,
  "slow/orcs-hook": 6,
  "slow/self-guard": 2,
  "slow/service-environment": 2,
  "slow/ui-lifetime": 2,
  "unit/daemon/service-gateway.slow": 2,
  "unit/engine/lua/script-object.slow": 3,
  "unit/engine/orcs/lua-component.slow": 2,
  "unit/undo/given-back.slow": 20,
  "wire/attacks.slow": 2,
};

const name = expect.getState().testPath?.replace(/^.*\/test\/(.*)\.test\.ts$/, "$1") ?? "";
const part = PARTS[name] ?? 1;
/** Of a test that is tried again, the place stays. */
const places = new Map<string, number>();

beforeEach(({ task, skip }) => {
  const place = places.get(task.id) ?? places.size;
  places.set(task.id, place);
  skip(place % part !== 0, "not of the part that CI carries out");
});
