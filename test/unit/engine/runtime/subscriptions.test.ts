import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Subscriptions, type BusMember } from "../../../../src/engine/runtime/event-bus.ts";

/** A member of the bus, as far as subscriptions are concerned. */
function member(key: string, ...subscriptions: string[]): BusMember {
  return { key, subscriptions } as Partial<BusMember> as BusMember;
}

const keys = (members: readonly BusMember[]): string[] => members.map(({ key }) => key).sort();

const CATEGORIES = ["A", "B", "__proto__", "constructor", "*"];

describe("Subscriptions", () => {
  test("list each subscribed member once while it exists", () => {
    const lists = fc.array(fc.constantFrom(...CATEGORIES), { maxLength: 5 });
    const steps = fc.array(fc.record({ subscriptions: lists, removes: fc.nat(9) }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(steps, (script) => {
        const subscriptions = new Subscriptions();
        let there: BusMember[] = [];
        for (const [index, { subscriptions: wanted, removes }] of script.entries()) {
          const added = member(`m${index}`, ...wanted);
          subscriptions.add(added);
          there.push(added);
          const gone = removes < there.length ? there[removes] : undefined;
          if (gone) {
            subscriptions.remove(gone);
            there = there.filter((other) => other !== gone);
          }
          for (const category of [...CATEGORIES, "unheard"]) {
            const wanting = there.filter(
              (each) => each.subscriptions.includes(category) || each.subscriptions.includes("*"),
            );
            expect(keys(subscriptions.of(category))).toEqual(keys(wanting));
            const naming = there.filter((each) => each.subscriptions.includes(category));
            expect(keys(subscriptions.naming(category))).toEqual(keys(naming));
          }
        }
      }),
    );
  });

  test("list members of a category in order of arrival, then those of all", () => {
    const subscriptions = new Subscriptions();
    for (const each of [member("all", "*"), member("2", "A"), member("1", "A", "B")])
      subscriptions.add(each);
    expect(subscriptions.of("A").map(({ key }) => key)).toEqual(["2", "1", "all"]);
  });

  test("ignore removal of an unknown member", () => {
    const subscriptions = new Subscriptions();
    const there = member("there", "A");
    subscriptions.add(there);
    subscriptions.remove(member("there", "A"));
    expect(subscriptions.of("A")).toEqual([there]);
  });

  test("a returned list is not changed later", () => {
    const subscriptions = new Subscriptions();
    const [one, other] = [member("1", "A"), member("2", "*")];
    subscriptions.add(one);
    const before = subscriptions.of("A");
    subscriptions.add(other);
    const between = subscriptions.of("A");
    subscriptions.remove(one);
    expect([before, between, subscriptions.of("A")]).toEqual([[one], [one, other], [other]]);
  });
});
