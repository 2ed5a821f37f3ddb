export { builtinTools } from "./builtin-tools.ts";
