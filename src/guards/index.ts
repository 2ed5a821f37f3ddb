export { createRedactor } from "./redact/redactor.ts";
export { createEffectReader } from "./effects/effect-reader.ts";
export { createDictionary } from "./programs/dictionary.ts";
export type { OptionRow, ProgramRow } from "./programs/notation.ts";
