import type { HostName, PluginAgentName } from "../core/index.ts";
import { CLAUDE_SETTINGS } from "./claude-code/settings.ts";
import { CODEX_SETTINGS } from "./codex/settings.ts";
import { COPILOT_SETTINGS } from "./copilot/settings.ts";
import { CURSOR_SETTINGS } from "./cursor/settings.ts";
import { GEMINI_SETTINGS } from "./gemini/settings.ts";
import type { HostEvent } from "./host-protocol.ts";
import { OPENCODE_EVENTS } from "./opencode/events.ts";
import { QWEN_SETTINGS } from "./qwen/settings.ts";
import type { SettingsSpec } from "./settings-spec.ts";

/** How the settings of each agent are read. */
export const SETTINGS: Readonly<Record<HostName, SettingsSpec>> = {
  "claude-code": CLAUDE_SETTINGS,
  codex: CODEX_SETTINGS,
  gemini: GEMINI_SETTINGS,
  cursor: CURSOR_SETTINGS,
  copilot: COPILOT_SETTINGS,
  qwen: QWEN_SETTINGS,
};

/** The same of all of them: some read the settings of others, so no key is of one agent alone. */
export const ALL_SETTINGS: readonly SettingsSpec[] = Object.values(SETTINGS);

/** Keys with which agents switch off hooks. */
export const SWITCHES = ALL_SETTINGS.flatMap(({ switches = [] }) => switches);

/** What the adapters of agents with plugins dispatch, by a plugin's functions; hooks at other points never run. */
export const PLUGIN_EVENTS: Readonly<Record<PluginAgentName, Readonly<Record<string, HostEvent>>>> =
  {
    opencode: OPENCODE_EVENTS,
  };
