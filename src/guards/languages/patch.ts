import { isPatch, patchFiles } from "../effects/patch-files.ts";
import type { LanguageReader } from "./languages.ts";

/** The files of a patch. */
export const patch: LanguageReader = (text, { found }) => {
  if (!isPatch(text)) return;
  for (const { path, verb, sure } of patchFiles(text)) {
    const file = { text: path, at: -1, known: true };
    if (verb === "delete") found.file("remove", file, { sure, unfollowed: true });
    else found.file("write", file, { sure });
  }
};
