#!/usr/bin/env node
import { createRequire } from "node:module";

// For starting orcs by this path; bin/orcs.cjs decides what is loaded for which verb.
createRequire(import.meta.url)("../../bin/orcs.cjs");
