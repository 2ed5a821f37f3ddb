import { asRegex, type SettingsSpec } from "../settings-spec.ts";

/** How its settings are read. */
export const GEMINI_SETTINGS: SettingsSpec = {
  switches: [
    { path: ["hooksConfig"] },
    { path: ["hooksConfig", "enabled"], off: false },
    { path: ["hooks", "disabled"] },
    { path: ["hooks", "enabled"], otherwise: true },
    { path: ["tools", "enableHooks"], otherwise: true },
  ],
  offByName: ["hooksConfig", "disabled"],
  types: { object: "tools general ui context security sandbox" },
  matchers: {
    ignoredAt: ["BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection"],
    translate(pattern) {
      if (asRegex(pattern)) return { match: { tool_regex: pattern } };
      // Gemini CLI matches a pattern that is not a regular expression literally.
      return { match: { tool_regex: `^${pattern.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$` } };
    },
  },
};
