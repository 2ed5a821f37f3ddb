export { createRedactor } from "./redact/redactor.ts";
