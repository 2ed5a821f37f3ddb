export { createRedactor } from "./redact/redactor.ts";
export { createEffectReader } from "./effects/effect-reader.ts";
