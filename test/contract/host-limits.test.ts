import { beforeAll, describe, expect, test } from "vitest";
import type { Ability } from "../../src/core/abilities.ts";
import { ABILITIES, abilitiesAt } from "../../src/core/abilities.ts";
import { HOST_NAMES } from "../../src/core/hosts.ts";
import { pointSet } from "../../src/core/points.ts";
import type { Effect, EventLimits } from "../../src/formats/host-limits.ts";
import { limitUnder } from "../../src/formats/host-limits.ts";
import type { HostOptions, HostProtocol } from "../../src/formats/host-protocol.ts";
import { HOSTS } from "../../src/formats/hosts.ts";
import type { SeenEffect } from "./host-effects.ts";
import { effectOf, INJECTIONS, outcomeOf, READERS, SETTINGS } from "./host-effects.ts";

/** One event as encoded: what the answer does, and what was logged. */
interface Encoded {
  readonly effect: SeenEffect;
  readonly logged: readonly string[];
}

describe.each(HOST_NAMES)("the limits of %s", (host) => {
  const reader = READERS[host];
  let protocol: HostProtocol;
  let limits: Readonly<Record<string, EventLimits>>;
  beforeAll(async () => {
    protocol = await HOSTS[host].load();
    const rows = Object.entries(protocol.events);
    limits = Object.fromEntries(rows.map(([event, row]) => [event, row.limits ?? {}]));
  });

  const encoded = (
    event: string,
    ability: Ability,
    options: HostOptions,
    withAllow = false,
  ): Encoded[] => {
    const samples = reader.samples(event);
    expect(samples.length).toBeGreaterThan(0);
    const injections = ability === "inject" ? INJECTIONS : [undefined];
    return samples.flatMap((sent) => {
      const decoded = protocol.decode(sent);
      expect(decoded.event).toBe(event);
      return injections.map((injection) => {
        const outcome = outcomeOf(decoded, ability, reader, {
          withAllow,
          ...(injection && { injection }),
        });
        const answer = protocol.encode(decoded, outcome, options);
        const effect = effectOf(ability, reader.read(event, answer));
        return { effect, logged: answer.downgrades };
      });
    });
  };

  test("name every event, and only abilities that its point has", () => {
    expect(Object.keys(limits).toSorted()).toEqual(Object.keys(protocol.events).toSorted());
    for (const [event, row] of Object.entries(limits)) {
      const possible = abilitiesAt(pointOf(protocol, event));
      for (const ability of Object.keys(row)) expect(possible, event).toContain(ability);
    }
  });

  test.each(ABILITIES)("%s: the answer is what the table says, at every event", (ability) => {
    for (const [event, row] of Object.entries(limits)) {
      if (!abilitiesAt(pointOf(protocol, event)).includes(ability)) continue;
      for (const options of SETTINGS) {
        const seen = encoded(event, ability, options);
        const stated = row[ability];
        const where = `${event}, ${JSON.stringify(options)}: ${JSON.stringify(seen)}`;
        if (stated === undefined) {
          expect(seen, where).toEqual(seen.map(() => ({ effect: "works", logged: [] })));
          continue;
        }
        expectEffect(limitUnder(stated, options).effect, seen, where);
        if (stated.worksWithAllow !== true) continue;
        const allowed = encoded(event, ability, options, true);
        expect(allowed, where).toEqual(seen.map(() => ({ effect: "works", logged: [] })));
      }
    }
  });

  test("an allow is named wherever it would let a rewrite through", () => {
    for (const [event, row] of Object.entries(limits)) {
      const { rewrite } = row;
      if (rewrite?.effect !== "denied" || rewrite.worksWithAllow) continue;
      const [strict] = SETTINGS;
      if (strict === undefined) throw new Error("no settings");
      const allowed = encoded(event, "rewrite", strict, true);
      expect(
        allowed.map(({ effect }) => effect),
        event,
      ).not.toContain("works");
    }
  });
});

function pointOf(protocol: HostProtocol, event: string) {
  const name = protocol.events[event]?.point ?? "";
  const point = pointSet().get(name);
  if (!point) throw new Error(`no point of ${event}`);
  return point;
}

/** What each effect may look like in an answer. */
const LOOKS_LIKE: Readonly<Record<Effect, readonly SeenEffect[]>> = {
  denied: ["denied"],
  shown: ["shown"],
  ignored: ["ignored"],
  otherwise: ["works", "told"],
  sometimes: ["works", "told", "unsure", "ignored"],
};

function expectEffect(effect: Effect, seen: readonly Encoded[], where: string): void {
  for (const each of seen) expect(LOOKS_LIKE[effect], where).toContain(each.effect);
  if (effect === "denied" || effect === "shown" || effect === "ignored") return;
  // It is no limit if the agent does exactly what was meant and the log has nothing about it.
  const isAsMeant = seen.every((each) => each.effect === "works" && each.logged.length === 0);
  expect(isAsMeant, `${where} is no limit`).toBe(false);
  if (effect !== "sometimes") return;
  expect(
    seen.some((each) => each.effect !== "ignored"),
    `${where} never has an effect`,
  ).toBe(true);
}
