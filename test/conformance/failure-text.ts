/** Which attempts fail, and with which exception. */
export interface FailurePlan {
  /** Name of the exception; absent if the text names none. */
  readonly name?: string;
  /** Attempts that fail before one succeeds; `Infinity` if none does. */
  readonly failures: number;
}

const COUNTS: Readonly<Record<string, number>> = {
  once: 1,
  twice: 2,
  thrice: 3,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
};

/** The end of a plan: the attempt that succeeds. */
const SUCCESS = String.raw`,? ?(?:and )?then (?:succeeds|returns|success)\b.*`;
const NAME = String.raw`(?:\w+\.)*(?<name>[A-Z]\w*)`;
const COUNT = String.raw`(?<count>once|twice|thrice|\w+ times?|\w+)`;

/** All accepted forms of the text. */
const FORMS: readonly RegExp[] = [
  new RegExp(`^(?:always |raises |always raises |(?:always )?fails with )?${NAME}$`),
  /^(?:always(?: fails| raises)?|fails (?:always|every time))$/,
  /^(?:never(?: fails| raises)?|(?:succeeds|returns)(?: at once| immediately| normally)?)(?<never>)$/,
  new RegExp(`^fails ${COUNT}(?: with ${NAME})?${SUCCESS}$`),
  new RegExp(`^(?:raises )?${NAME},? ${COUNT}${SUCCESS}$`),
  new RegExp(`^${COUNT}${SUCCESS}$`),
];

/** Ignored parts of the text: a remark in brackets, how it was reported, or how much of a list is shown. */
const REMARKS =
  /(?: ?\([^)]*\)|, (?:reported|marked|not retryable|retryable)[\w ]*|[,:;]? (?:the )?first \w+ (?:delays|retries|runs)(?: shown)?)+$/;

/**
 * Reads `always ValueError`, `fails twice then succeeds`, `ValueError once, then returns`, `CancelledError (worker
 * shutdown)` and their kin.
 *
 * @throws {Error} for any other text
 */
export function readFailure(text: string): FailurePlan {
  const plain = text.replace(REMARKS, '');
  for (const form of FORMS) {
    const groups = form.exec(plain)?.groups;
    if (groups === undefined && !form.test(plain)) continue;
    const { name, count, never } = groups ?? {};
    const failures = never === undefined ? countOf(count) : 0;
    if (failures !== undefined) return { ...(name !== undefined && { name }), failures };
  }
  throw new Error(`Cannot read the failure "${text}".`);
}

/** Returns the number of failures: `Infinity` if the text has none; `undefined` for a word that is not a number. */
export function countOf(text: string | undefined): number | undefined {
  if (text === undefined) return Infinity;
  const word = text.replace(/ times?$/, '');
  const count = COUNTS[word] ?? Number(word);
  return Number.isInteger(count) && count >= 0 ? count : undefined;
}
