import { Cron } from 'croner';

/** What is wrong with a pattern, and what to write instead. */
interface CronProblem {
  readonly message: string;
  readonly cure: string;
}

/** The fields of a pattern that has all seven, and what each of them takes. */
const FIELDS = [
  ['second', '0 to 59'],
  ['minute', '0 to 59'],
  ['hour', '0 to 23'],
  ['day of the month', '1 to 31, L, LW or 15W'],
  ['month', '1 to 12 or JAN to DEC'],
  ['day of the week', '0 to 7 or SUN to SAT, MON#2 or 5L'],
  ['year', '1 to 9999'],
] as const;

/** A name without blanks, or five to seven fields: the library takes other text without blanks to be an instant. */
const SHAPE = /^(?:@\w+|\S+(?: \S+){4,6})$/;

/** A step without a beginning, which the library reads as one of all values. */
const BARE_STEP = /(?:^|[ ,])\//;

const WHOLE: CronProblem = {
  message: 'must be a cron pattern of five to seven fields',
  cure: "Use minute, hour, day of the month, month and day of the week: '30 2 * * MON-FRI'.",
};

/** What names of other crons ask for, and that is no pattern here; the first that fits counts. */
const NAMES: readonly (readonly [name: RegExp, cure: (text: string) => string])[] = [
  [
    /^@(?:reboot|start(?:up)?)$/i,
    () => 'Submit the run where the program starts: queue.submit(task, payload).',
  ],
  [/^@every (\S+)$/i, (text) => `Use every: '${text}'.`],
  [/^@/, () => 'Of names there are @hourly, @daily, @weekly, @monthly and @yearly.'],
];

/** A range whose beginning is above its end. */
const RANGE = /^(\d+)-(\d+)$/;

/**
 * Parses a pattern. A time of day that is skipped when clocks go forward comes at the first instant after the gap, and one that is
 * repeated when they go back comes once, lists and ranges included; patterns with a wildcard or a step follow the clock.
 *
 * @throws what the library throws for a wrong pattern
 */
export function parseCron(cron: string, timeZone: string): Cron {
  // With sloppy ranges `5/15` is `5-59/15`, as elsewhere.
  const options = { paused: true, fixedTimeRule: 'no-wildcard', sloppyRanges: true } as const;
  return new Cron(cron, { timezone: timeZone, ...options });
}

/** Returns what is wrong with a pattern, whose blanks are single ones; `undefined` if nothing is. */
export function cronProblem(cron: string): CronProblem | undefined {
  const isPattern = SHAPE.test(cron);
  if (isPattern && isReadable(cron)) return undefined;
  const named = NAMES.find(([name]) => name.test(cron));
  if (named !== undefined) return { ...WHOLE, cure: named[1](named[0].exec(cron)?.[1] ?? '') };
  if (!isPattern) return WHOLE;
  const texts = cron.split(' ');
  const first = texts.length > 5 ? 0 : 1; // five fields begin with the minute
  const wrong = texts.findIndex((text, index) => !isReadable(alone(text, first + index)));
  const [name, values] = FIELDS[first + wrong] ?? [];
  if (texts.length === 1 || wrong < 0 || name === undefined) return WHOLE;
  const message = `cannot be read at the ${name} ${texts[wrong]}`;
  const [, from, to] = RANGE.exec(texts[wrong] ?? '') ?? [];
  if (Number(from) > Number(to)) {
    const [least, most] = values.split(' to ', 2).map((text) => Number.parseInt(text, 10));
    return { message, cure: `Write a range that wraps around as two: ${from}-${most},${least}-${to}.` };
  }
  return {
    message,
    cure: `The ${name} is ${values}: one of them, a list (1,5), a range (1-5), or with a step (*/2, 1/2, 1-5/2).`,
  };
}

/** Returns the pattern of seven fields that has a text in one of them and is open in the others. */
function alone(text: string, field: number): string {
  return FIELDS.map((_, index) => (index === field ? text : '*')).join(' ');
}

function isReadable(cron: string): boolean {
  try {
    return !BARE_STEP.test(cron) && parseCron(cron, 'UTC') !== undefined;
  } catch {
    return false;
  }
}
