import { homedir } from "node:os";
import { EFFECT_KINDS, lazyConstant, OrcsError, suggestion } from "../../core/index.ts";
import type { CallReader, DeclaredEffect } from "../../core/index.ts";
import { createEffectReader } from "../../guards/index.ts";
import { createFileReader, followedPath } from "../../machine/index.ts";
import { createShellReader } from "../../matching/index.ts";
import type { CreateOrcsOptions } from "./options.ts";

/**
 * The reader of command lines and of other calls of an engine. `~` is the home directory of the current user, if there
 * is one.
 * @param root base of relative directories
 * @param tools what tools of the program do, by name
 * @throws OrcsError ORCS1004 for an effect of no known kind
 */
export function effectReader(root: string, tools: CreateOrcsOptions["tools"] = {}): CallReader {
  const declared = new Map<string, readonly DeclaredEffect[]>();
  for (const [tool, { effects }] of Object.entries(tools)) {
    const stray = effects.find(({ kind }) => !Object.hasOwn(EFFECT_KINDS, kind));
    if (stray) {
      const hint = suggestion(String(stray.kind), Object.keys(EFFECT_KINDS));
      const why = `the tool ${tool} has an effect of the unknown kind ${stray.kind}${hint}`;
      throw new OrcsError("ORCS1004", why, { tool });
    }
    declared.set(tool, effects);
  }
  const options = { home: home(), root };
  // Most engines have no hook that asks what a call does, and the readers are a third of the code.
  const reader = lazyConstant(() =>
    createEffectReader(createShellReader(options), root, {
      declared: (tool) => declared.get(tool),
      files: createFileReader(),
      realPath: (path, cwd) => followedPath(path, cwd, root),
    }),
  );
  return {
    shell: { read: (line, cwd, wanted) => reader().shell.read(line, cwd, wanted) },
    ofCall: (payload, call) => reader().ofCall(payload, call),
    onlyReads: (payload, effects, call) => reader().onlyReads(payload, effects, call),
  };
}

function home(): string | undefined {
  try {
    return homedir() || undefined;
  } catch {
    // The user has no passwd entry, and `HOME` is not set.
    return undefined;
  }
}
