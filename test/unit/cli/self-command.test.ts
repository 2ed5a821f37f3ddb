import { expect, test } from "vitest";
import { expectPermanent } from "../../../src/cli/self-command.ts";

test.each(["_npx/0a1b", "pnpm/dlx/abc", "dlx-77", "bunx-0-orcs"])(
  "an orcs in the package cache %s is not permanent",
  (cache) => {
    const path = `/home/u/.cache/${cache}/node_modules/orcs/bin/orcs.cjs`;
    expect(() => expectPermanent(path)).toThrow(/ORCS7007.*npm install --global \.\/orcs/);
    expect(() => expectPermanent(path.replaceAll("/", "\\"))).toThrow("ORCS7007");
    expect(() => expectPermanent(path.replace(cache, "other"))).not.toThrow();
  },
);
