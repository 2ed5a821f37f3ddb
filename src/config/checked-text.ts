import { z } from "zod";
import { OrcsError } from "../core/errors.ts";
import type { ErrorCode } from "../core/errors.ts";

/** A string that a parser of another layer accepts; what that throws keeps its code. */
export function checkedText(check: (text: string) => void): z.ZodType<string> {
  return z
    .string()
    .min(1)
    .superRefine((text, ctx) => {
      if (text === "") return;
      try {
        check(text);
      } catch (error) {
        if (!(error instanceof OrcsError)) throw error;
        ctx.addIssue({
          code: "custom",
          message: withoutCode(error),
          params: { code: error.code satisfies ErrorCode },
        });
      }
    });
}

/** Its message alone. */
export function withoutCode(error: OrcsError): string {
  return error.message.slice(`${error.code}: `.length);
}
