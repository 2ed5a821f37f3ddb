/** Foreign agents whose hooks orcs answers. */
export const HOST_NAMES = ["claude-code", "codex", "gemini", "cursor"] as const;

export type HostName = (typeof HOST_NAMES)[number];

/** Hook systems whose handlers run here as they are: how a command or a service is asked, and answers. */
export const PROTOCOL_NAMES = [
  "orcs",
  "claude-code",
  "codex",
  "gemini",
  "cursor",
  "cocode",
  "massgen",
] as const;

export type ProtocolName = (typeof PROTOCOL_NAMES)[number];

/** Variables of a command that name the folder of its configuration, or the sealed copy of it. */
export const FOLDER_VARIABLES = ["ORCS_DIR", "ORCS_CONFIG_DIR"] as const;
