import { z } from "zod";
import { lazyConstant, type Writable } from "../core/index.ts";
import { hookMode, hookSchema, type HookTable, pointSchema } from "./hook-schema.ts";
import { protocolName } from "./handlers.ts";
import { checkSchema } from "./schema-errors.ts";
import { SETTINGS_SHAPE } from "./settings.ts";
import { optionsSchema, type SchemaContext, tableSchema } from "./schema-parts.ts";
import { isTable, valueOf } from "./table.ts";

/** A validated configuration: a file or an object. */
export type ConfigTable = z.output<ReturnType<typeof configSchema>>;

/** Validate a whole configuration; returns it, and every error. */
export function checkConfig(around: SchemaContext, tree: unknown) {
  const { current, flat, nested } = schemas();
  return during(current, around, () => checkSchema(isNested(tree) ? nested() : flat(), tree));
}

/** Validate one table of `[[hooks]]`. */
export function checkHook(around: SchemaContext, table: unknown) {
  const { current, hook } = schemas();
  return during(current, around, () => checkSchema(hook(), table));
}

// Each is built once: building takes longer than reading a configuration.
const schemas = lazyConstant(() => {
  // The context of the check that is running.
  const current = {} as Writable<SchemaContext>;
  const hook = lazyConstant(() => hookSchema(current));
  return {
    current,
    hook,
    flat: lazyConstant(() => configSchema(current, false, hook)),
    nested: lazyConstant(() => configSchema(current, true, hook)),
  };
});

/** Run a check with its context. Checks do not wait, so none sees the context of another. */
function during<T>(current: SchemaContext, around: SchemaContext, check: () => T): T {
  const before = { ...current };
  Object.assign(current, { isUsers: false }, around);
  try {
    return check();
  } finally {
    // No key of this check stays.
    for (const key of Object.keys(current)) Reflect.deleteProperty(current, key);
    Object.assign(current, before);
  }
}

/**
 * The schema of a whole configuration.
 * @param nested whether hooks are in `[[hooks.hooks]]`, not in `[[hooks]]`: choosing beforehand gives better messages
 * than a union
 */
export function configSchema(
  around: SchemaContext,
  nested: boolean,
  hook = (): ReturnType<typeof hookSchema> => hookSchema(around),
) {
  // Lazy: building it takes milliseconds, and only configurations with hooks need it.
  const hooks = z.lazy(() => z.array(hook()));
  const agent = z.lazy(() =>
    tableSchema({ hooks, mode: hookMode, override: z.array(pointSchema(around)) }),
  );
  return tableSchema({
    ...SETTINGS_SHAPE,
    // foreign-file.ts has given it to the hooks.
    protocol: protocolName,
    mode: hookMode,
    extends: z.array(z.string().min(1)),
    packages: z.record(
      z.string(),
      z.lazy(() => tableSchema({ off: z.array(z.string()), options: optionsSchema() })),
    ),
    hooks: nested ? tableSchema({ hooks }) : hooks,
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
