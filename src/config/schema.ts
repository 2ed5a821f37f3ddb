import { z } from "zod";
import { hookMode, hookSchema, pointSchema } from "./hook-schema.ts";
import type { HookTable } from "./hook-schema.ts";
import { protocolName } from "./handlers.ts";
import { SETTINGS_SHAPE } from "./settings.ts";
import type { SchemaContext } from "./schema-parts.ts";
import { isTable, valueOf } from "./table.ts";
import { optionsSchema, tableSchema } from "./schema-parts.ts";

/** A validated configuration: a file or an object. */
export type ConfigTable = z.output<ReturnType<typeof configSchema>>;

/**
 * The schema of a whole configuration.
 * @param tree the value to validate: hooks are in `[[hooks]]` or `[[hooks.hooks]]`, and choosing beforehand gives
 * better messages than a union
 */
export function configSchema(around: SchemaContext, tree: unknown) {
  // Lazy: building it takes milliseconds, and only configurations with hooks need it.
  const hooks = z.lazy(() => z.array(hookSchema(around)));
  const agent = tableSchema({
    hooks,
    mode: hookMode,
    override: z.array(pointSchema(around.points)),
  });
  return tableSchema({
    ...SETTINGS_SHAPE,
    // foreign-file.ts has given it to the hooks.
    protocol: protocolName,
    mode: hookMode,
    extends: z.array(z.string().min(1)),
    packages: z.record(
      z.string(),
      tableSchema({ off: z.array(z.string()), options: optionsSchema() }),
    ),
    hooks: isNested(tree) ? tableSchema({ hooks }) : hooks,
    agents: z.record(z.string(), agent),
  });
}

/** The hooks of a configuration, in either spelling, with the path of their list. */
export function globalHooks(config: ConfigTable): { path: string[]; hooks: HookTable[] } {
  const { hooks = [] } = config;
  return Array.isArray(hooks)
    ? { path: ["hooks"], hooks }
    : { path: ["hooks", "hooks"], hooks: hooks.hooks ?? [] };
}

/** Every list of hooks as written, not validated: `[[hooks]]`, then those of each agent. */
export function writtenHooks(tree: unknown): { path: string[]; hooks: readonly unknown[] }[] {
  const agents = valueOf(tree, "agents");
  const paths = [
    isNested(tree) ? ["hooks", "hooks"] : ["hooks"],
    ...Object.keys(isTable(agents) ? agents : {}).map((name) => ["agents", name, "hooks"]),
  ];
  return paths.map((path) => {
    const hooks = path.reduce(valueOf, tree);
    return { path, hooks: Array.isArray(hooks) ? (hooks as unknown[]) : [] };
  });
}

/** Whether a configuration names packages, as written. */
export function usesPackages(tree: unknown): boolean {
  if (valueOf(tree, "extends") !== undefined || valueOf(tree, "packages") !== undefined)
    return true;
  return writtenHooks(tree).some(({ hooks }) =>
    hooks.some((hook) => {
      const script = valueOf(hook, "script");
      return typeof script === "string" && script.startsWith("npm:");
    }),
  );
}

function isNested(tree: unknown): boolean {
  const hooks = valueOf(tree, "hooks");
  return isTable(hooks) && Object.hasOwn(hooks, "hooks");
}
