/** Foreign agents whose hooks orcs answers. */
export const HOST_NAMES = ["claude-code", "codex", "gemini", "cursor"] as const;

export type HostName = (typeof HOST_NAMES)[number];
