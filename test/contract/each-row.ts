/**
 * All rows of a table in one test, which says the row that failed. Where there are thousands, a test for each takes
 * longer than what it tries.
 */
export async function eachRow<Row extends readonly unknown[]>(
  rows: readonly Row[],
  attempt: (...row: [...Row]) => unknown,
): Promise<void> {
  for (const row of rows) {
    try {
      await attempt(...row);
    } catch (error) {
      if (error instanceof Error) error.message = `${JSON.stringify(row)}: ${error.message}`;
      throw error;
    }
  }
}
