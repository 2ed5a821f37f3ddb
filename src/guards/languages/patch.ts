import { isPatch, patchEffects } from "../effects/patch-files.ts";
import type { LanguageReader } from "./languages.ts";

/** The files of a patch. */
export const patch: LanguageReader = (text, { found }) => {
  if (isPatch(text))
    patchEffects(text, (kind, path, details) =>
      found.file(kind, { text: path, at: -1, known: true }, details),
    );
};
