import { z } from "zod";
import { OrcsError } from "../core/errors.ts";
import { withoutCode } from "./checked-text.ts";
import { described } from "./described.ts";

/**
 * A command, or a list of at least one, each accepted by a parser of another layer; what that throws keeps its code.
 * A lone command comes out as a list.
 */
export function commandsSchema(check: (command: string) => void): z.ZodType<readonly string[]> {
  return z.unknown().transform((value, ctx) => {
    const refuse = (path: readonly number[], message: string, code = "ORCS1004") =>
      ctx.addIssue({ code: "custom", path: [...path], message, params: { code } });
    const accepted = (command: unknown, path: readonly number[]): string[] => {
      if (typeof command !== "string") {
        refuse(path, `expected a command, got ${described(command)}`);
        return [];
      }
      try {
        check(command);
      } catch (error) {
        if (!(error instanceof OrcsError)) throw error;
        refuse(path, withoutCode(error), error.code);
      }
      return [command];
    };
    if (typeof value === "string") return accepted(value, []);
    if (Array.isArray(value) && value.length > 0) {
      return value.flatMap((command: unknown, at) => accepted(command, [at]));
    }
    const got = Array.isArray(value) ? "an empty list" : described(value);
    refuse([], `expected a command or a list of commands, got ${got}`);
    return z.NEVER;
  });
}
