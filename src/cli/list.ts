import type { Hook } from "../core/index.ts";
import { createOrcs, type Orcs } from "../engine/index.ts";
import { CONFIG, JSON_OUTPUT, noteMissingProject } from "./options.ts";
import { printEither } from "./output.ts";
import { renderTable } from "./table.ts";
import { verbCommand } from "./verb-command.ts";

/** `orcs list`: the hooks by point, in the order in which they run. */
export const listCommand = verbCommand("list", {
  options: { config: CONFIG, json: JSON_OUTPUT },
  run: async (options) => {
    noteMissingProject(options.config);
    const orcs = await createOrcs({
      config: options.config,
      auditDir: false,
      untrusted: "ignore",
    });
    await orcs.registry.pendingShadow?.ready();
    const rows = orcs.registry.list().map((hook) => row(hook, orcs));
    await orcs.close();
    printEither(options.json, rows, () => describe(rows));
  },
});

/** The hooks of an engine as text. */
export function hooksText(orcs: Orcs): string {
  return describe(orcs.registry.list().map((hook) => row(hook, orcs)));
}

type Row = ReturnType<typeof row>;

function row(hook: Hook, { registry, settings }: Orcs) {
  return {
    point: hook.point.name,
    priority: hook.priority,
    id: hook.id,
    fql: hook.fql,
    match: hook.match ?? {},
    ...(hook.agents && {
      agents: hook.agents.only ?? `all but ${(hook.agents.except ?? []).join(", ")}`,
    }),
    enabled: registry.isEnabled(hook.id),
    mode: hook.mode ?? "enforce",
    ...(hook.rollout !== undefined && { rollout: hook.rollout }),
    on_error:
      hook.onError ?? settings.engine.on_error ?? (hook.point.phase === "pre" ? "closed" : "open"),
    origin: hook.origin,
    ...(hook.rank < 0 && { enforced: true }),
    source: hook.source ? `${hook.source.file}:${hook.source.line}` : "",
  };
}

function describe(rows: readonly Row[]): string {
  if (rows.length === 0) return "no hooks";
  return renderTable(
    ["point", "prio", "id", "fql", "match", "enabled", "mode", "on_error", "origin", "source"],
    rows.map((each) => [
      each.point,
      String(each.priority),
      each.id,
      each.fql,
      [
        ...Object.entries(each.match).map(
          ([key, value]) => `${key}=${typeof value === "string" ? value : value.join(", ")}`,
        ),
        ...(each.agents === undefined ? [] : [`agents=${each.agents}`]),
      ].join(" "),
      each.enabled ? "yes" : "no",
      each.rollout === undefined ? each.mode : `${each.mode} ${each.rollout} %`,
      each.on_error,
      each.enforced === true ? `${each.origin}, enforced` : each.origin,
      each.source,
    ]),
  );
}
