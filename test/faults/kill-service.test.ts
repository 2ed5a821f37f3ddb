import { expect, test } from "vitest";
import { folder } from "../dist/orcs.ts";
import { trustedByServices } from "../dist/service.ts";
import { killServices, SLOW_GUARD } from "./kill-service.ts";

/** `ORCS_KILL_ROUNDS=100` for as many as the issue asks for. */
const ROUNDS = Number(process.env["ORCS_KILL_ROUNDS"] ?? 10);

test(
  `a service killed ${ROUNDS} times under load allows no forbidden call, and none hangs`,
  { timeout: 60_000 + ROUNDS * 10_000 },
  async () => {
    const dir = folder({ "orcs.toml": SLOW_GUARD });
    await trustedByServices(dir);
    const { kills, verdicts, broken } = await killServices(dir, ROUNDS, Math.random);
    expect(kills).toBe(ROUNDS);
    expect(broken).toEqual([]);
    const { "refused by the hook": byHook = 0, ...others } = verdicts.forbidden;
    const { "refused, for the service was lost": lost = 0, ...slipped } = others;
    expect(slipped).toEqual({});
    // The guard was asked, and services were lost while it was.
    expect(byHook).toBeGreaterThan(ROUNDS / 2);
    if (ROUNDS >= 50) expect(lost).toBeGreaterThan(0);
    // It refuses what it must, not everything.
    expect(verdicts.harmless.passed).toBeGreaterThan(0);
    expect(verdicts.harmless).not.toHaveProperty(["refused by the hook"]);
    process.stderr.write(`${JSON.stringify({ kills, ...verdicts })}\n`);
  },
);
