/** Why a tool cannot do what it was asked. Thrown inside a tool, it becomes the error of its answer. */
export class Refusal extends Error {}

/** What the system's error codes say, in words that need no manual. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EBUSY: "it is in use",
  EDQUOT: "the disk quota is used up",
  EEXIST: "it exists already",
  EFBIG: "the file would be too large",
  EINVAL: "the system refuses it as invalid",
  EIO: "the disk failed",
  EISDIR: "it is a directory",
  ELOOP: "too many symbolic links",
  EMFILE: "too many open files",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "no such file or directory",
  ENOSPC: "no space is left on the disk",
  ENOTDIR: "a part of the path is not a directory",
  ENOTEMPTY: "the directory is not empty",
  ENXIO: "there is no such device",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ETXTBSY: "the program is running",
  EXDEV: "the two places are on different file systems",
};

/** Why something failed, in one line. */
export function reasonOf(thrown: unknown): string {
  const code = codeOf(thrown);
  const reason = code === undefined ? undefined : REASONS[code];
  if (reason !== undefined) return reason;
  return thrown instanceof Error ? thrown.message : "something that is not an Error was thrown";
}

/** The system's code of an error, such as ENOENT. */
export function codeOf(thrown: unknown): string | undefined {
  const code: unknown = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? code : undefined;
}
