/** Which attempts fail, and with what. */
export interface FailurePlan {
  /** Name of the exception; absent where the text leaves it open. */
  readonly name?: string;
  /** Attempts that fail before one succeeds. */
  readonly failures: number;
}

const COUNTS: Readonly<Record<string, number>> = { once: 1, twice: 2, thrice: 3, two: 2, three: 3, four: 4 };

/** Reads `always ValueError`, `fails twice then succeeds`, `CancelledError (worker shutdown)` and their kin. */
export function readFailure(text: string): FailurePlan {
  const always = /^(?:always |raises )?(?:\w+\.)*(?<name>\w+)(?: \(.*\))?$/.exec(text)?.groups;
  if (always?.['name'] !== undefined) return { name: always['name'], failures: Infinity };
  const some = /^fails (?<count>\w+)(?: times?)?(?: with (?<name>\w+))?,? then succeeds$/.exec(text)?.groups;
  const count = some?.['count'] ?? '';
  const failures = COUNTS[count] ?? Number(count === '' ? Number.NaN : count);
  if (Number.isNaN(failures)) throw new Error(`Cannot read the failure "${text}".`);
  return { ...(some?.['name'] !== undefined && { name: some['name'] }), failures };
}
