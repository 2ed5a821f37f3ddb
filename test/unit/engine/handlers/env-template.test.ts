import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OrcsError } from "../../../../src/core/errors.ts";
import { expandTemplate, secretsOf } from "../../../../src/engine/handlers/webhook-request.ts";

const variables = {
  allowed: ["A", "_b2", "EMPTY", "UNSET", "constructor", "NESTED"],
  environment: {
    variables: { A: "alpha", _b2: "$& $1 $$", EMPTY: "", SECRET: "s3cret", NESTED: "${SECRET}" },
  },
};
const expand = (template: string): string => expandTemplate(template, variables, "the place");

describe("expanding a variable template", () => {
  it.each([
    ["", ""],
    ["plain $A $(A) {A} $", "plain $A $(A) {A} $"],
    ["${A}", "alpha"],
    ["x${A}y${A}", "xalphayalpha"],
    ["$${A}", "$alpha"],
    ["${_b2}", "$& $1 $$"],
    ["${NESTED}", "${SECRET}"],
  ])("%j is %j", (template, expanded) => {
    expect(expand(template)).toBe(expanded);
  });

  it.each<[string, string]>([
    ["${SECRET}", "the place: ${SECRET} is not listed in allow_env"],
    ["${PATH}", "the place: ${PATH} is not listed in allow_env"],
    ["${a}", "the place: ${a} is not listed in allow_env"],
    ["${UNSET}", "the place: the environment variable UNSET is not set"],
    ["${constructor}", "the place: the environment variable constructor is not set"],
    ["${EMPTY}", "the place: the environment variable EMPTY is not set"],
    ...["${", "${A", "${}", "${ A}", "${A-x}", "${A:-x}", "${1}", "${${A}}", "${A\n}"].map(
      (template): [string, string] => [template, "the place: ${ must be followed by a name and }"],
    ),
  ])("%j is rejected", (template, message) => {
    try {
      expand(template);
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(OrcsError);
      expect(thrown).toMatchObject({ code: "ORCS1019", message: `ORCS1019: ${message}` });
      return;
    }
    throw new Error("it was not refused");
  });

  it("never leaves a placeholder partly expanded", () => {
    const part = fc.constantFrom("${A}", "${", "}", "$", "A", "${SECRET}", "x", "{");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const template = parts.join("");
        let expanded: string;
        try {
          expanded = expand(template);
        } catch {
          return;
        }
        expect(expanded).not.toContain("${");
        expect(expanded).not.toContain("s3cret");
        expect(expanded).toBe(template.replaceAll("${A}", "alpha"));
      }),
    );
  });
});

it("secretsOf lists the secret values, longest first, with URL and JSON encodings", () => {
  expect(
    secretsOf({
      allowed: ["A", "B", "C", "UNSET", "BAD"],
      environment: {
        variables: {
          A: "short",
          B: "a secret",
          C: "a secret/more",
          D: "not allowed",
          BAD: "\ud800longer",
        },
      },
    }),
  ).toEqual(
    [
      "a%20secret%2Fmore",
      "a secret/more",
      "a%20secret",
      "a secret",
      "\ud800longer",
      "\\ud800longer",
    ].sort((a, b) => b.length - a.length),
  );
});
