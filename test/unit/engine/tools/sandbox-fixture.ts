import { mkdtempSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { ToolAnswer } from "../../../../src/core/ports.ts";
import { ProcessSet } from "../../../../src/machine/spawn/processes.ts";
import { builtinTools } from "../../../../src/engine/tools/builtin-tools.ts";
import type { BuiltinToolsOptions } from "../../../../src/engine/tools/builtin-tools.ts";

/** A sandbox root and a directory beside it that nothing may reach. */
export interface Fixture {
  readonly root: string;
  readonly outside: string;
  readonly processes: ProcessSet;
  /** Write files into the root, directories made. */
  files(contents: Record<string, string | Buffer>): void;
  call(tool: string, args: JsonObject, options?: Partial<BuiltinToolsOptions>): Promise<ToolAnswer>;
  cleanUp(): void;
}

export function sandboxFixture(): Fixture {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "orcs-tools-")));
  const root = join(base, "root");
  const outside = join(base, "outside");
  mkdirSync(root);
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "secret");
  const processes = new ProcessSet();
  return {
    root,
    outside,
    processes,
    files(contents) {
      for (const [name, content] of Object.entries(contents)) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), content);
      }
    },
    async call(name, args, options = {}) {
      const tools = builtinTools({ root, env: [], processes, ...options });
      const tool = tools.find((tool) => tool.name === name);
      if (!tool) throw new Error(`no tool ${name}`);
      return tool.run(args, { signal: undefined });
    },
    cleanUp() {
      processes.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** The error of an answer that must be one. */
export function errorOf(answer: ToolAnswer): string {
  if (answer.ok) throw new Error(`expected a refusal, got ${JSON.stringify(answer)}`);
  return answer.error;
}
