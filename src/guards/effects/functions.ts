import type { EffectCall } from "./command-effects.ts";
import { newItem, renameItem } from "../windows/effects.ts";
import { copy } from "./copies.ts";

/** What the rows of the dictionary cannot say: each is named by `fn=` in a row. */
export const FUNCTIONS: Readonly<Record<string, (call: EffectCall) => void>> = {
  copy,
  "new-item": newItem,
  "rename-item": renameItem,
  chmod: ({ described, command, byRole }) => {
    // `chmod -x file`: a mode looks like options.
    const mode = command.argv.findIndex((word, at) => at > 0 && /^-[rwxXst]+$/.test(word));
    const { parts } = described.args;
    if (mode < 0) return byRole(parts);
    const files = described.args.operands.map((operand) => ({
      ...operand,
      role: "attributes" as const,
    }));
    byRole(files);
  },
};
