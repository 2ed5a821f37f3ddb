import { expect, it } from "vitest";
import { codeOf } from "../../../../src/core/errors.ts";
import { reasonOf, Refusal } from "../../../../src/engine/tools/define-tool.ts";

it("reasonOf describes system error codes in words", () => {
  const systemError = (code: string): Error => Object.assign(new Error(`${code}: x`), { code });
  expect(reasonOf(systemError("ENOSPC"))).toBe("no space is left on the disk");
  expect(reasonOf(systemError("EACCES"))).toBe("permission denied");
  expect(reasonOf(systemError("EODD"))).toBe("EODD: x");
  expect(codeOf(systemError("ELOOP"))).toBe("ELOOP");
});

it("reasonOf accepts any thrown value", () => {
  expect(reasonOf(new Refusal("why"))).toBe("why");
  for (const thrown of [undefined, null, 5, "text", { code: "ENOSPC" }]) {
    expect(reasonOf(thrown)).toBe("a value that is not an Error was thrown");
    expect(codeOf(thrown)).toBeUndefined();
  }
});
