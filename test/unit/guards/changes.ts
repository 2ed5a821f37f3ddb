import { createEffectReader } from "../../../src/guards/index.ts";
import { createShellReader } from "../../../src/matching/index.ts";

const reader = createEffectReader(createShellReader({ home: "/home/me", root: "/" }), "/work");
const SIGNS = { write: "", remove: "-", attributes: "%" } as const;

/**
 * What a line changes: targets, relative to the folder that it starts in; `-` in front of what is removed, `%` of what
 * gets other attributes, `?` of what is not sure, and `/**` behind what is meant with all below it.
 */
export function changes(line: string): string {
  const { effects } = reader.ofCall({ tool_name: "exec", args: { command: line }, cwd: "/work" });
  return effects
    .flatMap(({ kind, target, sure, recursive, elsewhere }) => {
      if (kind !== "write" && kind !== "remove" && kind !== "attributes") return [];
      const name = target === undefined ? "unknown" : target.replace(/^\/work(?:\/|$)/, "") || ".";
      return `${sure ? "" : "?"}${SIGNS[kind]}${name}${recursive ? "/**" : ""}${elsewhere ? "@" : ""}`;
    })
    .join(" ");
}
