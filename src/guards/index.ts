export { createRedactor, maskedText } from "./redact/redactor.ts";
export { createEffectReader } from "./effects/effect-reader.ts";
