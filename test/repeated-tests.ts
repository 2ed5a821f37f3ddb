import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Names the tests that passed only when they were repeated: each is a defect, of the test or of what it tests. */
export default class RepeatedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const repeated = modules.flatMap((module) =>
      [...module.children.allTests("passed")]
        .filter(isRepeated)
        .map((test) => nameOf(module, test)),
    );
    if (repeated.length === 0) return;
    console.error(`\nPASSED ONLY WHEN REPEATED, find out why:\n${repeated.join("\n")}\n`);
  }
}

function isRepeated(test: TestCase): boolean {
  return (test.diagnostic()?.retryCount ?? 0) > 0;
}

function nameOf(module: TestModule, test: TestCase): string {
  return `  ${module.relativeModuleId}: ${test.fullName}`;
}
