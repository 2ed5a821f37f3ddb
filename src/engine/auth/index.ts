export { GrantBook } from "./grants.ts";
export { checkCommand, hardLimits, narrowed, readPermission } from "./policy.ts";
