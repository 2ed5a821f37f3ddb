// Loaded by the process of every hook: it must stay light.

/**
 * The folder of the machine's `orcs.toml`. It is fixed: a variable that moves it could be set by those whom it is for.
 * @param platform default: that of this process
 */
export function machineFolder(platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") return "C:\\ProgramData\\orcs";
  return platform === "darwin" ? "/Library/Application Support/orcs" : "/etc/orcs";
}
