import type { HostName } from "../../src/core/hosts.ts";
import type { PointName } from "../../src/core/points.ts";
import { claudeCodeHost } from "../../src/formats/claude-code/host.ts";
import { copilotHost } from "../../src/formats/copilot/host.ts";
import { geminiHost } from "../../src/formats/gemini/host.ts";
import type { HostProtocol } from "../../src/formats/host-protocol.ts";
import { withEntries } from "../../src/agents/install/entries.ts";
import { INSTALL_COMMAND } from "../../src/core/install-command.ts";
import { defaultNeeds, wantedEvents } from "../../src/agents/install/wanted-events.ts";

/** A plugin of orcs for a coding agent, in plugins/. */
interface Plugin {
  readonly protocol: HostProtocol;
  readonly host: HostName;
  /** Path of the manifest in the plugin's folder, and what it has besides name, version and description. */
  readonly manifest: string;
  readonly more: Readonly<Record<string, unknown>>;
  /** Path of the hooks in that folder. */
  readonly hooks: string;
}

const AUTHOR = { author: { name: "orcs" }, license: "MIT" };

const PLUGINS: readonly Plugin[] = [
  {
    host: "claude-code",
    protocol: claudeCodeHost,
    manifest: ".claude-plugin/plugin.json",
    more: AUTHOR,
    hooks: "hooks/hooks.json",
  },
  {
    host: "copilot",
    protocol: copilotHost,
    manifest: "plugin.json",
    more: { ...AUTHOR, hooks: "hooks.json" },
    hooks: "hooks.json",
  },
  {
    host: "gemini",
    protocol: geminiHost,
    manifest: "gemini-extension.json",
    more: {},
    hooks: "hooks/hooks.json",
  },
];

/** Where agents look for the plugins of a repository. Copilot CLI takes the other one if its own is not there. */
const MARKETPLACES: readonly (readonly [path: string, host: HostName])[] = [
  [".claude-plugin/marketplace.json", "claude-code"],
  [".github/plugin/marketplace.json", "copilot"],
];

/**
 * The points whose events a plugin sends: it cannot know which hooks its user has. Not those of notifications, and of
 * every part of a model's response, which would start a process each; for hooks at them, there is `orcs install`.
 */
const POINTS: ReadonlySet<PointName> = new Set<PointName>([
  "tool.pre_execute",
  "tool.post_execute",
  "tool.on_failure",
  "tool.on_list",
  "llm.pre_generate",
  "auth.pre_check",
  "prompt.pre_submit",
  "session.on_start",
  "session.on_end",
  "agent.pre_stop",
  "child.post_spawn",
  "child.post_run",
  "context.pre_compact",
]);

/** The files of the plugins: path in the checkout → text. @param orcs parts of the package's own package.json */
export function pluginFiles(orcs: { name: string; version: string; description: string }) {
  const { name, version, description } = orcs;
  const files = new Map<string, string>();
  for (const plugin of PLUGINS) {
    const folder = `plugins/${plugin.host}`;
    const manifest = { name, version, description, ...plugin.more };
    files.set(`${folder}/${plugin.manifest}`, json(manifest));
    files.set(`${folder}/${plugin.hooks}`, hooksOf(plugin));
  }
  for (const [path, host] of MARKETPLACES) {
    const plugins = [{ name, description, source: `./plugins/${host}` }];
    files.set(path, json({ name, owner: AUTHOR.author, metadata: { description }, plugins }));
  }
  return files;
}

/** As `orcs install` writes them, except that orcs is looked for on the PATH. */
function hooksOf({ host, protocol }: Plugin): string {
  const { events } = protocol;
  const names = Object.entries(events).flatMap(([event, { point }]) =>
    POINTS.has(point) ? [event] : [],
  );
  return withEntries("", {
    host,
    scope: "user",
    command: { program: "orcs-hook", config: undefined },
    events: wantedEvents(
      defaultNeeds(names, events),
      events,
      protocol,
      `to install it: ${INSTALL_COMMAND}`,
    ),
    programs: [],
    kept: new Set(),
    keepsChanges: false,
  });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
