import { defineConfig } from "vite";

/** The page of `orcs ui`: a few files without anything inline, as its content security policy demands. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  build: {
    outDir: "../dist/ui",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  logLevel: "warn",
});
