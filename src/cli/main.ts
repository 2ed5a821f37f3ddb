#!/usr/bin/env node
import { createRequire } from "node:module";

// For whoever starts it by this path: what `orcs` is on a PATH says what is loaded for which verb.
createRequire(import.meta.url)("../../bin/orcs.cjs");
