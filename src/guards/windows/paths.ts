/** Files that are none. */
const DEVICE = /^(?:\$null|(?:nul|con):?)$/i;

export function isDevice(text: string): boolean {
  return DEVICE.test(text);
}

const FILE_SYSTEM = /^(?:microsoft\.powershell\.core\\)?filesystem::/i;

/**
 * A path as POSIX systems write it, absolute if it has a drive: `/C:/x`.
 * @returns undefined for a name in another store, such as the registry
 */
export function posixPath(text: string, home: string | undefined): string | undefined {
  if (isDevice(text)) return "/dev/null";
  const path = text.replace(FILE_SYSTEM, "").replaceAll("\\", "/");
  if (/^[A-Za-z]:/.test(path)) {
    const temporary = /^.:\/users\/[^/]+\/appdata\/local\/temp\/(.*)$/is.exec(path);
    return temporary ? `/tmp/${temporary[1]}` : `/${path}`;
  }
  if (/^\w[\w.]*:(?!\/\/)/.test(path)) return undefined;
  if (home !== undefined && /^~(?:\/|$)/.test(path)) return `${home}${path.slice(1)}`;
  return path;
}

/** A word of a program that is not one of PowerShell: its paths as POSIX systems write them. */
export function posixWord(text: string, home: string | undefined): string {
  return /[\s'"()$^+{}|]/.test(text) ? text : (posixPath(text, home) ?? text);
}

/** What is left to see of an unknown word: `$APPDATA/x`. */
export function unknownWord(text: string): string {
  const plain = text
    .replaceAll("\\", "/")
    .replaceAll(/\$\{?(?:env:)?([A-Za-z_]\w*)[\w.:]*\}?/gi, "$$$1")
    .replaceAll(/[^\w./$~-]/g, "");
  return /\$[A-Za-z_]/.test(plain) ? plain : "$unknown";
}
