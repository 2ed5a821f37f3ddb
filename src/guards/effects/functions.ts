import type { EffectCall } from "./command-effects.ts";
import { copy } from "./copies.ts";
import { environment } from "./environment.ts";
import { search } from "./searches.ts";
import { find, keygen, openssl, parallel } from "./system.ts";
import { awk, jq, rewrite, sed } from "./texts.ts";

/** What the rows of the dictionary cannot say: each is named by `fn=` in a row. */
export const FUNCTIONS: Readonly<Record<string, (call: EffectCall) => void>> = {
  awk,
  copy,
  environment,
  find,
  jq,
  keygen,
  openssl,
  parallel,
  rewrite,
  search,
  sed,
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
