/** Keys with which agents switch off hooks, and what they are where they are missing. */
export const SWITCHES: readonly (readonly [path: readonly string[], otherwise?: boolean])[] = [
  [["disableAllHooks"], false],
  [["allowManagedHooksOnly"], false],
  [["hooksConfig"]],
  [["hooks", "disabled"]],
  [["hooks", "enabled"], true],
  [["tools", "enableHooks"], true],
];
