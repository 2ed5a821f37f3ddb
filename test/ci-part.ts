import { beforeEach, expect } from "vitest";

/**
 * Of the longest files of the slow run, CI carries out one test of so many, spread evenly over the file: what they try
 * is much alike, and each of it starts processes. `npm run test:slow` carries out all of it.
 */
const PARTS: Readonly<Record<string, number>> = {
  "dist/audit": 3,
  "dist/doctor": 3,
  "dist/hook": 2,
  "dist/hook-service": 2,
  "dist/install": 2,
  "dist/list-check": 2,
  "dist/mcp-faults": 2,
  "dist/replay": 2,
  "dist/serve": 2,
  "dist/trust": 3,
  "dist/worker": 3,
  "dist/worker-faults": 2,
  "security/conversion": 3,
  "security/isolation": 2,
  "security/long-functions": 3,
  "security/memory": 2,
  "security/permissions": 2,
  "security/time": 3,
  "slow/entries": 2,
  "slow/http-transport": 2,
  "slow/machine-install": 2,
  "slow/orcs-hook": 3,
  "unit/daemon/service-gateway.slow": 2,
  "unit/undo/given-back.slow": 20,
  "unit/engine/lua/script-object.slow": 3,
  "unit/engine/orcs/lua-component.slow": 2,
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
