import { z } from "zod";

/** A text that is not empty. */
export const text = z.string().min(1);

/** The name of an environment variable. */
export const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected the name of an environment variable");
