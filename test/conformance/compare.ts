/** The tolerance of delays: the last digits of a double. */
const RELATIVE_TOLERANCE = 1e-9;

/**
 * Returns the first difference between answer and expectation: a path and both values, or nothing. Numbers are equal
 * within the tolerance; of an object only the expected keys are compared.
 */
export function findDifference(actual: unknown, expected: unknown, path = 'answer'): string | undefined {
  if (typeof expected === 'number' && typeof actual === 'number') {
    return isClose(actual, expected) ? undefined : `${path} is ${actual}, expected ${expected}`;
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return firstOf(expected.map((value, index) => findDifference(actual[index], value, `${path}[${index}]`)));
  }
  if (isRecord(expected) && isRecord(actual)) {
    return firstOf(
      Object.keys(expected).map((key) => findDifference(actual[key], expected[key], `${path}.${key}`)),
    );
  }
  if (Object.is(actual, expected)) return undefined;
  return `${path} is ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`;
}

/** Every number within a value, however deep. */
export function numbersIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

function isClose(actual: number, expected: number): boolean {
  if (actual === expected) return true;
  // Its tolerance would be infinite too.
  if (!Number.isFinite(expected)) return false;
  return Math.abs(actual - expected) <= RELATIVE_TOLERANCE * Math.max(Math.abs(expected), 1e-9);
}

function firstOf(differences: readonly (string | undefined)[]): string | undefined {
  return differences.find((difference) => difference !== undefined);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
